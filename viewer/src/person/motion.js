// Motions: poses at a fixed rate, optionally looping. A pose is the root's position and the rotation of each
// joint relative to its parent. forwardKinematics computes world transforms.
import * as Q from './quaternion.js';

// A rigid motion on the ground: a rotation about y, then a translation.
export class GroundMove {
  constructor(angle = 0, x = 0, z = 0) {
    Object.assign(this, { angle, x, z });
  }
  // The composition: first `other`, then this.
  after(other) {
    const [x, , z] = this.#transform([other.x, 0, other.z]);
    return new GroundMove(this.angle + other.angle, x, z);
  }
  #transform(p) {
    return Q.add(Q.rotate(Q.aboutY(this.angle), p), [this.x, 0, this.z]);
  }
  applyTo(pose) {
    const rotations = pose.rotations.slice();
    rotations[0] = Q.multiply(Q.aboutY(this.angle), rotations[0]);
    return { position: this.#transform(pose.position), rotations };
  }
  static between(from, to) {
    const angle = Q.heading(to.rotations[0]) - Q.heading(from.rotations[0]);
    const [x, , z] = Q.subtract(to.position, Q.rotate(Q.aboutY(angle), from.position));
    return new GroundMove(angle, x, z);
  }
}

export class Motion {
  // frames: poses. loopFrom: the frame that the last one repeats; negative for a motion that does not loop.
  constructor({ name, about = '', frames, framesPerSecond, loopFrom = -1, cloth = null }) {
    Object.assign(this, { name, about, frames, framesPerSecond, loopFrom, cloth });
    if (loopFrom >= 0) this.moves = [new GroundMove()]; // ground motion up to each iteration of the loop
  }

  // Time of the last frame, s.
  get duration() {
    return (this.frames.length - 1) / this.framesPerSecond;
  }
  get loopSeconds() {
    return (this.frames.length - 1 - this.loopFrom) / this.framesPerSecond;
  }
  get loops() {
    return this.loopFrom >= 0 && this.loopFrom < this.frames.length - 1;
  }
  // The iteration of the loop, and the time within the clip.
  loopAt(seconds) {
    if (!this.loops || seconds <= this.duration)
      return { iteration: 0, within: Math.min(seconds, this.duration) };
    const iteration = Math.ceil((seconds - this.duration) / this.loopSeconds);
    return { iteration, within: seconds - iteration * this.loopSeconds };
  }

  poseAt(seconds) {
    const { iteration, within } = this.loopAt(Math.max(0, seconds));
    const at = within * this.framesPerSecond;
    const before = Math.min(Math.floor(at), this.frames.length - 1);
    const a = this.frames[before];
    const b = this.frames[Math.min(before + 1, this.frames.length - 1)];
    const t = at - before;
    const pose = {
      position: a.position.map((v, k) => (1 - t) * v + t * b.position[k]),
      rotations: a.rotations.map((q, j) => Q.nlerp(q, b.rotations[j], t)),
    };
    return iteration === 0 ? pose : this.#moveOf(iteration).applyTo(pose);
  }

  #moveOf(iteration) {
    while (this.moves.length <= iteration) {
      const once = GroundMove.between(this.frames[this.loopFrom], this.frames.at(-1));
      this.moves.push(this.moves.at(-1).after(once));
    }
    return this.moves[iteration];
  }
}

// World transforms of the joints of a pose: { position, rotation } each.
export function forwardKinematics(joints, pose) {
  const world = [];
  joints.forEach((joint, j) => {
    if (joint.parent < 0) {
      world.push({ position: pose.position, rotation: pose.rotations[j] });
    } else {
      const parent = world[joint.parent];
      world.push({
        position: Q.add(parent.position, Q.rotate(parent.rotation, joint.position)),
        rotation: Q.multiply(parent.rotation, pose.rotations[j]),
      });
    }
  });
  return world;
}

export function restPose(joints) {
  return { position: joints[0].position, rotations: joints.map((joint) => joint.rotation) };
}
