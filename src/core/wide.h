// Several groups of lanes processed in lockstep, so that their latencies overlap.
#pragma once

#include "core/simd.h"

namespace billow {

// Minimum in one instruction, with the restrictions of fast_max.
inline F4 fast_min(F4 a, F4 b) {
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
// Maximum that propagates NaN.
inline F4 max_or_nan(F4 a, F4 b) {
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

#if defined(BILLOW_SIMD_AVX2)
inline F8 fast_min(F8 a, F8 b) { return F8(_mm256_min_ps(a.v, b.v)); }
inline F8 fast_max(F8 a, F8 b) { return F8(_mm256_max_ps(a.v, b.v)); }
inline F8 max_or_nan(F8 a, F8 b) {
  return F8(_mm256_or_ps(_mm256_max_ps(a.v, b.v), _mm256_cmp_ps(a.v, b.v, _CMP_UNORD_Q)));
}
inline float horizontal_max_or_nan(F8 a) {
  return horizontal_max_or_nan(max_or_nan(low_half(a), high_half(a)));
}
using Widest = F8;  // the widest register of the target
#else
using Widest = F4;
#endif

// One lane in all lanes; of eight lanes, in each half that of the half.
template <int kLane> inline F4 broadcast(F4 a) {
#if defined(BILLOW_SIMD_NEON)
  return {vdupq_laneq_f32(a.v, kLane)};
#elif defined(BILLOW_SIMD_SSE)
  return {_mm_shuffle_ps(a.v, a.v, kLane * 0x55)};
#elif defined(BILLOW_SIMD_WASM)
  return {wasm_i32x4_shuffle(a.v, a.v, kLane, kLane, kLane, kLane)};
#else
  float lanes_of_a[kLanes];
  store(lanes_of_a, a);
  return splat(lanes_of_a[kLane]);
#endif
}
#if defined(BILLOW_SIMD_AVX2)
template <int kLane> inline F8 broadcast(F8 a) { return F8(_mm256_permute_ps(a.v, kLane * 0x55)); }
// Transposes the 4x4 matrices of both halves in place.
inline void transpose(F8& a, F8& b, F8& c, F8& d) {
  const __m256 ab0 = _mm256_unpacklo_ps(a.v, b.v), ab1 = _mm256_unpackhi_ps(a.v, b.v),
               cd0 = _mm256_unpacklo_ps(c.v, d.v), cd1 = _mm256_unpackhi_ps(c.v, d.v);
  a.v = _mm256_shuffle_ps(ab0, cd0, 0x44), b.v = _mm256_shuffle_ps(ab0, cd0, 0xee);
  c.v = _mm256_shuffle_ps(ab1, cd1, 0x44), d.v = _mm256_shuffle_ps(ab1, cd1, 0xee);
}
#else
template <int kLane> inline F8 broadcast(F8 a) { return {broadcast<kLane>(a.low), broadcast<kLane>(a.high)}; }
inline void transpose(F8& a, F8& b, F8& c, F8& d) {
  transpose(a.low, b.low, c.low, d.low);
  transpose(a.high, b.high, c.high, d.high);
}
#endif

template <int kGroups, class F = F4> struct Wide { F v[kGroups]; };

// Builds each group with make(g). Unrolled, so that all groups stay in registers.
template <int kGroups, class F = F4, class Make> BILLOW_ALWAYS_INLINE Wide<kGroups, F> make_wide(Make make) {
  Wide<kGroups, F> out;
#pragma GCC unroll 8
  for (int g = 0; g < kGroups; ++g) out.v[g] = make(g);
  return out;
}

template <int kGroups, class F>
BILLOW_ALWAYS_INLINE Wide<kGroups, F> operator*(const Wide<kGroups, F>& a, const Wide<kGroups, F>& b) {
  return make_wide<kGroups, F>([&](int g) { return a.v[g] * b.v[g]; });
}
template <int kGroups, class F>
BILLOW_ALWAYS_INLINE Wide<kGroups, F> operator-(const Wide<kGroups, F>& a, const Wide<kGroups, F>& b) {
  return make_wide<kGroups, F>([&](int g) { return a.v[g] - b.v[g]; });
}
template <int kGroups, class F>
BILLOW_ALWAYS_INLINE Wide<kGroups, F> operator*(const Wide<kGroups, F>& a, float b) {
  return make_wide<kGroups, F>([&](int g) { return a.v[g] * b; });
}
template <int kGroups, class F>
BILLOW_ALWAYS_INLINE Wide<kGroups, F> operator+(const Wide<kGroups, F>& a, float b) {
  return make_wide<kGroups, F>([&](int g) { return a.v[g] + b; });
}
template <int kGroups, class F>
BILLOW_ALWAYS_INLINE Wide<kGroups, F> operator-(const Wide<kGroups, F>& a, float b) {
  return make_wide<kGroups, F>([&](int g) { return a.v[g] - b; });
}
template <int kGroups, class F> BILLOW_ALWAYS_INLINE Wide<kGroups, F> abs(const Wide<kGroups, F>& a) {
  return make_wide<kGroups, F>([&](int g) { return abs(a.v[g]); });
}
template <int kGroups, class F>
BILLOW_ALWAYS_INLINE Wide<kGroups, F> fast_min(const Wide<kGroups, F>& a, float b) {
  return make_wide<kGroups, F>([&](int g) { return fast_min(a.v[g], lanes<F>(b)); });
}
template <int kGroups, class F>
BILLOW_ALWAYS_INLINE Wide<kGroups, F> fast_max(const Wide<kGroups, F>& a, float b) {
  return make_wide<kGroups, F>([&](int g) { return fast_max(a.v[g], lanes<F>(b)); });
}

}  // namespace billow
