// Integer sums by ARM's dot products: four bytes of a row times four bytes of steps in one lane. Built for processors that
// have them, whatever the rest of the library is built for; nothing else may be in this file.
#include "core/simd.h"
#include "net/integer_sums.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_DOTPROD)

namespace {

// One panel's sums, of the steps' high and low bytes apart: rows 0 to 3, and 4 to 7. Kept in registers: a loop over
// streams would put them into memory.
struct Stream {
  const int8_t* at;
  int32x4_t high0, high1, low0, low1;

  explicit Stream(const std::byte* panel)
      : at(reinterpret_cast<const int8_t*>(panel)),
        high0(vdupq_n_s32(0)),
        high1(vdupq_n_s32(0)),
        low0(vdupq_n_s32(0)),
        low1(vdupq_n_s32(0)) {}

  template <int kQuad>
  BILLOW_ALWAYS_INLINE void add(int8x16_t q0, int8x16_t q1, int8x16_t high, int8x16_t low) {
    high0 = vdotq_laneq_s32(high0, q0, high, kQuad);
    high1 = vdotq_laneq_s32(high1, q1, high, kQuad);
    low0 = vdotq_laneq_s32(low0, q0, low, kQuad);
    low1 = vdotq_laneq_s32(low1, q1, low, kQuad);
  }
  // Four columns of int8.
  template <int kQuad> BILLOW_ALWAYS_INLINE void int8(int8x16_t high, int8x16_t low) {
    add<kQuad>(vld1q_s8(at), vld1q_s8(at + 16), high, low);
    at += 4 * kPanelRows;
  }
  // Eight of int4.
  template <int kQuad> BILLOW_ALWAYS_INLINE void int4(int8x16_t high, int8x16_t low) {
    const int8x16_t both0 = vld1q_s8(at), both1 = vld1q_s8(at + 16);
    add<kQuad>(vshrq_n_s8(vshlq_n_s8(both0, 4), 4), vshrq_n_s8(vshlq_n_s8(both1, 4), 4), high, low);
    add<kQuad + 1>(vshrq_n_s8(both0, 4), vshrq_n_s8(both1, 4), high, low);
    at += 4 * kPanelRows;
  }
  void finish(int32_t* out) const {
    vst1q_s32(out, vaddq_s32(vshlq_n_s32(high0, 8), low0));
    vst1q_s32(out + 4, vaddq_s32(vshlq_n_s32(high1, 8), low1));
  }
};

// One panel of each run.
BILLOW_ALWAYS_INLINE void add_panels(const PanelRuns& runs, uint32_t panel, const Factors& factors,
                                     PanelSums& out) {
  static_assert(kStreams == 4);
  const size_t by = panel * runs.stride;
  Stream a(runs.first[0] + by), b(runs.first[1] + by), c(runs.first[2] + by), d(runs.first[3] + by);
  const auto int8 = [&]<int kQuad>(int8x16_t high, int8x16_t low) {
    a.int8<kQuad>(high, low), b.int8<kQuad>(high, low), c.int8<kQuad>(high, low), d.int8<kQuad>(high, low);
  };
  const auto int4 = [&]<int kQuad>(int8x16_t high, int8x16_t low) {
    a.int4<kQuad>(high, low), b.int4<kQuad>(high, low), c.int4<kQuad>(high, low), d.int4<kQuad>(high, low);
  };
  // Steps may be read beyond the last column: there is room (Factors::kSpare).
  uint32_t k = 0;
  for (; k + 16 <= runs.int8; k += 16) {
    const int8x16_t high = vld1q_s8(factors.high + k), low = vld1q_s8(factors.low + k);
    int8.template operator()<0>(high, low);
    int8.template operator()<1>(high, low);
    int8.template operator()<2>(high, low);
    int8.template operator()<3>(high, low);
  }
  for (; k < runs.int8; k += 4)
    int8.template operator()<0>(vld1q_s8(factors.high + k), vld1q_s8(factors.low + k));
  for (; k < runs.int8 + runs.int4; k += 8)
    int4.template operator()<0>(vld1q_s8(factors.high + k), vld1q_s8(factors.low + k));
  const uint32_t row = panel * kPanelRows;
  a.finish(out.of[0] + row), b.finish(out.of[1] + row), c.finish(out.of[2] + row), d.finish(out.of[3] + row);
}

void sums_by_dot_products(const PanelRuns& runs, const Factors& factors, PanelSums& out) {
  for (uint32_t p = 0; p < runs.count; ++p) add_panels(runs, p, factors, out);
}

}  // namespace

IntegerSums integer_sums_dotprod() { return sums_by_dot_products; }

#else

IntegerSums integer_sums_dotprod() { return nullptr; }

#endif

}  // namespace billow
