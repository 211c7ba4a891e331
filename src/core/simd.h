// Four floats at a time, written once for NEON, SSE2, WebAssembly and plain C++.
//
// Every operation here is an IEEE-754 single operation per lane (no fused multiply-add, no
// approximate reciprocal), so all four back-ends give the same bits. That is the whole of the
// determinism contract at this level: docs/determinism.md.
//
// BILLOW_SIMD_SCALAR selects the plain C++ back-end (the reference the others are tested against).
// BILLOW_COUNT_OPERATIONS does too, and counts lane operations for the benchmark's ceiling.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

// Code for CUDA devices cannot name the vectors of the processor.
#if defined(BILLOW_COUNT_OPERATIONS) || defined(__CUDACC__)
#define BILLOW_SIMD_SCALAR 1
#endif

#if defined(BILLOW_SIMD_SCALAR)
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define BILLOW_SIMD_NEON 1
#include <arm_neon.h>
#elif defined(__SSE2__) || defined(_M_X64)
#define BILLOW_SIMD_SSE 1
#include <emmintrin.h>
#if defined(__AVX2__)
#define BILLOW_SIMD_AVX2 1
#include <immintrin.h>
#endif
#elif defined(__wasm_simd128__)
#define BILLOW_SIMD_WASM 1
#include <wasm_simd128.h>
#else
#define BILLOW_SIMD_SCALAR 1
#endif

// Values of eight lanes do not fit in the registers that arguments are passed in, so small functions that
// take them have to be inlined.
#if defined(__GNUC__)
#define BILLOW_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define BILLOW_ALWAYS_INLINE inline
#endif

// Functions that the offline tools also compile for CUDA devices.
#if defined(__CUDACC__)
#define BILLOW_HD __host__ __device__
#else
#define BILLOW_HD
#endif

