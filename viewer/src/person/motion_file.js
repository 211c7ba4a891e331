// Reads motions from the user's files: .bvh, and .glb with an animated skeleton.
import * as THREE from 'three';
import { BVHLoader } from 'three/addons/loaders/BVHLoader.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { retarget } from './retarget.js';

const FRAMES_PER_SECOND = 60;
const MAX_DURATION = 120; // s

// file: { name, bytes: ArrayBuffer }. Throws with the reason if it cannot be read.
export async function readMotionFile({ name, bytes }, joints) {
  const { root, bones, rest, clip } = name.toLowerCase().endsWith('.bvh')
    ? readBvh(name, bytes)
    : await readGlb(name, bytes);
  if (!(clip.duration > 0))
    throw new Error(`${name}: expected a motion, found one of ${clip.duration} seconds`);
  const source = {
    name,
    // The loader removes dots from names and keeps the original in userData.
    joints: bones.map((bone) => ({
      name: bone.userData.name ?? bone.name,
      parent: parentAmong(bones, bone),
    })),
    rest,
    frames: sample(root, bones, clip),
    framesPerSecond: FRAMES_PER_SECOND,
  };
  if (source.frames.some((frame) => frame.some(({ position }) => !position.every(Number.isFinite))))
    throw new Error(`${name}: expected finite joint positions, found others`);
  return retarget(source, joints);
}

function readBvh(name, bytes) {
  const text = new TextDecoder().decode(bytes);
  if (!/^\s*HIERARCHY/.test(text))
    throw new Error(`${name}: expected a BVH file, which begins with HIERARCHY`);
  let read;
  try {
    read = new BVHLoader().parse(text);
  } catch (error) {
    throw new Error(`${name}: not a valid BVH file (${error.message})`);
  }
  const { skeleton, clip } = read;
  const root = skeleton.bones[0];
  const bones = skeleton.bones.filter((bone) => bone.name !== 'ENDSITE');
  root.updateMatrixWorld(true);
  return { root, bones, rest: bones.map((bone) => transformOf(bone.matrixWorld)), clip };
}

async function readGlb(name, bytes) {
  let gltf;
  try {
    gltf = await new GLTFLoader().parseAsync(bytes, '');
  } catch (error) {
    throw new Error(`${name}: not a valid glTF file (${error.message})`);
  }
  if (gltf.animations.length === 0)
    throw new Error(
      `${name}: expected an animation for the built-in person, found none. Characters and static meshes cannot be shown here.`,
    );
  let skeleton = null;
  gltf.scene.traverse((node) => {
    if (node.isSkinnedMesh && (!skeleton || node.skeleton.bones.length > skeleton.bones.length))
      skeleton = node.skeleton;
  });
  if (!skeleton) throw new Error(`${name}: expected a skinned character, found no skeleton`);
  gltf.scene.updateMatrixWorld(true);
  // Use the default pose of the nodes: the bind pose may have other units.
  const rest = skeleton.bones.map((bone) => transformOf(bone.matrixWorld));
  const clip = gltf.animations.find((a) => /run|walk|dance/i.test(a.name)) ?? gltf.animations[0];
  return { root: gltf.scene, bones: skeleton.bones, rest, clip };
}

function parentAmong(bones, bone) {
  for (let ancestor = bone.parent; ancestor; ancestor = ancestor.parent) {
    const at = bones.indexOf(ancestor);
    if (at >= 0) return at;
  }
  return -1;
}

function transformOf(matrix) {
  const position = new THREE.Vector3();
  const rotation = new THREE.Quaternion();
  matrix.decompose(position, rotation, new THREE.Vector3());
  return { position: position.toArray(), rotation: rotation.toArray() };
}

function sample(root, bones, clip) {
  const mixer = new THREE.AnimationMixer(root);
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const frames = Math.max(2, Math.floor(Math.min(clip.duration, MAX_DURATION) * FRAMES_PER_SECOND));
  return Array.from({ length: frames }, (_, f) => {
    mixer.setTime(f / FRAMES_PER_SECOND);
    root.updateMatrixWorld(true);
    return bones.map((bone) => transformOf(bone.matrixWorld));
  });
}
