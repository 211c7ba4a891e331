// How coarsely each part of a model may be stored.
#pragma once

#include <functional>
#include <vector>

#include "pack/garment_asset.h"
#include "pack/parts.h"
#include "pack/round_networks.h"

namespace billow::pack {

struct Choice {
  std::vector<Kind> basis;    // one a column
  std::vector<Kind> network;  // one a matrix; none where they are rounded
  StorageCost cost;
  std::vector<StorageCost> others;
};

// `parts`: the basis' columns first.
Choice choose_storage(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options);

// Mixed storage where networks are rounded (pack/round_networks.h): the basis may have half of the error, and
// `round(most)` rounds the networks to stay under what is left, mm squared.
Choice choose_around(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options,
                     const std::function<const RoundedNetworks&(double most)>& round);

}  // namespace billow::pack
