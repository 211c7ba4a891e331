// The kernels of integer_sums.h, written once over `Sums`: the int32 sums of one panel, or of two side by
// side, with the instructions of one processor family:
//   template <int kPanels>
//   static void Sums::of(const int8_t* at, size_t stride, size_t prefetch, uint32_t columns,
//                        const QuantisedVector&, int32_t* out)
// `Sums` has to be local to its file. Then all functions instantiated here are local too, and none that was
// compiled for one processor can be linked in place of another's.
#pragma once

#include "net/activate.h"
#include "net/integer_sums.h"
#include "net/quantise.h"

namespace billow {

template <class Sums> struct IntegerKernelOf {
  // The sums of kPanels panels from `panel` on.
  template <int kPanels>
  static BILLOW_ALWAYS_INLINE void sum(const PanelRun& run, uint32_t panel, const QuantisedVector& quantised,
                                       int32_t* out) {
    Sums::template of<kPanels>(reinterpret_cast<const int8_t*>(run.first + panel * run.stride), run.stride,
                               run.prefetch, run.columns, quantised, out);
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

  // Outputs of kPanels panels from `panel` on: dequantises their sums, adds the bias, applies the activation.
  template <LayerFunction kFunction, int kPanels>
  static BILLOW_ALWAYS_INLINE void finish(const int32_t* sums, const LayerRows& rows, uint32_t panel,
                                          Widest& max_abs) {
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
      max_abs = max_or_nan(max_abs, abs(x.v[g]));
      store(rows.out + first + kWidth * g, x.v[g]);
    }
  }

  // A layer in one pass: outputs are computed while their sums are in cache and the next panels are being
  // fetched.
  template <LayerFunction kFunction>
  static float layer(const PanelRun& given, const QuantisedVector& quantised, const LayerRows& given_rows) {
    // Local copies, because the compiler has to assume that stores to the outputs alias the arguments.
    const PanelRun run = given;
    const LayerRows rows = given_rows;
    Widest max_abs = lanes<Widest>(0.0f);
    int32_t sums[4 * kPanelRows];
    uint32_t p = 0;
    for (; p + 4 <= run.count; p += 4) {
      sum<2>(run, p, quantised, sums);
      sum<2>(run, p + 2, quantised, sums + 2 * kPanelRows);
      finish<kFunction, 4>(sums, rows, p, max_abs);
    }
    if (p + 2 <= run.count) {
      sum<2>(run, p, quantised, sums);
      finish<kFunction, 2>(sums, rows, p, max_abs);
      p += 2;
    }
    if (p < run.count) {
      sum<1>(run, p, quantised, sums);
      finish<kFunction, 1>(sums, rows, p, max_abs);
    }
    return horizontal_max_or_nan(max_abs);
  }

  static constexpr IntegerKernel kernel{
      sums, {layer<kRelu>, layer<kTanh>, layer<kGelu>, layer<kBiasOnly>, layer<kScaleOnly>}};
};

}  // namespace billow
