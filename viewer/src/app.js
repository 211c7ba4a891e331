// The controller of the page: holds its state and translates the controls' events into calls of player and
// view.
import { readMotionFile } from './person/motion_file.js';
import { aboutY, rotate } from './person/quaternion.js';
import { Garment } from './runtime/garment.js';
import { hideMessage, showMessage } from './ui/messages.js';

const SOLVERS = { direct: 0, sweeps: 1 };
const MODES = ['shape', 'skinning', 'chains', 'blend'];

export class App {
  constructor({ runtime, person, player, show, stage, read, garments }) {
    Object.assign(this, { runtime, person, player, show, stage, read });
    this.garments = new Map(garments.map(({ name, file }) => [name, { name, file }]));
    this.motions = new Map(person.motions.map(({ name, about }) => [name, { name, about }]));
    this.underName = '';
    this.followHeading = true;
    this.wind = { direction: [0, 0], gust: 0.3 };
  }

  get(control) {
    return this.panel.controls[control];
  }
  // Runs a task and shows its error message if it fails.
  async attempt(task) {
    try {
      return await task();
    } catch (error) {
      showMessage(error.message);
      return undefined;
    }
  }

  // Garments and motions, by name.
  async setGarment(name) {
    await this.attempt(async () => {
      this.#openGarment(name, await this.#bytesOf(name));
      hideMessage();
    });
    this.listChoices();
  }
  // The garment worn under the other; '' for none.
  async setUnder(name) {
    await this.attempt(async () => {
      if (name === '') this.player.setUnder(null);
      else this.#use(await this.#bytesOf(name), (garment) => this.player.setUnder(garment));
      this.underName = name;
      hideMessage();
      this.#rebuild();
    });
    this.get('under').set(this.underName);
  }
  async #bytesOf(name) {
    const { bytes, file } = this.garments.get(name);
    return bytes ?? this.read(file);
  }
  #use(bytes, put) {
    const garment = new Garment(this.runtime, bytes);
    try {
      put(garment);
    } catch (error) {
      garment.close();
      throw error;
    }
    return garment;
  }
  #openGarment(name, bytes) {
    const garment = this.#use(bytes, (opened) => this.player.setGarment(opened));
    if (name === this.underName) {
      this.underName = '';
      this.player.setUnder(null);
    }
    this.garmentName = name;
    this.panel.offerBlend(garment.canBlend);
    this.panel.showSettings((setting) => this.player.getSetting(setting));
    this.#rebuild();
    if (this.mode === 'blend' && !garment.canBlend) this.setMode('shape');
  }
  async play(name) {
    await this.attempt(async () => {
      const entry = this.motions.get(name);
      entry.motion ??= await this.person.motion(name);
      this.player.setMotion(entry.motion);
      this.motionName = name;
      hideMessage();
      this.#rebuild();
    });
    this.get('motion').set(this.motionName ?? '');
  }
  #rebuild() {
    if (!this.player.ready) return;
    this.show.rebuild();
    this.updateView(true);
  }
  listChoices() {
    const names = [...this.garments.keys()].map((name) => [name, name]);
    this.get('garment').fill(names);
    this.get('under').fill([['', 'nothing'], ...names.filter(([name]) => name !== this.garmentName)]);
    this.get('under').set(this.underName);
    this.get('motion').fill([...this.motions.values()].map(({ name, about }) => [name, name, about]));
    this.get('garment').set(this.garmentName ?? '');
    this.get('motion').set(this.motionName ?? '');
  }

  // Files that the user opened or dropped.
  async takeFiles(files) {
    for (const file of files) await this.attempt(() => this.#takeFile(file));
  }
  async #takeFile(file) {
    const extension = /\.[^.]*$/.exec(file.name)?.[0].toLowerCase() ?? '';
    if (!['.billow', '.bvh', '.glb'].includes(extension))
      throw new Error(
        `${file.name}: expected a .billow garment, or a .bvh or .glb motion, found '${extension || 'no extension'}'`,
      );
    const bytes = await file.arrayBuffer();
    if (extension === '.billow') {
      try {
        this.#openGarment(file.name, bytes);
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
    const use = extension === '.billow' ? 'worn' : 'played on the built-in person';
    showMessage(`${file.name} is ${use}.`, { isError: false });
  }

  // Playback.
  togglePlaying() {
    this.player.playing = !this.player.playing;
    // The camera may now turn to characters that were computed with less detail or not at all.
    if (!this.player.playing && this.player.levels) this.#refresh();
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
    this.updateView(frames < 0);
  }
  scrub(seconds) {
    this.player.seek(seconds);
    this.updateView(true);
  }
  // Updates the view after the player was changed outside of advance().
  updateView(jumped = false) {
    if (this.player.ready) this.show.takeFrame(jumped);
  }
  #refresh() {
    this.player.refresh();
    this.updateView(true);
  }

  // View.
  setMode(mode) {
    if (mode === 'blend' && !this.player.garment?.canBlend) {
      showMessage('expected a garment with weights for linear blend skinning, found none in this one');
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
    this.#refresh();
  }
  setCount(count) {
    this.get('count').set(count);
    this.player.setCount(count);
    this.#rebuild();
    this.stage.lookFrom(this.stage.heading, 4.2 + 0.9 * Math.sqrt(count));
  }
  setObstacle(kind) {
    this.player.setInTheWay(kind);
    this.get('put').node.disabled = !this.player.obstacle;
    this.show.setObstacle(this.player.obstacle);
    if (kind === 'others' && this.player.count === 1)
      showMessage('One character alone meets nobody: choose a larger number.', { isError: false });
    this.#rebuild();
  }
  // Where the first character passes by next.
  putObstacle() {
    this.setObstacle(this.player.inTheWay);
  }
  setLevels(on) {
    this.player.setLevels(on);
    this.updateView(true);
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

  // Settings of the runtime.
  setSetting(name, value) {
    this.attempt(() => this.player.setSetting(name, value));
  }
  // solver: 'direct', or a number of Gauss-Seidel sweeps.
  setSolver(solver) {
    for (const system of ['tension', 'impulse']) {
      this.setSetting(`${system}_method`, solver === 'direct' ? SOLVERS.direct : SOLVERS.sweeps);
      if (solver !== 'direct') this.setSetting(`${system}_sweeps`, Number(solver));
    }
  }
  // bound: 'min' or 'max'. Keeps min <= max by moving the other bound along.
  setSubsteps(bound, value) {
    const other = bound === 'min' ? 'max' : 'min';
    const current = this.player.getSetting(`${other}_substeps`);
    if (bound === 'min' ? value > current : value < current) {
      this.setSetting(`${other}_substeps`, value);
      this.get(`${other}_substeps`).set(value);
    }
    this.setSetting(`${bound}_substeps`, value);
  }
  setDirection(direction) {
    this.setSetting('push_direction', direction);
    this.setSetting('velocity_direction', direction);
  }
  setPushOut(on) {
    this.player.setOptions({ pushOut: on });
    this.#refresh();
  }
  setLengths(on) {
    this.player.setOptions({ lengths: on });
    this.#refresh();
  }
  resetSettings() {
    this.setGarment(this.garmentName);
  }
  // The wind is relative to the person's heading.
  setWind(wind) {
    Object.assign(this.wind, wind);
    this.applyWind();
  }
  applyWind() {
    const [x, z] = this.wind.direction;
    this.player.setWind(rotate(aboutY(this.stage.heading), [x, 0, z]), this.wind.gust);
  }
  teleport() {
    if (!this.player.ready) return;
    if (this.player.motion.cloth) {
      showMessage('The simulated reference cannot teleport: choose another motion.', { isError: false });
      return;
    }
    this.player.teleport(this.get('jump').box.value);
    if (!this.player.playing) this.updateView(true);
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
      k: () => this.get('lengths').toggle(),
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
