// Error messages and notes, and files dropped onto the page.
import { element } from './elements.js';

const NOTE_SECONDS = 6;
let hideLater;

const box = () => document.querySelector('#message');

export function showMessage(text, { isError = true } = {}) {
  const close = element('button', { type: 'button', textContent: '✕', ariaLabel: 'Close' });
  close.addEventListener('click', hideMessage);
  box().replaceChildren(close, text);
  box().classList.toggle('note-only', !isError);
  box().hidden = false;
  // Errors stay until they are closed.
  clearTimeout(hideLater);
  if (!isError) hideLater = setTimeout(hideMessage, 1e3 * NOTE_SECONDS);
}
export function hideMessage() {
  box().hidden = true;
}

// take(files): called with the dropped files.
export function onDrop(take) {
  const overlay = document.querySelector('#drop');
  let depth = 0;
  const changeDepth = (change) => {
    depth = Math.max(0, depth + change);
    overlay.hidden = depth === 0;
  };
  window.addEventListener('dragenter', (event) => {
    event.preventDefault();
    changeDepth(1);
  });
  window.addEventListener('dragleave', () => changeDepth(-1));
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    changeDepth(-depth);
    take([...event.dataTransfer.files]);
  });
}
