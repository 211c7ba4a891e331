// The time of a frame as WebAssembly, and as a multiple of the native one: both run the same frames, in turn.
import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { garmentFiles, root } from '../tests/files.js';
import { runWasm } from '../tests/wasi.js';

const SHORT = 60,
  LONG = 360,
  ROUNDS = 3;

function seconds(run) {
  const begin = process.hrtime.bigint();
  const { status, stderr } = run();
  if (status !== 0) throw new Error(stderr);
  return Number(process.hrtime.bigint() - begin) / 1e9;
}

// Starting a program and loading its garment are in both runs, and drop out of the difference.
const millisecondsPerFrame = (run) =>
  Math.min(
    ...Array.from(
      { length: ROUNDS },
      () => ((seconds(() => run(LONG)) - seconds(() => run(SHORT))) * 1e3) / (LONG - SHORT),
    ),
  );

for (const { name, path } of garmentFiles()) {
  const native = millisecondsPerFrame((frames) =>
    spawnSync(join(root, 'build/release/bin/billow_frames'), [path, String(frames)], { encoding: 'utf8' }),
  );
  const wasm = millisecondsPerFrame((frames) =>
    runWasm('billow_frames', dirname(path), `/garment/${basename(path)}`, String(frames)),
  );
  console.log(
    `${name}: ${wasm.toFixed(2)} ms as WebAssembly in Node ${process.versions.node}, ${native.toFixed(2)} ms native, ratio ${(wasm / native).toFixed(2)}`,
  );
}
