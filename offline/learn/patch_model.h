// Skinning and shape by patches: beside each bone a small basis of how the cloth lies around it, and a network from the
// bones it sees to the coefficients. The linear half of the network is the skinning, its layers are the shape.
#pragma once

#include "learn/patch_basis.h"
#include "learn/patches.h"

namespace billow::learn {

// A row for each of some frames.
struct PatchInputs {
  Matrix bones;  // displacements from rest, as learn::Frames gives them
  Matrix up;     // which way is up in the rest's space: three values
};

struct PatchModel {
  std::vector<Patch> patches;
  std::vector<PatchBasis>
      bases;  // one a patch: of its vertices in its frame, times the roots of their shares
  std::vector<Network> networks;  // to coefficients, all of the same sizes
  std::vector<V3> bone_rest, rest;

  bool empty() const { return patches.empty(); }
  Eigen::Index components() const { return bases[0].components(); }
  const Network& network_of(size_t patch) const { return networks[patches[patch].network]; }
  // Who has each network: one patch, or one and behind it its mirror image.
  std::vector<std::vector<uint32_t>> patches_of_networks() const;
  // Displacements of the cloth from rest.
  void operator()(const PatchInputs& inputs, bool with_shape, Eigen::Ref<Matrix> out) const;

  // The same in steps. How patches are turned in one frame, one after another:
  std::vector<PatchFrame> turned(const PatchInputs& inputs, Eigen::Index row) const;
  // where they see bones, a row a frame:
  Matrix features(size_t patch, const PatchInputs& inputs) const;
  // and from coefficients, a row a patch, to places of the vertices.
  void expand(std::span<const PatchFrame> turned, const Matrix& coefficients, std::span<V3> out) const;
  // The last for many frames at once: coefficients of each patch, a row a frame, to displacements.
  void expand(const PatchInputs& inputs, std::span<const Matrix> coefficients, Eigen::Ref<Matrix> out) const;

  // The cloth is the sum of these over its patches: for each vertex of one what its components count for there, its share, and its mean, all
  // with their share; times the coefficients and the frame as directions in the cloth's space, the share times the origin.
  Matrix shared_basis(size_t patch) const;
};

// Places of all bones in one frame.
std::vector<V3> bone_places(const PatchModel& model, const PatchInputs& inputs, Eigen::Index row);

}  // namespace billow::learn
