// The page: fetches what it needs, puts the parts together, and draws one picture after the other.
import { App } from './app.js';
import { readPerson } from './person/person.js';
import { Player } from './player.js';
import { namesOf } from './runtime/character.js';
import { Runtime } from './runtime/module.js';
import { onDrop, say } from './ui/messages.js';
import { Panel } from './ui/panel.js';
import { Timing } from './ui/timing.js';
import { Transport } from './ui/transport.js';
import { Show } from './view/show.js';
import { Stage } from './view/stage.js';

const SLOW = 22; // pictures a second
const BEGIN = 4; // s into the motion

const status = document.querySelector('#status');

async function read(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: it cannot be had (${response.status} ${response.statusText})`);
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
  const show = new Show(stage, player, person);
  const app = new App({ runtime, person, player, show, stage, read, garments });
  const timing = new Timing(namesOf(runtime));
  app.panel = new Panel(document.querySelector('#panel'), app, timing);
  const transport = new Transport(document.querySelector('#transport'), app);
  connect(app);

  app.listChoices();
  await app.play(person.motions[0].name);
  if (garments.length > 0) await app.wear(garments[0].name);
  else say('No garment was built in: drop a .billow file here.', { bad: false });
  app.scrub(BEGIN);
  app.setWind({});
  app.listChoices();
  run(app, timing, transport);
  // For tests, and for whoever wants to try things in the console.
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
  // Wide pages have the panel on the right, narrow ones below.
  const fit = () => {
    const open = !panel.classList.contains('closed');
    const wide = window.innerWidth > 760;
    const below = open && !wide ? panel.offsetHeight + 66 : 66;
    app.stage.cover({ right: wide ? panel.offsetWidth + 12 : 0, bottom: below });
  };
  toggle.addEventListener('click', () => setOpen(panel.classList.contains('closed')));
  setOpen(window.innerWidth > 760);
  onDrop((files) => app.takeFiles(files));
  window.addEventListener('keydown', (event) => {
    // Controls keep the keys that they need themselves.
    const tag = event.target.tagName;
    const own =
      tag === 'SELECT' ||
      (tag === 'INPUT' && event.target.type !== 'checkbox' && !/^[a-z]$/i.test(event.key));
    if (own || (event.key === ' ' && ['BUTTON', 'SUMMARY', 'INPUT'].includes(tag))) return;
    app.key(event);
  });
  window.addEventListener('resize', fit);
}

function run(app, timing, transport) {
  const { player, show } = app;
  let slow = 0; // reports in a row
  let last = performance.now();
  const picture = (now) => {
    const seconds = Math.min(0.1, Math.max(0, (now - last) / 1e3));
    last = now;
    app.blow();
    const steps = player.advance(seconds);
    if (steps > 0) {
      show.takeFrame(false, steps);
      timing.add(player.characters.map((c) => c.runtimeCharacter.report));
    }
    show.draw(seconds, app);
    transport.show(player);
    const found = timing.draw(now);
    if (found) {
      report(found, app, timing);
      slow = found.pictures < SLOW ? slow + 1 : 0;
      if (slow >= 4) {
        slow = 0;
        app.stage.drawLess();
      }
    }
    requestAnimationFrame(picture);
  };
  requestAnimationFrame(picture);
}

function report({ pictures, frames }, { player, show, playback }, timing) {
  if (!player.ready) return;
  const parts = [
    `${playback}, ${player.garment.vertexCount.toLocaleString('en')} vertices`,
    `${pictures.toFixed(0)} fps`,
  ];
  if (player.playing && timing.ms) parts.push(`${timing.ms.toFixed(2)} ms a frame`);
  if (player.playing && frames < 0.9 * player.rate * player.speed && player.speed >= 1)
    parts.push('slower than real time');
  if (show.settings.inside) parts.push(`${show.inside} vertices inside`);
  if (show.reference) parts.push('left: simulated, right: this garment');
  status.textContent = parts.join(' · ');
}

start().catch((error) => {
  status.textContent = 'It did not start.';
  say(error.message);
});
