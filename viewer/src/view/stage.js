// Renderer, light, ground and camera.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

const HORIZON = 0xe3e6ea;
const ZENITH = 0x9fb2c8;
const LOOK_AT_HEIGHT = 0.95; // m
// Lights as seen from the camera: x to the right, z toward it. They go round with it, so that folds are lit
// from aside.
const SUN = new THREE.Vector3(3.2, 4.2, 1.2);
const RIM = new THREE.Vector3(-3, 2.2, -2.6);
const TILE = 1; // m of ground between lines
const LEAST_DETAIL = 0.4;

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    // Pixels drawn for one of the screen, along each side: `?detail=0.5` begins with fewer.
    const wanted = Number(new URLSearchParams(window.location.search).get('detail'));
    this.detail = wanted > 0 ? Math.min(2, Math.max(LEAST_DETAIL, wanted)) : 1;
    this.resized = true;
    this.covered = { right: 0, bottom: 0 };
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 0.95;

    this.scene = new THREE.Scene();
    this.scene.fog = new THREE.Fog(HORIZON, 8, 30);
    const environment = new THREE.PMREMGenerator(this.renderer).fromScene(new RoomEnvironment(), 0.05);
    this.scene.environment = environment.texture;
    this.scene.environmentIntensity = 0.38;

    this.camera = new THREE.PerspectiveCamera(32, 1, 0.05, 120);
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, {
      enableDamping: true,
      dampingFactor: 0.12,
      minDistance: 0.6,
      maxDistance: 18,
    });
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    canvas.addEventListener('keydown', (event) => this.#key(event));
    this.#addLight();
    this.#addGround();
    this.sky = dome();
    this.scene.add(this.sky);
    this.lookFrom(0);
  }

  #addLight() {
    this.scene.add(new THREE.HemisphereLight(0xeaf2ff, 0x9a938c, 0.8));
    this.sun = new THREE.DirectionalLight(0xfff1e0, 3.3);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.012;
    this.rim = new THREE.DirectionalLight(0xbfd4ff, 0.9);
    this.scene.add(this.sun, this.sun.target, this.rim, this.rim.target);
    this.setReach(2.4);
  }
  // How far from the middle shadows are seen, m.
  setReach(reach) {
    const { camera } = this.sun.shadow;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.5, far: 14 });
    camera.updateProjectionMatrix();
  }

  #addGround() {
    const material = new THREE.MeshStandardMaterial({ color: 0xffffff, map: tiles(), roughness: 0.95 });
    material.envMapIntensity = 0.4;
    this.ground = new THREE.Mesh(new THREE.CircleGeometry(32, 48), material);
    this.ground.rotation.x = -Math.PI / 2;
    this.ground.receiveShadow = true;
    this.scene.add(this.ground);
  }

  // The middle of what is looked at, and the direction that it heads in, go along; the user's turns of the
  // view stay.
  follow([x, , z], heading, seconds, withHeading) {
    const target = new THREE.Vector3(x, LOOK_AT_HEIGHT, z);
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (withHeading) {
      const difference = Math.atan2(Math.sin(heading - this.heading), Math.cos(heading - this.heading));
      const turn = difference * (1 - Math.exp(-seconds / 0.9));
      offset.applyAxisAngle(THREE.Object3D.DEFAULT_UP, turn);
      this.heading += turn;
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).add(offset);
    // The ground is the same wherever one is.
    this.sky.position.copy(target);
    this.ground.position.set(Math.round(x / TILE) * TILE, 0, Math.round(z / TILE) * TILE);
    const round = Math.atan2(offset.x, offset.z);
    for (const [light, from] of [
      [this.sun, SUN],
      [this.rim, RIM],
    ]) {
      light.target.position.copy(target);
      light.position.copy(from).applyAxisAngle(THREE.Object3D.DEFAULT_UP, round).add(target);
    }
  }
  // From aside and behind, for somebody who heads so.
  lookFrom(heading, distance = 4.6) {
    this.heading = heading;
    const upright = window.innerWidth < window.innerHeight; // as phones are held
    const from = new THREE.Vector3(-0.7, 0.26, -0.74)
      .normalize()
      .multiplyScalar(upright ? 1.55 * distance : distance);
    this.controls.target.set(0, LOOK_AT_HEIGHT, 0);
    this.camera.position
      .copy(from.applyAxisAngle(THREE.Object3D.DEFAULT_UP, heading))
      .add(this.controls.target);
  }

  // Arrows go round, plus and minus nearer and farther, for who has no mouse.
  #key(event) {
    const [round, up, far] = {
      ArrowLeft: [-1, 0, 0],
      ArrowRight: [1, 0, 0],
      ArrowUp: [0, -1, 0],
      ArrowDown: [0, 1, 0],
      '+': [0, 0, -1],
      '-': [0, 0, 1],
    }[event.key] ?? [0, 0, 0];
    if (round === 0 && up === 0 && far === 0) return;
    event.preventDefault();
    const from = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target));
    from.theta += 0.1 * round;
    from.phi = Math.min(this.controls.maxPolarAngle, Math.max(0.1, from.phi + 0.06 * up));
    from.radius = Math.min(
      this.controls.maxDistance,
      Math.max(this.controls.minDistance, from.radius * 1.08 ** far),
    );
    this.camera.position.setFromSpherical(from).add(this.controls.target);
  }

  // covered: pixels that controls lie over, so that the person is in the middle of the rest.
  cover(covered) {
    this.covered = covered;
    this.resized = true;
  }
  // Together with the next picture: until then the canvas would be empty.
  #resize() {
    const { covered } = this;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(this.detail * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.setViewOffset(width, height, covered.right / 2, covered.bottom / 2, width, height);
    this.camera.aspect = width / height;
    // On a phone held upright the person is to fit, too.
    this.camera.fov = width < height ? 42 : 32;
    this.camera.updateProjectionMatrix();
  }

  // Fewer pixels for who is slow at drawing them.
  drawLess() {
    if (this.detail <= LEAST_DETAIL) return;
    this.detail = Math.max(LEAST_DETAIL, 0.75 * this.detail);
    this.resized = true;
  }

  draw() {
    if (this.resized) this.#resize();
    this.resized = false;
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }
}

function picture(width, height, paint) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  paint(canvas.getContext('2d'));
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

// A sky that goes over into the ground's haze.
function dome() {
  const geometry = new THREE.SphereGeometry(60, 24, 24);
  const { position } = geometry.attributes;
  const colours = new Float32Array(3 * position.count);
  const colour = new THREE.Color();
  for (let v = 0; v < position.count; ++v) {
    const up = Math.max(0, position.getY(v) / 60);
    colour
      .set(HORIZON)
      .lerp(new THREE.Color(ZENITH), Math.min(1, 1.6 * up))
      .toArray(colours, 3 * v);
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
  const material = new THREE.MeshBasicMaterial({
    vertexColors: true,
    side: THREE.BackSide,
    fog: false,
    toneMapped: false,
  });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.renderOrder = -1;
  return mesh;
}

function tiles() {
  const size = 256;
  const texture = picture(size, size, (context) => {
    context.fillStyle = '#b9bec5';
    context.fillRect(0, 0, size, size);
    context.strokeStyle = '#a3aab4';
    context.lineWidth = 3;
    context.strokeRect(0, 0, size, size);
  });
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.repeat.set(64 / TILE, 64 / TILE);
  texture.anisotropy = 8;
  return texture;
}
