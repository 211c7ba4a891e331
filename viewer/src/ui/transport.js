// Play, pause, single frames, the place in the motion, slow motion.
import { button, element } from './elements.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export class Transport {
  constructor(node, app) {
    this.play = button({
      label: '❚❚',
      id: 'play',
      title: 'Play or pause (space)',
      told: () => app.togglePlaying(),
    });
    const back = button({ label: '◂', id: 'back', title: 'A frame back (,)', told: () => app.stepBy(-1) });
    const on = button({ label: '▸', id: 'on', title: 'A frame on (.)', told: () => app.stepBy(1) });
    back.node.ariaLabel = 'A frame back';
    on.node.ariaLabel = 'A frame on';
    this.scrub = element('input', {
      type: 'range',
      id: 'scrub',
      min: 0,
      max: 1,
      step: 0.001,
      ariaLabel: 'Place in the motion',
    });
    this.scrub.addEventListener('input', () => app.scrub(Number(this.scrub.value)));
    this.time = element('span', { className: 'time' });
    const speed = element(
      'select',
      { id: 'speed', ariaLabel: 'Speed' },
      ...SPEEDS.map((v) => element('option', { value: v, textContent: `${v}×`, selected: v === 1 })),
    );
    speed.addEventListener('change', () => app.setSpeed(Number(speed.value)));
    node.append(this.play.node, back.node, on.node, this.scrub, this.time, speed);
  }

  show(player) {
    this.play.set(player.playing ? '❚❚' : '▶');
    this.play.node.ariaLabel = player.playing ? 'Pause' : 'Play';
    if (!player.motion) return;
    const { within } = player.motion.roundAt(player.time);
    this.scrub.max = player.motion.duration;
    if (document.activeElement !== this.scrub || player.playing) this.scrub.value = within;
    const whole = window.innerWidth > 480 ? ` / ${player.motion.duration.toFixed(1)}` : '';
    this.time.textContent = `${within.toFixed(2)}${whole} s`;
  }
}
