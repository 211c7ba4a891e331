// Mixed precision: chooses the number format of each basis column and weight matrix.
#pragma once

#include <functional>
#include <vector>

#include "pack/garment_asset.h"
#include "pack/model_matrices.h"
#include "pack/quantise_networks.h"

namespace billow::pack {

struct PrecisionChoice {
  std::vector<Format> basis;    // one a column
  std::vector<Format> network;  // one a matrix; empty where GPTQ chooses them a column
  QuantisationCost cost;
  std::vector<QuantisationCost> others;
};

// Round-to-nearest. `units`: the basis' columns first.
PrecisionChoice choose_precision(const std::vector<QuantisationUnit>& units, size_t basis_columns,
                                 const PackOptions& options);

// Mixed precision with GPTQ (pack/quantise_basis.h, pack/quantise_networks.h). `quantise_basis(formats)` returns the error, mm
// squared; the basis may take half of the error budget, and the last call has the chosen formats.
// `quantise_networks(max_error)` quantises them within the rest of the budget.
PrecisionChoice choose_gptq_precision(
    const std::vector<QuantisationUnit>& units, size_t basis_columns, const PackOptions& options,
    const std::function<double(std::span<const Format> formats)>& quantise_basis,
    const std::function<const QuantisedNetworks&(double max_error)>& quantise_networks);

}  // namespace billow::pack
