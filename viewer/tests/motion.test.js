// Motions that go on for ever, and motions of other skeletons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeJoints, restPose } from '../src/person/motion.js';
import { matchJoints, retarget, takeApart } from '../src/person/retarget.js';
import * as Q from '../src/person/quaternion.js';
import { loadPerson } from './files.js';

const person = await loadPerson();
const { joints } = person;

test('every motion begins again without a jump', async () => {
  for (const { name } of person.motions) {
    const motion = await person.motion(name);
    if (!motion.goesOn) continue;
    for (const end of [motion.duration, motion.duration + motion.loopSeconds]) {
      const [before, after] = [end - 1e-4, end + 1e-4].map((t) => placeJoints(joints, motion.poseAt(t)));
      before.forEach(({ position }, j) => {
        const way = Math.hypot(...Q.subtract(position, after[j].position));
        assert.ok(way < 0.005, `${name}, ${joints[j].name} jumps by ${way} m at ${end} s`);
      });
    }
  }
});

test('names of joints are taken apart', () => {
  assert.deepEqual(takeApart('mixamorig:LeftUpLeg'), { side: 'left_', word: 'upleg' });
  assert.deepEqual(takeApart('thigh.R'), { side: 'right_', word: 'thigh' });
  assert.deepEqual(takeApart('LHipJoint'), { side: 'left_', word: 'hip' });
  assert.deepEqual(takeApart('LeftToeBase'), { side: 'left_', word: 'toe' });
  assert.deepEqual(takeApart('Spine1'), { side: '', word: 'spine' });
});

// The person itself under other names, twice as large and turned: it has to move as before.
test('a motion comes back the same from a larger skeleton that looks elsewhere', async () => {
  const motion = await person.motion('walk');
  const renamed = {
    upper_arm: 'Arm',
    thigh: 'UpLeg',
    calf: 'Leg',
    clavicle: 'Shoulder',
    toes: 'ToeBase',
    pelvis: 'Hips',
    spine_lower: 'Spine',
    spine_upper: 'Spine1',
    chest: 'Spine2',
    forearm: 'ForeArm',
    hand: 'Hand',
    foot: 'Foot',
    neck: 'Neck',
    head: 'Head',
  };
  const names = joints.map(({ name }) => {
    const [, side, part] = /^(left_|right_|)(.*)$/.exec(name);
    return { left_: 'Left', right_: 'Right', '': '' }[side] + renamed[part];
  });
  const turn = Q.aboutY(1.2);
  const change = (placed) =>
    placed.map(({ position, rotation }) => ({
      position: Q.scale(Q.rotate(turn, position), 2),
      rotation: Q.multiply(turn, rotation),
    }));
  const frames = motion.frames.slice(0, 120);
  const back = retarget(
    {
      name: 'walk.bvh',
      joints: joints.map(({ parent }, j) => ({ name: names[j], parent })),
      rest: change(placeJoints(joints, restPose(joints))),
      frames: frames.map((pose) => change(placeJoints(joints, pose))),
      framesPerSecond: 60,
    },
    joints,
  );
  for (const f of [0, 60, 119]) {
    const [was, is] = [frames[f], back.frames[f]].map((pose) => placeJoints(joints, pose));
    was.forEach((joint, j) => {
      const height = Math.abs(joint.position[1] - is[j].position[1]);
      assert.ok(height < 0.02, `frame ${f}, ${joints[j].name}: ${height} m too high or low`);
      const same = Math.abs(Q.dot(joint.rotation, is[j].rotation));
      assert.ok(same > 0.999, `frame ${f}, ${joints[j].name} is turned otherwise (${same})`);
    });
  }
});

test('a skeleton without legs is refused by what it lacks', () => {
  assert.equal(matchJoints([{ name: 'root', parent: -1 }]).pelvis, 0);
  const place = [{ position: [0, 0, 0], rotation: Q.IDENTITY }];
  assert.throws(
    () =>
      retarget(
        {
          name: 'snake.bvh',
          joints: [{ name: 'root', parent: -1 }],
          rest: place,
          frames: [place],
          framesPerSecond: 30,
        },
        joints,
      ),
    /snake\.bvh: expected a skeleton with hips.*left thigh/,
  );
});
