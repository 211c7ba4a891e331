// What the controls act on: the page's state, and how a wish becomes calls of player and show.
import { readMotionFile } from './person/motion_file.js';
import { aboutY, rotate } from './person/quaternion.js';
import { Garment } from './runtime/garment.js';
import { quiet, say } from './ui/messages.js';

const SOLVERS = { direct: 0, sweeps: 1 };
const MODES = ['shape', 'skinning', 'chains', 'blend'];

export class App {
  constructor({ runtime, person, player, show, stage, read, garments }) {
    Object.assign(this, { runtime, person, player, show, stage, read });
    this.garments = new Map(garments.map(({ name, file }) => [name, { name, file }]));
    this.motions = new Map(person.motions.map(({ name, about }) => [name, { name, about }]));
    this.followHeading = true;
    this.wind = { direction: [0, 0], gust: 0.3 };
  }

  get(control) {
    return this.panel.controls[control];
  }
  // Runs what may go wrong, and says it in words.
  async attempt(task) {
    try {
      return await task();
    } catch (error) {
      say(error.message);
      return undefined;
    }
  }

  // Garments and motions, by name.
  async wear(name) {
    await this.attempt(async () => {
      const entry = this.garments.get(name);
      this.#wearBytes(name, entry.bytes ?? (await this.read(entry.file)));
      quiet();
    });
    this.get('garment').set(this.playback ?? '');
  }
  #wearBytes(name, bytes) {
    const garment = new Garment(this.runtime, bytes);
    try {
      this.player.wear(garment);
    } catch (error) {
      garment.close();
      throw error;
    }
    this.playback = name;
    this.panel.offerBlend(garment.canBlend);
    this.panel.showSettings((setting) => this.player.getSetting(setting));
    this.#changed();
    if (this.mode === 'blend' && !garment.canBlend) this.setMode('shape');
  }
  async play(name) {
    await this.attempt(async () => {
      const entry = this.motions.get(name);
      entry.motion ??= await this.person.motion(name);
      this.player.setMotion(entry.motion);
      this.played = name;
      quiet();
      this.#changed();
    });
    this.get('motion').set(this.played ?? '');
  }
  #changed() {
    if (!this.player.ready) return;
    this.show.rebuild();
    this.refreshed(true);
  }
  listChoices() {
    this.get('garment').fill([...this.garments.keys()].map((name) => [name, name]));
    this.get('motion').fill([...this.motions.values()].map(({ name, about }) => [name, name, about]));
    this.get('garment').set(this.playback ?? '');
    this.get('motion').set(this.played ?? '');
  }

  // The user's own files.
  async takeFiles(files) {
    for (const file of files) await this.attempt(() => this.#takeFile(file));
  }
  async #takeFile(file) {
    const kind = /\.[^.]*$/.exec(file.name)?.[0].toLowerCase() ?? '';
    if (!['.billow', '.bvh', '.glb'].includes(kind))
      throw new Error(
        `${file.name}: expected a .billow garment, or a .bvh or .glb motion, found '${kind || 'no ending'}'`,
      );
    const bytes = await file.arrayBuffer();
    if (kind === '.billow') {
      try {
        this.#wearBytes(file.name, bytes);
      } catch (error) {
        throw new Error(`${file.name}: ${error.message}`);
      }
      this.garments.set(file.name, { name: file.name, bytes });
    } else {
      const motion = await readMotionFile({ name: file.name, bytes }, this.person.joints);
      this.motions.set(file.name, { name: file.name, motion });
      await this.play(file.name);
    }
    this.listChoices();
    say(`${file.name} is ${kind === '.billow' ? 'playback' : 'played on the built-in person'}.`, { bad: false });
  }

  // Time.
  togglePlaying() {
    this.player.playing = !this.player.playing;
  }
  setSpeed(speed) {
    this.player.speed = speed;
  }
  setRate(rate) {
    this.player.rate = rate;
  }
  stepBy(frames) {
    this.player.playing = false;
    if (!this.player.ready) return;
    if (frames > 0) this.player.step();
    else this.player.seek(Math.max(0, this.player.time - 1 / this.player.rate));
    this.refreshed(frames < 0);
  }
  scrub(seconds) {
    this.player.seek(seconds);
    this.refreshed(true);
  }
  // The show takes over what the player made outside of its usual course.
  refreshed(jumped = false) {
    if (this.player.ready) this.show.takeFrame(jumped);
  }
  #again() {
    this.player.refresh();
    this.refreshed(true);
  }

  // What is seen.
  setMode(mode) {
    if (mode === 'blend' && !this.player.garment?.canBlend) {
      say('expected a garment with weights for linear blend skinning, found none in this one');
      return;
    }
    this.get('mode').set(mode);
    this.mode = mode;
    this.player.setOptions({
      networks: mode !== 'chains',
      shape: mode === 'shape',
      linearBlend: mode === 'blend',
    });
    this.show.apply({ cloth: mode !== 'chains' });
    this.#again();
  }
  setCount(count) {
    this.get('count').set(count);
    this.player.setCount(count);
    this.#changed();
    this.stage.lookFrom(this.stage.heading, 4.2 + 0.9 * Math.sqrt(count));
  }
  setFabric(name) {
    this.show.setFabric(name);
  }
  showOverlay(name, on) {
    this.show.apply({ [name]: on });
  }
  setFollow(on) {
    this.followHeading = on;
  }

  // What the runtime computes with.
  setSetting(name, value) {
    this.attempt(() => this.player.setSetting(name, value));
  }
  setSolver(which) {
    for (const what of ['tension', 'impulse']) {
      this.setSetting(`${what}_method`, which === 'direct' ? SOLVERS.direct : SOLVERS.sweeps);
      if (which !== 'direct') this.setSetting(`${what}_sweeps`, Number(which));
    }
  }
  // The least is never over the most, whichever is moved.
  setSubsteps(which, value) {
    const other = which === 'min' ? 'max' : 'min';
    const now = this.player.getSetting(`${other}_substeps`);
    if (which === 'min' ? value > now : value < now) {
      this.setSetting(`${other}_substeps`, value);
      this.get(`${other}_substeps`).set(value);
    }
    this.setSetting(`${which}_substeps`, value);
  }
  setDirection(direction) {
    this.setSetting('push_direction', direction);
    this.setSetting('velocity_direction', direction);
  }
  setPushOut(on) {
    this.player.setOptions({ pushOut: on });
    this.#again();
  }
  resetSettings() {
    this.wear(this.playback);
  }
  // As the person sees it: it turns with where the person heads.
  setWind(wind) {
    Object.assign(this.wind, wind);
    this.blow();
  }
  blow() {
    const [x, z] = this.wind.direction;
    this.player.setWind(rotate(aboutY(this.stage.heading), [x, 0, z]), this.wind.gust);
  }
  teleport() {
    if (!this.player.ready) return;
    if (this.player.motion.cloth) {
      say('The simulated cloth beside cannot go along: choose another motion to teleport.', { bad: false });
      return;
    }
    this.player.teleport(this.get('jump').box.value);
    if (!this.player.playing) this.refreshed(true);
  }

  key(event) {
    const actions = {
      ' ': () => this.togglePlaying(),
      '.': () => this.stepBy(1),
      ',': () => this.stepBy(-1),
      r: () => this.scrub(0),
      t: () => this.teleport(),
      w: () => {
        const direction = Math.hypot(...this.wind.direction) > 0 ? [0, 0] : [0, 6];
        this.get('wind').set(direction);
        this.setWind({ direction });
      },
      p: () => this.get('push_out').toggle(),
    };
    MODES.forEach((mode, k) => (actions[String(k + 1)] = () => this.setMode(mode)));
    for (const [key, name] of [
      ['b', 'ropes'],
      ['l', 'laterals'],
      ['c', 'colliders'],
      ['i', 'inside'],
      ['h', 'heat'],
    ])
      actions[key] = () => this.get(name).toggle();
    const action = actions[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}
