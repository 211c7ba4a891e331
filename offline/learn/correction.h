// Rope bones with what they are found to be off added to them, as the runtime does it in each frame.
#pragma once

#include "learn/model.h"

namespace billow::learn {

// Learnt from motions that people make: on others it may not go far.
inline constexpr float kMaxCorrection = 0.3f;  // m a bone

// A row a frame, three numbers a bone. `correction` without layers and linear path: as they are.
inline Matrix corrected(const Network& correction, const Matrix& ropes) {
  if (correction.layers.empty() && correction.linear.size() == 0) return ropes;
  Matrix by = correction(ropes);
  for (Eigen::Index f = 0; f < by.rows(); ++f)
    for (Eigen::Index b = 0; b < by.cols(); b += 3) {
      auto d = by.row(f).segment<3>(b);
      if (const float far = d.norm(); far > kMaxCorrection) d *= kMaxCorrection / far;
    }
  return ropes + by;
}

}  // namespace billow::learn
