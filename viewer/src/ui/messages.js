// What went wrong, or is worth knowing, in words; and files dropped onto the page.
import { element } from './elements.js';

const NOTE_SECONDS = 6;
let hideLater;

const box = () => document.querySelector('#message');

export function say(text, { bad = true } = {}) {
  const close = element('button', { type: 'button', textContent: '✕', ariaLabel: 'Close' });
  close.addEventListener('click', quiet);
  box().replaceChildren(close, text);
  box().classList.toggle('note-only', !bad);
  box().hidden = false;
  // What went wrong stays until it was read.
  clearTimeout(hideLater);
  if (!bad) hideLater = setTimeout(quiet, 1e3 * NOTE_SECONDS);
}
export function quiet() {
  box().hidden = true;
}

// take(files): called with what is dropped.
export function onDrop(take) {
  const veil = document.querySelector('#drop');
  let depth = 0;
  const over = (change) => {
    depth = Math.max(0, depth + change);
    veil.hidden = depth === 0;
  };
  window.addEventListener('dragenter', (event) => {
    event.preventDefault();
    over(1);
  });
  window.addEventListener('dragleave', () => over(-1));
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    over(-depth);
    take([...event.dataTransfer.files]);
  });
}
