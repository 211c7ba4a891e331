// A garment's mesh: fabric with a lining, or a heat map of the shape network's contribution.
import * as THREE from 'three';

export const FABRICS = {
  crimson: { front: 0x9e2233, back: 0x5a3568, sheen: 0xff8a80 },
  petrol: { front: 0x17667a, back: 0xb98a4a, sheen: 0x9fe8ff },
  ochre: { front: 0xb4761f, back: 0x5c2a1a, sheen: 0xffe0a0 },
  ink: { front: 0x2c3450, back: 0x6b1f2c, sheen: 0xaab8ff },
};
const THREADS = 260; // weave patterns per metre
export const HEAT_FULL = 0.02; // m, the upper end of the heat map

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
    this.mesh.frustumCulled = false; // culling would need new bounds each frame
    this.before = null; // positions and normals of the last frame but one
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

  // Copies a frame of the runtime.
  setFrame(positions, normals) {
    this.last ??= { positions: positions.slice(), normals: normals.slice() };
    this.before ??= { positions: positions.slice(), normals: normals.slice() };
    [this.before, this.last] = [this.last, this.before];
    this.last.positions.set(positions);
    this.last.normals.set(normals);
  }
  // Shows an interpolation of the last two frames; t = 1 is the last.
  interpolate(t) {
    if (!this.last) return;
    for (const [name, from, to] of [
      ['position', this.before.positions, this.last.positions],
      ['normal', this.before.normals, this.last.normals],
    ]) {
      const attribute = this.geometry.attributes[name];
      if (t >= 1) attribute.array.set(to);
      else for (let k = 0; k < to.length; ++k) attribute.array[k] = from[k] + t * (to[k] - from[k]);
      attribute.needsUpdate = true;
    }
  }
  // Discards the frames, so that a jump is not interpolated.
  reset() {
    this.before = this.last = null;
  }

  // Colours vertices by their distance to the positions without the shape network.
  setHeat(withoutShape) {
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
function heatColour(value, out, at) {
  const x = value * (HEAT.length - 1);
  const k = Math.min(Math.floor(x), HEAT.length - 2);
  for (let c = 0; c < 3; ++c) out[at + c] = HEAT[k][c] + (x - k) * (HEAT[k + 1][c] - HEAT[k][c]);
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
  // Back faces have their own colour, which three.js does not support.
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

// A normal map of a plain weave.
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
