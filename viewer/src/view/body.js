// The person's skin, by linear blend skinning on the CPU: it takes a fraction of a millisecond, and
// three.js's GPU skinning fails on software renderers (Chromium's SwiftShader lost its context).
import * as THREE from 'three';
import { forwardKinematics, restPose } from '../person/motion.js';

const matrixOf = ({ position, rotation }) =>
  new THREE.Matrix4().compose(
    new THREE.Vector3(...position),
    new THREE.Quaternion(...rotation),
    new THREE.Vector3(1, 1, 1),
  );

// Data shared by all bodies.
export class BodyModel {
  constructor(person) {
    const { skin, joints } = person;
    this.skin = skin;
    this.weights = Float32Array.from(skin.weights, (w) => w / 255);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(skin.positions, 3));
    geometry.setIndex(new THREE.BufferAttribute(skin.triangles, 1));
    geometry.computeVertexNormals();
    this.normals = geometry.attributes.normal.array;
    this.index = geometry.index;
    this.inverses = forwardKinematics(joints, restPose(joints)).map((joint) => matrixOf(joint).invert());
    this.material = new THREE.MeshStandardMaterial({ color: 0xa39a90, roughness: 0.6 });
  }

  // Linear blend skinning.
  skinTo(joints, positions, normals) {
    const { skin, weights, inverses } = this;
    const moves = new Float32Array(16 * joints.length);
    joints.forEach((joint, j) =>
      matrixOf(joint)
        .multiply(inverses[j])
        .toArray(moves, 16 * j),
    );
    const m = new Float32Array(12);
    for (let v = 0; v < weights.length / 4; ++v) {
      m.fill(0);
      for (let k = 4 * v; k < 4 * v + 4; ++k) {
        const w = weights[k];
        if (w === 0) continue;
        const at = 16 * skin.joints[k];
        for (let c = 0; c < 4; ++c) for (let r = 0; r < 3; ++r) m[3 * c + r] += w * moves[at + 4 * c + r];
      }
      const [x, y, z] = [skin.positions[3 * v], skin.positions[3 * v + 1], skin.positions[3 * v + 2]];
      const [a, b, c] = [this.normals[3 * v], this.normals[3 * v + 1], this.normals[3 * v + 2]];
      for (let r = 0; r < 3; ++r) {
        positions[3 * v + r] = m[r] * x + m[3 + r] * y + m[6 + r] * z + m[9 + r];
        normals[3 * v + r] = m[r] * a + m[3 + r] * b + m[6 + r] * c;
      }
    }
  }
}

export class Body {
  constructor(model) {
    this.model = model;
    this.geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'normal']) {
      const attribute = new THREE.BufferAttribute(new Float32Array(model.skin.positions.length), 3);
      this.geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    }
    this.geometry.setIndex(model.index);
    this.mesh = new THREE.Mesh(this.geometry, model.material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
  }
  pose(joints) {
    const { position, normal } = this.geometry.attributes;
    this.model.skinTo(joints, position.array, normal.array);
    position.needsUpdate = normal.needsUpdate = true;
  }
  dispose() {
    this.geometry.dispose();
  }
}
