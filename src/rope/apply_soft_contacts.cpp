// Soft colliders (billow_settings: softness) push bones by a bounded force instead of holding them outside.
//
// The acceleration rises over a shell around the collider and is at most (1 - softness) g, so that cloth on
// top of a limb sinks through it, cloth beside it is swept aside, and cloth between it and a rigid collider
// is free to slide. The force depends on the present pose alone: no bone remembers that it was caught.
#include "rope/stages.h"
#include "sdf/soft_contact.h"

namespace billow {
namespace {

// Colliders of soft groups, and which of them are near four bones.
class SoftColliders {
 public:
  SoftColliders(const ColliderBounds& bounds, const PosedCollider* colliders)
      : bounds_(bounds), colliders_(colliders) {
    for (int i = 0; i < bounds.count; ++i)
      if (bounds.radius[i] > -1.0f) all_[count_++] = static_cast<uint8_t>(i);
  }
  // Those within `range` of any of four points.
  CandidateList near(V3x4 x, F4 range, M4 used) {
    CandidateList list{colliders_, near_, 0};
    for (int k = 0; k < count_; ++k)
      if (any(used & (least_distance(bounds_, all_[k], x) < range))) near_[list.count++] = all_[k];
    return list;
  }
  bool empty() const { return count_ == 0; }

 private:
  const ColliderBounds& bounds_;
  const PosedCollider* colliders_;
  uint8_t all_[kMaxColliders], near_[kMaxColliders];
  int count_ = 0;
};

// (1 - softness) of the nearest collider's group.
F4 strength_of(const RopeSettings& s, const PosedCollider* colliders, F4 first) {
  float index[kLanes], strength[kLanes];
  store(index, first);
  for (int k = 0; k < kLanes; ++k)
    strength[k] =
        index[k] < 0 ? 0.0f : 1.0f - s.softness[colliders[static_cast<int>(index[k])].collider->group];
  return load(strength);
}

}  // namespace

void apply_soft_contacts(ChainSet& set, const PosedCollider* colliders, int collider_count) {
  const RopeSettings& s = set.settings;
  bound_colliders(set.bounds, colliders, collider_count, s.soft_groups);
  SoftColliders soft(set.bounds, colliders);
  if (soft.empty()) return;
  const float shell = kSoftShell * colliders[0].scale, gravity = length(s.gravity);
  for (int i = 1; i < set.layout.levels; ++i)
    for (int g = 0; g < set.layout.groups(); ++g) {
      const size_t at = set.layout.group_at(i, g);
      const M4 used = load(set.w + at) > 0.0f;
      const V3x4 x = load(set.x, at);
      const F4 range = load(set.radius + at) + shell;
      const CandidateList near = soft.near(x, range, used);
      if (near.count == 0) continue;
      const Nearest4 surface = nearest_surface(near, x, range);
      const F4 depth = clamp((range - surface.phi) * (1.0f / shell), 0.0f, 1.0f);
      const F4 push = select(used, depth * gravity * strength_of(s, colliders, surface.first), zero());
      store(set.acceleration, at, load(set.acceleration, at) + surface.gradient * push);
    }
}

}  // namespace billow
