// Sums of several panels side by side. `One` has the sums of one panel, initially zeros, and has to be local
// to its file, as in integer_kernel.h:
//   static auto q16_at(const int8_t* q16)       loads eight activations, 16 bytes; on ARM high bytes first
//   void add(const int8_t* at, activations)     adds the products of eight columns
//   void finish(int32_t* out) const             stores the sums of eight rows
#pragma once

#include <utility>

#include "net/integer_kernel.h"

namespace billow {

template <class One> struct PanelsSideBySide {
  template <int kPanels>
  static BILLOW_ALWAYS_INLINE void of(const int8_t* at, size_t stride, size_t prefetch, uint32_t columns,
                                      const QuantisedVector& quantised, int32_t* out) {
#if defined(BILLOW_SIMD_NEON)
    const int8_t* const q16 = quantised.bytes;
#else
    const auto* const q16 = reinterpret_cast<const int8_t*>(quantised.q16);
#endif
    add_up(std::make_integer_sequence<int, kPanels>(), at, stride, prefetch, columns, q16, out);
  }

 private:
  // Loops over panels are fold expressions, so that all sums stay in registers. One panel alone would be
  // bound by the latency of its sums; with four side by side, a Neoverse V1 has a quarter less throughput
  // than with two.
  template <int... kPanel>
  static BILLOW_ALWAYS_INLINE void add_up(std::integer_sequence<int, kPanel...>, const int8_t* at,
                                          size_t stride, size_t prefetch, uint32_t columns, const int8_t* q16,
                                          int32_t* out) {
    One sums[sizeof...(kPanel)];
    for (const int8_t* end = q16 + 2 * size_t{columns}; q16 != end; q16 += 16, at += 64) {
      const auto eight = One::q16_at(q16);
      (__builtin_prefetch(at + kPanel * stride + prefetch), ...);
      (sums[kPanel].add(at + kPanel * stride, eight), ...);
    }
    (sums[kPanel].finish(out + kPanel * kPanelRows), ...);
  }
};

}  // namespace billow
