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

// To 4e-5, absolute: what it is below max(x, 0) is the same for x and -x, at most 0.17, and nothing from 5.5 on; fitted as
// t (1 - t / 5.5)^8 (a polynomial in t), without a division.
inline F4 gelu(F4 x) {
  const F4 t = min(abs(x), splat(5.5f));
  F4 fall = 1.0f - t * (1 / 5.5f);
  fall *= fall, fall *= fall, fall *= fall;
  const F4 p = (((t * 0.0186271f - 0.10055654f) * t + 0.0551107f) * t + 0.31560052f) * t + 0.50121998f;
  return max(x, zero()) - t * fall * p;
}

}  // namespace billow
