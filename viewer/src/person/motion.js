// Motions: poses at even times, which may go on for ever. A pose is where the root is and a turn a joint
// relative to its parent; placed, it is where each joint is in the world.
import * as Q from './quaternion.js';

// A step on the ground: a turn about y, then a shift.
export class GroundMove {
  constructor(turn = 0, x = 0, z = 0) {
    Object.assign(this, { turn, x, z });
  }
  // First `other`, then this.
  after(other) {
    const [x, , z] = this.#apply([other.x, 0, other.z]);
    return new GroundMove(this.turn + other.turn, x, z);
  }
  #apply(p) {
    return Q.add(Q.rotate(Q.aboutY(this.turn), p), [this.x, 0, this.z]);
  }
  place(pose) {
    const turn = Q.aboutY(this.turn);
    const rotations = pose.rotations.slice();
    rotations[0] = Q.multiply(turn, rotations[0]);
    return { position: this.#apply(pose.position), rotations };
  }
  static between(from, to) {
    const turn = Q.heading(to.rotations[0]) - Q.heading(from.rotations[0]);
    const [x, , z] = Q.subtract(to.position, Q.rotate(Q.aboutY(turn), from.position));
    return new GroundMove(turn, x, z);
  }
}

export class Motion {
  // frames: of poses. loopFrom: the frame that the last one is again; negative where the motion ends.
  constructor({ name, about = '', frames, framesPerSecond, loopFrom = -1, cloth = null }) {
    Object.assign(this, { name, about, frames, framesPerSecond, loopFrom, cloth });
    if (loopFrom >= 0) this.moves = [new GroundMove()]; // of each round
  }

  // Seconds up to the last frame.
  get duration() {
    return (this.frames.length - 1) / this.framesPerSecond;
  }
  get loopSeconds() {
    return (this.frames.length - 1 - this.loopFrom) / this.framesPerSecond;
  }
  get goesOn() {
    return this.loopFrom >= 0 && this.loopFrom < this.frames.length - 1;
  }
  // How many times it has begun again, and the time in the clip.
  roundAt(seconds) {
    if (!this.goesOn || seconds <= this.duration)
      return { round: 0, within: Math.min(seconds, this.duration) };
    const round = Math.ceil((seconds - this.duration) / this.loopSeconds);
    return { round, within: seconds - round * this.loopSeconds };
  }

  poseAt(seconds) {
    const { round, within } = this.roundAt(Math.max(0, seconds));
    const at = within * this.framesPerSecond;
    const before = Math.min(Math.floor(at), this.frames.length - 1);
    const a = this.frames[before];
    const b = this.frames[Math.min(before + 1, this.frames.length - 1)];
    const share = at - before;
    const pose = {
      position: a.position.map((v, k) => (1 - share) * v + share * b.position[k]),
      rotations: a.rotations.map((q, j) => Q.blend(q, b.rotations[j], share)),
    };
    return round === 0 ? pose : this.#moveOf(round).place(pose);
  }

  #moveOf(round) {
    while (this.moves.length <= round) {
      const once = GroundMove.between(this.frames[this.loopFrom], this.frames.at(-1));
      this.moves.push(this.moves.at(-1).after(once));
    }
    return this.moves[round];
  }
}

// Where the joints of a pose are in the world: { position, rotation } each.
export function placeJoints(joints, pose) {
  const placed = [];
  joints.forEach((joint, j) => {
    if (joint.parent < 0) {
      placed.push({ position: pose.position, rotation: pose.rotations[j] });
    } else {
      const parent = placed[joint.parent];
      placed.push({
        position: Q.add(parent.position, Q.rotate(parent.rotation, joint.position)),
        rotation: Q.multiply(parent.rotation, pose.rotations[j]),
      });
    }
  });
  return placed;
}

export function restPose(joints) {
  return { position: joints[0].position, rotations: joints.map((joint) => joint.rotation) };
}
