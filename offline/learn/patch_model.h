// The patch model: each patch has a small basis of its cloth in its local frame, and a network from its input bones to the
// coefficients. The linear path of the network is the skinning, its layers are the shape.
#pragma once

#include <variant>

#include "learn/model.h"
#include "learn/patches.h"

namespace billow::learn {

// PCA basis of a patch. A component is one value a vertex and its coefficient is a 3D vector: a third of the values of a basis
// with x, y and z a vertex, and rotating a patch rotates its coefficients, not its vertices.
struct PatchBasis {
  Vector mean;       // x y z of each vertex
  Matrix modes;      // components x vertices, orthonormal; components in excess of the vertices are 0
  Vector deviation;  // standard deviation of each coefficient over the fitted frames

  Eigen::Index components() const { return modes.rows(); }
  // Layout: x of all components, then y, then z.
  Eigen::Index coefficients() const { return 3 * modes.rows(); }
  // x y z of each vertex to coefficients and back, one frame a row.
  Matrix project(const Matrix& cloth) const;
  Matrix expand(const Matrix& coefficients) const;
};

// One row a frame.
struct PatchInputs {
  Matrix bones;  // displacements from rest, as learn::Frames returns them
  Matrix up;     // up direction in rest space: three values
};

struct PatchModel {
  std::vector<Patch> patches;
  // One a patch: its vertices in its local frame, times the square root of their shares.
  std::vector<PatchBasis> bases;
  std::vector<Network> networks;  // to coefficients, all of the same sizes
  std::vector<V3> bone_rest, rest;

  bool empty() const { return patches.empty(); }
  Eigen::Index components() const { return bases[0].components(); }
  const Network& network_of(size_t patch) const { return networks[patches[patch].network]; }
  // The patches of each network: one, or one followed by its mirror image.
  std::vector<std::vector<uint32_t>> patches_of_networks() const;
  // Displacements of the cloth from rest.
  void operator()(const PatchInputs& inputs, bool with_shape, Eigen::Ref<Matrix> out) const;

  // Parts of the forward pass. Local frames of all patches in one frame:
  std::vector<PatchFrame> patch_frames(const PatchInputs& inputs, Eigen::Index row) const;
  // network inputs of a patch, one row a frame:
  Matrix features(size_t patch, const PatchInputs& inputs) const;
  // coefficients (one row a patch) to vertex positions:
  void expand(std::span<const PatchFrame> frames, const Matrix& coefficients, std::span<V3> out) const;
  // and the same for many frames: coefficients of each patch, one row a frame, to displacements.
  void expand(const PatchInputs& inputs, std::span<const Matrix> coefficients, Eigen::Ref<Matrix> out) const;

  // The basis of a patch as the decoder takes it, one row a vertex: components, share, and mean (x y z), all scaled by the
  // vertex' share. Multiplied by the coefficients as directions in rest space, the frame's origin and the frame's axes, and
  // summed over the patches, it yields the cloth.
  Matrix weighted_basis(size_t patch) const;
};

// Positions of all bones in one frame.
std::vector<V3> bone_positions(const PatchModel& model, const PatchInputs& inputs, Eigen::Index row);

// What is trained for a garment: the patch model, or the paper's whole-cloth model.
using ClothModel = std::variant<PatchModel, Model>;

}  // namespace billow::learn
