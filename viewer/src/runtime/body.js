// What cloth can meet besides its character's own body. Bodies are destroyed before the garments they are of, and
// after the characters that meet them, or when these meet others.

export class Body {
  constructor(runtime, handle) {
    if (handle === 0) throw new Error(runtime.lastError);
    Object.assign(this, { runtime, handle });
  }
  destroy() {
    this.runtime.calls.body_destroy(this.handle);
    this.handle = 0;
  }

  // A box that stands still, turned by `heading` about y.
  static box(runtime, { position, heading, halfExtents }) {
    return new Body(runtime, runtime.calls.box_create(...position, heading, ...halfExtents));
  }
  // An upright capsule that stands still on the ground.
  static post(runtime, { position: [x, , z], radius, height }) {
    return new Body(runtime, runtime.calls.post_create(x, z, radius, height));
  }
}

// The outside of a character's garment, for a garment worn over it.
export class Layer extends Body {
  constructor(character) {
    super(character.runtime, character.runtime.calls.layer_create(character.handle));
    this.character = character;
  }
  // Follows the mesh that the character shows.
  pose() {
    this.runtime.expect(this.runtime.calls.layer_pose(this.handle, this.character.handle));
  }
}
