// Words that pages and tables share.
#pragma once

#include <algorithm>

#include "evaluate/report.h"

namespace billow::evaluate {

// A key as it is read: patch_floor is "patch floor".
inline std::string spoken(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

// What the cloth is made of.
inline std::string components_of(const Report& r) {
  if (r.patches > 0)
    return std::to_string(r.patches) + " patches of " + std::to_string(r.patch_components) + " components";
  return std::to_string(r.skinning_components) + " + " + std::to_string(r.shape_components) + " components";
}

}  // namespace billow::evaluate
