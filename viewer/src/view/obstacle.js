// A wall or a post (obstacle.js).
import * as THREE from 'three';

export class ObstacleMesh {
  constructor({ kind, position: [x, y, z], heading, halfExtents, radius, height }) {
    this.material = new THREE.MeshStandardMaterial({ color: 0xa9a59c, roughness: 0.9 });
    this.mesh = new THREE.Mesh(
      kind === 'wall'
        ? new THREE.BoxGeometry(...halfExtents.map((h) => 2 * h))
        : new THREE.CapsuleGeometry(radius, height, 8, 24).translate(0, height / 2, 0),
      this.material,
    );
    this.mesh.position.set(x, y, z);
    this.mesh.rotation.y = heading ?? 0;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
  }
  dispose() {
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
