// What is otherwise hidden: ropes and virtual bones, lateral springs, colliders, vertices inside the body.
import * as THREE from 'three';
import { Colliders } from './colliders.js';

const ROPE = 0x2fd45f;
const LATERAL = 0xa35cff;
const INSIDE = 0xff2222;

// Drawn over everything: what is inside cloth is to be seen.
const onTop = { depthTest: false, depthWrite: false, transparent: true };

export class Overlays {
  constructor(garment) {
    this.group = new THREE.Group();
    this.group.renderOrder = 10;
    this.places = new THREE.BufferAttribute(new Float32Array(3 * garment.chainSizes.reduce((a, b) => a + b, 0)), 3);
    this.ropes = this.#lines(garment.ropes(), ROPE, 1);
    this.laterals = this.#lines(garment.laterals(), LATERAL, 0.75);
    this.bones = this.#points(this.places, ROPE, 5);
    this.inside = this.#points(new THREE.BufferAttribute(new Float32Array(3 * garment.vertexCount), 3), INSIDE, 6);
    this.colliders = new Colliders(garment);
    this.group.add(this.laterals, this.ropes, this.bones, this.inside, this.colliders.group);
  }

  #lines(pairs, color, opacity) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', this.places);
    geometry.setIndex(new THREE.BufferAttribute(pairs, 1));
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color, opacity, ...onTop }));
    return hidden(lines);
  }
  #points(places, color, size) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', places);
    const material = new THREE.PointsMaterial({ color, size, sizeAttenuation: false, ...onTop });
    return hidden(new THREE.Points(geometry, material));
  }

  show({ ropes, laterals, colliders, inside }) {
    this.ropes.visible = this.bones.visible = ropes;
    this.laterals.visible = laterals;
    this.colliders.group.visible = colliders;
    this.inside.visible = inside;
  }

  // Reads what is shown from a character of the runtime; garmentJoints: where the garment's joints are. Says how many vertices are inside.
  update(character, garmentJoints) {
    if (this.ropes.visible || this.laterals.visible) {
      this.places.array.set(character.bones);
      this.places.needsUpdate = true;
    }
    if (this.colliders.group.visible) this.colliders.pose(garmentJoints);
    return this.inside.visible ? this.#findInside(character) : 0;
  }
  #findInside(character) {
    const places = this.inside.geometry.attributes.position;
    const distances = character.distances;
    const positions = character.positions;
    let count = 0;
    distances.forEach((distance, v) => {
      if (distance < 0) places.array.set(positions.subarray(3 * v, 3 * v + 3), 3 * count++);
    });
    places.needsUpdate = true;
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

function hidden(object) {
  object.visible = false;
  object.frustumCulled = false;
  object.renderOrder = 10;
  return object;
}
