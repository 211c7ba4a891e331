// A person of the crowd in one garment, or in two of which the outer one meets the inner one as a layer.
import { Layer } from './runtime/body.js';
import { Character } from './runtime/character.js';

export class Wearer {
  // outer, inner: { garment, order } with the joint of the person for each joint of the garment; inner may be null.
  constructor(runtime, outer, inner, { lag, offset }) {
    Object.assign(this, { lag, offset });
    this.joints = []; // world transforms of the last frame
    this.interval = 1; // frames from one that is computed to the next; 0: not seen
    this.runtimeCharacter = new Character(runtime, outer.garment);
    this.under = inner && new Character(runtime, inner.garment);
    this.layer = this.under && new Layer(this.under);
    this.worn = [{ character: this.runtimeCharacter, order: outer.order }];
    if (inner) this.worn.push({ character: this.under, order: inner.order });
  }
  destroy() {
    this.runtimeCharacter.destroy();
    this.layer?.destroy();
    this.under?.destroy();
  }

  setOptions(options) {
    this.runtimeCharacter.setOptions(options);
    // The mesh of the inner garment is met in all modes.
    this.under?.setOptions({
      ...options,
      networks: true,
      linearBlend: options.linearBlend && this.under.garment.canBlend,
    });
  }
  setSetting(name, value) {
    for (const { character } of this.worn) character.setSetting(name, value);
  }
  setWind(velocity, gust, seed) {
    for (const { character } of this.worn) character.setWind(velocity, gust, seed);
  }
  // bodies: what both garments meet besides the person's own body.
  meet(bodies) {
    this.runtimeCharacter.meet(this.layer ? [this.layer.handle, ...bodies] : bodies);
    this.under?.meet(bodies);
  }

  pose(joints) {
    this.joints = joints;
    for (const { character, order } of this.worn) {
      const out = character.joints;
      order.forEach((joint, k) => {
        out.set(joints[joint].position, 7 * k);
        out.set(joints[joint].rotation, 7 * k + 3);
      });
    }
  }
  // From the inside out. The inner mesh is never skipped, because the layer follows it.
  step(seconds, { teleport, skipMesh } = {}) {
    this.under?.step(seconds, { teleport });
    this.layer?.pose();
    this.runtimeCharacter.step(seconds, { teleport, skipMesh });
  }
  settle(seconds) {
    this.under?.settle(seconds);
    this.layer?.pose();
    this.runtimeCharacter.settle(seconds);
  }
}
