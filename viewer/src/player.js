// Plays a motion on characters with a garment: time, frames of the runtime, seeks and teleports. Independent
// of drawing, so that tests can run it without a browser.
import { placeObstacle } from './obstacle.js';
import { GroundMove, forwardKinematics } from './person/motion.js';
import { Body } from './runtime/body.js';
import { TELEPORT, chooseLevels } from './runtime/character.js';
import { Wearer } from './wearer.js';

const PRE_ROLL = 1; // s of motion simulated before the target of a seek
const MAX_STEPS = 4; // per call of advance: slower machines run in slow motion
const MAX_DISTANCE = 300; // m from the origin, then the character is moved back to keep float precision
const ALL_PRE_ROLL = 16; // s of all characters together: a large crowd has less each
const SPACING = 1.7; // m between characters
const CLOSE = 1; // m between characters that are in each other's way
const SOON = 1; // s until the first character passes what is put in the way
const LAG = 0.19; // s between neighbours in a row
const ROW_LAG = 0.09; // s between rows
const MAX_COLLIDERS = 128; // BILLOW_MAX_COLLIDERS: that a garment can meet in a frame
const LEVELS = [1, 2, 4, 8]; // frames from one that is computed to the next

export class Player {
  constructor(runtime, joints) {
    Object.assign(this, { runtime, joints, characters: [], garment: null, under: null, motion: null });
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
    this.inTheWay = 'nothing'; // or 'wall', 'post', 'others': the other characters
    this.obstacle = null; // the wall or post as placed (obstacle.js), and its body
    this.levels = false; // levels of detail
    // How a character at a position is seen, for levels of detail.
    this.viewOf = () => ({ distance: 0, visible: true });
    this.accumulator = 0; // s of real time not simulated yet
  }

