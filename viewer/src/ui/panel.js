// The panel: what is worn and how it moves, what is seen, and what can be changed while it runs.
import { FABRICS, HEAT_FULL, heatCss } from '../view/cloth.js';
import { button, buttons, check, element, note, section, select, slider } from './elements.js';
import { windDial } from './wind_dial.js';

const MODES = [
  ['shape', 'Skinning + shape'],
  ['skinning', 'Skinning only'],
  ['chains', 'Rope chains only'],
];
const BLEND = ['blend', 'Linear blend skinning'];
const SOLVERS = [
  ['direct', 'Direct'],
  ['1', 'Gauss–Seidel, 1 sweep'],
  ['5', 'Gauss–Seidel, 5 sweeps'],
  ['10', 'Gauss–Seidel, 10 sweeps'],
];
const DIRECTIONS = [
  ['1', 'Back the way it came'],
  ['0', 'Along the gradient'],
];

export class Panel {
  // app: what the controls act on; see main.js.
  constructor(node, app, timing) {
    this.app = app;
    this.controls = {};
    const add = (name, make, properties) => {
      this.controls[name] = make({ id: name, ...properties });
      return this.controls[name];
    };
    node.append(
      this.#wardrobe(add),
      this.#look(add),
      this.#air(add),
      this.#ropes(add),
      this.#contact(add),
      section('Time per stage', true, timing.node),
      this.#help(),
    );
  }

