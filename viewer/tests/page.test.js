// The page as served by ./run demo, in Chromium with software rendering.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { bytesOf, garmentFiles, root } from './files.js';
import { bvh, glb } from './motion_files.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const pictures = join(root, 'out/viewer');
const [garment] = garmentFiles();

let server, browser, page, address, errors;

// Starts `billow view` on a free port and waits for the address that it prints.
function serve() {
  server = spawn(join(root, 'build/release/bin/billow'), ['view', '--port', '0']);
  return new Promise((resolve, reject) => {
    let printed = '';
    server.stdout.on('data', (text) => {
      printed += text;
      const [found] = printed.match(/http:\S+/) ?? [];
      if (found) resolve(found);
    });
    server.on('exit', (code) => reject(new Error(`billow view ended with ${code}: ${printed}`)));
  });
}

before(async () => {
  if (!existsSync(CHROMIUM))
    throw new Error(`expected a browser at ${CHROMIUM}; the variable CHROMIUM names another one`);
  mkdirSync(pictures, { recursive: true });
  address = await serve();
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-gpu-watchdog'],
  });
});
after(async () => {
  await browser?.close();
  server?.kill();
});

async function open(width, height) {
  await page?.close();
  page = await browser.newPage({ viewport: { width, height } });
  errors = [];
  page.on('console', (message) => {
    // Ignore Chromium's warnings about software rendering.
    if (['error', 'warning'].includes(message.type()) && !/GL Driver Message/.test(message.text()))
      errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${address}?detail=0.5`);
  await page.waitForFunction(() => window.billow?.player.ready, null, { timeout: 60000 });
}
// Drops files as a user would: [{ name, bytes }].
async function drop(...files) {
  const list = files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes).toString('base64') }));
  await page.evaluate((all) => {
    const data = new DataTransfer();
    for (const { name, bytes } of all)
      data.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
    for (const type of ['dragenter', 'drop'])
      window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  }, list);
}
const message = () => page.locator('#message:not([hidden])').innerText({ timeout: 60000 });
// Not a click of the mouse: that waits until the button is still, and a slow machine hides a note before.
const closeMessage = () => page.evaluate(() => document.querySelector('#message button').click());
const clothPositions = () =>
  page.evaluate(() =>
    Array.from(window.billow.player.characters[0].runtimeCharacter.positions.slice(0, 300)),
  );
const maxDifference = (a, b) => a.reduce((max, v, k) => Math.max(max, Math.abs(v - b[k])), 0);
const time = () => page.evaluate(() => window.billow.player.time);
const pause = () => page.evaluate(() => (window.billow.player.playing = false));
const screenshot = (name) => page.screenshot({ path: join(pictures, `${name}.png`) });

test('it loads, draws a person in cloth, plays and pauses, without console messages', async () => {
  await open(640, 420);
  const [t, cloth] = [await time(), await clothPositions()];
  await page.waitForFunction((since) => window.billow.player.time > since + 0.1, t, { timeout: 60000 });
  assert.ok(maxDifference(cloth, await clothPositions()) > 0.02, 'the cloth does not move');
  await page.keyboard.press('Space');
  const stopped = await time();
  await page.waitForTimeout(500);
  assert.equal(await time(), stopped);
  await page.keyboard.press('.');
  assert.ok(Math.abs((await time()) - stopped - 1 / 60) < 1e-9);
  await page.waitForTimeout(1500);
  await screenshot('plays');
  assert.deepEqual(errors, []);
});

test('modes and overlays look different', async () => {
  await open(640, 420);
  await pause();
  await page.evaluate(() => window.billow.app.scrub(4));
  const seen = async () => {
    // Wait until the change is drawn.
    await page.evaluate(
      () =>
        new Promise((done) =>
          requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))),
        ),
    );
    return (await page.locator('#stage').screenshot()).toString('base64');
  };
  const views = new Set([await seen()]);
  for (const [key, name] of [
    ['2', 'skinning'],
    ['3', 'chains'],
    ['1', 'shape'],
    ['b', 'ropes'],
    ['l', 'laterals'],
    ['c', 'colliders'],
    ['h', 'heat map'],
  ]) {
    await page.keyboard.press(key);
    const view = await seen();
    if (key !== '1') assert.ok(!views.has(view), `${name} looks like an earlier view`);
    views.add(view);
  }
  // The fourth mode is offered for garments with blend weights; others show a message.
  await page.keyboard.press('h');
  await page.keyboard.press('4');
  const canBlend = await page.evaluate(() => window.billow.player.garment.canBlend);
  assert.equal(await page.locator('#mode option[value=blend]').count(), canBlend ? 1 : 0);
  if (canBlend) {
    assert.ok(!views.has(await seen()), 'linear blend skinning looks like an earlier view');
  } else {
    assert.match(await message(), /linear blend skinning/);
    await closeMessage();
  }
  await page.keyboard.press('1');
  await page.keyboard.press('h');
  await screenshot('overlays');
  await page.keyboard.press('p');
  await page.keyboard.press('i');
  const inside = await page.evaluate(() => window.billow.show.inside);
  await page.keyboard.press('p');
  assert.ok((await page.evaluate(() => window.billow.show.inside)) <= inside);
  assert.deepEqual(errors, []);
});

test('controls reach the runtime', async () => {
  await open(820, 480);
  await pause();
  const setting = (name) => page.evaluate((n) => window.billow.player.getSetting(n), name);
  for (const summary of ['Wind and gravity', 'Rope chains', 'Mesh and body contact'])
    await page.getByText(summary, { exact: true }).click();
  await page.locator('#solver').selectOption('5');
  assert.deepEqual([await setting('tension_method'), await setting('tension_sweeps')], [1, 5]);
  await page.locator('#solver').selectOption('direct');
  assert.equal(await setting('tension_method'), 0);
  await page.locator('#push_direction').selectOption('0');
  assert.equal(await setting('push_direction'), 0);
  for (const [id, value, name, expected] of [
    ['gravity', 5, 'gravity', -5],
    ['friction', 0.5, 'friction', 0.5],
    ['damping', 3, 'damping', 3],
    ['min_substeps', 12, 'max_substeps', 12],
    ['lateral_stretch', 40, 'lateral_stretch', 40],
  ]) {
    await page.locator(`#${id}`).fill(String(value));
    assert.equal(await setting(name), expected, name);
  }
  await page.locator('#rate').fill('30');
  assert.equal(await page.evaluate(() => window.billow.player.rate), 30);
  // Drag the wind's arrow to the rim: from behind, at full strength.
  const dial = page.locator('#wind');
  await dial.scrollIntoViewIfNeeded();
  const box = await dial.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 2);
  await page.mouse.up();
  assert.deepEqual(
    await page.evaluate(() => window.billow.app.wind.direction.map((v) => Math.round(v) + 0)),
    [0, 12],
  );
  await page.locator('#defaults').click();
  await page.waitForFunction(() => window.billow.player.getSetting('friction') !== 0.5);
  await page.locator('#count').fill('3');
  assert.equal(await page.evaluate(() => window.billow.player.characters.length), 3);
  const before = await clothPositions();
  await page.locator('#teleport').click();
  assert.ok(maxDifference(before, await clothPositions()) > 0.5);
  assert.deepEqual(errors, []);
});

