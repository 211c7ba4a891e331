// The panel of controls: garment and motion, view, and settings that can be changed while it runs.
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
const OBSTACLES = [
  ['nothing', 'Nothing'],
  ['wall', 'A wall'],
  ['post', 'A post'],
  ['others', 'Each other'],
];
const DIRECTIONS = [
  ['1', 'Along their motion history'],
  ['0', 'Along the SDF gradient'],
];

export class Panel {
  constructor(node, app, timing) {
    this.app = app;
    this.controls = {};
    const add = (name, make, properties) => {
      this.controls[name] = make({ id: name, ...properties });
      return this.controls[name];
    };
    node.append(
      this.#garmentSection(add),
      this.#viewSection(add),
      this.#windSection(add),
      this.#chainSection(add),
      this.#contactSection(add),
      section('Time per stage', true, timing.node),
      this.#helpSection(),
    );
  }

  #garmentSection(add) {
    const { app } = this;
    const file = element('input', { type: 'file', accept: '.billow,.bvh,.glb', hidden: true, id: 'file' });
    file.addEventListener('change', () => {
      app.takeFiles([...file.files]);
      file.value = '';
    });
    return section(
      'Garment and motion',
      true,
      add('garment', select, { label: 'Garment', values: [], onChange: (v) => app.setGarment(v) }),
      add('under', select, { label: 'Worn under', values: [], onChange: (v) => app.setUnder(v) }),
      add('motion', select, { label: 'Motion', values: [], onChange: (v) => app.play(v) }),
      add('mode', select, {
        label: 'Cloth from',
        values: MODES,
        value: 'shape',
        onChange: (v) => app.setMode(v),
      }),
      add('count', slider, {
        label: 'Characters',
        min: 1,
        max: 64,
        step: 1,
        digits: 0,
        onChange: (v) => app.setCount(v),
      }),
      add('levels', check, { label: 'Levels of detail', onChange: (v) => app.setLevels(v) }),
      add('obstacle', select, {
        label: 'In the way',
        values: OBSTACLES,
        value: 'nothing',
        onChange: (v) => app.setObstacle(v),
      }),
      buttons(
        add('put', button, {
          label: 'Put it here',
          title: 'Moves the wall or the post to the first character',
          disabled: true,
          onClick: () => app.putObstacle(),
        }),
        button({ label: 'Open a file …', id: 'open', onClick: () => file.click() }),
        button({
          label: 'Teleport',
          id: 'teleport',
          title: 'Moves all characters by 2 m and rotates them in the next frame (T)',
          onClick: () => app.teleport(),
        }),
      ),
      add('jump', select, {
        label: 'Teleported cloth',
        value: 'keep',
        values: [
          ['keep', 'Moves along'],
          ['reset', 'Starts at rest'],
          ['none', 'Is dragged along'],
        ],
        onChange: () => {},
      }),
      file,
    );
  }

  #viewSection(add) {
    const { app } = this;
    const overlay = (name, label, key, colour) =>
      add(name, check, { label, key, colour, onChange: (v) => app.showOverlay(name, v) });
    const heatBar = element('i');
    heatBar.style.background = heatCss();
    return section(
      'View',
      true,
      add('fabric', select, {
        label: 'Fabric',
        values: Object.keys(FABRICS).map((name) => [name, name[0].toUpperCase() + name.slice(1)]),
        onChange: (v) => app.setFabric(v),
      }),
      overlay('ropes', 'Ropes and virtual bones', 'B', '#2fd45f'),
      overlay('laterals', 'Lateral springs', 'L', '#a35cff'),
      overlay('colliders', 'Colliders', 'C', '#2a86ff'),
      overlay('inside', 'Vertices inside the body', 'I', '#ff2222'),
      overlay('heat', 'Contribution of the shape network', 'H'),
      element('div', { className: 'heat' }, '0', heatBar, `${1e3 * HEAT_FULL} mm`),
      add('body', check, { label: 'Person', value: true, onChange: (v) => app.showOverlay('body', v) }),
      add('follow', check, {
        label: 'Camera follows heading',
        value: true,
        onChange: (v) => app.setFollow(v),
      }),
    );
  }

  #windSection(add) {
    const { app } = this;
    return section(
      'Wind and gravity',
      false,
      note('The wind seen from above: drag the arrow. Up is the heading of the person.'),
      add('wind', windDial, { onChange: (v) => app.setWind({ direction: v }) }),
      add('gust', slider, {
        label: 'Gusts',
        min: 0,
        max: 1,
        step: 0.05,
        digits: 2,
        onChange: (v) => app.setWind({ gust: v }),
      }),
      add('gravity', slider, {
        label: 'Gravity',
        min: 0,
        max: 20,
        step: 0.1,
        digits: 1,
        unit: 'm/s²',
        onChange: (v) => app.setSetting('gravity', -v),
      }),
    );
  }

  #chainSection(add) {
    const { app } = this;
    const setting = (name, label, max, step, digits, unit) =>
      add(name, slider, { label, min: 0, max, step, digits, unit, onChange: (v) => app.setSetting(name, v) });
    return section(
      'Rope chains',
      false,
      add('rate', slider, {
        label: 'Frame rate',
        min: 15,
        max: 120,
        step: 15,
        value: 60,
        digits: 0,
        unit: 'Hz',
        onChange: (v) => app.setRate(v),
      }),
      add('solver', select, { label: 'Solver', values: SOLVERS, onChange: (v) => app.setSolver(v) }),
      add('min_substeps', slider, {
        label: 'Sub-steps, min',
        min: 1,
        max: 16,
        step: 1,
        digits: 0,
        onChange: (v) => app.setSubsteps('min', v),
      }),
      add('max_substeps', slider, {
        label: 'Sub-steps, max',
        min: 1,
        max: 32,
        step: 1,
        digits: 0,
        onChange: (v) => app.setSubsteps('max', v),
      }),
      setting('damping', 'Damping', 20, 0.1, 1, '1/s'),
      setting('lateral_stretch', 'Lateral stretch', 100, 0.5, 1, 'N/m'),
      setting('lateral_compression', 'Lateral compr.', 20, 0.1, 1, 'N/m'),
      buttons(button({ label: 'Garment defaults', id: 'defaults', onClick: () => app.resetSettings() })),
    );
  }

  #contactSection(add) {
    const { app } = this;
    return section(
      'Mesh and body contact',
      false,
      add('lengths', check, {
        label: 'Keep the lengths of the pattern',
        value: true,
        key: 'K',
        onChange: (v) => app.setLengths(v),
      }),
      add('push_out', check, {
        label: 'Push vertices out of the body',
        value: true,
        key: 'P',
        onChange: (v) => app.setPushOut(v),
      }),
      add('push_direction', select, {
        label: 'Bones are pushed',
        values: DIRECTIONS,
        onChange: (v) => app.setDirection(Number(v)),
      }),
      add('friction', slider, {
        label: 'Friction',
        min: 0,
        max: 1,
        step: 0.05,
        digits: 2,
        onChange: (v) => app.setSetting('friction', v),
      }),
    );
  }

  #helpSection() {
    const keys = [
      ['Space', 'play, pause'],
      ['. ,', 'next frame, previous frame'],
      ['1 2 3 4', 'cloth from'],
      ['R', 'restart'],
      ['T', 'teleport'],
      ['W', 'wind from behind, or none'],
      ['← → ↑ ↓ + −', 'camera, while the view has the focus (Tab)'],
    ];
    const rows = keys.map(([key, what]) =>
      element('div', { className: 'check' }, what, element('kbd', { textContent: key })),
    );
    return section('Keys', false, ...rows);
  }

  // Offers linear blend skinning if the garment has weights for it.
  offerBlend(canBlend) {
    const { box, fill, set } = this.controls.mode;
    const chosen = box.value;
    fill(canBlend ? [...MODES, BLEND] : MODES);
    set(chosen);
  }

  // Shows the settings of the garment's chains.
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
