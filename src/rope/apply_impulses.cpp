// Impulses that stop taut ropes from lengthening (paper, Section "Velocity Update", second half).
#include "rope/solver.h"
#include "rope/stages.h"

namespace billow {
namespace {

// Right-hand side: the velocity at which each rope lengthens, minus what closes the gap of a rope below its
// maximum length (solver.h).
void fill_lengthening(ChainSet& set, int group, float dt) {
  const Layout& lay = set.layout;
  const RopeScratch& s = set.rope;
  const float slack = set.settings.gap_return / dt;  // velocity per metre of gap
  V3x4 v_parent = load(set.v, lay.group_at(0, group));
  for (int i = 1; i < lay.levels; ++i) {
    V3x4 v = load(set.v, lay.group_at(i, group));
    s.rhs[i] = dot(v - v_parent, s.ropes[i].direction) - s.ropes[i].gap * slack;
    v_parent = v;
  }
}

// Sum of the impulses of the ropes above and below on bone i.
V3x4 pull_on(const RopeScratch& s, int i, int last) {
  V3x4 below = i < last ? s.ropes[i + 1].direction * s.solution[i + 1] : zero3();
  return below - s.ropes[i].direction * s.solution[i];
}

// A contact holds a bone that rests on the body, not one that is pulled off it: bones that need more than
// twice the chain's weight to be held are released. Returns the chains with any.
M4 release_overloaded(ChainSet& set, int group, float dt) {
  const Layout& lay = set.layout;
  const RopeScratch& s = set.rope;
  const int last = lay.levels - 1;
  F4 mass = zero();
  for (int i = 1; i <= last; ++i) mass += load(set.mass + lay.group_at(i, group));
  F4 limit = mass * (2.0f * length(set.settings.gravity) * dt);
  M4 released = none();
  for (int i = 1; i <= last; ++i) {
    size_t at = lay.group_at(i, group);
    F4 held = load(set.held + at);
    if (!any(held > 0.0f)) continue;
    V3x4 pull = pull_on(s, i, last);
    M4 overloaded = (held > 0.0f) & (length(pull - free_part(pull, s.hold[i])) > limit);
    store(set.held + at, select(overloaded, zero(), held));
    released = released | overloaded;
  }
  return released;
}

// Adds the impulses of the ropes of these chains to the velocities.
void pull_bones(ChainSet& set, int group, bool contacts, M4 chains) {
  const Layout& lay = set.layout;
  const RopeScratch& s = set.rope;
  const int last = lay.levels - 1;
  const size_t root_at = lay.group_at(0, group);
  V3x4 root = load(set.v, root_at);
  F4 body_work = zero();
  for (int i = 1; i <= last; ++i) {
    size_t at = lay.group_at(i, group);
    V3x4 pull = select(chains, pull_on(s, i, last), zero3()), applied = free_part(pull, s.hold[i]),
         v = load(set.v, at);
    body_work += dot(applied - pull, v - root);  // the body also moves the bones that it holds
    store(set.v, at, v + applied * load(set.w + at));
    store(set.impulse + at, select(chains, s.solution[i], load(set.impulse + at)));
  }
  if (contacts) store(set.collider_energy + root_at, load(set.collider_energy + root_at) + body_work);
}

// Friction of bones that their ropes press on the body: without it, a bone that carries the chain below it
// slides as on ice. Returns the chains of which a bone now sticks to the body.
M4 grip_pressed_bones(ChainSet& set, int group) {
  const Layout& lay = set.layout;
  const int last = lay.levels - 1;
  const size_t root = lay.group_at(0, group);
  M4 stuck = none();
  for (int i = 1; i <= last; ++i) {
    size_t at = lay.group_at(i, group);
    M4 held = load(set.held + at) > 0.0f;
    if (!any(held)) continue;
    V3x4 n = load(set.touch_normal, at), v_body = load(set.touch_velocity, at), v = load(set.v, at);
    F4 pressed = max(-dot(pull_on(set.rope, i, last), n), 0.0f) * load(set.w + at);
    V3x4 slip = v - v_body;
    slip = slip - n * dot(slip, n);
    F4 keep =
        max(zero(), 1.0f - set.settings.friction * load(set.grip + at) * pressed / max(length(slip), 1e-12f));
    V3x4 change = select(held, slip * (keep - 1.0f), zero3());
    store(set.v, at, v + change);
    M4 sticks = held & (keep == zero());
    stuck = stuck | sticks;
    store(set.held + at, select(sticks, splat(2.0f), load(set.held + at)));
    F4 work = load(set.mass + at) * dot(change, v_body - load(set.v, root));
    store(set.collider_energy + root, load(set.collider_energy + root) + work);
  }
  return stuck;
}

}  // namespace

void apply_impulses(ChainSet& set, float dt, bool contacts) {
  const Layout& lay = set.layout;
  const int last = lay.levels - 1;
  const auto solve_group = [&](int g, M4 held) {
    load_system(set, g, set.impulse, held);
    fill_lengthening(set, g, dt);
    solve(set.rope, last, set.settings.impulse, SweepOrder::kRootToTip);
  };
  for (int g = 0; g < lay.groups(); ++g) {
    // Chains of a group must not depend on each other.
    constexpr int kRounds = 3;  // of releasing overloaded bones; after the last, no bone of the chain is held
    M4 held = contacts ? ~none() : none();
    solve_group(g, held);
    for (int round = 1; contacts && round <= kRounds; ++round) {
      const M4 released = release_overloaded(set, g, dt);
      if (!any(released)) break;
      if (round == kRounds) held = ~released;
      solve_group(g, held);
    }
    pull_bones(set, g, contacts, ~none());
    if (!contacts || set.settings.velocity_along_history) continue;
    const M4 stuck = grip_pressed_bones(set, g);
    if (!any(stuck)) continue;
    solve_group(g, ~none());
    pull_bones(set, g, true, stuck);
  }
}

}  // namespace billow
