// The time onnxruntime needs for what billow-peer-onnx wrote into a folder, on one thread.
//
//     node onnxruntime.js FOLDER      prints JSON: ms (processor time, median of ten times 20 frames), off_mm
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { InferenceSession, Tensor } = createRequire(import.meta.url)('onnxruntime-node');
const folder = process.argv[2];

function floats(name) {
  const { buffer, byteOffset, byteLength } = readFileSync(join(folder, name));
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

const session = await InferenceSession.create(join(folder, 'networks.onnx'), {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
});
const feeds = Object.fromEntries(
  session.inputMetadata.map(({ name, shape }) => [name, new Tensor('float32', floats(name), shape)]),
);
const frame = async () => (await session.run(feeds))[session.outputNames[0]].data;

const expected = floats('vertices');
const off = (await frame()).reduce((most, x, k) => Math.max(most, 1000 * Math.abs(x - expected[k])), 0);

const times = [];
for (let turn = 0; turn < 11; ++turn) {
  const begin = process.cpuUsage();
  for (let k = 0; k < 20; ++k) await frame();
  const { user, system } = process.cpuUsage(begin);
  if (turn > 0) times.push((user + system) / 1e3 / 20); // the first to warm up
}
times.sort((a, b) => a - b);
const { version } = createRequire(import.meta.url)('onnxruntime-node/package.json');
console.log(JSON.stringify({ ms: times[5], off_mm: off, version }));
