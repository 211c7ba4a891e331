// How coarsely each part of a model may be stored.
#pragma once

#include <functional>
#include <vector>

#include "pack/garment_asset.h"
#include "pack/parts.h"
#include "pack/quantise_networks.h"

namespace billow::pack {

struct Choice {
  std::vector<Kind> basis;    // one a column
  std::vector<Kind> network;  // one a matrix; none where they are rounded
  StorageCost cost;
  std::vector<StorageCost> others;
};

// `parts`: the basis' columns first.
Choice choose_storage(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options);

// Mixed storage where both are rounded (pack/quantise_basis.h, pack/quantise_networks.h). `quantise_basis(kinds)` tells what that costs, mm squared: the
// basis may have half of the error, and is rounded last to what is chosen. `quantise_networks(most)` rounds them to stay under what is left.
Choice choose_around(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options,
                     const std::function<double(std::span<const Kind> kinds)>& quantise_basis,
                     const std::function<const RoundedNetworks&(double most)>& quantise_networks);

}  // namespace billow::pack