test('a garment over another, things in the way and levels of detail', async () => {
  const [cape, skirt] = ['cape', 'skirt'].map((name) => garmentFiles().some((file) => file.name === name));
  if (!cape || !skirt) return;
  await open(820, 480);
  await pause();
  await page.locator('#garment').selectOption('cape');
  await page.evaluate(() => window.billow.app.scrub(4));
  const alone = await clothPositions();
  await page.locator('#under').selectOption('skirt');
  await page.waitForFunction(() => window.billow.player.under);
  assert.equal(await page.evaluate(() => window.billow.show.actors[0].under.mesh.visible), true);
  await page.evaluate(() => window.billow.app.scrub(4));
  assert.ok(maxDifference(alone, await clothPositions()) > 0.001, 'the skirt does not change the cape');
  await screenshot('layers');
  // What is worn over is not offered for under it.
  assert.equal(await page.locator('#under option[value=cape]').count(), 0);
  await page.locator('#garment').selectOption('skirt');
  await page.waitForFunction(() => !window.billow.player.under);
  assert.equal(await page.locator('#under').inputValue(), '');

  assert.equal(await page.locator('#put').isDisabled(), true);
  await page.locator('#obstacle').selectOption('wall');
  const place = () => page.evaluate(() => window.billow.show.obstacle.mesh.position.toArray());
  const before = await place();
  await page.evaluate(() => window.billow.app.scrub(6));
  await page.locator('#put').click();
  assert.ok(maxDifference(before, await place()) > 0.1, 'the wall stays where it was');
  await page.evaluate(() => window.billow.app.scrub(6.9));
  await screenshot('wall');
  await page.locator('#obstacle').selectOption('nothing');
  assert.equal(await page.evaluate(() => window.billow.show.obstacle), null);

  await page.locator('#count').fill('2');
  await page.locator('#levels').check();
  await page.keyboard.press('.');
  await page.waitForFunction(() => /at full rate/.test(document.querySelector('#level_counts').textContent));
  await screenshot('crowd');
  await page.locator('#levels').uncheck();
  assert.deepEqual(errors, []);
});

