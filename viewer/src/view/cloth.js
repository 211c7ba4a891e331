// A garment's mesh: fabric with a lining, or a map of how much the shape network adds.
import * as THREE from 'three';

export const FABRICS = {
  crimson: { front: 0x9e2233, back: 0x5a3568, sheen: 0xff8a80 },
  petrol: { front: 0x17667a, back: 0xb98a4a, sheen: 0x9fe8ff },
  ochre: { front: 0xb4761f, back: 0x5c2a1a, sheen: 0xffe0a0 },
  ink: { front: 0x2c3450, back: 0x6b1f2c, sheen: 0xaab8ff },
};
const THREADS = 260; // weave patterns a metre
export const HEAT_FULL = 0.02; // m that the map's last colour stands for

export class Cloth {
  constructor(garment) {
    this.geometry = new THREE.BufferGeometry();
    const vertices = (size) => {
      const attribute = new THREE.BufferAttribute(new Float32Array(size * garment.vertexCount), size);
      return attribute.setUsage(THREE.DynamicDrawUsage);
    };
    this.geometry.setAttribute('position', vertices(3));
    this.geometry.setAttribute('normal', vertices(3));
    this.geometry.setAttribute('color', vertices(3));
    this.geometry.setAttribute('uv', new THREE.BufferAttribute(garment.uvs, 2));
    this.geometry.setIndex(new THREE.BufferAttribute(garment.triangles, 1));

    const hasPattern = garment.uvs.some((v) => v !== 0);
    this.fabric = fabricMaterial(hasPattern);
    this.heat = new THREE.MeshStandardMaterial({
      vertexColors: true,
      side: THREE.DoubleSide,
      roughness: 0.9,
    });
    this.mesh = new THREE.Mesh(this.geometry, this.fabric);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false; // its bounds would have to be found anew each frame
    this.before = null; // positions and normals of the frame before the last
  }

  setFabric(name) {
    const { front, back, sheen } = FABRICS[name];
    this.fabric.color.set(front);
    this.fabric.userData.back.value.set(back);
    this.fabric.sheenColor.set(sheen);
  }
  showHeat(on) {
    this.mesh.material = on ? this.heat : this.fabric;
  }

  // Takes over a frame of the runtime's.
  take(positions, normals) {
    this.last ??= { positions: positions.slice(), normals: normals.slice() };
    this.before ??= { positions: positions.slice(), normals: normals.slice() };
    [this.before, this.last] = [this.last, this.before];
    this.last.positions.set(positions);
    this.last.normals.set(normals);
  }
  // Shows what is between the last two frames; share 1 is the last.
  show(share) {
    if (!this.last) return;
    for (const [name, from, to] of [
      ['position', this.before.positions, this.last.positions],
      ['normal', this.before.normals, this.last.normals],
    ]) {
      const attribute = this.geometry.attributes[name];
      if (share >= 1) attribute.array.set(to);
      else for (let k = 0; k < to.length; ++k) attribute.array[k] = from[k] + share * (to[k] - from[k]);
      attribute.needsUpdate = true;
    }
  }
  // Without a way from the last frame to this one, as after a jump.
  forget() {
    this.before = this.last = null;
  }

  // Colours by how far each vertex is from where it would be without shape.
  takeHeat(withoutShape) {
    const { array } = this.geometry.attributes.color;
    const shown = this.last.positions;
    for (let v = 0; v < array.length; v += 3) {
      const d = Math.hypot(
        shown[v] - withoutShape[v],
        shown[v + 1] - withoutShape[v + 1],
        shown[v + 2] - withoutShape[v + 2],
      );
      heatColour(Math.min(1, d / HEAT_FULL), array, v);
    }
    this.geometry.attributes.color.needsUpdate = true;
  }

  dispose() {
    this.geometry.dispose();
    this.fabric.dispose();
    this.heat.dispose();
  }
}

// Dark blue, violet, orange, light yellow.
const HEAT = [
  [0.03, 0.05, 0.25],
  [0.3, 0.05, 0.4],
  [0.85, 0.2, 0.12],
  [1, 0.85, 0.4],
];
function heatColour(share, out, at) {
  const place = share * (HEAT.length - 1);
  const k = Math.min(Math.floor(place), HEAT.length - 2);
  for (let c = 0; c < 3; ++c) out[at + c] = HEAT[k][c] + (place - k) * (HEAT[k + 1][c] - HEAT[k][c]);
}
export function heatCss() {
  const srgb = (v) => Math.round(255 * v ** (1 / 2.2));
  return `linear-gradient(90deg, ${HEAT.map((c) => `rgb(${c.map(srgb).join(' ')})`).join(', ')})`;
}

function fabricMaterial(hasPattern) {
  const material = new THREE.MeshPhysicalMaterial({
    side: THREE.DoubleSide,
    shadowSide: THREE.DoubleSide,
    roughness: 0.86,
    sheen: 0.22,
    sheenRoughness: 0.4,
    normalMap: hasPattern ? weave() : null,
    normalScale: new THREE.Vector2(0.35, 0.35),
  });
  // The wrong side has a colour of its own, which three.js does not offer.
  material.userData.back = { value: new THREE.Color() };
  material.onBeforeCompile = (shader) => {
    shader.uniforms.backColour = material.userData.back;
    shader.fragmentShader = `uniform vec3 backColour;\n${shader.fragmentShader}`.replace(
      '#include <color_fragment>',
      '#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb = backColour;',
    );
  };
  return material;
}

// Normals of threads that go over and under each other in turns.
function weave() {
  const size = 32;
  const data = new Uint8Array(4 * size * size);
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x) {
      const over = x < size / 2 === y < size / 2;
      const across = Math.sin((2 * Math.PI * ((over ? y : x) + 0.5)) / (size / 2)) * 0.5;
      const normal = over ? [0, across] : [across, 0];
      data.set([128 + 127 * normal[0], 128 + 127 * normal[1], 235, 255], 4 * (y * size + x));
    }
  const texture = new THREE.DataTexture(data, size, size);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.repeat.set(THREADS, THREADS);
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = THREE.LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 8;
  texture.needsUpdate = true;
  return texture;
}
