// WebAssembly results equal those of native code bit by bit.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { garmentFiles, root } from './files.js';
import { runWasm } from './wasi.js';

for (const program of ['golden_hashes', 'garment_hashes'])
  test(`${program}: the hashes noted for native code`, () => {
    const { status, stdout, stderr } = runWasm(program, root);
    assert.equal(status, 0, stdout + stderr);
  });

for (const { name, path } of garmentFiles())
  test(`${name}: 60 frames are those of native code`, () => {
    const native = spawnSync(join(root, 'build/release/bin/billow_frames'), [path, '60'], {
      encoding: 'utf8',
    });
    assert.equal(native.status, 0, native.stderr);
    const wasm = runWasm(
      'billow_frames',
      dirname(path),
      `/garment/${path.slice(dirname(path).length + 1)}`,
      '60',
    );
    assert.equal(wasm.status, 0, wasm.stderr);
    assert.equal(native.stdout.trim().split('\n').length, 60);
    assert.equal(wasm.stdout, native.stdout);
  });
