// Plays a motion on characters that wear a garment: time, the frames of the runtime, jumps. Draws nothing, so
// that tests run it as well as the page.
import { Character, TELEPORT } from './runtime/character.js';
import { GroundMove, placeJoints } from './person/motion.js';

const PRE_ROLL = 1; // s of motion before a moment that is jumped to, so that the cloth moves as it should there
const MOST_STEPS = 4; // in one call of advance: what is slower than that runs in slow motion
const FAR = 300; // m from where it began: then it is brought back, for the sake of precision
const SPACING = 1.7; // m between characters
const LAG = 0.19; // s that each is behind the one before

export class Player {
  constructor(runtime, joints) {
    Object.assign(this, { runtime, joints, characters: [], garment: null, motion: null });
    this.time = 0; // s into the motion, of the first character at its last frame
    this.rate = 60; // frames a second
    this.speed = 1; // of time, against the real one
    this.playing = true;
    this.count = 1;
    this.place = new GroundMove(); // where teleports have brought everybody
    this.options = { networks: true, shape: true, linearBlend: false, pushOut: true, profile: true };
    this.settings = {}; // those that were changed
    this.wind = { velocity: [0, 0, 0], gust: 0 };
    this.owed = 0; // s of real time that no frame has been made for
  }

  // The garment goes onto as many characters as there are. Throws, and changes nothing, where it needs other
  // joints.
  wear(garment) {
    const order = garment.jointNames.map((name) => {
      const at = this.joints.findIndex((joint) => joint.name === name);
      if (at < 0)
        throw new Error(`expected a garment for the built-in person, found one that needs a joint '${name}'`);
      return at;
    });
    this.#takeOff();
    this.garment?.close();
    this.garment = garment;
    this.order = order;
    this.settings = {};
    this.options.linearBlend &&= garment.canBlend;
    this.#dress();
    this.#restart();
  }
  setMotion(motion) {
    this.motion = motion;
    this.time = 0;
    this.#restart();
  }
  setCount(count) {
    this.count = count;
    this.#takeOff();
    this.#dress();
    this.seek(this.time);
  }

  #takeOff() {
    this.characters.forEach((c) => c.runtimeCharacter.destroy());
    this.characters = [];
  }
  #dress() {
    if (!this.garment) return;
    const across = Math.ceil(Math.sqrt(this.count));
    for (let k = 0; k < this.count; ++k) {
      const row = Math.floor(k / across);
      const column = k % across;
      this.characters.push({
        runtimeCharacter: new Character(this.runtime, this.garment),
        lag: LAG * k,
        offset: [SPACING * (column - (across - 1) / 2), 0, -SPACING * row],
        joints: [], // where they are, as of the last frame
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

  // Makes the frames that are due after so many seconds of real time. Says how many.
  advance(realSeconds) {
    if (!this.playing || !this.ready) return 0;
    this.owed = Math.min(this.owed + realSeconds * this.speed, MOST_STEPS / this.rate);
    let steps = 0;
    for (; this.owed >= 1 / this.rate; this.owed -= 1 / this.rate, ++steps) this.step();
    return steps;
  }
  // How far real time is between the last frame and the next, 0 to 1.
  get share() {
    return this.playing ? Math.min(1, this.owed * this.rate) : 1;
  }
  get ready() {
    return this.motion !== null && this.characters.length > 0;
  }

  // One frame.
  step(teleport = TELEPORT.none) {
    this.time += 1 / this.rate;
    if (this.#atEnd()) return this.seek(0);
    this.#comeBack();
    const how = this.jump ?? teleport;
    this.jump = undefined;
    for (const c of this.characters) {
      this.#pose(c);
      c.runtimeCharacter.step(1 / this.rate, { teleport: how });
    }
    return undefined;
  }
  #atEnd() {
    return !this.motion.goesOn && this.time > this.motion.duration;
  }
  // Round after round the same way goes on: begins with the first again where it has got far.
  #comeBack() {
    const { round } = this.motion.roundAt(this.time);
    const at = this.characters[0].joints[0]?.position ?? [0, 0, 0];
    if (round < 2 || Math.hypot(at[0], at[2]) < FAR) return;
    this.time -= (round - 1) * this.motion.loopSeconds;
    this.place = new GroundMove();
    this.jump = TELEPORT.keep;
  }

  // The same moment again, for what changed while nothing moves.
  refresh() {
    if (!this.ready) return;
    for (const c of this.characters) {
      this.#pose(c);
      c.runtimeCharacter.step(0);
    }
  }

  // Goes to a moment of the motion, with cloth that has come through the second before.
  seek(seconds) {
    if (!this.ready) return;
    const rate = 60;
    const from = Math.max(0, seconds - PRE_ROLL);
    this.owed = 0;
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
    this.place = new GroundMove();
    this.seek(this.motion?.cloth ? 0 : this.time);
  }

  // Everybody is somewhere else in the next frame.
  teleport(mode) {
    this.place = new GroundMove(Math.PI / 2, 2, 0).after(this.place);
    this.jump = TELEPORT[mode];
    if (!this.playing) this.step();
  }

  // Where the joints of a character are at a time.
  jointsAt(character, seconds) {
    const pose = this.place.place(this.motion.poseAt(seconds - character.lag));
    pose.position = pose.position.map((v, k) => v + character.offset[k]);
    return placeJoints(this.joints, pose);
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
