// The WebAssembly module as used by the page: frames, modes, saved state, invalid files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Player } from '../src/player.js';
import { Garment } from '../src/runtime/garment.js';
import { bytesOf, garmentFiles, loadPerson, loadRuntime } from './files.js';

const runtime = await loadRuntime();
const person = await loadPerson();
const run = await person.motion('run');
const files = garmentFiles();

function makePlayer(path) {
  const player = new Player(runtime, person.joints);
  player.setGarment(new Garment(runtime, bytesOf(path)));
  player.setMotion(run);
  return player;
}
const character = (player) => player.characters[0].runtimeCharacter;
const maxDifference = (a, b) => a.reduce((max, v, k) => Math.max(max, Math.abs(v - b[k])), 0);

test('there is a garment to test with', () =>
  assert.ok(files.length > 0, 'give ./run viewer build a .billow file'));

for (const { name, path } of files) {
  test(`${name}: the cloth moves with the body and differs between modes`, () => {
    const player = makePlayer(path);
    const before = character(player).positions.slice();
    for (let k = 0; k < 120; ++k) player.step();
    const shaped = character(player).positions.slice();
    assert.ok(shaped.every(Number.isFinite));
    assert.ok(maxDifference(before, shaped) > 0.1);
    const { hash } = character(player);
    // The heat map computes the frame without shape, and does not change the instance.
    const withoutShape = character(player).withoutShape.slice();
    assert.equal(character(player).hash, hash);
    assert.ok(maxDifference(withoutShape, shaped) > 1e-3);
    player.setOptions({ shape: false });
    player.refresh();
    assert.ok(maxDifference(character(player).positions, withoutShape) === 0);
    player.setOptions({ pushOut: false });
    player.refresh();
    const inside = character(player).distances.filter((d) => d < 0).length;
    const restored = character(player).positions.slice();
    player.setOptions({ lengths: false });
    player.refresh();
    assert.ok(maxDifference(character(player).positions, restored) > 1e-3);
    player.setOptions({ lengths: true, pushOut: true });
    player.refresh();
    assert.ok(character(player).distances.filter((d) => d < 0).length <= inside);
  });

  test(`${name}: linear blend skinning with weights, an error without`, () => {
    const player = makePlayer(path);
    for (let k = 0; k < 30; ++k) player.step();
    const learnt = character(player).positions.slice();
    if (!player.garment.canBlend) {
      assert.throws(() => player.setOptions({ linearBlend: true }), /weights/);
      return;
    }
    player.setOptions({ linearBlend: true });
    player.refresh();
    const blended = character(player).positions.slice();
    assert.ok(blended.every(Number.isFinite));
    assert.ok(maxDifference(blended, learnt) > 1e-3);
    player.setOptions({ linearBlend: false });
    player.refresh();
    assert.ok(maxDifference(character(player).positions, learnt) === 0);
  });

  test(`${name}: the heat map does not change later frames`, () => {
    const [a, b] = [makePlayer(path), makePlayer(path)];
    for (let k = 0; k < 20; ++k) {
      a.step();
      b.step();
      assert.ok(character(b).withoutShape.length > 0);
    }
    assert.equal(character(a).hash, character(b).hash);
  });

  test(`${name}: a restored state continues bit-exactly`, () => {
    const player = makePlayer(path);
    for (let k = 0; k < 30; ++k) player.step();
    const { time } = player;
    const state = character(player).save();
    for (let k = 0; k < 10; ++k) player.step();
    const { hash } = character(player);
    player.time = time;
    character(player).restore(state);
    // The state does not contain the colliders' last pose: a frame with dt = 0 restores it.
    player.refresh();
    character(player).restore(state);
    for (let k = 0; k < 10; ++k) player.step();
    assert.equal(character(player).hash, hash);
  });

  test(`${name}: settings are read back, and invalid ones rejected by name`, () => {
    const player = makePlayer(path);
    player.setSetting('friction', 0.75);
    assert.equal(player.getSetting('friction'), 0.75);
    assert.throws(() => player.setSetting('friction', -1), /friction/);
    assert.throws(() => player.setSetting('colour', 1), /there is no setting 'colour'/);
    for (const setting of character(player).names.settings)
      assert.ok(Number.isFinite(player.getSetting(setting)), setting);
  });

  test(`${name}: damaged files are rejected with a message`, () => {
    const good = new Uint8Array(bytesOf(path));
    const damaged = good.slice();
    damaged[good.length >> 1] ^= 1;
    assert.throws(() => new Garment(runtime, damaged.buffer), /damaged/);
    assert.throws(() => new Garment(runtime, good.slice(0, 1000).buffer), /expected/);
    assert.throws(
      () => new Garment(runtime, new TextEncoder().encode('x'.repeat(100)).buffer),
      /another kind/,
    );
    assert.throws(() => new Garment(runtime, new ArrayBuffer(0)), /0 bytes/);
  });

  test(`${name}: many characters, teleports and seeks`, () => {
    const player = makePlayer(path);
    player.setCount(3);
    for (let k = 0; k < 30; ++k) player.step();
    const [first, second] = player.characters.map((c) => c.runtimeCharacter.positions.slice());
    assert.ok(maxDifference(first, second) > 0.5);
    const before = character(player).positions.slice();
    player.teleport('keep');
    player.step();
    assert.ok(maxDifference(before, character(player).positions) > 0.5);
    player.seek(4);
    assert.ok(character(player).positions.every(Number.isFinite));
    assert.equal(player.time, 4);
  });
}
