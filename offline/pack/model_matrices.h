// The matrices of a model in the layout of the garment file, and the quantisation error of each part in each number format.
#pragma once

#include <array>
#include <vector>

#include "learn/patch_model.h"
#include "pack/pack_matrix.h"

namespace billow::pack {

//   whole cloth  basis: values x (skinning, its mean, shape, its mean); networks: the layers, then the linear path,
//                skinning before shape
//   patches      basis: for each block of each tile eight vertices x (components, share, mean), divided by basis_scales;
//                networks: stacked, each padded to a multiple of eight rows: the layers, then the linear path
struct ModelMatrices {
  learn::Matrix basis;
  RowScales basis_rows = RowScales::kEach;
  std::vector<learn::Matrix> network;
  std::vector<std::string> network_name;  // of their sections
};
ModelMatrices matrices_of(const learn::Model& model);
ModelMatrices matrices_of(const learn::PatchModel& model);

// Largest magnitude of each column of each patch's basis, one row a patch.
learn::Matrix basis_scales(const learn::PatchModel& model);
// The same times the RMS length of the vectors that the columns are multiplied by: m a unit of rounding error.
learn::Matrix basis_weights(const learn::PatchModel& model);

// The quadratic form G with c^T G c = sum of the squared displacements of the vertices of `patches` by coefficients c.
learn::Matrix displacement_metric(const learn::PatchModel& model, std::span<const uint32_t> patches);

// A column of the basis or a matrix of the networks, stored in one format in all patches.
struct QuantisationUnit {
  double values = 0;
  std::array<double, kFormatCount> error{};  // of each format: mm squared, mean over vertices
  bool network = false;
};
// The basis' columns, then the networks' matrices.
std::vector<QuantisationUnit> quantisation_units(const learn::Model& model, const ModelMatrices& matrices);
std::vector<QuantisationUnit> quantisation_units(const learn::PatchModel& model,
                                                 const ModelMatrices& matrices);

// Random inputs with the mean and deviation of a network's training inputs.
learn::Matrix typical_inputs(const learn::Network& network, Eigen::Index frames);

}  // namespace billow::pack
