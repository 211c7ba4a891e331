// A character with a garment: joint transforms in, vertex positions and normals out.

export const TELEPORT = { none: 0, reset: 1, keep: 2 };
const FRAME_STAGES = 8;
const CHAIN_STAGES = 7;
const COUNTS = ['pushed', 'inside', 'substeps', 'contacts', 'trapped', 'enclosed', 'flags'];

// Names of stages and settings, from the runtime.
export function namesOf(runtime) {
  const { calls } = runtime;
  const list = (count, call) => Array.from({ length: count }, (_, k) => runtime.text(calls[call](k)));
  return {
    stages: list(FRAME_STAGES, 'stage_name'),
    chainStages: list(CHAIN_STAGES, 'chain_stage_name'),
    settings: list(calls.setting_count(), 'setting_name'),
  };
}

export class Character {
  constructor(runtime, garment) {
    this.runtime = runtime;
    this.garment = garment;
    this.names = namesOf(runtime);
    this.handle = runtime.calls.character_create(garment.handle);
    if (this.handle === 0) throw new Error(runtime.lastError);
  }

  destroy() {
    this.runtime.calls.character_destroy(this.handle);
    this.handle = 0;
  }

  // Seven floats per joint, x y z and x y z w, in the order of garment.jointNames. A view: do not keep it.
  get joints() {
    return this.runtime.floats(this.#call('character_joints'), 7 * this.garment.jointNames.length);
  }

  step(seconds, { teleport = TELEPORT.none, skipMesh = false } = {}) {
    this.runtime.expect(this.#call('character_step', seconds, teleport, skipMesh ? 1 : 0));
  }
  // Lets the cloth come to rest with the joints held fixed.
  settle(seconds) {
    this.runtime.expect(this.#call('character_settle', seconds));
  }

  // What the cloth meets besides the garment's own colliders: handles of bodies.
  meet(bodies) {
    this.runtime.withMemory(4 * bodies.length + 4, (at) => {
      this.runtime.words(at, bodies.length).set(bodies);
      this.runtime.expect(this.#call('character_meet', at, bodies.length));
    });
  }
  // The handle of the garment's own colliders, for others to meet.
  get body() {
    return this.#call('character_body');
  }

  // The following are views of the runtime's memory: read them before the next call, do not keep them.
  get positions() {
    return this.runtime.floats(this.#call('character_positions'), 3 * this.garment.vertexCount);
  }
  get normals() {
    return this.runtime.floats(this.#call('character_normals'), 3 * this.garment.vertexCount);
  }
  get bones() {
    const at = this.#call('character_bones');
    return this.runtime.floats(at, 3 * this.#call('character_bone_count'));
  }
  // Signed distance of each vertex to the body in metres: negative inside, up to 0.02.
  get distances() {
    return this.runtime.floats(this.#call('character_distances'), this.garment.vertexCount);
  }
  distancesTo(body) {
    return this.runtime.floats(this.#call('character_distances_to', body.handle), this.garment.vertexCount);
  }
  // Positions of this frame without the shape network.
  get withoutShape() {
    const at = this.#call('character_without_shape');
    if (at === 0) throw new Error(this.runtime.lastError);
    return this.runtime.floats(at, 3 * this.garment.vertexCount);
  }

  // Throws if the garment has no weights for linear blend skinning.
  setOptions({ networks, shape, linearBlend, lengths, pushOut, profile }) {
    const flags = [networks, shape, linearBlend, lengths, pushOut, profile].map((on) => (on ? 1 : 0));
    this.runtime.expect(this.#call('character_set_options', ...flags));
  }
  getSetting(name) {
    return this.#call('character_get_setting', this.#settingAt(name));
  }
  setSetting(name, value) {
    this.runtime.expect(this.#call('character_set_setting', this.#settingAt(name), value));
  }
  setWind([x, y, z], gust, seed = 1) {
    const frequency = 0.6; // Hz
    this.runtime.expect(this.#call('character_set_wind', x, y, z, gust, frequency, seed));
  }

  // Saves and restores the chains' state as bytes.
  save() {
    const size = this.#call('character_state_size');
    return this.runtime.withMemory(size, (at) => {
      this.runtime.expect(this.#call('character_save', at));
      return this.runtime.bytes(at, size).slice();
    });
  }
  restore(bytes) {
    this.runtime.withMemory(bytes.length, (at) => {
      this.runtime.bytes(at, bytes.length).set(bytes);
      this.runtime.expect(this.#call('character_restore', at, bytes.length));
    });
  }
  // Hash of positions and normals, 16 hexadecimal digits.
  get hash() {
    return BigInt.asUintN(64, this.#call('character_hash')).toString(16).padStart(16, '0');
  }

  // Milliseconds per stage, and counts, of the last frame.
  get report() {
    const values = this.runtime.doubles(
      this.#call('character_report'),
      FRAME_STAGES + CHAIN_STAGES + COUNTS.length,
    );
    const report = { stages: {}, chainStages: {} };
    this.names.stages.forEach((name, k) => (report.stages[name] = 1e3 * values[k]));
    this.names.chainStages.forEach((name, k) => (report.chainStages[name] = 1e3 * values[FRAME_STAGES + k]));
    COUNTS.forEach((name, k) => (report[name] = values[FRAME_STAGES + CHAIN_STAGES + k]));
    return report;
  }

  #settingAt(name) {
    const at = this.names.settings.indexOf(name);
    if (at < 0) throw new Error(`there is no setting '${name}'; there are ${this.names.settings.join(', ')}`);
    return at;
  }
  #call(name, ...rest) {
    return this.runtime.calls[name](this.handle, ...rest);
  }
}

// Chooses levels of detail for characters in the same garment. views: { distance, visible } of each. Returns for each
// the number of frames from one that is computed to the next, 0 if it is not visible.
export function chooseLevels(runtime, characters, views) {
  const count = characters.length;
  return runtime.withMemory(12 * count, (at) => {
    runtime.words(at, count).set(characters.map((c) => c.handle));
    runtime.floats(at + 4 * count, count).set(views.map(({ distance, visible }) => (visible ? distance : -1)));
    runtime.expect(runtime.calls.characters_choose_levels(at, at + 4 * count, count, at + 8 * count));
    return Array.from(runtime.words(at + 8 * count, count));
  });
}
