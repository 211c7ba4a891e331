// Overlays: ropes and virtual bones, lateral springs, colliders, vertices inside the body.
import * as THREE from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { Colliders } from './colliders.js';

const ROPE = 0x2fd45f;
const LATERAL = 0xa35cff;
const INSIDE = 0xff2222;

// Overlays are drawn on top, because most of them are hidden by cloth.
const onTop = { depthTest: false, depthWrite: false, transparent: true, toneMapped: false };

export class Overlays {
  constructor(garment) {
    this.group = new THREE.Group();
    this.group.renderOrder = 10;
    this.bonePositions = new THREE.BufferAttribute(
      new Float32Array(3 * garment.chainSizes.reduce((a, b) => a + b, 0)),
      3,
    );
    this.ropes = this.#lines(garment.ropes(), ROPE, 2.2);
    this.laterals = this.#lines(garment.laterals(), LATERAL, 1.4);
    this.bones = this.#points(this.bonePositions, ROPE, 6);
    this.inside = this.#points(
      new THREE.BufferAttribute(new Float32Array(3 * garment.vertexCount), 3),
      INSIDE,
      6,
    );
    this.colliders = new Colliders(garment);
    this.group.add(this.laterals, this.ropes, this.bones, this.inside, this.colliders.group);
  }

  // Lines with a width in pixels. Their geometry needs both ends of each line, consecutively.
  #lines(pairs, color, linewidth) {
    const lines = new LineSegments2(
      new LineSegmentsGeometry(),
      new LineMaterial({ color, linewidth, ...onTop }),
    );
    lines.userData = { pairs, ends: new Float32Array(3 * pairs.length) };
    lines.geometry.setPositions(lines.userData.ends);
    return hidden(lines);
  }
  #updateLines({ userData: { pairs, ends }, geometry }) {
    pairs.forEach((bone, k) => {
      for (let c = 0; c < 3; ++c) ends[3 * k + c] = this.bonePositions.array[3 * bone + c];
    });
    const { data } = geometry.attributes.instanceStart;
    data.array.set(ends);
    data.needsUpdate = true;
  }
  #points(positions, color, size) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', positions);
    const material = new THREE.PointsMaterial({
      color,
      size,
      map: disc(),
      alphaTest: 0.5,
      sizeAttenuation: false,
      ...onTop,
    });
    return hidden(new THREE.Points(geometry, material));
  }

  show({ ropes, laterals, colliders, inside }) {
    this.ropes.visible = this.bones.visible = ropes;
    this.laterals.visible = laterals;
    this.colliders.group.visible = colliders;
    this.inside.visible = inside;
  }

  // Updates the visible overlays from a character of the runtime. garmentJoints: world transforms of the
  // garment's joints. Returns the number of vertices inside the body, if they are shown.
  update(character, garmentJoints) {
    if (this.ropes.visible || this.laterals.visible) {
      this.bonePositions.array.set(character.bones);
      this.bonePositions.needsUpdate = true;
      if (this.ropes.visible) this.#updateLines(this.ropes);
      if (this.laterals.visible) this.#updateLines(this.laterals);
    }
    if (this.colliders.group.visible) this.colliders.pose(garmentJoints);
    return this.inside.visible ? this.#findInside(character) : 0;
  }
  #findInside(character) {
    const attribute = this.inside.geometry.attributes.position;
    const distances = character.distances;
    const positions = character.positions;
    let count = 0;
    distances.forEach((distance, v) => {
      if (distance < 0) attribute.array.set(positions.subarray(3 * v, 3 * v + 3), 3 * count++);
    });
    attribute.needsUpdate = true;
    this.inside.geometry.setDrawRange(0, count);
    return count;
  }

  dispose() {
    for (const part of [this.ropes, this.laterals, this.bones, this.inside]) {
      part.geometry.dispose();
      part.material.dispose();
    }
    this.colliders.dispose();
  }
}

// A round point sprite.
function disc() {
  const size = 16;
  const data = new Uint8Array(4 * size * size).fill(255);
  for (let k = 0; k < size * size; ++k) {
    const [x, y] = [(k % size) + 0.5 - size / 2, Math.floor(k / size) + 0.5 - size / 2];
    data[4 * k + 3] = Math.hypot(x, y) < size / 2 ? 255 : 0;
  }
  const texture = new THREE.DataTexture(data, size, size);
  texture.needsUpdate = true;
  return texture;
}

function hidden(object) {
  object.visible = false;
  object.frustumCulled = false;
  object.renderOrder = 10;
  return object;
}
