// Times the networks that billow-peer-onnx wrote to a folder in onnxruntime, on one thread.
//
//     node onnxruntime.js FOLDER      prints JSON: ms (CPU time, median of ten batches of 20 frames), off_mm
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
const errorMm = (await frame()).reduce((max, x, k) => Math.max(max, 1000 * Math.abs(x - expected[k])), 0);

const times = [];
for (let batch = 0; batch < 11; ++batch) {
  const begin = process.cpuUsage();
  for (let k = 0; k < 20; ++k) await frame();
  const { user, system } = process.cpuUsage(begin);
  if (batch > 0) times.push((user + system) / 1e3 / 20); // the first is the warm-up
}
times.sort((a, b) => a - b);
const { version } = createRequire(import.meta.url)('onnxruntime-node/package.json');
console.log(JSON.stringify({ ms: times[5], off_mm: errorMm, version }));
