// Small motion files for tests: a figure that bends its knees.

const BONES = [
  // name, parent, offset
  ['Hips', -1, [0, 90, 0]],
  ['Spine', 0, [0, 15, 0]],
  ['Neck', 1, [0, 35, 0]],
  ['Head', 2, [0, 10, 0]],
  ['LeftUpLeg', 0, [9, -2, 0]],
  ['LeftLeg', 4, [0, -42, 0]],
  ['LeftFoot', 5, [0, -40, 0]],
  ['RightUpLeg', 0, [-9, -2, 0]],
  ['RightLeg', 7, [0, -42, 0]],
  ['RightFoot', 8, [0, -40, 0]],
];
const FRAMES = 90;
const FRAMES_PER_SECOND = 30;
const bendAt = (f) => 0.5 - 0.5 * Math.cos((4 * Math.PI * f) / FRAMES); // radians
const KNEES = [5, 8];

export function bvh() {
  const write = (j, indent) => {
    const [name, parent, offset] = BONES[j];
    const children = BONES.flatMap(([, p], k) => (p === j ? [k] : []));
    const channels = `${parent < 0 ? 'CHANNELS 6 Xposition Yposition Zposition' : 'CHANNELS 3'} Zrotation Xrotation Yrotation`;
    const inside = children.length
      ? children.map((k) => write(k, `${indent}  `)).join('')
      : `${indent}  End Site\n${indent}  {\n${indent}    OFFSET 0 -5 0\n${indent}  }\n`;
    return `${indent}${parent < 0 ? 'ROOT' : 'JOINT'} ${name}\n${indent}{\n${indent}  OFFSET ${offset.join(' ')}\n${indent}  ${channels}\n${inside}${indent}}\n`;
  };
  // Joints in the order of the file.
  const order = [];
  const visit = (j) => {
    order.push(j);
    BONES.forEach(([, p], k) => p === j && visit(k));
  };
  visit(0);
  const rows = Array.from({ length: FRAMES }, (_, f) =>
    order
      .map((j) => `${j === 0 ? `0 90 ${f} ` : ''}0 ${KNEES.includes(j) ? (bendAt(f) * 180) / Math.PI : 0} 0`)
      .join(' '),
  );
  return `HIERARCHY\n${write(0, '')}MOTION\nFrames: ${FRAMES}\nFrame Time: ${1 / FRAMES_PER_SECOND}\n${rows.join('\n')}\n`;
}

// The same figure as a skinned glTF with one triangle. animated: false omits the motion.
export function glb({ animated = true } = {}) {
  const chunks = [];
  let size = 0;
  const views = [];
  const accessors = [];
  const add = (array, type, componentType, more = {}) => {
    const bytes = Buffer.from(array.buffer);
    views.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    accessors.push({
      bufferView: views.length - 1,
      componentType,
      count: array.length / width,
      type,
      ...more,
    });
    chunks.push(bytes);
    size += bytes.length;
    return accessors.length - 1;
  };
  const metres = (v) => v.map((c) => c / 100);
  const world = [];
  BONES.forEach(([, parent, offset], j) => {
    world[j] = metres(offset).map((c, k) => c + (parent < 0 ? 0 : world[parent][k]));
  });
  const inverses = Float32Array.from(
    world.flatMap(([x, y, z]) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1]),
  );
  const attributes = {
    POSITION: add(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), 'VEC3', 5126, {
      min: [0, 0, 0],
      max: [1, 1, 0],
    }),
    JOINTS_0: add(new Uint8Array(12), 'VEC4', 5121),
    WEIGHTS_0: add(Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0), 'VEC4', 5126),
  };
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, BONES.length] }],
    nodes: [
      ...BONES.map(([name, , offset], j) => {
        const children = BONES.flatMap(([, p], k) => (p === j ? [k] : []));
        return { name, translation: metres(offset), ...(children.length && { children }) };
      }),
      { name: 'skin', mesh: 0, skin: 0 },
    ],
    skins: [{ joints: BONES.map((_, j) => j), inverseBindMatrices: add(inverses, 'MAT4', 5126) }],
    meshes: [{ primitives: [{ attributes }] }],
  };
  if (animated) {
    const input = add(
      Float32Array.from({ length: FRAMES }, (_, f) => f / FRAMES_PER_SECOND),
      'SCALAR',
      5126,
      { min: [0], max: [(FRAMES - 1) / FRAMES_PER_SECOND] },
    );
    const rotations = Array.from({ length: FRAMES }, (_, f) => [
      Math.sin(bendAt(f) / 2),
      0,
      0,
      Math.cos(bendAt(f) / 2),
    ]);
    const output = add(Float32Array.from(rotations.flat()), 'VEC4', 5126);
    json.animations = [
      {
        name: 'knees',
        samplers: [{ input, output }],
        channels: KNEES.map((node) => ({ sampler: 0, target: { node, path: 'rotation' } })),
      },
    ];
  }
  Object.assign(json, { accessors, bufferViews: views, buffers: [{ byteLength: size }] });
  const pad = (bytes, filler) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, filler)]);
  const parts = [
    [0x4e4f534a, pad(Buffer.from(JSON.stringify(json)), 0x20)],
    [0x004e4942, pad(Buffer.concat(chunks), 0)],
  ].map(([kind, bytes]) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length, 0);
    head.writeUInt32LE(kind, 4);
    return Buffer.concat([head, bytes]);
  });
  const head = Buffer.alloc(12);
  head.write('glTF', 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + parts[0].length + parts[1].length, 8);
  return Buffer.concat([head, ...parts]);
}
