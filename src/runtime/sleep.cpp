#include "runtime/sleep.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/chains.h"

namespace billow {
namespace {

// m in a frame, and their sum. Less than the first is rounding, or the end of an animation that fades out.
constexpr float kJitter = 1e-5f, kStirred = 2e-4f;
constexpr float kLever = 0.5f;   // m, by which turns of roots and colliders count
constexpr float kRest = 0.008f;  // m at scale 1: bones that rest stay within it

bool may_sleep(const Chains& chains) {
  return chains.settings.rope.sleep_after > 0 && !chains.set.wind.any();
}

float motion_between(const Transform& a, const Transform& b, float lever) {
  const Quat p = a.rotation, q = b.rotation;
  const float sign = dot(p, q) < 0 ? -1.0f : 1.0f;
  const Quat d{p.x - sign * q.x, p.y - sign * q.y, p.z - sign * q.z, p.w - sign * q.w};
  return length(a.position - b.position) + 2 * lever * std::sqrt(dot(d, d));  // |d| is half the angle
}

// The square of the longest way of a bone from where it began to rest.
float farthest_squared(const Chains& chains) {
  const ChainSet& set = chains.set;
  const Layout& lay = set.layout;
  F4 most = zero();
  for (int i = 1; i < lay.levels; ++i)
    for (int g = 0; g < lay.groups(); ++g) {
      const size_t at = lay.group_at(i, g);
      const V3x4 moved = load(set.x, at) - load(chains.rest_places, at);
      most = max(most, select(load(set.w + at) > 0.0f, dot(moved, moved), zero()));
    }
  return horizontal_max(most);
}

void begin_to_rest(Chains& chains) {
  const size_t bytes = chains.set.layout.row_floats() * sizeof(float);
  std::memcpy(chains.rest_places.x, chains.set.x.x, bytes);
  std::memcpy(chains.rest_places.y, chains.set.x.y, bytes);
  std::memcpy(chains.rest_places.z, chains.set.x.z, bytes);
  chains.sleep.resting = 0;
}

}  // namespace

void wake(Chains& chains) { chains.sleep = {}; }

void watch_inputs(Chains& chains, const StepInput& in) {
  Sleep& s = chains.sleep;
  const float lever = kLever * chains.settings.scale;
  float most = 0;
  for (int c = 0; c < chains.set.layout.chains; ++c)
    most = std::max(most, motion_between(chains.roots[c], in.roots[c], lever));
  for (int i = 0; i < chains.near_count; ++i)
    most = std::max(most, chains.near[i].changes
                              ? 2 * kStirred
                              : motion_between(chains.near[i].from, chains.near[i].to, lever));
  s.stirred += std::max(most - kJitter, 0.0f);
  if (!(s.stirred <= kStirred) || s.colliders != chains.near_count || chains.fresh || !may_sleep(chains))
    wake(chains);
  s.colliders = chains.near_count;
}

void watch_bones(Chains& chains, float dt) {
  Sleep& s = chains.sleep;
  if (!may_sleep(chains)) return;
  const float rest = kRest * chains.settings.scale;
  if (s.resting == 0 || !(farthest_squared(chains) <= rest * rest)) begin_to_rest(chains);
  s.resting += dt;
  if (s.resting < chains.settings.rope.sleep_after) return;
  s.asleep = 1;
  for (int i = 0; i < chains.set.layout.levels; ++i)
    for (int g = 0; g < chains.set.layout.groups(); ++g)
      store(chains.set.v, chains.set.layout.group_at(i, g), zero3());
}

}  // namespace billow
