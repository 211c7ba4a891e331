#pragma once

#include <cmath>

#include "learn/patch_fit.h"
#include "support/random.h"

namespace billow::pack {

// Bones that swing in a common wave, as those of a cloth do.
inline learn::PatchInputs swings(const learn::PatchModel& model, Eigen::Index count, uint32_t seed) {
  testing::Random random(seed);
  learn::PatchInputs frames{learn::Matrix(count, 3 * static_cast<Eigen::Index>(model.bone_rest.size())),
                            learn::Matrix(count, 3)};
  for (Eigen::Index f = 0; f < count; ++f) {
    const double size = random.uniform(0, 0.1), phase = random.uniform(0, 6), wave = random.uniform(1, 3);
    for (size_t b = 0; b < model.bone_rest.size(); ++b) {
      const V3 at = model.bone_rest[b];
      const double angle = phase + wave * static_cast<double>(at.x + at.y);
      frames.bones.row(f).segment<3>(3 * static_cast<Eigen::Index>(b))
          << static_cast<float>(size * std::sin(angle)),
          static_cast<float>(0.3 * size * std::sin(2 * angle)), static_cast<float>(size * std::cos(angle));
    }
    frames.up.row(f) << 0, 1, 0;
  }
  return frames;
}

}  // namespace billow::pack
