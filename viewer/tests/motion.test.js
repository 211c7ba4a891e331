// Looping motions, and retargeting from other skeletons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forwardKinematics, restPose } from '../src/person/motion.js';
import { matchJoints, parseJointName, retarget } from '../src/person/retarget.js';
import * as Q from '../src/person/quaternion.js';
import { loadPerson } from './files.js';

const person = await loadPerson();
const { joints } = person;

test('every motion loops without a jump', async () => {
  for (const { name } of person.motions) {
    const motion = await person.motion(name);
    if (!motion.loops) continue;
    for (const end of [motion.duration, motion.duration + motion.loopSeconds]) {
      const [before, after] = [end - 1e-4, end + 1e-4].map((t) =>
        forwardKinematics(joints, motion.poseAt(t)),
      );
      before.forEach(({ position }, j) => {
        const jump = Math.hypot(...Q.subtract(position, after[j].position));
        assert.ok(jump < 0.005, `${name}, ${joints[j].name} jumps by ${jump} m at ${end} s`);
      });
    }
  }
});

test('names of joints are parsed', () => {
  assert.deepEqual(parseJointName('mixamorig:LeftUpLeg'), { side: 'left_', word: 'upleg' });
  assert.deepEqual(parseJointName('thigh.R'), { side: 'right_', word: 'thigh' });
  assert.deepEqual(parseJointName('LHipJoint'), { side: 'left_', word: 'hip' });
  assert.deepEqual(parseJointName('LeftToeBase'), { side: 'left_', word: 'toe' });
  assert.deepEqual(parseJointName('Spine1'), { side: '', word: 'spine' });
});

// The person itself with other names, twice as large and rotated: the motion must be recovered.
test('retargeting recovers a motion from a larger skeleton with another heading', async () => {
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
  const yaw = Q.aboutY(1.2);
  const change = (world) =>
    world.map(({ position, rotation }) => ({
      position: Q.scale(Q.rotate(yaw, position), 2),
      rotation: Q.multiply(yaw, rotation),
    }));
  const frames = motion.frames.slice(0, 120);
  const back = retarget(
    {
      name: 'walk.bvh',
      joints: joints.map(({ parent }, j) => ({ name: names[j], parent })),
      rest: change(forwardKinematics(joints, restPose(joints))),
      frames: frames.map((pose) => change(forwardKinematics(joints, pose))),
      framesPerSecond: 60,
    },
    joints,
  );
  for (const f of [0, 60, 119]) {
    const [was, is] = [frames[f], back.frames[f]].map((pose) => forwardKinematics(joints, pose));
    was.forEach((joint, j) => {
      const height = Math.abs(joint.position[1] - is[j].position[1]);
      assert.ok(height < 0.02, `frame ${f}, ${joints[j].name}: ${height} m too high or low`);
      const same = Math.abs(Q.dot(joint.rotation, is[j].rotation));
      assert.ok(same > 0.999, `frame ${f}, ${joints[j].name} has another rotation (${same})`);
    });
  }
});

test('a skeleton without legs is rejected with the missing joints', () => {
  assert.equal(matchJoints([{ name: 'root', parent: -1 }]).pelvis, 0);
  const transforms = [{ position: [0, 0, 0], rotation: Q.IDENTITY }];
  assert.throws(
    () =>
      retarget(
        {
          name: 'snake.bvh',
          joints: [{ name: 'root', parent: -1 }],
          rest: transforms,
          frames: [transforms],
          framesPerSecond: 30,
        },
        joints,
      ),
    /snake\.bvh: expected a skeleton with hips.*left thigh/,
  );
});