  // Puts the garment on all characters. Throws without any change if it needs joints that the person does not
  // have.
  setGarment(garment) {
    const order = this.#orderOf(garment);
    this.#destroyCharacters();
    this.garment?.close();
    this.garment = garment;
    this.order = order;
    this.settings = {};
    this.options.linearBlend &&= garment.canBlend;
    this.#createCharacters();
    this.#restart();
  }
  // The same for the garment that all characters wear under the other; null: none.
  setUnder(garment) {
    const order = garment && this.#orderOf(garment);
    this.#destroyCharacters();
    this.under?.garment.close();
    this.under = garment && { garment, order };
    this.#createCharacters();
    this.#restart();
  }
  // The person's joint for each joint of the garment.
  #orderOf(garment) {
    return garment.jointNames.map((name) => {
      const at = this.joints.findIndex((joint) => joint.name === name);
      if (at < 0)
        throw new Error(`expected a garment for the built-in person, found one that needs a joint '${name}'`);
      return at;
    });
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
    this.characters.forEach((c) => c.destroy());
    this.characters = [];
  }
  #createCharacters() {
    if (!this.garment) return;
    const across = Math.ceil(Math.sqrt(this.count));
    const spacing = this.inTheWay === 'others' ? CLOSE : SPACING;
    for (let k = 0; k < this.count; ++k) {
      const row = Math.floor(k / across);
      const column = k % across;
      const place = {
        lag: LAG * column + ROW_LAG * row,
        offset: [spacing * (column - (across - 1) / 2), 0, -spacing * row],
      };
      this.characters.push(new Wearer(this.runtime, this, this.under, place));
    }
    this.#meet();
    this.#apply();
    this.#blow();
  }

  // Puts a wall or a post where the first character will pass by, or lets characters meet each other.
  setInTheWay(kind) {
    const others = [kind, this.inTheWay].includes('others');
    this.inTheWay = kind;
    const before = this.obstacle;
    this.obstacle = this.ready && ['wall', 'post'].includes(kind) ? this.#place(kind) : null;
    if (others && this.count > 1) this.setCount(this.count);
    else this.#meet();
    before?.body.destroy();
    this.refresh();
  }
  #place(kind) {
    const [first] = this.characters;
    const [soon] = this.jointsAt(first, this.time + SOON);
    const placed = placeObstacle(kind, soon);
    return { ...placed, body: kind === 'wall' ? Body.box(this.runtime, placed) : Body.post(this.runtime, placed) };
  }
  #meet() {
    for (const c of this.characters)
      c.meet(this.inTheWay === 'others' ? this.#nearestBodies(c) : this.obstacle ? [this.obstacle.body.handle] : []);
  }
  // The bodies of as many other characters as the runtime can take beside the own one and a layer.
  #nearestBodies({ offset }) {
    const own = this.garment.colliders.length;
    const most = Math.max(own, this.under?.garment.colliders.length ?? 0);
    const distance = (c) => Math.hypot(c.offset[0] - offset[0], c.offset[2] - offset[2]);
    return this.characters
      .filter((c) => c.offset !== offset)
      .sort((a, b) => distance(a) - distance(b))
      .slice(0, Math.max(0, Math.floor((MAX_COLLIDERS - 1 - most) / own)))
      .map((c) => c.runtimeCharacter.body);
  }

  setOptions(options) {
    Object.assign(this.options, options);
    this.#apply();
  }
  setSetting(name, value) {
    this.settings[name] = value;
    for (const c of this.characters) c.setSetting(name, value);
  }
  getSetting(name) {
    return this.characters[0].runtimeCharacter.getSetting(name);
  }
  setWind(velocity, gust) {
    this.wind = { velocity, gust };
    this.#blow();
  }
  #blow() {
    this.characters.forEach((c, k) => c.setWind(this.wind.velocity, this.wind.gust, k + 1));
  }
  #apply() {
    for (const c of this.characters) {
      c.setOptions(this.options);
      c.interval = 1;
      c.setSetting('profile', this.options.profile ? 1 : 0);
      for (const [name, value] of Object.entries(this.settings)) c.setSetting(name, value);
    }
  }

  setLevels(on) {
    this.levels = on;
    this.#apply();
    this.refresh();
  }
  // Overrides options of all characters until they are applied again. While the player is paused, the camera may turn to
  // any character.
  #chooseLevels() {
    const views = this.characters.map((c) => {
      const { distance, visible } = this.viewOf(c.joints[0].position);
      return { distance, visible: visible || !this.playing };
    });
    const of = (name) => this.characters.map((c) => c[name]);
    if (this.under) chooseLevels(this.runtime, of('under'), views);
    const intervals = chooseLevels(this.runtime, of('runtimeCharacter'), views);
    this.characters.forEach((c, k) => (c.interval = intervals[k]));
  }
  // The numbers of characters that are computed in every first, second, fourth and eighth frame, and not seen.
  get levelCounts() {
    const count = (interval) => this.characters.filter((c) => c.interval === interval).length;
    return { shown: LEVELS.map((interval) => ({ interval, count: count(interval) })), unseen: count(0) };
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
    for (const c of this.characters) this.#pose(c);
    if (this.levels) this.#chooseLevels();
    for (const c of this.characters)
      c.step(1 / this.rate, { teleport: mode, skipMesh: c.interval === 0 });
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

  // Recomputes the current frame with all its detail, after a change of options while paused.
  refresh() {
    if (!this.ready) return;
    if (this.levels) this.#apply();
    for (const c of this.characters) {
      this.#pose(c);
      c.step(0);
    }
  }

  // Goes to a time of the motion. Simulates the second before it, so that the cloth is in motion.
  seek(seconds) {
    if (!this.ready) return;
    const rate = 60;
    const preRoll = Math.min(PRE_ROLL, Math.round((rate * ALL_PRE_ROLL) / this.count) / rate);
    const from = Math.max(0, seconds - preRoll);
    this.accumulator = 0;
    this.time = from;
    if (this.levels) this.#apply();
    for (const c of this.characters) {
      this.#pose(c);
      c.step(1 / rate, { teleport: TELEPORT.reset, skipMesh: true });
    }
    // With all bodies in place, for those that meet each other.
    for (const c of this.characters) c.settle(from === 0 ? 3 : 0.5);
    const frames = Math.round((seconds - from) * rate);
    for (let k = 1; k <= frames; ++k) {
      this.time = from + k / rate;
      for (const c of this.characters) {
        this.#pose(c);
        c.step(1 / rate, { skipMesh: k < frames });
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
    character.pose(this.jointsAt(character, this.time));
  }
}
