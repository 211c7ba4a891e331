// Strain of a mesh over frames: |l / L - 1| over all edges, with L the length in the pattern. The first rows of the product's
// table (docs/evaluation.md) have the same measure.
#pragma once

#include <cmath>
#include <span>

#include "evaluate/histogram.h"
#include "evaluate/sted.h"

namespace billow::evaluate {

class StrainSum {
 public:
  // A frame: x, y and z of all vertices.
  void add(std::span<const Edge> edges, std::span<const float> positions) {
    for (const Edge& e : edges) {
      const float *a = &positions[3 * size_t{e.a}], *b = &positions[3 * size_t{e.b}];
      const float l = std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                (a[2] - b[2]) * (a[2] - b[2]));
      const float s = std::fabs(l / e.length - 1);
      sum_ += static_cast<double>(s);
      strains_.add(s);
    }
    count_ += static_cast<double>(edges.size());
  }
  void add(const StrainSum& other) {
    sum_ += other.sum_, count_ += other.count_;
    strains_.add(other.strains_);
  }
  // Percent; 0 without frames.
  double mean() const { return count_ > 0 ? 100 * sum_ / count_ : 0; }
  double p99() const { return 100 * strains_.percentile(0.99); }

 private:
  double sum_ = 0, count_ = 0;
  Histogram strains_;
};

}  // namespace billow::evaluate
