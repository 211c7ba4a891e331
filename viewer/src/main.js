// The page: fetches its files, connects the parts, and runs the draw loop.
import { App } from './app.js';
import { readPerson } from './person/person.js';
import { Player } from './player.js';
import { namesOf } from './runtime/character.js';
import { Runtime } from './runtime/module.js';
import { onDrop, showMessage } from './ui/messages.js';
import { Panel } from './ui/panel.js';
import { Timing } from './ui/timing.js';
import { Transport } from './ui/transport.js';
import { Show } from './view/show.js';
import { Stage } from './view/stage.js';

const MIN_FPS = 22; // below this the resolution is reduced
const START_TIME = 4; // s into the motion

const status = document.querySelector('#status');

async function read(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: cannot be fetched (${response.status} ${response.statusText})`);
  return response.arrayBuffer();
}

async function start() {
  const stage = new Stage(document.querySelector('#stage'));
  const [module, person, list] = await Promise.all([
    read('billow_viewer.wasm'),
    readPerson((name) => read(`person/${name}`)),
    read('garments/garments.json'),
  ]);
  const runtime = await Runtime.load(module);
  const garments = JSON.parse(new TextDecoder().decode(list));
  const player = new Player(runtime, person.joints);
  player.viewOf = (position) => stage.viewOf(position);
  const show = new Show(stage, player, person);
  const app = new App({ runtime, person, player, show, stage, read, garments });
  const timing = new Timing(namesOf(runtime));
  app.panel = new Panel(document.querySelector('#panel'), app, timing);
  const transport = new Transport(document.querySelector('#transport'), app);
  connect(app);

  app.listChoices();
  await app.play(person.motions[0].name);
  if (garments.length > 0) await app.setGarment(garments[0].name);
  else showMessage('No garment was built in: drop a .billow file here.', { isError: false });
  app.scrub(START_TIME);
  app.setWind({});
  app.listChoices();
  run(app, timing, transport);
  // For tests and for the console.
  window.billow = { app, player, show, stage, runtime, timing };
}

function connect(app) {
  const panel = document.querySelector('#panel');
  const toggle = document.querySelector('#open-panel');
  const setOpen = (open) => {
    panel.classList.toggle('closed', !open);
    toggle.setAttribute('aria-expanded', open);
    fit();
  };
  // The panel is on the right of wide pages and at the bottom of narrow ones.
  const fit = () => {
    const open = !panel.classList.contains('closed');
    const wide = window.innerWidth > 760;
    const below = open && !wide ? panel.offsetHeight + 66 : 66;
    app.stage.setCovered({ right: wide ? panel.offsetWidth + 12 : 0, bottom: below });
  };
  toggle.addEventListener('click', () => setOpen(panel.classList.contains('closed')));
  setOpen(window.innerWidth > 760);
  onDrop((files) => app.takeFiles(files));
  window.addEventListener('keydown', (event) => {
    // Leave keys to the focused control if it uses them itself.
    const tag = event.target.tagName;
    const usedByControl =
      tag === 'SELECT' ||
      (tag === 'INPUT' && event.target.type !== 'checkbox' && !/^[a-z]$/i.test(event.key));
    if (usedByControl || (event.key === ' ' && ['BUTTON', 'SUMMARY', 'INPUT'].includes(tag))) return;
    app.key(event);
  });
  window.addEventListener('resize', fit);
}

function run(app, timing, transport) {
  const { player, show } = app;
  let slowReports = 0; // consecutive
  let last = performance.now();
  const drawFrame = (now) => {
    const seconds = Math.min(0.1, Math.max(0, (now - last) / 1e3));
    last = now;
    app.applyWind();
    const steps = player.advance(seconds);
    if (steps > 0) {
      show.takeFrame(false, steps);
      timing.add(player.characters.map((c) => c.runtimeCharacter.report));
    }
    show.draw(seconds, app);
    transport.show(player);
    timing.showLevels(player.levels ? player.levelCounts : null);
    const found = timing.draw(now);
    if (found) {
      report(found, app, timing);
      slowReports = found.fps < MIN_FPS ? slowReports + 1 : 0;
      if (slowReports >= 4) {
        slowReports = 0;
        app.stage.reduceDetail();
      }
    }
    requestAnimationFrame(drawFrame);
  };
  requestAnimationFrame(drawFrame);
}

function report({ fps, simulatedFps }, { player, show, garmentName }, timing) {
  if (!player.ready) return;
  const parts = [
    `${garmentName}, ${player.garment.vertexCount.toLocaleString('en')} vertices`,
    `${fps.toFixed(0)} fps`,
  ];
  if (player.playing && timing.ms) parts.push(`${timing.ms.toFixed(2)} ms per frame`);
  if (player.playing && simulatedFps < 0.9 * player.rate * player.speed && player.speed >= 1)
    parts.push('slower than real time');
  if (show.settings.inside) parts.push(`${show.inside} vertices inside`);
  if (show.reference) parts.push('left: simulated, right: this garment');
  status.textContent = parts.join(' · ');
}

start().catch((error) => {
  status.textContent = 'Failed to start.';
  showMessage(error.message);
});
