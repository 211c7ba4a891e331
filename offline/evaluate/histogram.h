// Percentiles of more numbers than one would keep: counts of numbers that agree in their leading bits, so that a
// percentile is right to half a percent of itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace billow::evaluate {

class Histogram {
 public:
  // Not negative. Numbers below the least that is told apart count as it, those above the greatest (and what is no
  // number) as that.
  void add(float value) {
    const float told_apart = value < kGreatest ? std::max(value, kLeast) : kGreatest;
    ++counts_[(std::bit_cast<uint32_t>(told_apart) >> kDropped) - kFirst];
  }
  void add(const Histogram& other) {
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }
  // A number that a share of all are no larger than; 0 if there are none.
  double percentile(double share) const {
    uint64_t all = 0, below = 0;
    for (const uint64_t c : counts_) all += c;
    for (size_t i = 0; i < counts_.size(); ++i) {
      below += counts_[i];
      if (all > 0 && static_cast<double>(below) >= share * static_cast<double>(all)) return middle(i);
    }
    return 0;
  }

 private:
  static constexpr int kDropped = 16;  // bits: seven of the fraction stay
  static constexpr float kLeast = 0x1p-24f, kGreatest = 0x1p14f;
  static constexpr uint32_t kFirst = std::bit_cast<uint32_t>(kLeast) >> kDropped;
  static constexpr uint32_t kBins = (std::bit_cast<uint32_t>(kGreatest) >> kDropped) - kFirst + 1;

  static double middle(size_t bin) {
    const uint32_t low = (static_cast<uint32_t>(bin) + kFirst) << kDropped;
    return bin == 0 ? 0 : static_cast<double>(std::bit_cast<float>(low + (1u << (kDropped - 1))));
  }
  std::vector<uint64_t> counts_ = std::vector<uint64_t>(kBins);
};

}  // namespace billow::evaluate