namespace billow {

inline constexpr int kLanes = 4;

// A mask has any(), all(), and bits(): one bit per lane, lane 0 in bit 0.

// Rounds a count up to a multiple of kLanes.
constexpr int round_up_lanes(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

#if defined(BILLOW_COUNT_OPERATIONS)
// Vector operations executed so far, by cost class.
struct OperationCounts {
  uint64_t cheap = 0;  // add, subtract, multiply, compare, select, min, max, abs
  uint64_t divide = 0;
  uint64_t root = 0;
  uint64_t memory = 0;  // loads and stores
};
inline OperationCounts g_operations;
#define BILLOW_COUNT(kind) (++::billow::g_operations.kind)
#else
#define BILLOW_COUNT(kind) ((void)0)
#endif

#if defined(BILLOW_SIMD_NEON)

struct F4 {
  float32x4_t v;
};
struct M4 {
  uint32x4_t v;
};
inline F4 splat(float s) { return {vdupq_n_f32(s)}; }
inline F4 load(const float* p) { return {vld1q_f32(p)}; }
inline void store(float* p, F4 a) { vst1q_f32(p, a.v); }
inline F4 operator+(F4 a, F4 b) { return {vaddq_f32(a.v, b.v)}; }
inline F4 operator-(F4 a, F4 b) { return {vsubq_f32(a.v, b.v)}; }
inline F4 operator*(F4 a, F4 b) { return {vmulq_f32(a.v, b.v)}; }
inline F4 operator/(F4 a, F4 b) { return {vdivq_f32(a.v, b.v)}; }
inline F4 operator-(F4 a) { return {vnegq_f32(a.v)}; }
inline F4 sqrt(F4 a) { return {vsqrtq_f32(a.v)}; }
inline F4 abs(F4 a) { return {vabsq_f32(a.v)}; }
inline M4 operator<(F4 a, F4 b) { return {vcltq_f32(a.v, b.v)}; }
inline M4 operator<=(F4 a, F4 b) { return {vcleq_f32(a.v, b.v)}; }
inline M4 operator==(F4 a, F4 b) { return {vceqq_f32(a.v, b.v)}; }
inline M4 operator&(M4 a, M4 b) { return {vandq_u32(a.v, b.v)}; }
inline M4 operator|(M4 a, M4 b) { return {vorrq_u32(a.v, b.v)}; }
inline M4 operator~(M4 a) { return {vmvnq_u32(a.v)}; }
inline F4 select(M4 m, F4 a, F4 b) { return {vbslq_f32(m.v, a.v, b.v)}; }
// The mask in one general-purpose register: a little faster than a reduction across lanes.
inline uint64_t narrow_mask(M4 m) { return vget_lane_u64(vreinterpret_u64_u16(vmovn_u32(m.v)), 0); }
inline bool any(M4 m) { return narrow_mask(m) != 0; }
inline bool all(M4 m) { return narrow_mask(m) == ~uint64_t{0}; }
inline int bits(M4 m) {
  const uint32x4_t weights = {1, 2, 4, 8};
  return static_cast<int>(vaddvq_u32(vandq_u32(m.v, weights)));
}

#elif defined(BILLOW_SIMD_SSE)

struct F4 {
  __m128 v;
};
struct M4 {
  __m128 v;
};
inline F4 splat(float s) { return {_mm_set1_ps(s)}; }
inline F4 load(const float* p) { return {_mm_loadu_ps(p)}; }
inline void store(float* p, F4 a) { _mm_storeu_ps(p, a.v); }
inline F4 operator+(F4 a, F4 b) { return {_mm_add_ps(a.v, b.v)}; }
inline F4 operator-(F4 a, F4 b) { return {_mm_sub_ps(a.v, b.v)}; }
inline F4 operator*(F4 a, F4 b) { return {_mm_mul_ps(a.v, b.v)}; }
inline F4 operator/(F4 a, F4 b) { return {_mm_div_ps(a.v, b.v)}; }
inline F4 operator-(F4 a) { return {_mm_xor_ps(a.v, _mm_set1_ps(-0.0f))}; }
inline F4 sqrt(F4 a) { return {_mm_sqrt_ps(a.v)}; }
inline F4 abs(F4 a) { return {_mm_andnot_ps(_mm_set1_ps(-0.0f), a.v)}; }
inline M4 operator<(F4 a, F4 b) { return {_mm_cmplt_ps(a.v, b.v)}; }
inline M4 operator<=(F4 a, F4 b) { return {_mm_cmple_ps(a.v, b.v)}; }
inline M4 operator==(F4 a, F4 b) { return {_mm_cmpeq_ps(a.v, b.v)}; }
inline M4 operator&(M4 a, M4 b) { return {_mm_and_ps(a.v, b.v)}; }
inline M4 operator|(M4 a, M4 b) { return {_mm_or_ps(a.v, b.v)}; }
inline M4 operator~(M4 a) { return {_mm_xor_ps(a.v, _mm_castsi128_ps(_mm_set1_epi32(-1)))}; }
inline F4 select(M4 m, F4 a, F4 b) { return {_mm_or_ps(_mm_and_ps(m.v, a.v), _mm_andnot_ps(m.v, b.v))}; }
inline bool any(M4 m) { return _mm_movemask_ps(m.v) != 0; }
inline bool all(M4 m) { return _mm_movemask_ps(m.v) == 15; }
inline int bits(M4 m) { return _mm_movemask_ps(m.v); }

#elif defined(BILLOW_SIMD_WASM)

struct F4 {
  v128_t v;
};
struct M4 {
  v128_t v;
};
inline F4 splat(float s) { return {wasm_f32x4_splat(s)}; }
inline F4 load(const float* p) { return {wasm_v128_load(p)}; }
inline void store(float* p, F4 a) { wasm_v128_store(p, a.v); }
inline F4 operator+(F4 a, F4 b) { return {wasm_f32x4_add(a.v, b.v)}; }
inline F4 operator-(F4 a, F4 b) { return {wasm_f32x4_sub(a.v, b.v)}; }
inline F4 operator*(F4 a, F4 b) { return {wasm_f32x4_mul(a.v, b.v)}; }
inline F4 operator/(F4 a, F4 b) { return {wasm_f32x4_div(a.v, b.v)}; }
inline F4 operator-(F4 a) { return {wasm_f32x4_neg(a.v)}; }
inline F4 sqrt(F4 a) { return {wasm_f32x4_sqrt(a.v)}; }
inline F4 abs(F4 a) { return {wasm_f32x4_abs(a.v)}; }
inline M4 operator<(F4 a, F4 b) { return {wasm_f32x4_lt(a.v, b.v)}; }
inline M4 operator<=(F4 a, F4 b) { return {wasm_f32x4_le(a.v, b.v)}; }
inline M4 operator==(F4 a, F4 b) { return {wasm_f32x4_eq(a.v, b.v)}; }
inline M4 operator&(M4 a, M4 b) { return {wasm_v128_and(a.v, b.v)}; }
inline M4 operator|(M4 a, M4 b) { return {wasm_v128_or(a.v, b.v)}; }
inline M4 operator~(M4 a) { return {wasm_v128_not(a.v)}; }
inline F4 select(M4 m, F4 a, F4 b) { return {wasm_v128_bitselect(a.v, b.v, m.v)}; }
inline bool any(M4 m) { return wasm_v128_any_true(m.v); }
inline bool all(M4 m) { return wasm_i32x4_all_true(m.v); }
inline int bits(M4 m) { return static_cast<int>(wasm_i32x4_bitmask(m.v)); }

#else  // plain C++

struct F4 {
  float v[4];
};
struct M4 {
  bool v[4];
};
template <class Op> inline F4 map(F4 a, F4 b, Op op) {
  return {{op(a.v[0], b.v[0]), op(a.v[1], b.v[1]), op(a.v[2], b.v[2]), op(a.v[3], b.v[3])}};
}
template <class Op> inline M4 test(F4 a, F4 b, Op op) {
  BILLOW_COUNT(cheap);
  return {{op(a.v[0], b.v[0]), op(a.v[1], b.v[1]), op(a.v[2], b.v[2]), op(a.v[3], b.v[3])}};
}
inline F4 splat(float s) { return {{s, s, s, s}}; }
inline F4 load(const float* p) {
  BILLOW_COUNT(memory);
  return {{p[0], p[1], p[2], p[3]}};
}
inline void store(float* p, F4 a) {
  BILLOW_COUNT(memory);
  for (int i = 0; i < 4; ++i) p[i] = a.v[i];
}
inline F4 operator+(F4 a, F4 b) {
  BILLOW_COUNT(cheap);
  return map(a, b, [](float x, float y) { return x + y; });
}
inline F4 operator-(F4 a, F4 b) {
  BILLOW_COUNT(cheap);
  return map(a, b, [](float x, float y) { return x - y; });
}
inline F4 operator*(F4 a, F4 b) {
  BILLOW_COUNT(cheap);
  return map(a, b, [](float x, float y) { return x * y; });
}
inline F4 operator/(F4 a, F4 b) {
  BILLOW_COUNT(divide);
  return map(a, b, [](float x, float y) { return x / y; });
}
inline F4 operator-(F4 a) {
  BILLOW_COUNT(cheap);
  return map(a, a, [](float x, float) { return -x; });
}
inline F4 sqrt(F4 a) {
  BILLOW_COUNT(root);
  return map(a, a, [](float x, float) { return std::sqrt(x); });
}
inline F4 abs(F4 a) {
  BILLOW_COUNT(cheap);
  return map(a, a, [](float x, float) { return std::fabs(x); });
}
inline M4 operator<(F4 a, F4 b) {
  return test(a, b, [](float x, float y) { return x < y; });
}
inline M4 operator<=(F4 a, F4 b) {
  return test(a, b, [](float x, float y) { return x <= y; });
}
inline M4 operator==(F4 a, F4 b) {
  return test(a, b, [](float x, float y) { return x == y; });
}
inline M4 operator&(M4 a, M4 b) {
  BILLOW_COUNT(cheap);
  M4 r;
  for (int i = 0; i < 4; ++i) r.v[i] = a.v[i] && b.v[i];
  return r;
}
inline M4 operator|(M4 a, M4 b) {
  BILLOW_COUNT(cheap);
  M4 r;
  for (int i = 0; i < 4; ++i) r.v[i] = a.v[i] || b.v[i];
  return r;
}
inline M4 operator~(M4 a) {
  BILLOW_COUNT(cheap);
  M4 r;
  for (int i = 0; i < 4; ++i) r.v[i] = !a.v[i];
  return r;
}
inline F4 select(M4 m, F4 a, F4 b) {
  BILLOW_COUNT(cheap);
  F4 r;
  for (int i = 0; i < 4; ++i) r.v[i] = m.v[i] ? a.v[i] : b.v[i];
  return r;
}
inline bool any(M4 m) {
  BILLOW_COUNT(cheap);
  return m.v[0] || m.v[1] || m.v[2] || m.v[3];
}
inline bool all(M4 m) {
  BILLOW_COUNT(cheap);
  return m.v[0] && m.v[1] && m.v[2] && m.v[3];
}
inline int bits(M4 m) {
  BILLOW_COUNT(cheap);
  return int{m.v[0]} | int{m.v[1]} << 1 | int{m.v[2]} << 2 | int{m.v[3]} << 3;
}

#endif

// Eight lanes, in one register with AVX2. Each lane gives the same bits as with four.
#if defined(BILLOW_SIMD_AVX2)

struct F8 {
  __m256 v;

  F8() = default;
  explicit F8(__m256 of) : v(of) {}
  F8(F4 low, F4 high) : v(_mm256_set_m128(high.v, low.v)) {}
};
struct M8 {
  __m256 v;

  M8() = default;
  explicit M8(__m256 of) : v(of) {}
  M8(M4 low, M4 high) : v(_mm256_set_m128(high.v, low.v)) {}
};
inline F4 low_half(F8 a) { return {_mm256_castps256_ps128(a.v)}; }
inline F4 high_half(F8 a) { return {_mm256_extractf128_ps(a.v, 1)}; }
inline F8 splat8(float s) { return F8(_mm256_set1_ps(s)); }
inline F8 load8(const float* p) { return F8(_mm256_loadu_ps(p)); }
inline void store(float* p, F8 a) { _mm256_storeu_ps(p, a.v); }
inline F8 operator+(F8 a, F8 b) { return F8(_mm256_add_ps(a.v, b.v)); }
inline F8 operator-(F8 a, F8 b) { return F8(_mm256_sub_ps(a.v, b.v)); }
inline F8 operator*(F8 a, F8 b) { return F8(_mm256_mul_ps(a.v, b.v)); }
inline F8 operator/(F8 a, F8 b) { return F8(_mm256_div_ps(a.v, b.v)); }
inline F8 operator-(F8 a) { return F8(_mm256_xor_ps(a.v, _mm256_set1_ps(-0.0f))); }
inline F8 sqrt(F8 a) { return F8(_mm256_sqrt_ps(a.v)); }
inline F8 abs(F8 a) { return F8(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)); }
inline M8 operator<(F8 a, F8 b) { return M8(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)); }
inline M8 operator<=(F8 a, F8 b) { return M8(_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)); }
inline M8 operator==(F8 a, F8 b) { return M8(_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ)); }
inline M8 operator&(M8 a, M8 b) { return M8(_mm256_and_ps(a.v, b.v)); }
inline M8 operator|(M8 a, M8 b) { return M8(_mm256_or_ps(a.v, b.v)); }
inline M8 operator~(M8 a) { return M8(_mm256_xor_ps(a.v, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))); }
inline F8 select(M8 m, F8 a, F8 b) { return F8(_mm256_blendv_ps(b.v, a.v, m.v)); }
inline bool any(M8 m) { return _mm256_movemask_ps(m.v) != 0; }
inline bool all(M8 m) { return _mm256_movemask_ps(m.v) == 255; }
inline int bits(M8 m) { return _mm256_movemask_ps(m.v); }

