// Yielding colliders: limbs that move cloth as rigid ones do, and give way where they press it against the rest of the body.
//
// Where a limb and the rigid colliders face each other, what is within kYieldGap of these is cut out of the limb. So a hand lifts
// and sweeps cloth, and cloth between hand and hip is held by the hip alone. Deep in a limb kLeastGap is cut out wherever it meets
// them: without a way between the two, cloth would be sent to and fro. The cut depends on the present pose only, and the
// surface moves continuously with it. Cloth slides along limbs without friction, or it would be wound round a swinging hand.
#pragma once

#include "sdf/query.h"

namespace billow {

inline constexpr float kYieldGap = 0.035f;  // m at scale 1
inline constexpr float kLeastGap = 0.25f;   // of that: several times the clearance of a mesh

// The nearer of two surfaces.
template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE Nearest<F> nearer(const Nearest<F>& a, const Nearest<F>& b) {
  const auto second = (b.phi < a.phi) | (a.first < 0.0f);
  return {select(second, b.phi, a.phi), select(second, b.gradient, a.gradient),
          select(second, b.first, a.first), select(second, b.second, a.second),
          select(second, b.blend, a.blend)};
}

// The nearest surface of rigid colliders and of limbs from which the gap is cut out. `rigid` has to be exact below
// rigid_limit().
template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE Nearest<F> with_limbs(const Nearest<F>& rigid, const Nearest<F>& limb,
                                                     float gap) {
  const F facing = clamp(0.5f - dot(rigid.gradient, limb.gradient), 0.0f, 1.0f),
          free = max(gap * facing, min(lanes<F>(kLeastGap * gap), limb.phi * -1.0f)),
          cut = select(rigid.first >= 0.0f, free - rigid.phi, lanes<F>(-kFarAway));
  const auto by_cut = cut > limb.phi;  // the way out leads to the rigid collider, and moves with it
  const Nearest<F> rest{select(by_cut, cut, limb.phi), select(by_cut, rigid.gradient * -1.0f, limb.gradient),
                        select(by_cut, rigid.first, limb.first), select(by_cut, rigid.second, limb.second),
                        select(by_cut, rigid.blend, limb.blend)};
  return nearer(rigid, rest);
}
template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE F rigid_limit(F limit, const Nearest<F>& limb, float gap) {
  return select(limb.first >= 0.0f, max(limit, gap - limb.phi), limit);
}

}  // namespace billow
