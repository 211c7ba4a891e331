// Retargets motions of other skeletons to the built-in person, matching joints by name. Rotations are
// transferred relative to the rest pose, limbs are aligned with the source's, and the path of the hips is
// scaled by the leg length. The command line has a more accurate version: `billow motion show FILE`.
import { Motion, forwardKinematics, restPose } from './motion.js';
import * as Q from './quaternion.js';

// Names of body parts in common tools, the least ambiguous first.
const WORDS = {
  pelvis: ['hips', 'pelvis', 'hip', 'root'],
  neck: ['neck'],
  head: ['head'],
  upper_arm: ['upperarm', 'uparm', 'shldr', 'arm', 'shoulder'],
  clavicle: ['clavicle', 'collar', 'shoulder'],
  forearm: ['forearm', 'lowerarm', 'lowarm', 'elbow'],
  hand: ['hand', 'wrist'],
  thigh: ['thigh', 'upleg', 'upperleg', 'hip', 'leg'],
  calf: ['calf', 'shin', 'lowerleg', 'lowleg', 'knee', 'leg'],
  foot: ['foot', 'ankle'],
  toes: ['toes', 'toe', 'ball'],
};
const SIDED = ['upper_arm', 'clavicle', 'forearm', 'hand', 'thigh', 'calf', 'foot', 'toes'];
const NEEDED = ['pelvis', 'left_thigh', 'right_thigh', 'left_calf', 'right_calf', 'left_foot', 'right_foot'];
// Limb joints are aligned with the direction to the next joint; hands use the alignment of the forearm.
const AIMED = { upper_arm: 'forearm', forearm: 'hand', thigh: 'calf', calf: 'foot' };
const AIMED_AS = { hand: 'forearm' };
const IGNORED_WORDS = new Set([
  'mixamorig',
  'bip',
  'base',
  'def',
  'org',
  'jnt',
  'joint',
  'bone',
  'bn',
  'rig',
  'cc',
]);

// Splits names such as "LeftUpLeg", "mixamorig:LeftUpLeg" or "thigh.L" into side and word.
export function parseJointName(name) {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word && !IGNORED_WORDS.has(word));
  let side = '';
  const rest = words.filter((word) => {
    if (['left', 'l'].includes(word)) side = 'left_';
    else if (['right', 'r'].includes(word)) side = 'right_';
    else return true;
    return false;
  });
  return { side, word: rest.join('') };
}

// joints: [{ name, parent }] of the source. Returns the source's joint for each joint of the person, by name.
export function matchJoints(joints) {
  const names = joints.map((joint) => parseJointName(joint.name));
  const found = {};
  const taken = new Set();
  for (const [part, words] of Object.entries(WORDS))
    for (const side of SIDED.includes(part) ? ['left_', 'right_'] : [''])
      for (const word of words) {
        const at = names.findIndex((n, j) => n.word === word && n.side === side && !taken.has(j));
        if (at < 0) continue;
        found[side + part] = at;
        taken.add(at);
        break;
      }
  // The joints between hips and neck form the spine; pick three of them.
  const spine = [];
  for (let j = found.neck ?? found.head ?? -1; j >= 0 && j !== found.pelvis; j = joints[j].parent)
    if (j !== found.neck && j !== found.head) spine.unshift(j);
  if (spine.length > 0)
    ['spine_lower', 'spine_upper', 'chest'].forEach(
      (name, k) => (found[name] = spine[Math.round((k * (spine.length - 1)) / 2)]),
    );
  return found;
}

// source: { name, joints: [{ name, parent }], rest: [{ position, rotation }], frames: [the same],
// framesPerSecond }, in the world, y up.
export function retarget(source, joints) {
  const found = matchJoints(source.joints);
  const missing = NEEDED.filter((name) => found[name] === undefined);
  if (missing.length > 0)
    throw new Error(
      `${source.name}: expected a skeleton with hips, thighs, calves and feet with common names, found none for ${missing.join(', ').replaceAll('_', ' ')} among ${source.joints.length} joints`,
    );
  const rest = forwardKinematics(joints, restPose(joints));
  const at = (name) => joints.findIndex((joint) => joint.name === name);
  const legOf = (place) =>
    Math.hypot(...Q.subtract(place('left_thigh'), place('left_calf'))) +
    Math.hypot(...Q.subtract(place('left_calf'), place('left_foot')));
  const restOf = (name) => source.rest[found[name]].position;
  const scale = legOf((name) => rest[at(name)].position) / legOf(restOf);
  if (!Number.isFinite(scale)) throw new Error(`${source.name}: expected legs with a length, found none`);

  // Rotate the source so that its rest pose faces +z.
  const left = Q.subtract(restOf('left_thigh'), restOf('right_thigh'));
  const face = Q.aboutY(-Math.atan2(-left[2], left[0]));
  const align = joints.map((joint) => Q.multiply(Q.multiply(Q.conjugate(face), aim(joint.name)), face));
  function aim(name) {
    const [, side, part] = /^(left_|right_|)(.*)$/.exec(name);
    const from = AIMED_AS[part] ?? part;
    const to = AIMED[from];
    if (!to || found[side + from] === undefined || found[side + to] === undefined) return Q.IDENTITY;
    const ours = Q.subtract(rest[at(side + to)].position, rest[at(side + from)].position);
    const theirs = Q.rotate(face, Q.subtract(restOf(side + to), restOf(side + from)));
    return Q.between(ours, theirs);
  }

  const frames = source.frames.map((frame) => {
    const world = [];
    joints.forEach((joint, j) => {
      const k = found[joint.name];
      if (k === undefined) {
        world.push(joint.parent < 0 ? Q.IDENTITY : world[joint.parent]);
        return;
      }
      const fromRest = Q.multiply(frame[k].rotation, Q.conjugate(source.rest[k].rotation));
      // face * (fromRest * align) * face^-1: the rotation of a source that faces +z.
      world.push(
        Q.normalize(Q.multiply(Q.multiply(face, Q.multiply(fromRest, align[j])), Q.conjugate(face))),
      );
    });
    return {
      position: Q.scale(Q.rotate(face, frame[found.pelvis].position), scale),
      rotations: world.map((q, j) =>
        joints[j].parent < 0 ? q : Q.normalize(Q.multiply(Q.conjugate(world[joints[j].parent]), q)),
      ),
    };
  });
  moveToGround(frames, joints, rest);
  return new Motion({ name: source.name, frames, framesPerSecond: source.framesPerSecond });
}

// Moves the motion so that it starts at the origin and its lowest toe height (2nd percentile) equals that at
// rest.
function moveToGround(frames, joints, rest) {
  const toes = ['left_toes', 'right_toes'].map((name) => joints.findIndex((joint) => joint.name === name));
  const heights = frames.map((pose) => {
    const world = forwardKinematics(joints, pose);
    return Math.min(...toes.map((j) => world[j].position[1]));
  });
  heights.sort((a, b) => a - b);
  const lowest = heights[Math.floor(0.02 * heights.length)];
  const [x, , z] = frames[0].position;
  const offset = [-x, rest[toes[0]].position[1] - lowest, -z];
  for (const pose of frames) pose.position = Q.add(pose.position, offset);
}