#else

// Eight lanes as two groups of four: twice the work between two branches, and two dependency chains for the
// processor to overlap. Code that gains from it is a template over F4 and F8.
// The copy operations copy each half, because GCC's default copy goes through memory.
template <class Half> struct TwoHalves {
  Half low, high;

  TwoHalves() = default;
  TwoHalves(Half l, Half h) : low(l), high(h) {}
  TwoHalves(const TwoHalves& other) : low(other.low), high(other.high) {}
  TwoHalves& operator=(const TwoHalves& other) {
    low = other.low, high = other.high;
    return *this;
  }
};
using F8 = TwoHalves<F4>;
using M8 = TwoHalves<M4>;
template <class Half> inline Half low_half(const TwoHalves<Half>& a) { return a.low; }
template <class Half> inline Half high_half(const TwoHalves<Half>& a) { return a.high; }
inline F8 splat8(float s) { return {splat(s), splat(s)}; }
inline F8 load8(const float* p) { return {load(p), load(p + kLanes)}; }
inline void store(float* p, F8 a) {
  store(p, a.low);
  store(p + kLanes, a.high);
}
inline F8 operator+(F8 a, F8 b) { return {a.low + b.low, a.high + b.high}; }
inline F8 operator-(F8 a, F8 b) { return {a.low - b.low, a.high - b.high}; }
inline F8 operator*(F8 a, F8 b) { return {a.low * b.low, a.high * b.high}; }
inline F8 operator/(F8 a, F8 b) { return {a.low / b.low, a.high / b.high}; }
inline F8 operator-(F8 a) { return {-a.low, -a.high}; }
inline F8 sqrt(F8 a) { return {sqrt(a.low), sqrt(a.high)}; }
inline F8 abs(F8 a) { return {abs(a.low), abs(a.high)}; }
inline M8 operator<(F8 a, F8 b) { return {a.low < b.low, a.high < b.high}; }
inline M8 operator<=(F8 a, F8 b) { return {a.low <= b.low, a.high <= b.high}; }
inline M8 operator==(F8 a, F8 b) { return {a.low == b.low, a.high == b.high}; }
inline M8 operator&(M8 a, M8 b) { return {a.low & b.low, a.high & b.high}; }
inline M8 operator|(M8 a, M8 b) { return {a.low | b.low, a.high | b.high}; }
inline M8 operator~(M8 a) { return {~a.low, ~a.high}; }
inline F8 select(M8 m, F8 a, F8 b) { return {select(m.low, a.low, b.low), select(m.high, a.high, b.high)}; }
inline bool any(M8 m) { return any(m.low | m.high); }
inline bool all(M8 m) { return all(m.low & m.high); }
inline int bits(M8 m) { return bits(m.low) | bits(m.high) << kLanes; }

