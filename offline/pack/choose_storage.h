// How coarsely each part of a model may be stored.
#pragma once

#include <vector>

#include "pack/garment_asset.h"
#include "pack/parts.h"

namespace billow::pack {

struct Choice {
  std::vector<Kind> basis;    // one a column
  std::vector<Kind> network;  // one a matrix
  StorageCost cost;
  std::vector<StorageCost> others;
};

// `parts`: the basis' columns first.
Choice choose_storage(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options);

}  // namespace billow::pack
