// Percentiles of values that are too many to store.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace billow::evaluate {

// Values with equal leading bits share a bin,
// so that a percentile has a relative error of at most half a percent.
class Histogram {
 public:
  // `value` must not be negative. It is clamped to the range of the bins; NaN counts as the largest.
  void add(float value) {
    const float clamped = value < kMaxValue ? std::max(value, kMinValue) : kMaxValue;
    ++counts_[(std::bit_cast<uint32_t>(clamped) >> kDroppedBits) - kFirstBin];
  }
  void add(const Histogram& other) {
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }
  // `fraction` is from 0 to 1. Returns 0 if the histogram is empty.
  double percentile(double fraction) const {
    uint64_t all = 0, below = 0;
    for (const uint64_t c : counts_) all += c;
    for (size_t i = 0; i < counts_.size(); ++i) {
      below += counts_[i];
      if (all > 0 && static_cast<double>(below) >= fraction * static_cast<double>(all)) return middle(i);
    }
    return 0;
  }

 private:
  static constexpr int kDroppedBits = 16;  // seven bits of the fraction remain
  static constexpr float kMinValue = 0x1p-24f, kMaxValue = 0x1p14f;
  static constexpr uint32_t kFirstBin = std::bit_cast<uint32_t>(kMinValue) >> kDroppedBits;
  static constexpr uint32_t kBins = (std::bit_cast<uint32_t>(kMaxValue) >> kDroppedBits) - kFirstBin + 1;

  static double middle(size_t bin) {
    const uint32_t low = (static_cast<uint32_t>(bin) + kFirstBin) << kDroppedBits;
    return bin == 0 ? 0 : static_cast<double>(std::bit_cast<float>(low + (1u << (kDroppedBits - 1))));
  }
  std::vector<uint64_t> counts_ = std::vector<uint64_t>(kBins);
};

}  // namespace billow::evaluate