#endif

// By type, for templates over F4 and F8.
template <class F> inline constexpr int kLanesOf = kLanes;
template <> inline constexpr int kLanesOf<F8> = 2 * kLanes;
template <class F> BILLOW_HD inline F lanes(float s);
template <> inline F4 lanes<F4>(float s) { return splat(s); }
template <> inline F8 lanes<F8>(float s) { return splat8(s); }
template <class F> inline F load_as(const float* p);
template <> inline F4 load_as<F4>(const float* p) { return load(p); }
template <> inline F8 load_as<F8>(const float* p) { return load8(p); }

// Transposes a 4x4 matrix of rows in place.
inline void transpose(F4& a, F4& b, F4& c, F4& d) {
#if defined(BILLOW_SIMD_NEON)
  // Interleave single lanes, then pairs of lanes as doubles, which compiles to one instruction each.
  const float64x2_t ab0 = vreinterpretq_f64_f32(vtrn1q_f32(a.v, b.v)),
                    ab1 = vreinterpretq_f64_f32(vtrn2q_f32(a.v, b.v)),
                    cd0 = vreinterpretq_f64_f32(vtrn1q_f32(c.v, d.v)),
                    cd1 = vreinterpretq_f64_f32(vtrn2q_f32(c.v, d.v));
  a.v = vreinterpretq_f32_f64(vtrn1q_f64(ab0, cd0));
  b.v = vreinterpretq_f32_f64(vtrn1q_f64(ab1, cd1));
  c.v = vreinterpretq_f32_f64(vtrn2q_f64(ab0, cd0));
  d.v = vreinterpretq_f32_f64(vtrn2q_f64(ab1, cd1));
#elif defined(BILLOW_SIMD_SSE)
  _MM_TRANSPOSE4_PS(a.v, b.v, c.v, d.v);
#else
  float rows[kLanes][kLanes], columns[kLanes][kLanes];
  store(rows[0], a), store(rows[1], b), store(rows[2], c), store(rows[3], d);
  for (int i = 0; i < kLanes; ++i)
    for (int k = 0; k < kLanes; ++k) columns[i][k] = rows[k][i];
  a = load(columns[0]), b = load(columns[1]), c = load(columns[2]), d = load(columns[3]);
#endif
}

