// Panels side by side. `One` has the sums of one panel, begins as zeros, and has to be local to its file, as in integer_kernel.h:
//   static auto steps_at(const int8_t* steps)          eight of them, in 16 bytes: as high and low ones on ARM
//   void add(const int8_t* at, steps)                  eight columns
//   void finish(int32_t* out) const                    eight rows
#pragma once

#include <utility>

#include "net/integer_kernel.h"

namespace billow {

template <class One> struct PanelsSideBySide {
  template <int kPanels>
  static BILLOW_ALWAYS_INLINE void of(const int8_t* at, size_t stride, size_t ahead, uint32_t columns,
                                      const QuantisedVector& quantised, int32_t* out) {
#if defined(BILLOW_SIMD_NEON)
    const int8_t* const q16 = quantised.bytes;
#else
    const auto* const q16 = reinterpret_cast<const int8_t*>(quantised.q16);
#endif
    add_up(std::make_integer_sequence<int, kPanels>(), at, stride, ahead, columns, q16, out);
  }

 private:
  // Every loop over panels is unrolled by name, so that all sums stay in registers. One panel alone would wait for its own sums;
  // of four, side by side, a Neoverse V1 makes a quarter less than of two.
  template <int... kPanel>
  static BILLOW_ALWAYS_INLINE void add_up(std::integer_sequence<int, kPanel...>, const int8_t* at,
                                          size_t stride, size_t ahead, uint32_t columns, const int8_t* q16,
                                          int32_t* out) {
    One sums[sizeof...(kPanel)];
    for (const int8_t* end = q16 + 2 * size_t{columns}; q16 != end; q16 += 16, at += 64) {
      const auto eight = One::q16_at(q16);
      (__builtin_prefetch(at + kPanel * stride + ahead), ...);
      (sums[kPanel].add(at + kPanel * stride, eight), ...);
    }
    (sums[kPanel].finish(out + kPanel * kPanelRows), ...);
  }
};

}  // namespace billow
