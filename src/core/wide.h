// Several groups of lanes, step by step together: a processor that waits for one of them goes on with the next.
#pragma once

#include "core/simd.h"

namespace billow {

// As `larger`: of what is known to be numbers, in one instruction.
inline F4 smaller(F4 a, F4 b) {
#if defined(BILLOW_SIMD_NEON)
  return {vminq_f32(a.v, b.v)};
#elif defined(BILLOW_SIMD_SSE)
  return {_mm_min_ps(a.v, b.v)};
#elif defined(BILLOW_SIMD_WASM)
  return {wasm_f32x4_pmin(a.v, b.v)};
#else
  return min(a, b);
#endif
}
// The larger, or NaN where one of them is.
inline F4 larger_or_nan(F4 a, F4 b) {
#if defined(BILLOW_SIMD_NEON)
  return {vmaxq_f32(a.v, b.v)};
#elif defined(BILLOW_SIMD_SSE)
  return {_mm_or_ps(_mm_max_ps(a.v, b.v), _mm_cmpunord_ps(a.v, b.v))};
#elif defined(BILLOW_SIMD_WASM)
  return {wasm_f32x4_max(a.v, b.v)};
#else
  return select(a <= b, b, select(a == a, select(b == b, a, b), a));
#endif
}
inline float horizontal_max_or_nan(F4 a) {
#if defined(BILLOW_SIMD_NEON)
  return vmaxvq_f32(a.v);
#else
  float out[4];
  store(out, a);
  float m = out[0];
  for (int i = 1; i < 4; ++i) m = out[i] <= m || m != m ? m : out[i];
  return m;
#endif
}

template <int kGroups> struct Wide { F4 v[kGroups]; };

// Unrolled, so that all groups stay in registers.
template <int kGroups, class Make> BILLOW_ALWAYS_INLINE Wide<kGroups> make_wide(Make make) {
  Wide<kGroups> out;
#pragma GCC unroll 8
  for (int g = 0; g < kGroups; ++g) out.v[g] = make(g);
  return out;
}

template <int kGroups>
BILLOW_ALWAYS_INLINE Wide<kGroups> operator*(const Wide<kGroups>& a, const Wide<kGroups>& b) {
  return make_wide<kGroups>([&](int g) { return a.v[g] * b.v[g]; });
}
template <int kGroups>
BILLOW_ALWAYS_INLINE Wide<kGroups> operator-(const Wide<kGroups>& a, const Wide<kGroups>& b) {
  return make_wide<kGroups>([&](int g) { return a.v[g] - b.v[g]; });
}
template <int kGroups> BILLOW_ALWAYS_INLINE Wide<kGroups> operator*(const Wide<kGroups>& a, float b) {
  return make_wide<kGroups>([&](int g) { return a.v[g] * b; });
}
template <int kGroups> BILLOW_ALWAYS_INLINE Wide<kGroups> operator+(const Wide<kGroups>& a, float b) {
  return make_wide<kGroups>([&](int g) { return a.v[g] + b; });
}
template <int kGroups> BILLOW_ALWAYS_INLINE Wide<kGroups> operator-(const Wide<kGroups>& a, float b) {
  return make_wide<kGroups>([&](int g) { return a.v[g] - b; });
}
template <int kGroups> BILLOW_ALWAYS_INLINE Wide<kGroups> abs(const Wide<kGroups>& a) {
  return make_wide<kGroups>([&](int g) { return abs(a.v[g]); });
}
template <int kGroups> BILLOW_ALWAYS_INLINE Wide<kGroups> smaller(const Wide<kGroups>& a, float b) {
  return make_wide<kGroups>([&](int g) { return smaller(a.v[g], splat(b)); });
}
template <int kGroups> BILLOW_ALWAYS_INLINE Wide<kGroups> larger(const Wide<kGroups>& a, float b) {
  return make_wide<kGroups>([&](int g) { return larger(a.v[g], splat(b)); });
}

}  // namespace billow
