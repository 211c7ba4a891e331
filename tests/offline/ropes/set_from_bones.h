// Small data sets whose reference is made of given bones, such as those of rope chains.
#pragma once

#include "learn/model.h"
#include "offline/evaluate/small_set.h"

namespace billow::testing {

// A data set whose cloth has the given displacements at the bones, one row a frame.
inline SmallSet set_from_bones(const SmallSet& like, const learn::Matrix& bones,
                               const std::vector<std::string>& splits) {
  std::vector<V3> rest(like.garment().bones.size());
  garment::bone_positions(like.garment(), like.garment().rest, rest);
  return SmallSet(splits, [rest, bones, &splits](V3 p, size_t clip, size_t frame) {
    size_t row = frame;
    for (size_t c = 0; c < clip; ++c) row += splits[c].size();
    for (size_t b = 0; b < rest.size(); ++b) {
      if (!(length(rest[b] - p) < 1e-6f)) continue;
      const float* d = bones.row(static_cast<Eigen::Index>(row)).data() + 3 * b;
      return p + V3{d[0], d[1], d[2]};
    }
    return p;
  });
}

}  // namespace billow::testing
