// A dial for the wind, seen from above: drag the arrow, or use the arrow keys. Up is the heading of the
// person.
import { element } from './elements.js';

const SIZE = 132;
const MAX_SPEED = 12; // m/s, at the rim
const RADIUS = SIZE / 2 - 10;

// onChange: called with [x, z] in m/s relative to the person: x to its left, z ahead.
export function windDial({ onChange }) {
  const canvas = element('canvas', {
    id: 'wind',
    className: 'dial',
    width: 2 * SIZE,
    height: 2 * SIZE,
    tabIndex: 0,
  });
  canvas.setAttribute('role', 'slider');
  canvas.setAttribute('aria-label', 'Wind');
  canvas.setAttribute('aria-valuemin', 0);
  canvas.setAttribute('aria-valuemax', MAX_SPEED);
  let wind = [0, 0];

  function set([x, z]) {
    const speed = Math.hypot(x, z);
    const scale = speed > MAX_SPEED ? MAX_SPEED / speed : 1;
    wind = [x * scale, z * scale];
    const now = Math.min(speed, MAX_SPEED);
    canvas.setAttribute('aria-valuenow', now.toFixed(1));
    canvas.setAttribute('aria-valuetext', now < 0.05 ? 'calm' : `${now.toFixed(1)} metres per second`);
    draw(canvas.getContext('2d'), wind);
  }
  function change(to) {
    set(to);
    onChange(wind);
  }

  // Seen from above and heading up, the person's left is on the left.
  const drag = (event) => {
    const box = canvas.getBoundingClientRect();
    const right = event.clientX - box.left - box.width / 2;
    const down = event.clientY - box.top - box.height / 2;
    const perPixel = MAX_SPEED / ((RADIUS * box.width) / SIZE);
    const to = [-right * perPixel, -down * perPixel];
    change(Math.hypot(...to) < 0.6 ? [0, 0] : to);
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag(event);
  });
  canvas.addEventListener('pointermove', (event) => canvas.hasPointerCapture(event.pointerId) && drag(event));
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowUp: [0, 0.5], ArrowDown: [0, -0.5], ArrowLeft: [0.5, 0], ArrowRight: [-0.5, 0] }[
      event.key
    ];
    if (!by) return;
    event.preventDefault();
    change([wind[0] + by[0], wind[1] + by[1]]);
  });
  set(wind);
  return { node: canvas, set };
}

function draw(context, [x, z]) {
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.clearRect(0, 0, SIZE, SIZE);
  context.translate(SIZE / 2, SIZE / 2);
  context.fillStyle = '#fff';
  context.strokeStyle = '#c3cad3';
  for (const fraction of [1, 2 / 3, 1 / 3]) {
    context.beginPath();
    context.arc(0, 0, fraction * RADIUS, 0, 7);
    if (fraction === 1) context.fill();
    context.stroke();
  }
  // Draw the person: shoulders, and a nose that shows the heading.
  context.fillStyle = '#8d8780';
  context.beginPath();
  context.ellipse(0, 0, 11, 5, 0, 0, 7);
  context.fill();
  context.beginPath();
  context.moveTo(-3, -4);
  context.lineTo(0, -11);
  context.lineTo(3, -4);
  context.fill();

  const to = [(-x / MAX_SPEED) * RADIUS, (-z / MAX_SPEED) * RADIUS];
  if (Math.hypot(...to) < 2) return;
  const angle = Math.atan2(to[1], to[0]);
  context.strokeStyle = context.fillStyle = '#8c1522';
  context.lineWidth = 3;
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(...to);
  context.stroke();
  context.beginPath();
  for (const offset of [0, 2.5, -2.5])
    context.lineTo(to[0] + 8 * Math.cos(angle + offset), to[1] + 8 * Math.sin(angle + offset));
  context.fill();
}
