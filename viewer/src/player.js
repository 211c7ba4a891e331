// Plays a motion on characters with a garment: time, frames of the runtime, seeks and teleports. Independent
// of drawing, so that tests can run it without a browser.
import { Character, TELEPORT } from './runtime/character.js';
import { GroundMove, forwardKinematics } from './person/motion.js';

const PRE_ROLL = 1; // s of motion simulated before the target of a seek
const MAX_STEPS = 4; // per call of advance: slower machines run in slow motion
const MAX_DISTANCE = 300; // m from the origin, then the character is moved back to keep float precision
const SPACING = 1.7; // m between characters
const LAG = 0.19; // s between consecutive characters

export class Player {
  constructor(runtime, joints) {
    Object.assign(this, { runtime, joints, characters: [], garment: null, motion: null });
    this.time = 0; // s into the motion, of the first character's last frame
    this.rate = 60; // frames per second
    this.speed = 1; // relative to real time
    this.playing = true;
    this.count = 1;
    this.offset = new GroundMove(); // accumulated teleports
    this.options = {
      networks: true,
      shape: true,
      linearBlend: false,
      lengths: true,
      pushOut: true,
      profile: true,
    };
    this.settings = {}; // changed by the user
    this.wind = { velocity: [0, 0, 0], gust: 0 };
    this.accumulator = 0; // s of real time not simulated yet
  }

  // Puts the garment on all characters. Throws without any change if it needs joints that the person does not
  // have.
  setGarment(garment) {
    const order = garment.jointNames.map((name) => {
      const at = this.joints.findIndex((joint) => joint.name === name);
      if (at < 0)
        throw new Error(`expected a garment for the built-in person, found one that needs a joint '${name}'`);
      return at;
    });
    this.#destroyCharacters();
    this.garment?.close();
    this.garment = garment;
    this.order = order;
    this.settings = {};
    this.options.linearBlend &&= garment.canBlend;
    this.#createCharacters();
    this.#restart();
  }
  setMotion(motion) {
    this.motion = motion;
    this.time = 0;
    this.#restart();
  }
  setCount(count) {
    this.count = count;
    this.#destroyCharacters();
    this.#createCharacters();
    this.seek(this.time);
  }

  #destroyCharacters() {
    this.characters.forEach((c) => c.runtimeCharacter.destroy());
    this.characters = [];
  }
  #createCharacters() {
    if (!this.garment) return;
    const across = Math.ceil(Math.sqrt(this.count));
    for (let k = 0; k < this.count; ++k) {
      const row = Math.floor(k / across);
      const column = k % across;
      this.characters.push({
        runtimeCharacter: new Character(this.runtime, this.garment),
        lag: LAG * k,
        offset: [SPACING * (column - (across - 1) / 2), 0, -SPACING * row],
        joints: [], // world transforms of the last frame
      });
    }
    this.#apply();
  }

  setOptions(options) {
    Object.assign(this.options, options);
    this.#apply();
  }
  setSetting(name, value) {
    this.settings[name] = value;
    for (const { runtimeCharacter } of this.characters) runtimeCharacter.setSetting(name, value);
  }
  getSetting(name) {
    return this.characters[0].runtimeCharacter.getSetting(name);
  }
  setWind(velocity, gust) {
    this.wind = { velocity, gust };
    this.#apply();
  }
  #apply() {
    this.characters.forEach(({ runtimeCharacter }, k) => {
      runtimeCharacter.setOptions(this.options);
      runtimeCharacter.setWind(this.wind.velocity, this.wind.gust, k + 1);
      runtimeCharacter.setSetting('profile', this.options.profile ? 1 : 0);
      for (const [name, value] of Object.entries(this.settings)) runtimeCharacter.setSetting(name, value);
    });
  }

  // Simulates the frames that are due after `realSeconds`, and returns their number.
  advance(realSeconds) {
    if (!this.playing || !this.ready) return 0;
    this.accumulator = Math.min(this.accumulator + realSeconds * this.speed, MAX_STEPS / this.rate);
    let steps = 0;
    for (; this.accumulator >= 1 / this.rate; this.accumulator -= 1 / this.rate, ++steps) this.step();
    return steps;
  }
  // The position of real time between the last frame and the next, from 0 to 1.
  get interpolation() {
    return this.playing ? Math.min(1, this.accumulator * this.rate) : 1;
  }
  get ready() {
    return this.motion !== null && this.characters.length > 0;
  }

  // Simulates one frame.
  step(teleport = TELEPORT.none) {
    this.time += 1 / this.rate;
    if (this.#atEnd()) return this.seek(0);
    this.#limitDistance();
    const mode = this.pendingTeleport ?? teleport;
    this.pendingTeleport = undefined;
    for (const c of this.characters) {
      this.#pose(c);
      c.runtimeCharacter.step(1 / this.rate, { teleport: mode });
    }
    return undefined;
  }
  #atEnd() {
    return !this.motion.loops && this.time > this.motion.duration;
  }
  // A looping motion moves on with each iteration: go back to the first iteration when it is too far away.
  #limitDistance() {
    const { iteration } = this.motion.loopAt(this.time);
    const at = this.characters[0].joints[0]?.position ?? [0, 0, 0];
    if (iteration < 2 || Math.hypot(at[0], at[2]) < MAX_DISTANCE) return;
    this.time -= (iteration - 1) * this.motion.loopSeconds;
    this.offset = new GroundMove();
    this.pendingTeleport = TELEPORT.keep;
  }

  // Recomputes the current frame, after a change of options while paused.
  refresh() {
    if (!this.ready) return;
    for (const c of this.characters) {
      this.#pose(c);
      c.runtimeCharacter.step(0);
    }
  }

  // Goes to a time of the motion. Simulates the second before it, so that the cloth is in motion.
  seek(seconds) {
    if (!this.ready) return;
    const rate = 60;
    const from = Math.max(0, seconds - PRE_ROLL);
    this.accumulator = 0;
    this.time = from;
    for (const c of this.characters) {
      this.#pose(c);
      c.runtimeCharacter.step(1 / rate, { teleport: TELEPORT.reset, skipMesh: true });
      c.runtimeCharacter.settle(from === 0 ? 3 : 0.5);
    }
    const frames = Math.round((seconds - from) * rate);
    for (let k = 1; k <= frames; ++k) {
      this.time = from + k / rate;
      for (const c of this.characters) {
        this.#pose(c);
        c.runtimeCharacter.step(1 / rate, { skipMesh: k < frames });
      }
    }
  }
  #restart() {
    this.offset = new GroundMove();
    this.seek(this.motion?.cloth ? 0 : this.time);
  }

  // Moves and rotates all characters in the next frame.
  teleport(mode) {
    this.offset = new GroundMove(Math.PI / 2, 2, 0).after(this.offset);
    this.pendingTeleport = TELEPORT[mode];
    if (!this.playing) this.step();
  }

  // World transforms of a character's joints at a time.
  jointsAt(character, seconds) {
    const pose = this.offset.applyTo(this.motion.poseAt(seconds - character.lag));
    pose.position = pose.position.map((v, k) => v + character.offset[k]);
    return forwardKinematics(this.joints, pose);
  }
  #pose(character) {
    character.joints = this.jointsAt(character, this.time);
    const out = character.runtimeCharacter.joints;
    this.order.forEach((joint, k) => {
      const { position, rotation } = character.joints[joint];
      out.set(position, 7 * k);
      out.set(rotation, 7 * k + 3);
    });
  }
}
