// Kernels are written once, in terms of the sums that a processor's instructions make of one panel or of two side by side:
//   template <int kPanels>
//   static void Sums::of(const int8_t* at, size_t stride, size_t ahead, uint32_t columns, const Factors&, int32_t* out)
// `Sums` has to be local to its file. So is then all that is made of it here, and nothing that was built for one processor is
// used on another.
#pragma once

#include "net/activate.h"
#include "net/integer_sums.h"
#include "net/quantise.h"

namespace billow {

template <class Sums> struct IntegerKernelOf {
  // Panels from one on.
  template <int kPanels>
  static BILLOW_ALWAYS_INLINE void sum(const PanelRun& run, uint32_t panel, const QuantisedVector& quantised,
                                       int32_t* out) {
    Sums::template of<kPanels>(reinterpret_cast<const int8_t*>(run.first + panel * run.stride), run.stride,
                               run.ahead, run.columns, quantised, out);
  }

  static void sums(const PanelRun& run, const QuantisedVector& quantised, int32_t* out) {
    uint32_t p = 0;
    for (; p + 2 <= run.count; p += 2) sum<2>(run, p, quantised, out + p * kPanelRows);
    if (p < run.count) sum<1>(run, p, quantised, out + p * kPanelRows);
  }

  template <LayerFunction kFunction, int kGroups, class F>
  static BILLOW_ALWAYS_INLINE Wide<kGroups, F> function(const Wide<kGroups, F>& x) {
    if constexpr (kFunction == kRelu) return make_wide<kGroups, F>([&](int g) { return relu(x.v[g]); });
    if constexpr (kFunction == kTanh) return make_wide<kGroups, F>([&](int g) { return tanh(x.v[g]); });
    if constexpr (kFunction == kGelu) return gelu(x);
    return x;
  }

  // The rows of a few panels, from one on, from their sums.
  template <LayerFunction kFunction, int kPanels>
  static BILLOW_ALWAYS_INLINE void finish(const int32_t* sums, const LayerRows& rows, uint32_t panel,
                                          Widest& largest) {
    constexpr int kWidth = kLanesOf<Widest>, kGroups = kPanels * int{kPanelRows} / kWidth;
    const size_t first = size_t{panel} * kPanelRows;
    const auto x = function<kFunction>(make_wide<kGroups, Widest>([&](int g) {
      const size_t row = first + kWidth * static_cast<size_t>(g);
      const Widest scaled =
          load_lanes_as_floats<Widest>(sums + kWidth * g) * rows.q_scale * load_as<Widest>(rows.scales + row);
      return kFunction == kScaleOnly ? scaled : scaled + load_as<Widest>(rows.bias + row);
    }));
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) {
      largest = larger_or_nan(largest, abs(x.v[g]));
      store(rows.out + first + kWidth * g, x.v[g]);
    }
  }

  // Rows are finished while their sums are at hand, and memory is waited for meanwhile.
  template <LayerFunction kFunction>
  static float layer(const PanelRun& given, const QuantisedVector& quantised, const LayerRows& given_rows) {
    // Copies, as a compiler cannot know that writing rows does not change them.
    const PanelRun run = given;
    const LayerRows rows = given_rows;
    Widest largest = lanes<Widest>(0.0f);
    int32_t sums[4 * kPanelRows];
    uint32_t p = 0;
    for (; p + 4 <= run.count; p += 4) {
      sum<2>(run, p, quantised, sums);
      sum<2>(run, p + 2, quantised, sums + 2 * kPanelRows);
      finish<kFunction, 4>(sums, rows, p, largest);
    }
    if (p + 2 <= run.count) {
      sum<2>(run, p, quantised, sums);
      finish<kFunction, 2>(sums, rows, p, largest);
      p += 2;
    }
    if (p < run.count) {
      sum<1>(run, p, quantised, sums);
      finish<kFunction, 1>(sums, rows, p, largest);
    }
    return horizontal_max_or_nan(largest);
  }

  static constexpr IntegerKernel kernel{
      sums, {layer<kRelu>, layer<kTanh>, layer<kGelu>, layer<kBiasOnly>, layer<kScaleOnly>}};
};

}  // namespace billow
