// How coarsely each part of a model may be stored.
#pragma once

#include <vector>

#include "pack/garment_asset.h"
#include "pack/pack_matrix.h"

namespace billow::pack {

// All that is stored as matrices. Basis: values x (skinning, its mean, shape, its mean).
struct Matrices {
  learn::Matrix basis;
  std::vector<float> weight;  // of each column of the basis: its coefficient's deviation, 1 for means
  // The networks' layers, then their linear path, skinning before shape.
  std::vector<const learn::Matrix*> network;
  std::vector<std::string> network_name;  // of their sections
};
Matrices matrices_of(const learn::Model& model);

struct Choice {
  std::vector<Kind> basis;    // one a column
  std::vector<Kind> network;  // one a matrix
  StorageCost cost;
  std::vector<StorageCost> others;
};
Choice choose_storage(const learn::Model& model, const Matrices& matrices, const PackOptions& options);

}  // namespace billow::pack
