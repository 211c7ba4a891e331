// Velocities of bones in contact (paper, Section "Collisions", last part): no bone moves into the body, and
// friction slows bones that slide along it.
//
// The paper applies this once, with the collision. It is applied again after the second velocity update,
// because gravity and tension have had half a step since to push a resting bone into the body: without it
// such a bone would carry g dt/2 of velocity into every step, and jitter.
#include "rope/stages.h"

namespace billow {
namespace {

// The history direction r of the half step since the collision: against the velocity relative to the body,
// where that points into it.
V3x4 way_back(V3x4 v, V3x4 v_body, V3x4 gradient) {
  V3x4 back = normalized_or(v_body - v, gradient);
  return select(dot(back, gradient) > 0.0f, back, gradient);
}

}  // namespace

void respond_to_contacts(ChainSet& set, ContactPass pass) {
  const Layout& lay = set.layout;
  const bool history = pass == ContactPass::kAfterSecondVelocity && set.settings.velocity_along_history;
  for (int i = 1; i < lay.levels; ++i) {
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g), root = lay.group_at(0, g);
      M4 held = load(set.held + at) > 0.0f;
      if (!any(held)) continue;
      V3x4 v = load(set.v, at), n = load(set.touch_normal, at), v_body = load(set.touch_velocity, at);
      const F4 grip = load(set.grip + at);
      if (history) {
        const V3x4 gradient = load(set.contact_normal, at);
        n = select(grip > 0.0f, way_back(v, v_body, gradient), gradient);
      }

      // Release bones that move away.
      F4 before = dot(v, n), body_normal = dot(v_body, n);
      held = held & (before < body_normal);
      store(set.held + at, select(held, splat(1.0f), zero()));
      V3x4 body_across = v_body - n * body_normal;
      V3x4 across = v - n * before - body_across;  // v_rel,T
      F4 slip = length(across);
      F4 keep = max(zero(), 1.0f - set.settings.friction * grip * (body_normal - before) / max(slip, 1e-12f));
      V3x4 change = select(held, n * body_normal + body_across + across * keep - v, zero3());
      store(set.v, at, v + change);

      // The collider's work, in the frame of the root.
      F4 work = load(set.mass + at) * dot(change, v_body - load(set.v, root));
      store(set.collider_energy + root, load(set.collider_energy + root) + work);
    }
  }
}

}  // namespace billow
