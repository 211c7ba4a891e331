// Playback controls: play, pause, single frames, time, speed.
import { button, element } from './elements.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export class Transport {
  constructor(node, app) {
    this.play = button({
      label: '❚❚',
      id: 'play',
      title: 'Play or pause (space)',
      onClick: () => app.togglePlaying(),
    });
    const back = button({
      label: '◂',
      id: 'back',
      title: 'Previous frame (,)',
      onClick: () => app.stepBy(-1),
    });
    const on = button({ label: '▸', id: 'on', title: 'Next frame (.)', onClick: () => app.stepBy(1) });
    back.node.ariaLabel = 'Previous frame';
    on.node.ariaLabel = 'Next frame';
    this.scrub = element('input', {
      type: 'range',
      id: 'scrub',
      min: 0,
      max: 1,
      step: 0.001,
      ariaLabel: 'Time in the motion',
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
    const { within } = player.motion.loopAt(player.time);
    this.scrub.max = player.motion.duration;
    if (document.activeElement !== this.scrub || player.playing) this.scrub.value = within;
    const duration = window.innerWidth > 480 ? ` / ${player.motion.duration.toFixed(1)}` : '';
    this.time.textContent = `${within.toFixed(2)}${duration} s`;
  }
}
