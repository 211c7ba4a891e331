// The functions between the layers of a network, from additions, products and quotients only, so that they give the same
// bits everywhere.
#pragma once

#include "core/simd.h"

namespace billow {

inline F4 relu(F4 x) { return max(x, zero()); }

// To 5e-7, absolute. Lambert's continued fraction, x / (1 + x2 / (3 + x2 / (5 + ...))), is exact to the last bits where x is
// small; so an eighth of x is looked up there, and three doublings, tanh 2y = 2 t / (1 + t2), lead back.
inline F4 tanh(F4 x) {
  const F4 y = clamp(x, -9.0f, 9.0f) * 0.125f, y2 = y * y;
  // The fraction down to x2 / 9, as one quotient.
  const F4 above = (y2 + 105.0f) * y2 + 945.0f, below = (15.0f * y2 + 420.0f) * y2 + 945.0f;
  F4 t = y * above / below;
  for (int k = 0; k < 3; ++k) t = (t + t) / (1.0f + t * t);
  return t;
}

// Of the normal distribution, to 1e-6. The error function as in Abramowitz and Stegun, 7.1.28.
inline F4 share_below(F4 x) {
  const F4 z = min(abs(x) * 0.70710678f, splat(6.0f));
  F4 p = 0.0000430638f * z + 0.0002765672f;
  p = p * z + 0.0001520143f;
  p = p * z + 0.0092705272f;
  p = p * z + 0.0422820123f;
  p = p * z + 0.0705230784f;
  p = p * z + 1.0f;
  p *= p, p *= p, p *= p, p *= p;
  const F4 beyond = 0.5f / p;  // the share above |x|
  return select(x < zero(), beyond, 1.0f - beyond);
}
inline F4 gelu(F4 x) { return x * share_below(x); }

}  // namespace billow
