// Files written by `billow export`, loaded and played by three.js: glTF with its chains, and USD.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AnimationMixer, Box3, LoopOnce, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { USDLoader } from 'three/examples/jsm/loaders/USDLoader.js';
import { bytesOf, root } from './files.js';

const FRAMES_PER_SECOND = 2;
const folder = mkdtempSync(join(tmpdir(), 'billow_export_'));
after(() => rmSync(folder, { recursive: true }));

function exported(name) {
  const file = join(folder, name);
  const options = ['--motion', 'dance', '--seconds', '2', '--fps', FRAMES_PER_SECOND, '--quiet'];
  // As decoded: lengths may take the mesh away from the chains.
  const decoded = ['--lengths', 'off'];
  execFileSync(join(root, 'build/release/bin/billow'), ['export', 'cape', '-o', file, ...decoded, ...options]);
  return file;
}

// PC2, the simplest format, is the reference that the others are compared with.
function readPc2(file) {
  const bytes = bytesOf(file);
  const [vertices, , , frames] = new Uint32Array(bytes, 16, 4);
  return Array.from({ length: frames }, (_, f) => new Float32Array(bytes, 32 + 12 * f * vertices, 3 * vertices));
}
const truth = readPc2(exported('cape.pc2'));
const vertices = truth[0].length / 3;

// The largest error of any coordinate, in metres.
function maxError(mesh, frame) {
  const at = new Vector3();
  let error = 0;
  for (let v = 0; v < vertices; ++v) {
    mesh.getVertexPosition(v, at);
    at.toArray().forEach((x, k) => (error = Math.max(error, Math.abs(x - truth[frame][3 * v + k]))));
  }
  return error;
}

function nearestDistance(frame, { x, y, z }) {
  const positions = truth[frame];
  let distance = Infinity;
  for (let k = 0; k < positions.length; k += 3)
    distance = Math.min(distance, Math.hypot(x - positions[k], y - positions[k + 1], z - positions[k + 2]));
  return distance;
}

test('three.js plays the glTF: every vertex of every frame, and the chains beside the cloth', async (t) => {
  const { scene, animations } = await new GLTFLoader().parseAsync(bytesOf(exported('cape.glb')), '');
  const mesh = scene.getObjectByProperty('isMesh', true);
  const bones = [];
  scene.traverse((node) => node.name.startsWith('chain_') && bones.push(node));
  assert.equal(truth.length, 5);
  assert.equal(mesh.geometry.attributes.position.count, vertices);
  assert.equal(bones.length, 152);
  assert.equal(mesh.material.flatShading, false);

  const mixer = new AnimationMixer(scene);
  const action = mixer.clipAction(animations[0]).setLoop(LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const distances = [];
  for (let frame = 0; frame < truth.length; ++frame) {
    mixer.setTime(frame / FRAMES_PER_SECOND);
    scene.updateMatrixWorld(true);
    assert.ok(maxError(mesh, frame) < 2e-6, `frame ${frame}: error of ${maxError(mesh, frame)} m`);
    distances.push(...bones.map((bone) => nearestDistance(frame, bone.getWorldPosition(new Vector3()))));
  }
  t.diagnostic(`bones are up to ${(1000 * Math.max(...distances)).toFixed(1)} mm from the cloth`);
  assert.ok(Math.max(...distances) < 0.05);
  assert.ok(Math.max(...truth[4].map((x, k) => Math.abs(x - truth[0][k]))) > 0.05, 'it moves');
});

test('three.js shows the first frame of the USD', () => {
  const scene = new USDLoader().parse(readFileSync(exported('cape.usda'), 'utf8'));
  const { min, max } = new Box3().setFromObject(scene);
  for (const [k, axis] of ['x', 'y', 'z'].entries()) {
    const coordinates = truth[0].filter((_, i) => i % 3 === k);
    assert.ok(Math.abs(min[axis] - Math.min(...coordinates)) < 1e-6);
    assert.ok(Math.abs(max[axis] - Math.max(...coordinates)) < 1e-6);
  }
});
