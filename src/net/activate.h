// Activation functions of additions, multiplications and divisions only, so that they give the same bits on
// every platform.
#pragma once

#include "core/wide.h"

namespace billow {

template <AnyLanes F> inline F relu(F x) { return max(x, lanes<F>(0.0f)); }

// Absolute error below 5e-7. Lambert's continued fraction, x / (1 + x2 / (3 + x2 / (5 + ...))), is exact to
// the last bits for small x. So it is evaluated at y = x / 8 and doubled three times by tanh 2y = 2 t / (1 +
// t2).
template <AnyLanes F> inline F tanh(F x) {
  const F y = clamp(x, -9.0f, 9.0f) * 0.125f, y2 = y * y;
  // The fraction, truncated after x2 / 9, as one quotient.
  const F numerator = (y2 + 105.0f) * y2 + 945.0f, denominator = (15.0f * y2 + 420.0f) * y2 + 945.0f;
  F t = y * numerator / denominator;
  for (int k = 0; k < 3; ++k) t = (t + t) / (1.0f + t * t);
  return t;
}

// Upper tail of the standard normal distribution, P(X > t) for t >= 0, with an error below 7e-7. Its eighth
// root is smooth enough to be a polynomial, so there is no division.
template <int kGroups, class F> BILLOW_ALWAYS_INLINE Wide<kGroups, F> normal_tail(Wide<kGroups, F> t) {
  t = fast_min(t, 5.5f);
  Wide<kGroups, F> p = t * -0.000192728812f + 0.00195526375f;
  p = p * t - 0.00115619762f;
  p = p * t - 0.0316578683f;
  p = p * t - 0.0915264356f;
  p = p * t + 0.917009742f;
  p = p * p, p = p * p, p = p * p;
  return p;
}
inline F4 normal_tail(F4 t) { return normal_tail(Wide<1>{{t}}).v[0]; }

// Error below 1e-6 max(1, |x|). The difference max(x, 0) - gelu(x) = |x| P(X > |x|) is the same for x and -x.
template <int kGroups, class F> BILLOW_ALWAYS_INLINE Wide<kGroups, F> gelu(const Wide<kGroups, F>& x) {
  const Wide<kGroups, F> t = abs(x);
  return fast_max(x, 0.0f) - t * normal_tail(t);
}
inline F4 gelu(F4 x) { return gelu(Wide<1>{{x}}).v[0]; }

}  // namespace billow
