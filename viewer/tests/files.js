// Paths of the files that ./run viewer build writes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Runtime } from '../src/runtime/module.js';
import { readPerson } from '../src/person/person.js';

export const viewer = join(import.meta.dirname, '..');
export const root = join(viewer, '..');
export const publicFolder = join(viewer, 'public');

export function bytesOf(path) {
  const read = readFileSync(path);
  return read.buffer.slice(read.byteOffset, read.byteOffset + read.byteLength);
}

// The garments that the page offers.
export function garmentFiles() {
  const list = join(publicFolder, 'garments/garments.json');
  if (!existsSync(list)) throw new Error(`expected ${list}: ./run viewer build writes it`);
  return JSON.parse(readFileSync(list, 'utf8')).map(({ name, file }) => ({
    name,
    path: join(publicFolder, decodeURIComponent(file)),
  }));
}

export const loadRuntime = () => Runtime.load(bytesOf(join(publicFolder, 'billow_viewer.wasm')));
export const loadPerson = () => readPerson(async (name) => bytesOf(join(publicFolder, 'person', name)));
