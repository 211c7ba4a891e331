// The WebAssembly module as used by the page: a garment over another, things in the way, levels of detail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Player } from '../src/player.js';
import { Garment } from '../src/runtime/garment.js';
import { bytesOf, garmentFiles, loadPerson, loadRuntime } from './files.js';

const runtime = await loadRuntime();
const person = await loadPerson();
const [cape, skirt] = ['cape', 'skirt'].map((name) => garmentFiles().find((file) => file.name === name)?.path);
const skip = cape && skirt ? false : 'there is no cape and skirt';

const open = (path) => new Garment(runtime, bytesOf(path));
async function makePlayer(motion, path = cape) {
  const player = new Player(runtime, person.joints);
  player.setGarment(open(path));
  player.setMotion(await person.motion(motion));
  return player;
}
const step = (player, frames) => {
  for (let k = 0; k < frames; ++k) player.step();
};
const outer = (player) => player.characters[0].runtimeCharacter;
const maxDifference = (a, b) => a.reduce((max, v, k) => Math.max(max, Math.abs(v - b[k])), 0);

// The layer lies on the crests of the skirt's folds, so that what is a little inside it is still outside the skirt.
const depthInLayer = (player) => -outer(player).distancesTo(player.characters[0].layer).reduce((a, b) => Math.min(a, b));

test('a cape over a skirt stays outside it, and without the skirt is as before', { skip }, async () => {
  const player = await makePlayer('walk');
  player.seek(4);
  const { hash } = outer(player);
  player.setUnder(open(skirt));
  assert.notEqual(outer(player).hash, hash);
  const [wearer] = player.characters;
  const before = [wearer.runtimeCharacter, wearer.under].map((c) => c.positions.slice());
  for (let k = 0; k < 60; ++k) {
    player.step();
    assert.ok(depthInLayer(player) < 0.005, `depth of the cape in the skirt, frame ${k}`);
  }
  [wearer.runtimeCharacter, wearer.under].forEach((c, k) =>
    assert.ok(maxDifference(c.positions, before[k]) > 0.1),
  );
  // The heat map and changes of options do not disturb either.
  const hashes = () => [outer(player).hash, player.characters[0].under.hash];
  const was = hashes();
  assert.ok(outer(player).withoutShape.length > 0);
  assert.deepEqual(hashes(), was);
  for (const [name, on] of Object.entries({ lengths: false, pushOut: false, shape: false, networks: false })) {
    player.setOptions({ [name]: on });
    player.refresh();
  }
  player.setOptions({ lengths: true, pushOut: true, shape: true, networks: true });
  player.refresh();
  player.teleport('keep');
  step(player, 10);
  assert.ok(depthInLayer(player) < 0.005);
  player.setGarment(open(cape));
  player.setCount(2);
  step(player, 2);
  player.setUnder(null);
  player.setCount(1);
  player.offset = new player.offset.constructor();
  player.seek(4);
  assert.equal(outer(player).hash, hash);
});

test('a garment that asks for other joints is not worn under another', { skip }, async () => {
  const player = await makePlayer('walk');
  player.setUnder(open(skirt));
  const { under, characters } = player;
  assert.throws(() => player.setUnder({ jointNames: ['tentacle'] }), /needs a joint 'tentacle'/);
  assert.equal(player.under, under);
  assert.equal(player.characters, characters);
  step(player, 1);
});

for (const [motion, kind] of [
  ['walk', 'wall'],
  ['walk', 'post'],
  ['stand', 'wall'],
  ['stand', 'post'],
])
  test(`${motion}: cloth meets a ${kind} and stays outside it`, { skip }, async () => {
    const player = await makePlayer(motion, skirt);
    player.seek(4);
    const state = outer(player).save();
    const run = () => {
      let nearest = 1;
      const hashes = [];
      player.time = 4;
      player.refresh();
      outer(player).restore(state);
      for (let k = 0; k < 150; ++k) {
        player.step();
        hashes.push(outer(player).hash);
        if (player.obstacle) nearest = Math.min(nearest, ...outer(player).distancesTo(player.obstacle.body));
      }
      return { nearest, hashes };
    };
    const free = run();
    player.time = 4;
    player.refresh();
    player.setInTheWay(kind);
    const { position } = player.obstacle;
    const met = run();
    assert.notDeepEqual(met.hashes, free.hashes);
    assert.ok(met.nearest > -0.001 && met.nearest < 0.02, `nearest vertex at ${met.nearest} m`);
    assert.deepEqual(player.obstacle.position, position, 'it has moved');
    player.setInTheWay('nothing');
    assert.equal(player.obstacle, null);
    assert.deepEqual(run().hashes, free.hashes);
  });

test('characters meet each other', { skip }, async () => {
  const player = await makePlayer('dance');
  player.setCount(9);
  player.setInTheWay('others');
  step(player, 30);
  const meeting = player.characters.map((c) => c.runtimeCharacter.hash);
  assert.ok(player.characters.every((c) => c.runtimeCharacter.positions.every(Number.isFinite)));
  player.setUnder(open(skirt));
  step(player, 2);
  player.setUnder(null);
  player.setInTheWay('nothing');
  step(player, 30);
  assert.notDeepEqual(player.characters.map((c) => c.runtimeCharacter.hash), meeting);
});

test('levels of detail: far characters are computed less often, unseen ones have no mesh', { skip }, async () => {
  const player = await makePlayer('walk');
  player.setCount(16);
  player.setUnder(open(skirt));
  player.viewOf = ([x, , z]) => ({ distance: Math.hypot(x, 5 - 4 * z), visible: z > -4 });
  player.setLevels(true);
  step(player, 40);
  const { shown, unseen } = player.levelCounts;
  assert.equal(shown.reduce((sum, { count }) => sum + count, unseen), 16);
  assert.ok(shown[0].count > 0, 'none at full rate');
  assert.ok(shown.slice(1).some(({ count }) => count > 0), 'none at a lower rate');
  assert.ok(unseen > 0, 'all are seen');
  const hidden = player.characters.find((c) => c.interval === 0).runtimeCharacter;
  const far = player.characters.find((c) => c.interval > 1).runtimeCharacter;
  const before = hidden.positions.slice();
  const { hash } = far;
  assert.ok(far.withoutShape.length > 0);
  assert.equal(far.hash, hash, 'the heat map changes a character with less detail');
  player.setWind([1, 0, 0], 0.5);
  step(player, 10);
  assert.deepEqual(player.levelCounts, { shown, unseen }, 'wind changes levels');
  assert.ok(maxDifference(hidden.positions, before) === 0);
  // All have their mesh where the player is paused, sought or without levels.
  player.playing = false;
  player.step();
  assert.equal(player.levelCounts.unseen, 0);
  player.playing = true;
  step(player, 1);
  player.setLevels(false);
  assert.equal(player.levelCounts.shown[0].count, 16);
  assert.ok(maxDifference(hidden.positions, before) > 0.1);
});
