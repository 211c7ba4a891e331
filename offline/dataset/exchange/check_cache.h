// Whether a cache is the cloth of a garment on a moving character.
#pragma once

#include <span>
#include <string>

#include "cache/cache.h"
#include "character/clothed_character.h"
#include "garment/garment.h"

namespace billow::dataset {

// The same vertices, and the same triangles where the cache has any; quads may be cut along the other diagonal. Throws
// std::runtime_error.
void expect_same_cloth(const garment::Garment& garment, const cache::Info& info, const std::string& file);

// Follows the seam while the body moves.
class SeamCheck {
 public:
  SeamCheck(const garment::Garment& garment, const body::Skeleton& skeleton);
  // How far attached vertices are from where the body takes them, on average. m
  float gap(std::span<const V3> cloth, std::span<const Transform> joints);
  // Farther than this, cloth and motion do not belong together. m
  float most() const { return most_; }

 private:
  const garment::Garment& garment_;
  std::vector<Transform> rest_inverse_, moved_;
  std::vector<V3> attachment_points_;
  float most_ = 0;
};

}  // namespace billow::dataset
