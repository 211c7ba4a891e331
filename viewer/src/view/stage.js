// Renderer, light, ground and camera.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

const HORIZON = 0xe3e6ea;
const ZENITH = 0x9fb2c8;
const LOOK_AT_HEIGHT = 0.95; // m
// Light directions relative to the camera: x to the right, z towards it. The lights follow the camera, so
// that folds are always lit from the side.
const SUN = new THREE.Vector3(3.2, 4.2, 1.2);
const RIM = new THREE.Vector3(-3, 2.2, -2.6);
const TILE = 1; // m of ground between lines
const MIN_DETAIL = 0.4;
const SEEN_RADIUS = 1.2; // m round the pelvis: a person with cloth
// What moves the camera less than this moves no pixel.
const STILL = 1e-4; // m
const STEADY = 1e-5; // rad

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    // Rendered pixels per screen pixel along each side; `?detail=0.5` sets the initial value.
    const requested = Number(new URLSearchParams(window.location.search).get('detail'));
    this.detail = requested > 0 ? Math.min(2, Math.max(MIN_DETAIL, requested)) : 1;
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
    this.drawnFrom = new THREE.Object3D(); // the camera's place in the last picture
    canvas.addEventListener('keydown', (event) => this.#key(event));
    canvas.addEventListener('webglcontextrestored', () => (this.resized = true));
    this.#addLight();
    this.#addGround();
    this.sky = skyDome();
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
    this.setShadowRange(2.4);
  }
  // Half the width of the area with shadows, m.
  setShadowRange(range) {
    const { camera } = this.sun.shadow;
    Object.assign(camera, { left: -range, right: range, top: range, bottom: -range, near: 0.5, far: 14 });
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

  // Follows the subject's position and, with `withHeading`, its heading. The user's rotation of the view is
  // kept.
  follow([x, , z], heading, seconds, withHeading) {
    const target = new THREE.Vector3(x, LOOK_AT_HEIGHT, z);
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (withHeading) {
      const difference = Math.atan2(Math.sin(heading - this.heading), Math.cos(heading - this.heading));
      const angle = difference * (1 - Math.exp(-seconds / 0.9));
      offset.applyAxisAngle(THREE.Object3D.DEFAULT_UP, angle);
      this.heading += angle;
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).add(offset);
    // Move sky and ground along, the ground by multiples of its tiles.
    this.sky.position.copy(target);
    this.ground.position.set(Math.round(x / TILE) * TILE, 0, Math.round(z / TILE) * TILE);
    const azimuth = Math.atan2(offset.x, offset.z);
    for (const [light, from] of [
      [this.sun, SUN],
      [this.rim, RIM],
    ]) {
      light.target.position.copy(target);
      light.position.copy(from).applyAxisAngle(THREE.Object3D.DEFAULT_UP, azimuth).add(target);
    }
  }
  // Places the camera behind and to the side of a subject with this heading.
  lookFrom(heading, distance = 4.6) {
    this.heading = heading;
    const portrait = window.innerWidth < window.innerHeight;
    const from = new THREE.Vector3(-0.7, 0.26, -0.74)
      .normalize()
      .multiplyScalar(portrait ? 1.55 * distance : distance);
    this.controls.target.set(0, LOOK_AT_HEIGHT, 0);
    this.camera.position
      .copy(from.applyAxisAngle(THREE.Object3D.DEFAULT_UP, heading))
      .add(this.controls.target);
  }

  // Keyboard control: arrows orbit, plus and minus zoom.
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

  // covered: pixels hidden by controls; the view is centred in the rest.
  setCovered(covered) {
    this.covered = covered;
    this.resized = true;
  }
  // Called right before drawing, because resizing clears the canvas.
  #resize() {
    const { covered } = this;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(this.detail * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.setViewOffset(width, height, covered.right / 2, covered.bottom / 2, width, height);
    this.camera.aspect = width / height;
    // Widen the view in portrait format, so that the person fits.
    this.camera.fov = width < height ? 42 : 32;
    this.camera.updateProjectionMatrix();
  }

  // How a person with the pelvis at this position is seen by the camera.
  viewOf(position) {
    const centre = new THREE.Vector3(...position);
    this.camera.updateMatrixWorld();
    const { projectionMatrix, matrixWorldInverse } = this.camera;
    const frustum = new THREE.Frustum().setFromProjectionMatrix(
      new THREE.Matrix4().multiplyMatrices(projectionMatrix, matrixWorldInverse),
    );
    return {
      distance: this.camera.position.distanceTo(centre),
      visible: frustum.intersectsSphere(new THREE.Sphere(centre, SEEN_RADIUS)),
    };
  }

  // Reduces the resolution on slow machines.
  reduceDetail() {
    if (this.detail <= MIN_DETAIL) return;
    this.detail = Math.max(MIN_DETAIL, 0.75 * this.detail);
    this.resized = true;
  }

  // Draws what changed or is seen from elsewhere: a paused page leaves processor and battery alone.
  draw(changed) {
    const { camera, drawnFrom, resized } = this;
    if (resized) this.#resize();
    this.resized = false;
    this.controls.update();
    const moved =
      camera.position.distanceTo(drawnFrom.position) > STILL ||
      camera.quaternion.angleTo(drawnFrom.quaternion) > STEADY;
    if (!changed && !resized && !moved) return;
    drawnFrom.position.copy(camera.position);
    drawnFrom.quaternion.copy(camera.quaternion);
    this.renderer.render(this.scene, camera);
  }
}

function canvasTexture(width, height, paint) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  paint(canvas.getContext('2d'));
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

// A sky dome that fades into the fog at the horizon.
function skyDome() {
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
  const texture = canvasTexture(size, size, (context) => {
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