// Four interleaved points (x y z x y z ...) to rows x, y, z, and back.
inline void load_points(const float* p, F4& x, F4& y, F4& z) {
#if defined(BILLOW_SIMD_NEON)
  const float32x4x3_t rows = vld3q_f32(p);
  x.v = rows.val[0], y.v = rows.val[1], z.v = rows.val[2];
#elif defined(BILLOW_SIMD_SSE)
  const __m128 a = _mm_loadu_ps(p), b = _mm_loadu_ps(p + 4), c = _mm_loadu_ps(p + 8);
  const __m128 bc = _mm_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2));
  const __m128 ab = _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1));
  x.v = _mm_shuffle_ps(a, bc, _MM_SHUFFLE(2, 0, 3, 0));
  y.v = _mm_shuffle_ps(ab, bc, _MM_SHUFFLE(3, 1, 2, 0));
  z.v = _mm_shuffle_ps(ab, c, _MM_SHUFFLE(3, 0, 3, 1));
#elif defined(BILLOW_SIMD_WASM)
  const v128_t a = wasm_v128_load(p), b = wasm_v128_load(p + 4), c = wasm_v128_load(p + 8);
  x.v = wasm_i32x4_shuffle(wasm_i32x4_shuffle(a, b, 0, 3, 6, 0), c, 0, 1, 2, 5);
  y.v = wasm_i32x4_shuffle(wasm_i32x4_shuffle(a, b, 1, 4, 7, 0), c, 0, 1, 2, 6);
  z.v = wasm_i32x4_shuffle(wasm_i32x4_shuffle(a, b, 2, 5, 0, 0), c, 0, 1, 4, 7);
