// The colliders of a garment, posed by its joints. Blends between colliders are not drawn.
import * as THREE from 'three';

const matrixOf = (position, rotation) =>
  new THREE.Matrix4().compose(
    new THREE.Vector3(...position),
    new THREE.Quaternion(...rotation).normalize(),
    new THREE.Vector3(1, 1, 1),
  );

export class Colliders {
  constructor(garment) {
    this.group = new THREE.Group();
    this.group.visible = false;
    this.material = new THREE.MeshBasicMaterial({
      color: 0x2a86ff,
      wireframe: true,
      transparent: true,
      opacity: 0.16,
      depthTest: false,
      toneMapped: false,
    });
    const inverses = garment.jointNames.map((_, j) => {
      const at = garment.jointRest.subarray(7 * j, 7 * j + 7);
      return matrixOf(at.subarray(0, 3), at.subarray(3, 7)).invert();
    });
    this.parts = garment.colliders.map((collider) => {
      const { geometry, rest } = shapeOf(collider);
      const mesh = new THREE.Mesh(geometry, this.material);
      mesh.frustumCulled = mesh.matrixAutoUpdate = false;
      mesh.renderOrder = 9;
      this.group.add(mesh);
      const influences = collider.joints
        .map((joint, k) => ({
          joint,
          weight: collider.weights[k],
          local: inverses[joint].clone().multiply(rest),
        }))
        .filter(({ weight }) => weight > 0);
      return { mesh, influences };
    });
  }

  // joints: { position, rotation } of the garment's joints. A collider's transform is the weighted blend of
  // those that its joints give it.
  pose(joints) {
    const world = joints.map(({ position, rotation }) => matrixOf(position, rotation));
    const position = new THREE.Vector3();
    const rotation = new THREE.Quaternion();
    const size = new THREE.Vector3();
    for (const { mesh, influences } of this.parts) {
      const sum = { position: new THREE.Vector3(), rotation: new THREE.Vector4(0, 0, 0, 0) };
      for (const { joint, weight, local } of influences) {
        world[joint].clone().multiply(local).decompose(position, rotation, size);
        sum.position.addScaledVector(position, weight);
        const q = new THREE.Vector4(rotation.x, rotation.y, rotation.z, rotation.w);
        sum.rotation.addScaledVector(q, q.dot(sum.rotation) < 0 ? -weight : weight);
      }
      sum.rotation.normalize();
      mesh.matrixWorldNeedsUpdate = true;
      mesh.matrix.compose(
        sum.position,
        rotation.set(sum.rotation.x, sum.rotation.y, sum.rotation.z, sum.rotation.w),
        size.set(1, 1, 1),
      );
    }
  }

  dispose() {
    this.material.dispose();
    this.parts.forEach(({ mesh }) => mesh.geometry.dispose());
  }
}

// The geometry of a collider in its own frame, and its rest transform.
function shapeOf({ shape, position, rotation, end, radius, radiusEnd, halfExtents }) {
  const rest = matrixOf(position, rotation);
  switch (shape) {
    case 'sphere':
      return { geometry: new THREE.SphereGeometry(radius, 12, 8), rest };
    case 'capsule':
    case 'tapered capsule': {
      const from = new THREE.Vector3(...position);
      const axis = new THREE.Vector3(...end).sub(from);
      const alongAxis = new THREE.Quaternion().setFromUnitVectors(
        new THREE.Vector3(0, 1, 0),
        axis.clone().normalize(),
      );
      const last = shape === 'capsule' ? radius : radiusEnd;
      return {
        geometry: capsule(radius, last, axis.length()),
        rest: new THREE.Matrix4().compose(from, alongAxis, new THREE.Vector3(1, 1, 1)),
      };
    }
    case 'ellipsoid':
      return { geometry: new THREE.SphereGeometry(1, 12, 8).scale(...halfExtents), rest };
    case 'box':
      return { geometry: new THREE.BoxGeometry(...halfExtents.map((h) => 2 * h), 4, 4, 4), rest };
    default: // half space
      return { geometry: new THREE.PlaneGeometry(6, 6, 12, 12).rotateX(-Math.PI / 2), rest };
  }
}

// Two spheres at 0 and at `length` along y, and the cone tangent to both.
function capsule(first, last, length) {
  const lean = Math.asin(Math.max(-1, Math.min(1, (first - last) / Math.max(length, 1e-6))));
  const points = [];
  const arc = (radius, y, from, to) => {
    for (let k = 0; k <= 4; ++k) {
      const angle = from + ((to - from) * k) / 4;
      points.push(new THREE.Vector2(Math.max(0, radius * Math.cos(angle)), y + radius * Math.sin(angle)));
    }
  };
  arc(first, 0, -Math.PI / 2, lean);
  arc(last, length, lean, Math.PI / 2);
  return new THREE.LatheGeometry(points, 12);
}
