// Runs the programs of build/wasm in Node.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './files.js';

// Runs one of them with `folder` mounted as /garment.
export function runWasm(program, folder, ...args) {
  const script = `
    import { WASI } from 'node:wasi';
    import { readFileSync } from 'node:fs';
    const wasi = new WASI({ version: 'preview1', args: ${JSON.stringify([program, ...args])}, preopens: { '/garment': ${JSON.stringify(folder)} } });
    const module = await WebAssembly.compile(readFileSync(${JSON.stringify(join(root, 'build/wasm/bin', `${program}.wasm`))}));
    process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));`;
  return spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
}