#else
  float rows[3][kLanes];
  for (int i = 0; i < kLanes; ++i)
    for (int k = 0; k < 3; ++k) rows[k][i] = p[3 * i + k];
  x = load(rows[0]), y = load(rows[1]), z = load(rows[2]);
#endif
}
inline void store_points(float* p, F4 x, F4 y, F4 z) {
#if defined(BILLOW_SIMD_NEON)
  const float32x4x3_t rows{{x.v, y.v, z.v}};
  vst3q_f32(p, rows);
#elif defined(BILLOW_SIMD_SSE)
  const __m128 z0_x1 = _mm_shuffle_ps(z.v, x.v, _MM_SHUFFLE(1, 1, 0, 0)),
               y1_z1 = _mm_shuffle_ps(y.v, z.v, _MM_SHUFFLE(1, 1, 1, 1)),
               z2_x3 = _mm_shuffle_ps(z.v, x.v, _MM_SHUFFLE(3, 3, 2, 2)),
               y3_z3 = _mm_shuffle_ps(y.v, z.v, _MM_SHUFFLE(3, 3, 3, 3));
  _mm_storeu_ps(p, _mm_shuffle_ps(_mm_unpacklo_ps(x.v, y.v), z0_x1, _MM_SHUFFLE(2, 0, 1, 0)));
  _mm_storeu_ps(p + 4, _mm_shuffle_ps(y1_z1, _mm_unpackhi_ps(x.v, y.v), _MM_SHUFFLE(1, 0, 2, 0)));
  _mm_storeu_ps(p + 8, _mm_shuffle_ps(z2_x3, y3_z3, _MM_SHUFFLE(2, 0, 2, 0)));
#elif defined(BILLOW_SIMD_WASM)
  wasm_v128_store(p, wasm_i32x4_shuffle(wasm_i32x4_shuffle(x.v, y.v, 0, 4, 0, 1), z.v, 0, 1, 4, 3));
  wasm_v128_store(p + 4, wasm_i32x4_shuffle(wasm_i32x4_shuffle(y.v, z.v, 1, 5, 0, 2), x.v, 0, 1, 6, 3));
  wasm_v128_store(p + 8, wasm_i32x4_shuffle(wasm_i32x4_shuffle(z.v, x.v, 2, 7, 0, 3), y.v, 0, 1, 7, 3));
#else
  float rows[3][kLanes];
  store(rows[0], x), store(rows[1], y), store(rows[2], z);
  for (int i = 0; i < kLanes; ++i)
    for (int k = 0; k < 3; ++k) p[3 * i + k] = rows[k][i];
#endif
}