  #wardrobe(add) {
    const { app } = this;
    const file = element('input', { type: 'file', accept: '.billow,.bvh,.glb', hidden: true, id: 'file' });
    file.addEventListener('change', () => {
      app.takeFiles([...file.files]);
      file.value = '';
    });
    return section(
      'Garment and motion',
      true,
      add('garment', select, { label: 'Garment', values: [], told: (v) => app.wear(v) }),
      add('motion', select, { label: 'Motion', values: [], told: (v) => app.play(v) }),
      add('mode', select, {
        label: 'Cloth from',
        values: MODES,
        value: 'shape',
        told: (v) => app.setMode(v),
      }),
      add('count', slider, {
        label: 'Characters',
        least: 1,
        most: 16,
        step: 1,
        digits: 0,
        told: (v) => app.setCount(v),
      }),
      buttons(
        button({ label: 'Open a file …', id: 'open', told: () => file.click() }),
        button({
          label: 'Teleport',
          id: 'teleport',
          title: 'Everybody is 2 m away and turned in the next frame (T)',
          told: () => app.teleport(),
        }),
      ),
      add('jump', select, {
        label: 'Cloth then',
        value: 'keep',
        values: [
          ['keep', 'Goes along'],
          ['reset', 'Starts at rest'],
          ['none', 'Is pulled there'],
        ],
        told: () => {},
      }),
      file,
    );
  }

  #look(add) {
    const { app } = this;
    const overlay = (name, label, key, colour) =>
      add(name, check, { label, key, colour, told: (v) => app.showOverlay(name, v) });
    const heatBar = element('i');
    heatBar.style.background = heatCss();
    return section(
      'View',
      true,
      add('fabric', select, {
        label: 'Fabric',
        values: Object.keys(FABRICS).map((name) => [name, name[0].toUpperCase() + name.slice(1)]),
        told: (v) => app.setFabric(v),
      }),
      overlay('ropes', 'Ropes and virtual bones', 'B', '#2fd45f'),
      overlay('laterals', 'Lateral springs', 'L', '#a35cff'),
      overlay('colliders', 'Colliders', 'C', '#2a86ff'),
      overlay('inside', 'Vertices inside the body', 'I', '#ff2222'),
      overlay('heat', 'What the shape network adds', 'H'),
      element('div', { className: 'heat' }, '0', heatBar, `${1e3 * HEAT_FULL} mm`),
      add('body', check, { label: 'Person', value: true, told: (v) => app.showOverlay('body', v) }),
      add('follow', check, { label: 'Camera turns along', value: true, told: (v) => app.setFollow(v) }),
    );
  }

  #air(add) {
    const { app } = this;
    return section(
      'Wind and gravity',
      false,
      note('The wind as seen from above: drag the arrow. Up is where the person heads.'),
      add('wind', windDial, { told: (v) => app.setWind({ direction: v }) }),
      add('gust', slider, {
        label: 'Gusts',
        least: 0,
        most: 1,
        step: 0.05,
        digits: 2,
        told: (v) => app.setWind({ gust: v }),
      }),
      add('gravity', slider, {
        label: 'Gravity',
        least: 0,
        most: 20,
        step: 0.1,
        digits: 1,
        unit: 'm/s²',
        told: (v) => app.setSetting('gravity', -v),
      }),
    );
  }

  #ropes(add) {
    const { app } = this;
    const setting = (name, label, most, step, digits, unit) =>
      add(name, slider, { label, least: 0, most, step, digits, unit, told: (v) => app.setSetting(name, v) });
    return section(
      'Rope chains',
      false,
      add('rate', slider, {
        label: 'Frame rate',
        least: 15,
        most: 120,
        step: 15,
        value: 60,
        digits: 0,
        unit: 'Hz',
        told: (v) => app.setRate(v),
      }),
      add('solver', select, { label: 'Solver', values: SOLVERS, told: (v) => app.setSolver(v) }),
      add('min_substeps', slider, {
        label: 'Sub-steps, least',
        least: 1,
        most: 16,
        step: 1,
        digits: 0,
        told: (v) => app.setSubsteps('min', v),
      }),
      add('max_substeps', slider, {
        label: 'Sub-steps, most',
        least: 1,
        most: 32,
        step: 1,
        digits: 0,
        told: (v) => app.setSubsteps('max', v),
      }),
      setting('damping', 'Damping', 20, 0.1, 1, '1/s'),
      setting('lateral_stretch', 'Lateral stretch', 100, 0.5, 1, 'N/m'),
      setting('lateral_compression', 'Lateral compr.', 20, 0.1, 1, 'N/m'),
      buttons(button({ label: 'As the garment has them', id: 'defaults', told: () => app.resetSettings() })),
    );
  }

  #contact(add) {
    const { app } = this;
    return section(
      'Body contact',
      false,
      add('push_out', check, {
        label: 'Push vertices out of the body',
        value: true,
        key: 'P',
        told: (v) => app.setPushOut(v),
      }),
      add('push_direction', select, {
        label: 'Bones leave',
        values: DIRECTIONS,
        told: (v) => app.setDirection(Number(v)),
      }),
      add('friction', slider, {
        label: 'Friction',
        least: 0,
        most: 1,
        step: 0.05,
        digits: 2,
        told: (v) => app.setSetting('friction', v),
      }),
    );
  }

  #help() {
    const keys = [
      ['Space', 'play, pause'],
      ['. ,', 'a frame on, back'],
      ['1 2 3 4', 'cloth from'],
      ['R', 'from the beginning'],
      ['T', 'teleport'],
      ['W', 'wind from behind, or none'],
      ['← → ↑ ↓ + −', 'the view, once it has been reached by Tab'],
    ];
    const rows = keys.map(([key, what]) =>
      element('div', { className: 'check' }, what, element('kbd', { textContent: key })),
    );
    return section('Keys', false, ...rows);
  }

  // Only garments that have weights for it can be skinned so.
  offerBlend(can) {
    const { box, fill, set } = this.controls.mode;
    const chosen = box.value;
    fill(can ? [...MODES, BLEND] : MODES);
    set(chosen);
  }

  // Shows the settings that the garment's chains have.
  showSettings(get) {
    const { controls } = this;
    controls.gravity.set(-get('gravity'));
    for (const name of [
      'damping',
      'lateral_stretch',
      'lateral_compression',
      'friction',
      'min_substeps',
      'max_substeps',
    ])
      controls[name].set(get(name));
    controls.push_direction.set(get('push_direction'));
    controls.solver.set(get('tension_method') === 0 ? 'direct' : get('tension_sweeps'));
  }
}
