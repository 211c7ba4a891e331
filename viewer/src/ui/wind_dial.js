// The wind seen from above: drag the arrow, or use the arrow keys. Up is where the person heads.
import { element } from './elements.js';

const SIZE = 132;
const MOST = 12; // m/s at the rim
const RADIUS = SIZE / 2 - 10;

// told: called with [x, z] in m/s, seen from the person: x to its left, z ahead.
export function windDial({ told }) {
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
  canvas.setAttribute('aria-valuemax', MOST);
  let wind = [0, 0];

  function set([x, z]) {
    const speed = Math.hypot(x, z);
    const share = speed > MOST ? MOST / speed : 1;
    wind = [x * share, z * share];
    const now = Math.min(speed, MOST);
    canvas.setAttribute('aria-valuenow', now.toFixed(1));
    canvas.setAttribute('aria-valuetext', now < 0.05 ? 'calm' : `${now.toFixed(1)} metres a second`);
    draw(canvas.getContext('2d'), wind);
  }
  function change(to) {
    set(to);
    told(wind);
  }

  // The person's left is the picture's left, because it is seen from above and heads up.
  const drag = (event) => {
    const box = canvas.getBoundingClientRect();
    const right = event.clientX - box.left - box.width / 2;
    const down = event.clientY - box.top - box.height / 2;
    const perPixel = MOST / ((RADIUS * box.width) / SIZE);
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
  for (const share of [1, 2 / 3, 1 / 3]) {
    context.beginPath();
    context.arc(0, 0, share * RADIUS, 0, 7);
    if (share === 1) context.fill();
    context.stroke();
  }
  // The person: shoulders, and a nose that says where ahead is.
  context.fillStyle = '#8d8780';
  context.beginPath();
  context.ellipse(0, 0, 11, 5, 0, 0, 7);
  context.fill();
  context.beginPath();
  context.moveTo(-3, -4);
  context.lineTo(0, -11);
  context.lineTo(3, -4);
  context.fill();

  const to = [(-x / MOST) * RADIUS, (-z / MOST) * RADIUS];
  if (Math.hypot(...to) < 2) return;
  const angle = Math.atan2(to[1], to[0]);
  context.strokeStyle = context.fillStyle = '#8c1522';
  context.lineWidth = 3;
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(...to);
  context.stroke();
  context.beginPath();
  for (const turn of [0, 2.5, -2.5])
    context.lineTo(to[0] + 8 * Math.cos(angle + turn), to[1] + 8 * Math.sin(angle + turn));
  context.fill();
}