// Operations derived from these, for four lanes and for eight.
template <class F> inline constexpr bool kIsLanes = false;
template <> inline constexpr bool kIsLanes<F4> = true;
template <> inline constexpr bool kIsLanes<F8> = true;
template <class F>
concept AnyLanes = kIsLanes<F>;
// For operators with one scalar operand. A concept does not work here: Clang 14 checks it only after it has
// rejected the operator for two scalars, which is an error.
template <class F> using IfLanes = std::enable_if_t<kIsLanes<F>, int>;
template <AnyLanes F> BILLOW_HD inline auto operator>(F a, F b) { return b < a; }
template <AnyLanes F> BILLOW_HD inline auto operator>=(F a, F b) { return b <= a; }
template <AnyLanes F> BILLOW_HD inline F& operator+=(F& a, F b) { return a = a + b; }
template <AnyLanes F> BILLOW_HD inline F& operator-=(F& a, F b) { return a = a - b; }
template <AnyLanes F> BILLOW_HD inline F& operator*=(F& a, F b) { return a = a * b; }
template <class F, IfLanes<F> = 0> BILLOW_HD inline F operator*(float s, F a) { return lanes<F>(s) * a; }
template <class F, IfLanes<F> = 0> BILLOW_HD inline F operator*(F a, float s) { return a * lanes<F>(s); }
template <class F, IfLanes<F> = 0> BILLOW_HD inline F operator/(float s, F a) { return lanes<F>(s) / a; }
template <class F, IfLanes<F> = 0> BILLOW_HD inline F operator+(F a, float s) { return a + lanes<F>(s); }
template <class F, IfLanes<F> = 0> BILLOW_HD inline F operator+(float s, F a) { return lanes<F>(s) + a; }
template <class F, IfLanes<F> = 0> BILLOW_HD inline F operator-(F a, float s) { return a - lanes<F>(s); }
template <class F, IfLanes<F> = 0> BILLOW_HD inline F operator-(float s, F a) { return lanes<F>(s) - a; }
template <class F, IfLanes<F> = 0> BILLOW_HD inline auto operator<(F a, float s) { return a < lanes<F>(s); }
template <class F, IfLanes<F> = 0> BILLOW_HD inline auto operator>(F a, float s) { return lanes<F>(s) < a; }
template <class F, IfLanes<F> = 0> BILLOW_HD inline auto operator<=(F a, float s) { return a <= lanes<F>(s); }
template <class F, IfLanes<F> = 0> BILLOW_HD inline auto operator>=(F a, float s) { return lanes<F>(s) <= a; }

