// Everybody on the stage: bodies, cloth and overlays of a player's characters.
import * as THREE from 'three';
import { heading } from '../person/quaternion.js';
import { Body, BodyModel } from './body.js';
import { Cloth } from './cloth.js';
import { Overlays } from './overlays.js';

const REFERENCE_BESIDE = 1.6; // m to the left

export class Show {
  constructor(stage, player, person) {
    Object.assign(this, { stage, player });
    this.model = new BodyModel(person);
    this.actors = [];
    this.reference = null;
    this.settings = {
      ropes: false,
      laterals: false,
      colliders: false,
      inside: false,
      heat: false,
      body: true,
      cloth: true,
    };
    this.fabric = 'crimson';
    this.inside = 0; // vertices, where they are looked for
  }

  // After another garment, another number of characters or another motion.
  rebuild() {
    this.#clear();
    const { garment, characters, motion } = this.player;
    this.actors = characters.map((character) => {
      const actor = {
        character,
        body: new Body(this.model),
        cloth: new Cloth(garment),
        overlays: new Overlays(garment),
      };
      this.stage.scene.add(actor.body.mesh, actor.cloth.mesh, actor.overlays.group);
      return actor;
    });
    if (motion?.cloth && motion.cloth.vertices === garment.vertexCount) this.#addReference(garment);
    this.stage.setReach(
      characters.length === 1 && !this.reference ? 2.4 : 2.4 + 0.9 * Math.sqrt(characters.length + 1),
    );
    this.apply(this.settings);
    this.setFabric(this.fabric);
  }
  #clear() {
    for (const { body, cloth, overlays } of [...this.actors, ...(this.reference ? [this.reference] : [])]) {
      this.stage.scene.remove(body.mesh, cloth.mesh);
      body.dispose();
      cloth.dispose();
      if (overlays) {
        this.stage.scene.remove(overlays.group);
        overlays.dispose();
      }
    }
    this.actors = [];
    this.reference = null;
  }
  #addReference(garment) {
    this.reference = { body: new Body(this.model), cloth: new Cloth(garment) };
    this.stage.scene.add(this.reference.body.mesh, this.reference.cloth.mesh);
  }

  setFabric(name) {
    this.fabric = name;
    this.actors.forEach(({ cloth }) => cloth.setFabric(name));
    this.reference?.cloth.setFabric(name);
  }
  apply(settings) {
    Object.assign(this.settings, settings);
    for (const { body, cloth, overlays } of this.actors) {
      body.mesh.visible = this.settings.body;
      cloth.mesh.visible = this.settings.cloth;
      cloth.showHeat(this.settings.heat);
      // Without cloth the chains are all there is to see.
      const { cloth: clothed, ropes, laterals } = this.settings;
      overlays.show({ ...this.settings, ropes: ropes || !clothed, laterals: laterals || !clothed });
    }
    this.takeFrame();
  }

  // After so many frames of the runtime. jumped: there is no way from the last one to this one.
  takeFrame(jumped = false, steps = 1) {
    this.steps = steps;
    this.inside = 0;
    for (const { character, cloth, overlays } of this.actors) {
      const runtime = character.runtimeCharacter;
      if (jumped) cloth.forget();
      cloth.take(runtime.positions, runtime.normals);
      this.inside += overlays.update(
        runtime,
        this.player.order.map((j) => character.joints[j]),
      );
      if (this.settings.heat) cloth.takeHeat(runtime.withoutShape);
    }
    if (this.reference) this.#takeReference();
  }
  #takeReference() {
    const { motion, time } = this.player;
    const { values, unit, vertices } = motion.cloth;
    const frame = Math.min(Math.round(time * motion.framesPerSecond), motion.frames.length - 1);
    const { position } = motion.frames[frame];
    const { cloth, body } = this.reference;
    const to = cloth.geometry.attributes.position.array;
    const from = values.subarray(3 * vertices * frame, 3 * vertices * (frame + 1));
    const beside = [REFERENCE_BESIDE, 0, 0];
    for (let k = 0; k < to.length; ++k) to[k] = from[k] * unit + position[k % 3] + beside[k % 3];
    cloth.geometry.attributes.position.needsUpdate = true;
    cloth.geometry.computeVertexNormals();
    const joints = this.player.jointsAt({ lag: 0, offset: beside }, frame / motion.framesPerSecond);
    body.pose(joints);
  }

  // A picture of what is between the last two frames that were taken: person and cloth go back equally far.
  draw(seconds, { followHeading }) {
    const { player, stage } = this;
    if (this.actors.length > 0) {
      const share = player.share;
      const middle = new THREE.Vector3();
      for (const { character, body, cloth } of this.actors) {
        cloth.show(share);
        const back = ((1 - share) * this.steps) / player.rate;
        const joints = share >= 1 ? character.joints : player.jointsAt(character, player.time - back);
        body.pose(joints);
        middle.add(new THREE.Vector3(...joints[0].position));
      }
      middle.divideScalar(this.actors.length);
      if (this.reference) middle.x += REFERENCE_BESIDE / 2;
      const ahead = heading(this.actors[0].character.joints[0].rotation);
      stage.follow(middle.toArray(), ahead, seconds, followHeading);
    }
    stage.draw();
  }
}
