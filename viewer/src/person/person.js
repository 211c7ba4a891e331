// The built-in person as written by `billow bake`: joints, skin, and motions that are fetched on demand.
import { Motion } from './motion.js';

const QUANTISATION_STEPS = 32767; // of a quaternion component, per 1

// read(name): a promise of the bytes of a file in the folder.
export async function readPerson(read) {
  const json = JSON.parse(new TextDecoder().decode(await read('person.json')));
  if (json.format !== 'billow person' || json.version !== 1)
    throw new Error(
      `person.json: expected format 'billow person', version 1, found '${json.format}', ${json.version}`,
    );
  return {
    joints: json.joints,
    skin: readSkin(await read(json.skin.file), json.skin),
    motions: json.motions,
    async motion(name) {
      const entry = json.motions.find((m) => m.name === name);
      if (!entry) throw new Error(`there is no motion '${name}'`);
      const [frames, cloth] = await Promise.all([
        read(entry.file).then((bytes) => readFrames(bytes, json.joints.length, entry.frames)),
        entry.cloth ? read(entry.cloth.file) : null,
      ]);
      return new Motion({
        name,
        about: entry.about,
        frames,
        framesPerSecond: entry.frames_per_second,
        loopFrom: entry.cloth ? -1 : entry.loop_from,
        cloth: cloth && { ...entry.cloth, values: new Int16Array(cloth) },
      });
    },
  };
}

function readSkin(bytes, { vertices, triangles }) {
  const joints = 12 * vertices;
  const weights = joints + 4 * vertices;
  const corners = weights + 4 * vertices;
  return {
    positions: new Float32Array(bytes, 0, 3 * vertices),
    joints: new Uint8Array(bytes, joints, 4 * vertices),
    weights: new Uint8Array(bytes, weights, 4 * vertices),
    triangles: new Uint16Array(bytes, corners, 3 * triangles),
  };
}

function readFrames(bytes, joints, count) {
  const size = 12 + 8 * joints;
  if (bytes.byteLength !== size * count)
    throw new Error(`a motion: expected ${count} frames of ${size} bytes, found ${bytes.byteLength} bytes`);
  return Array.from({ length: count }, (_, f) => {
    const quantised = new Int16Array(bytes, f * size + 12, 4 * joints);
    return {
      position: Array.from(new Float32Array(bytes, f * size, 3)),
      rotations: Array.from({ length: joints }, (__, j) =>
        Array.from(quantised.subarray(4 * j, 4 * j + 4), (v) => v / QUANTISATION_STEPS),
      ),
    };
  });
}
