#include "runtime/place_chains.h"

#include <algorithm>

namespace billow {
namespace {

void place_at_rest(Chains& chains, int chain, const Transform& root) {
  ChainSet& set = chains.set;
  set.energy_lost[set.layout.at(0, chain)] = 0;
  forget_sides(set);
  for (int i = 0; i < set.bones[chain]; ++i) {
    size_t at = set.layout.at(i, chain);
    billow::set(set.x, at, apply(root, get(set.rest, at) * chains.settings.scale));
    billow::set(set.v, at, V3{0, 0, 0});
    set.tension[at] = set.impulse[at] = 0;
    billow::set(set.learnt, at, V3{0, 0, 0});
  }
}

// Carries one chain by a rigid motion that takes `from` to `to`.
void carry_chain(ChainSet& set, int chain, const Transform& from, const Transform& to) {
  Quat turn = normalized(to.rotation * conjugate(from.rotation));
  for (int i = 0; i < set.bones[chain]; ++i) {
    size_t at = set.layout.at(i, chain);
    billow::set(set.x, at, to.position + rotate(turn, get(set.x, at) - from.position));
    billow::set(set.v, at, rotate(turn, get(set.v, at)));
    billow::set(set.learnt, at, rotate(turn, get(set.learnt, at)));
  }
}

bool jumps(const Chains& chains, const Transform* roots) {
  const Settings& s = chains.settings;
  // |dot| of two rotations is the cosine of half the angle between them.
  float half = 0.5f * s.teleport_angle;
  F4 sine, cosine;
  sin_cos(splat(half < 3.1415927f ? half : 3.1415927f), sine, cosine);
  for (int c = 0; c < chains.set.layout.chains; ++c) {
    if (length(roots[c].position - chains.roots[c].position) > s.teleport_distance) return true;
    float d = dot(roots[c].rotation, chains.roots[c].rotation);
    if (half < 1.5707963f && (d < 0 ? -d : d) < lane(cosine, 0)) return true;
  }
  return false;
}

// The part of the space's motion that is not felt, as a motion from `from` to `to`.
struct Carry {
  Transform from, to;
  bool any = false;
};

Carry unfelt_motion(const Chains& chains, const StepInput& in) {
  const Settings& s = chains.settings;
  if (!in.space || !chains.has_space) return {};
  if (s.translation_inertia >= 1 && s.rotation_inertia >= 1) return {};
  const Transform &before = chains.space, &now = *in.space;
  Quat turn = normalized(now.rotation * conjugate(before.rotation));
  Quat part = nlerp({0, 0, 0, 1}, turn, 1.0f - s.rotation_inertia);
  V3 shift = (now.position - before.position) * (1.0f - s.translation_inertia);
  return {before, {before.position + shift, normalized(part * before.rotation)}, true};
}

}  // namespace

void teleport(Chains& chains, Teleport mode, const Transform* roots) {
  if (mode == Teleport::kNone) return;
  bool moved = mode == Teleport::kReset || !chains.started;
  for (int c = 0; c < chains.set.layout.chains; ++c) {
    if (mode == Teleport::kReset || !chains.started)
      place_at_rest(chains, c, roots[c]);
    else if (!same(chains.roots[c], roots[c]))  // a root that stands still leaves every bit as it is
      carry_chain(chains.set, c, chains.roots[c], roots[c]), moved = true;
    chains.roots[c] = roots[c];
  }
  if (moved) wake(chains);
  if (mode == Teleport::kReset || !chains.started) chains.fresh = true, chains.force_left = 0;
  chains.started = true;
  chains.has_space = false;  // its motion up to the next step is not felt either
}

namespace {

// A jump over the thresholds. A kept chain continues at its root's velocity: it starts one frame's motion before the
// new position.
void jump(Chains& chains, const StepInput& in) {
  const ChainSet& set = chains.set;
  for (int c = 0; c < set.layout.chains; ++c) {
    Transform& target = chains.roots_target[c] = in.roots[c];
    if (chains.settings.teleport != Teleport::kKeep) continue;
    Quat turn = normalized(target.rotation * conjugate(chains.roots[c].rotation));
    target.position -= rotate(turn, get(set.v, set.layout.at(0, c))) * in.dt;
  }
  teleport(chains, chains.settings.teleport, chains.roots_target);
}

// What chains can reach in this frame from where their roots go, with a margin for contacts.
Region reach_of(const Chains& chains) {
  const ChainSet& set = chains.set;
  const float margin =
      0.1f * chains.settings.scale;  // m: more than shells of soft and gaps of yielding colliders
  V3 low = chains.roots[0].position, high = low;
  float reach = 0;
  for (int c = 0; c < set.layout.chains; ++c) {
    for (const V3 p : {chains.roots[c].position, chains.roots_target[c].position}) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    float sum = 0, longest = 0;
    for (int i = 1; i < set.bones[c]; ++i) {
      const size_t at = set.layout.at(i, c);
      sum += set.max_length[at];
      longest = std::max(longest, set.max_length[at] + set.radius[at]);
    }
    reach = std::max(reach, sum + longest);
  }
  return {(low + high) * 0.5f, 0.5f * length(high - low) + reach + margin};
}

}  // namespace

void prepare_frame(Chains& chains, const StepInput& in) {
  const int count = chains.set.layout.chains;
  bool jumped = chains.started && chains.settings.teleport != Teleport::kNone && jumps(chains, in.roots);
  bool placed = !chains.started || (jumped && chains.settings.teleport == Teleport::kReset);
  if (jumped) chains.report.flags |= kFlagTeleported;
  if (!chains.started)
    teleport(chains, Teleport::kReset, in.roots);
  else if (jumped)
    jump(chains, in);
  else if (chains.paused || in.dt == 0)  // no time passes: nothing swings, and nothing is left behind
    teleport(chains, Teleport::kKeep, in.roots);

  Carry carry = unfelt_motion(chains, in);
  const Transform motion = carry.any ? carry.to * inverse(carry.from) : Transform{};
  if (carry.any) {
    for (int c = 0; c < count; ++c) {
      carry_chain(chains.set, c, carry.from, carry.to);
      chains.roots[c] = motion * chains.roots[c];
    }
  }
  for (int c = 0; c < count; ++c) chains.roots_target[c] = in.roots[c];
  // Colliders start where they were, or where they are after a jump.
  chains.near_count = find_near_colliders(in.bodies(), in.other_count > 0 ? reach_of(chains) : Region{},
                                          {jumped || in.still, carry.any ? &motion : nullptr}, chains.near);

  // A chain that was just placed starts with its root's velocity, instead of being whipped by it. The velocity is
  // known in the step after.
  if (chains.fresh && !placed && in.dt > 0 && !chains.paused) {
    ChainSet& set = chains.set;
    for (int c = 0; c < count; ++c) {
      V3 v = (in.roots[c].position - chains.roots[c].position) * (1.0f / in.dt);
      for (int i = 0; i < set.bones[c]; ++i) {
        size_t at = set.layout.at(i, c);
        billow::set(set.v, at, get(set.v, at) + v);
      }
    }
    chains.fresh = 0;
  }
}

void finish_frame(Chains& chains, const StepInput& in) {
  for (int c = 0; c < chains.set.layout.chains; ++c) chains.roots[c] = in.roots[c];
  chains.has_space = in.space != nullptr;
  if (in.space) chains.space = *in.space;
}

bool recover_non_finite(Chains& chains) {
  ChainSet& set = chains.set;
  const Layout& lay = set.layout;
  bool any_bad = false;
  for (int g = 0; g < lay.groups(); ++g) {
    // 0 * x is 0 for finite x only.
    F4 sum = zero();
    for (int i = 0; i < lay.levels; ++i) {
      V3x4 x = load(set.x, lay.group_at(i, g)), v = load(set.v, lay.group_at(i, g));
      sum += (x.x + x.y + x.z) * 0.0f + (v.x + v.y + v.z) * 0.0f;
    }
    int bad = bits(~(sum == zero()));
    for (int k = 0; k < kLanes; ++k) {
      int c = g * kLanes + k;
      if (!(bad & 1 << k) || c >= lay.chains) continue;
      place_at_rest(chains, c, chains.roots[c]);
      any_bad = true;
    }
  }
  return any_bad;
}

void settle(Chains& chains, const StepInput& in, float seconds) {
  constexpr float kStep = 1.0f / 60.0f, kDamping = 6.0f, kStill = 1e-3f;
  RopeSettings& s = chains.set.settings;
  const float damping = s.global_damping;
  s.global_damping = damping > kDamping ? damping : kDamping;
  // The body stands still while the chains settle.
  StepInput still = in;
  still.dt = kStep;
  still.still = true;
  teleport(chains, Teleport::kKeep, in.roots);
  const int steps = static_cast<int>(seconds / kStep + 0.5f);
  for (int k = 0; k < steps; ++k) {
    step(chains, still);
    const Layout& lay = chains.set.layout;
    F4 fastest = zero();
    for (int i = 1; i < lay.levels; ++i)
      for (int g = 0; g < lay.groups(); ++g)
        fastest = max(fastest, length(load(chains.set.v, lay.group_at(i, g))));
    if (k > 10 && horizontal_max(fastest) < kStill) break;
  }
  s.global_damping = damping;
  for (int i = 0; i < chains.set.layout.levels; ++i)
    for (int g = 0; g < chains.set.layout.groups(); ++g)
      store(chains.set.v, chains.set.layout.group_at(i, g), zero3());
  chains.fresh = true;
  wake(chains);
}

}  // namespace billow