test('valid dropped files are used, invalid ones are rejected with a message', async () => {
  await open(640, 420);
  await pause();
  const good = new Uint8Array(bytesOf(garment.path));
  await drop({ name: 'mine.billow', bytes: good });
  assert.match(await message(), /mine\.billow is worn/);
  assert.equal(await page.locator('#garment').inputValue(), 'mine.billow');
  await closeMessage();

  const damaged = good.slice();
  damaged[good.length >> 1] ^= 1;
  for (const [name, bytes, expected] of [
    ['damaged.billow', damaged, /damaged\.billow: .*damaged/],
    ['short.billow', good.slice(0, 500), /short\.billow: .*expected/],
    [
      'letter.txt',
      Buffer.from('hello'),
      /letter\.txt: expected a \.billow garment, or a \.bvh or \.glb motion/,
    ],
    ['noise.bvh', Buffer.from('no motion at all'), /noise\.bvh: expected a BVH file/],
    ['noise.glb', Buffer.from('no motion at all'), /noise\.glb: not a valid glTF file/],
    ['still.glb', glb({ animated: false }), /still\.glb: expected an animation/],
    ['snake.bvh', Buffer.from(bvh().replaceAll('Leg', 'Loop')), /snake\.bvh: expected a skeleton with hips/],
  ]) {
    await drop({ name, bytes });
    assert.match(await message(), expected, name);
    await closeMessage();
  }
  const worn = await page.locator('#garment').inputValue();
  assert.equal(worn, 'mine.billow', 'an invalid file removed the garment');

  for (const [name, bytes] of [
    ['knees.bvh', Buffer.from(bvh())],
    ['knees.glb', glb()],
  ]) {
    await drop({ name, bytes });
    assert.match(await message(), /is played on the built-in person/, name);
    assert.equal(await page.locator('#motion').inputValue(), name);
    // The knees bend, and the feet stand on the ground.
    const [bend, toes] = await page.evaluate(() => {
      const { app, player } = window.billow;
      app.scrub(0.75);
      const at = (joint) => player.characters[0].joints[player.joints.findIndex((j) => j.name === joint)];
      const [a, b] = [at('left_thigh').rotation, at('left_calf').rotation];
      return [
        2 * Math.acos(Math.min(1, Math.abs(a.reduce((s, v, k) => s + v * b[k], 0)))),
        at('left_toes').position[1],
      ];
    });
    assert.ok(Math.abs(bend - 1) < 0.1, `${name}: knees bent by ${bend} rad`);
    assert.ok(toes > -0.02 && toes < 1, `${name}: toes at ${toes} m`);
    await closeMessage();
  }
  assert.deepEqual(errors, []);
});

test('it fits a phone, and all controls can be reached by keyboard', async () => {
  await open(390, 780);
  await pause();
  assert.equal(await page.locator('#panel').isVisible(), false);
  await page.waitForTimeout(1500);
  await screenshot('phone');
  await page.locator('#open-panel').click();
  assert.equal(await page.locator('#panel').isVisible(), true);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  const reached = new Set();
  for (let k = 0; k < 40; ++k) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement?.id));
  }
  for (const id of [
    'stage',
    'open-panel',
    'garment',
    'motion',
    'mode',
    'count',
    'open',
    'teleport',
    'ropes',
    'heat',
    'play',
    'scrub',
    'speed',
  ])
    assert.ok(reached.has(id), `${id} is not reached by Tab`);
  await page.locator('#stage').focus();
  const from = () => page.evaluate(() => window.billow.stage.camera.position.toArray());
  const was = await from();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('+');
  assert.ok(maxDifference(was, await from()) > 0.1, 'arrow keys do not rotate the view');
  await page.waitForTimeout(1500);
  await screenshot('phone_controls');
  assert.deepEqual(errors, []);
});
