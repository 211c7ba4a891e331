// The view of a player's characters: bodies, cloth and overlays, and the simulated reference.
import * as THREE from 'three';
import { heading } from '../person/quaternion.js';
import { Body, BodyModel } from './body.js';
import { Cloth } from './cloth.js';
import { ObstacleMesh } from './obstacle.js';
import { Overlays } from './overlays.js';

const REFERENCE_OFFSET = 1.6; // m to the left
// The fabric of the garment worn under the other, unless it is the other's.
const UNDER = 'petrol';
const UNDER_TOO = 'ochre';

export class Show {
  constructor(stage, player, person) {
    Object.assign(this, { stage, player });
    this.model = new BodyModel(person);
    this.actors = [];
    this.reference = null;
    this.obstacle = null;
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
    this.inside = 0; // number of vertices inside the body, if they are shown
    this.changed = true; // since the last picture
  }

  // To be called after a change of garment, motion or number of characters.
  rebuild() {
    this.#clear();
    const { garment, under, characters, motion } = this.player;
    this.actors = characters.map((character) => {
      const actor = {
        character,
        body: new Body(this.model),
        cloth: new Cloth(garment),
        under: under && new Cloth(under.garment),
        overlays: new Overlays(garment),
      };
      this.stage.scene.add(actor.body.mesh, actor.cloth.mesh, actor.overlays.group);
      if (under) this.stage.scene.add(actor.under.mesh);
      return actor;
    });
    if (motion?.cloth && motion.cloth.vertices === garment.vertexCount) this.#addReference(garment);
    this.stage.setShadowRange(
      characters.length === 1 && !this.reference ? 2.4 : 2.4 + 0.9 * Math.sqrt(characters.length + 1),
    );
    this.apply(this.settings);
    this.setFabric(this.fabric);
  }
  #clear() {
    for (const { body, cloth, under, overlays } of [
      ...this.actors,
      ...(this.reference ? [this.reference] : []),
    ]) {
      this.stage.scene.remove(body.mesh, cloth.mesh);
      body.dispose();
      cloth.dispose();
      if (under) {
        this.stage.scene.remove(under.mesh);
        under.dispose();
      }
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

  // obstacle: as the player has placed it; null: none.
  setObstacle(obstacle) {
    if (this.obstacle) {
      this.stage.scene.remove(this.obstacle.mesh);
      this.obstacle.dispose();
    }
    this.obstacle = obstacle && new ObstacleMesh(obstacle);
    if (obstacle) this.stage.scene.add(this.obstacle.mesh);
    this.changed = true;
  }

  setFabric(name) {
    this.fabric = name;
    this.changed = true;
    for (const { cloth, under } of this.actors) {
      cloth.setFabric(name);
      under?.setFabric(name === UNDER ? UNDER_TOO : UNDER);
    }
    this.reference?.cloth.setFabric(name);
  }
  apply(settings) {
    Object.assign(this.settings, settings);
    for (const { body, cloth, under, overlays } of this.actors) {
      body.mesh.visible = this.settings.body;
      cloth.mesh.visible = this.settings.cloth;
      if (under) under.mesh.visible = this.settings.cloth;
      cloth.showHeat(this.settings.heat);
      // Show the chains if the cloth is hidden.
      const { cloth: clothed, ropes, laterals } = this.settings;
      overlays.show({ ...this.settings, ropes: ropes || !clothed, laterals: laterals || !clothed });
    }
    this.takeFrame();
  }

  // To be called after `steps` frames of the runtime. jumped: do not interpolate from the previous frame.
  takeFrame(jumped = false, steps = 1) {
    this.steps = steps;
    this.changed = true;
    this.inside = 0;
    for (const { character, cloth, under, overlays } of this.actors) {
      const runtime = character.runtimeCharacter;
      // Nothing is interpolated over the time when it was not seen.
      const unseen = character.interval === 0;
      if (jumped || unseen) {
        cloth.reset();
        under?.reset();
      }
      if (unseen) continue;
      cloth.setFrame(runtime.positions, runtime.normals);
      under?.setFrame(character.under.positions, character.under.normals);
      this.inside += overlays.update(
        runtime,
        this.player.order.map((j) => character.joints[j]),
      );
      if (this.settings.heat) cloth.setHeat(runtime.withoutShape);
    }
    if (this.reference) this.#updateReference();
  }
  #updateReference() {
    const { motion, time } = this.player;
    const { values, unit, vertices } = motion.cloth;
    const frame = Math.min(Math.round(time * motion.framesPerSecond), motion.frames.length - 1);
    const { position } = motion.frames[frame];
    const { cloth, body } = this.reference;
    const to = cloth.geometry.attributes.position.array;
    const from = values.subarray(3 * vertices * frame, 3 * vertices * (frame + 1));
    const offset = [REFERENCE_OFFSET, 0, 0];
    for (let k = 0; k < to.length; ++k) to[k] = from[k] * unit + position[k % 3] + offset[k % 3];
    cloth.geometry.attributes.position.needsUpdate = true;
    cloth.geometry.computeVertexNormals();
    const joints = this.player.jointsAt({ lag: 0, offset }, frame / motion.framesPerSecond);
    body.pose(joints);
  }

  // Draws an interpolation of the last two frames, the same for person and cloth.
  draw(seconds, { followHeading }) {
    const { player, stage } = this;
    if (this.actors.length > 0) {
      const t = player.interpolation;
      this.changed ||= t !== this.drawnAt;
      this.drawnAt = t;
      const middle = new THREE.Vector3();
      for (const { character, body, cloth, under } of this.actors) {
        cloth.interpolate(t);
        under?.interpolate(t);
        const back = ((1 - t) * this.steps) / player.rate;
        const joints = t >= 1 ? character.joints : player.jointsAt(character, player.time - back);
        body.pose(joints);
        middle.add(new THREE.Vector3(...joints[0].position));
      }
      middle.divideScalar(this.actors.length);
      if (this.reference) middle.x += REFERENCE_OFFSET / 2;
      const ahead = heading(this.actors[0].character.joints[0].rotation);
      stage.follow(middle.toArray(), ahead, seconds, followHeading);
    }
    stage.draw(this.changed);
    this.changed = false;
  }
}
