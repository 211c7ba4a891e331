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

// Mixed storage where both are rounded (pack/round_basis.h, pack/round_networks.h). `round_basis(kinds)` tells what that costs, mm squared: the
// basis may have half of the error, and is rounded last to what is chosen. `round_networks(most)` rounds them to stay under what is left.
Choice choose_around(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options,
                     const std::function<double(std::span<const Kind> kinds)>& round_basis,
                     const std::function<const RoundedNetworks&(double most)>& round_networks);

}  // namespace billow::pack