// min and max are a comparison and a select: b where an operand is NaN or both are zero. The instructions of
// SSE and WebAssembly do exactly that.
inline F4 min(F4 a, F4 b) {
#if defined(BILLOW_SIMD_SSE)
  return {_mm_min_ps(a.v, b.v)};
#elif defined(BILLOW_SIMD_WASM)
  return {wasm_f32x4_pmin(b.v, a.v)};
#else
  return select(a < b, a, b);
#endif
}
inline F4 max(F4 a, F4 b) {
#if defined(BILLOW_SIMD_SSE)
  return {_mm_max_ps(a.v, b.v)};
#elif defined(BILLOW_SIMD_WASM)
  return {wasm_f32x4_pmax(b.v, a.v)};
#else
  return select(b < a, a, b);
#endif
}
// max with a constant that is neither NaN nor -0: for those NEON's instruction gives the same bits. (Its
// minimum of 0 and -0 differs, hence no min.)
inline F4 max(F4 a, float low) {
#if defined(BILLOW_SIMD_NEON)
  return {vmaxnmq_f32(a.v, vdupq_n_f32(low))};
#else
  return max(a, splat(low));
#endif
}
// low <= high
inline F4 clamp(F4 a, float low, float high) {
#if defined(BILLOW_SIMD_NEON)
  return {vminnmq_f32(max(a, low).v, vdupq_n_f32(high))};
#else
  return min(max(a, low), splat(high));
#endif
}
#if defined(BILLOW_SIMD_AVX2)
inline F8 min(F8 a, F8 b) { return F8(_mm256_min_ps(a.v, b.v)); }
inline F8 max(F8 a, F8 b) { return F8(_mm256_max_ps(a.v, b.v)); }
inline F8 max(F8 a, float low) { return max(a, splat8(low)); }
inline F8 clamp(F8 a, float low, float high) { return min(max(a, low), splat8(high)); }
#else
inline F8 min(F8 a, F8 b) { return {min(a.low, b.low), min(a.high, b.high)}; }
inline F8 max(F8 a, F8 b) { return {max(a.low, b.low), max(a.high, b.high)}; }
inline F8 max(F8 a, float low) { return {max(a.low, low), max(a.high, low)}; }
inline F8 clamp(F8 a, float low, float high) { return {clamp(a.low, low, high), clamp(a.high, low, high)}; }
#endif
// Maximum in one instruction, for operands that are not NaN. Either of 0 and -0 may be returned.
inline F4 fast_max(F4 a, F4 b) {
#if defined(BILLOW_SIMD_NEON)
  return {vmaxq_f32(a.v, b.v)};
#elif defined(BILLOW_SIMD_SSE)
  return {_mm_max_ps(a.v, b.v)};
#elif defined(BILLOW_SIMD_WASM)
  return {wasm_f32x4_pmax(a.v, b.v)};
#else
  return max(a, b);
#endif
}
inline F4 zero() { return splat(0.0f); }
inline M4 none() { return splat(0.0f) < splat(0.0f); }

// Reads or writes one lane through memory. Slow: for rare cases and for results that leave SIMD code.
inline float lane(F4 a, int i) {
  float out[4];
  store(out, a);
  return out[i];
}
inline F4 with_lane(F4 a, int i, float value) {
  float out[4];
  store(out, a);
  out[i] = value;
  return load(out);
}
inline float horizontal_max(F4 a) {
  float out[4];
  store(out, a);
  float m = out[0];
  for (int i = 1; i < 4; ++i) m = out[i] > m ? out[i] : m;
  return m;
}

}  // namespace billow
