// What a model is made of, as the garment file stores it, and what each part costs in each kind of storage.
#pragma once

#include <array>
#include <vector>

#include "learn/cloth_model.h"
#include "pack/pack_matrix.h"

namespace billow::pack {

// All that is stored as matrices.
//   whole cloth  basis: values x (skinning, its mean, shape, its mean); networks: the layers, then the linear path,
//                skinning before shape
//   patches      basis: for each block of each tile eight vertices x (components, share, mean), by basis_scales;
//                networks, one after another, each filled up to panels: the layers, then the linear path
struct Matrices {
  learn::Matrix basis;
  RowScales basis_rows = RowScales::kEach;
  std::vector<learn::Matrix> network;
  std::vector<std::string> network_name;  // of their sections
};
Matrices matrices_of(const learn::Model& model);
Matrices matrices_of(const learn::PatchModel& model);

// How large each column of each patch's basis is, a row a patch.
learn::Matrix basis_scales(const learn::PatchModel& model);
// The same times the length of the directions that they are multiplied by, RMS: what a rounding of 1 is off by, m.
learn::Matrix basis_weights(const learn::PatchModel& model);

// From coefficients of patches to squares of what their vertices are displaced by, shares and all: c squares c.
learn::Matrix displacement_squares(const learn::PatchModel& model, std::span<const uint32_t> patches);

// Something that is stored in one kind, alike in all patches: the error that each kind costs.
struct Part {
  double numbers = 0;
  std::array<double, kKinds> error{};  // mm squared, mean over vertices
  bool network = false;
};
// The basis' columns, then the networks' matrices.
std::vector<Part> parts_of(const learn::Model& model, const Matrices& matrices);
std::vector<Part> parts_of(const learn::PatchModel& model, const Matrices& matrices);

// Inputs that are spread as those a network was trained on.
learn::Matrix typical_inputs(const learn::Network& network, Eigen::Index frames);

}  // namespace billow::pack
