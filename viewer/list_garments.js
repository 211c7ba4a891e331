// Writes garments.json, the list that the page begins with: every .billow file of a folder, by its name.
//
//     node list_garments.js FOLDER
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = process.argv[2];
const files = readdirSync(folder).filter((file) => file.endsWith('.billow'));
const list = files
  .sort()
  .map((file) => ({ name: basename(file, '.billow'), file: `garments/${encodeURIComponent(file)}` }));
writeFileSync(join(folder, 'garments.json'), `${JSON.stringify(list, null, 1)}\n`);
