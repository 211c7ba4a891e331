// The controls of the panel. Their `set` shows a value without firing the callback.

let nextId = 0;

export function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function labelled(label, control) {
  control.id ||= `control-${nextId++}`;
  return element('label', { textContent: label, htmlFor: control.id });
}

// values: [[value, text, tooltip], ...]; onChange: called with the chosen value.
export function select({ label, id, values, value, onChange }) {
  const box = element('select', { id: id ?? '' });
  const node = element('div', { className: 'row' }, labelled(label, box), box);
  const fill = (list) =>
    box.replaceChildren(
      ...list.map(([v, text, title = '']) =>
        element('option', { value: String(v), textContent: text, title }),
      ),
    );
  fill(values);
  const set = (v) => (box.value = String(v));
  if (value !== undefined) set(value);
  box.addEventListener('change', () => onChange(box.value));
  return { node, set, fill, box };
}

export function slider({ label, id, min, max, step, value, unit = '', digits = 1, onChange }) {
  const box = element('input', { type: 'range', id: id ?? '', min, max, step });
  const shown = element('output');
  const set = (v) => {
    box.value = v;
    shown.textContent = `${Number(v).toFixed(digits)}${unit && ` ${unit}`}`;
    box.setAttribute('aria-valuetext', shown.textContent);
  };
  set(value ?? min);
  box.addEventListener('input', () => {
    set(box.value);
    onChange(Number(box.value));
  });
  const node = element(
    'div',
    { className: 'row' },
    labelled(label, box),
    element('div', { className: 'slider' }, box, shown),
  );
  return { node, set, box };
}

export function check({ label, id, value = false, key, colour, onChange }) {
  const box = element('input', { type: 'checkbox', id: id ?? '', checked: value });
  const node = element('label', { className: 'check' }, box);
  if (colour) {
    const swatch = element('span', { className: 'swatch' });
    swatch.style.background = colour;
    node.append(swatch);
  }
  node.append(element('span', { textContent: label }));
  if (key) node.append(element('kbd', { textContent: key }));
  box.addEventListener('change', () => onChange(box.checked));
  return { node, set: (v) => (box.checked = v), box, toggle: () => box.click() };
}

export function button({ label, id, title = '', disabled = false, onClick }) {
  const node = element('button', { type: 'button', id: id ?? '', textContent: label, title, disabled });
  node.addEventListener('click', () => onClick());
  return { node, set: (text) => (node.textContent = text) };
}

export function section(title, open, ...parts) {
  const inside = element('div', {}, ...parts.map((part) => part.node ?? part));
  return element('details', { open }, element('summary', { textContent: title }), inside);
}

export const note = (text) => element('p', { className: 'note', textContent: text });
export const buttons = (...parts) =>
  element('div', { className: 'buttons' }, ...parts.map((part) => part.node));
