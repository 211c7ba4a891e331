// Milliseconds per stage, averaged over several frames, and frames per second.
import { element } from './elements.js';

const UPDATE_INTERVAL = 250; // ms
const FULL_BAR = 8; // ms
const ORDINALS = { 2: '2nd', 4: '4th', 8: '8th' };

export class Timing {
  constructor({ stages, chainStages }) {
    this.rows = new Map();
    this.table = element('table', { className: 'timing', id: 'timing' });
    for (const name of stages) {
      this.#row(name, '');
      if (name === 'chains') chainStages.forEach((part) => this.#row(`chains ${part}`, 'part', part));
    }
    this.#row('frame', 'sum');
    this.counts = element('p', { className: 'note', id: 'counts' });
    this.levels = element('p', { className: 'note', id: 'level_counts', hidden: true });
    this.node = element('div', {}, this.table, this.counts, this.levels);
    this.sums = new Map();
    this.frames = this.drawn = 0;
    this.since = performance.now();
  }

  #row(key, className, label = key) {
    const time = element('td');
    const bar = element('div', { className: 'bar' });
    this.table.append(
      element(
        'tr',
        { className },
        element('td', { textContent: label.replace('_', ' ') }),
        time,
        element('td', {}, bar),
      ),
    );
    this.rows.set(key, { time, bar });
  }

  // reports: of all characters of one frame.
  add(reports) {
    ++this.frames;
    for (const { stages, chainStages } of reports) {
      for (const [name, ms] of Object.entries(stages)) this.#count(name, ms);
      for (const [name, ms] of Object.entries(chainStages)) this.#count(`chains ${name}`, ms);
    }
    this.last = reports[0];
  }
  #count(key, ms) {
    this.sums.set(key, (this.sums.get(key) ?? 0) + ms);
  }

  // To be called after each drawn frame. Returns new frame rates from time to time, else null.
  draw(now) {
    ++this.drawn;
    if (now - this.since < UPDATE_INTERVAL) return null;
    const result = {
      fps: (1e3 * this.drawn) / (now - this.since),
      simulatedFps: (1e3 * this.frames) / (now - this.since),
    };
    if (this.frames > 0) this.#show();
    this.sums.clear();
    this.frames = this.drawn = 0;
    this.since = now;
    return result;
  }
  #show() {
    let total = 0;
    for (const [key, sum] of this.sums) {
      this.#set(key, sum / this.frames);
      if (!key.startsWith('chains ')) total += sum / this.frames;
    }
    this.#set('frame', total);
    this.ms = total;
    const { substeps, contacts, pushed, inside } = this.last;
    this.counts.textContent = `${substeps} sub-steps, ${contacts} bones in contact, ${pushed} vertices pushed out, ${inside} still inside`;
  }
  // counts: how many characters are at which level of detail (player.js); null: all have all detail.
  showLevels(counts) {
    this.levels.hidden = !counts;
    if (!counts) return;
    const parts = counts.shown.map(({ interval, count }) =>
      interval === 1 ? `${count} at full rate` : `${count} every ${ORDINALS[interval]} frame`,
    );
    this.levels.textContent = [...parts, `${counts.unseen} unseen`].join(', ');
  }
  #set(key, ms) {
    const { time, bar } = this.rows.get(key);
    time.textContent = `${ms.toFixed(2)} ms`;
    bar.style.width = `${Math.min(100, (100 * ms) / FULL_BAR)}%`;
  }
}
