// The functions between the layers of a network, from additions, products and quotients only, so that they give the same
// bits everywhere.
#pragma once

#include "core/wide.h"

namespace billow {

template <AnyLanes F> inline F relu(F x) { return max(x, lanes<F>(0.0f)); }

// To 5e-7, absolute. Lambert's continued fraction, x / (1 + x2 / (3 + x2 / (5 + ...))), is exact to the last bits where x is
// small; so an eighth of x is looked up there, and three doublings, tanh 2y = 2 t / (1 + t2), lead back.
template <AnyLanes F> inline F tanh(F x) {
  const F y = clamp(x, -9.0f, 9.0f) * 0.125f, y2 = y * y;
  // The fraction down to x2 / 9, as one quotient.
  const F above = (y2 + 105.0f) * y2 + 945.0f, below = (15.0f * y2 + 420.0f) * y2 + 945.0f;
  F t = y * above / below;
  for (int k = 0; k < 3; ++k) t = (t + t) / (1.0f + t * t);
  return t;
}

// The share of a normal distribution above t >= 0, to 7e-7: its eighth root is so smooth that a polynomial will do, which
// takes no division.
template <int kGroups, class F> BILLOW_ALWAYS_INLINE Wide<kGroups, F> share_above(Wide<kGroups, F> t) {
  t = smaller(t, 5.5f);
  Wide<kGroups, F> p = t * -0.000192728812f + 0.00195526375f;
  p = p * t - 0.00115619762f;
  p = p * t - 0.0316578683f;
  p = p * t - 0.0915264356f;
  p = p * t + 0.917009742f;
  p = p * p, p = p * p, p = p * p;
  return p;
}
inline F4 share_above(F4 t) { return share_above(Wide<1>{{t}}).v[0]; }

// To 1e-6, of what is larger to 1e-6 of it. What it is below max(x, 0) is the same for x and -x.
template <int kGroups, class F> BILLOW_ALWAYS_INLINE Wide<kGroups, F> gelu(const Wide<kGroups, F>& x) {
  const Wide<kGroups, F> t = abs(x);
  return larger(x, 0.0f) - t * share_above(t);
}
inline F4 gelu(F4 x) { return gelu(Wide<1>{{x}}).v[0]; }

}  // namespace billow
