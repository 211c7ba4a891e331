#include "learn/patch_model.h"

#include <algorithm>
#include <cmath>

#include "decode/tile.h"

namespace billow::learn {
namespace {

using Eigen::Index;

using Points = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Directions = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::ColMajor>;

Eigen::Map<const Points> points(const float* x, Index count) { return {x, count, 3}; }

}  // namespace

Matrix PatchBasis::project(const Matrix& cloth) const {
  Matrix out(cloth.rows(), coefficients());
  for (Index f = 0; f < cloth.rows(); ++f)
    Eigen::Map<Directions>(out.row(f).data(), components(), 3).noalias() =
        modes * (points(cloth.row(f).data(), modes.cols()) - points(mean.data(), modes.cols()));
  return out;
}

Matrix PatchBasis::expand(const Matrix& coefficients) const {
  Matrix out(coefficients.rows(), mean.size());
  for (Index f = 0; f < out.rows(); ++f)
    Eigen::Map<Points>(out.row(f).data(), modes.cols(), 3).noalias() =
        modes.transpose() * Eigen::Map<const Directions>(coefficients.row(f).data(), components(), 3) +
        points(mean.data(), modes.cols());
  return out;
}

std::vector<V3> bone_positions(const PatchModel& model, const PatchInputs& inputs, Eigen::Index row) {
  std::vector<V3> positions(model.bone_rest);
  const float* d = inputs.bones.row(row).data();
  for (V3& p : positions) p += V3{d[0], d[1], d[2]}, d += 3;
  return positions;
}

std::vector<std::vector<uint32_t>> PatchModel::patches_of_networks() const {
  std::vector<std::vector<uint32_t>> out(networks.size());
  for (uint32_t p = 0; p < patches.size(); ++p) out[patches[p].network].push_back(p);
  return out;
}

std::vector<PatchFrame> PatchModel::patch_frames(const PatchInputs& inputs, Eigen::Index row) const {
  const std::vector<V3> bones = bone_positions(*this, inputs, row);
  std::vector<PatchFrame> frames;
  for (const Patch& patch : patches) frames.push_back(frame_of(patch, bones));
  return frames;
}

Matrix PatchModel::features(size_t patch, const PatchInputs& inputs) const {
  const size_t count = feature_count(patches[patch]);
  Matrix out(inputs.bones.rows(), static_cast<Eigen::Index>(count));
  for (Eigen::Index f = 0; f < out.rows(); ++f) {
    const std::vector<V3> bones = bone_positions(*this, inputs, f);
    const auto up = inputs.up.row(f);
    learn::features(patches[patch], frame_of(patches[patch], bones), bones, {up[0], up[1], up[2]},
                    {out.row(f).data(), count});
  }
  return out;
}

void PatchModel::expand(std::span<const PatchFrame> frames, const Matrix& coefficients,
                        std::span<V3> out) const {
  std::fill(out.begin(), out.end(), V3{0, 0, 0});
  for (size_t p = 0; p < patches.size(); ++p) {
    const Patch& patch = patches[p];
    const Matrix local = bases[p].expand(coefficients.row(static_cast<Eigen::Index>(p)));
    const float* at = local.data();
    for (size_t i = 0; i < patch.vertices.size(); ++i, at += 3)
      out[patch.vertices[i]] += frames[p].to_world(V3{at[0], at[1], at[2]}) * std::sqrt(patch.shares[i]) +
                                frames[p].origin * patch.shares[i];
  }
}

void PatchModel::expand(const PatchInputs& inputs, std::span<const Matrix> coefficients,
                        Eigen::Ref<Matrix> out) const {
  std::vector<std::vector<PatchFrame>> frames;
  for (Eigen::Index f = 0; f < out.rows(); ++f) {
    frames.push_back(patch_frames(inputs, f));
    for (size_t v = 0; v < rest.size(); ++v)
      out.row(f).segment<3>(3 * static_cast<Eigen::Index>(v)) << -rest[v].x, -rest[v].y, -rest[v].z;
  }
  // Expand patch by patch, so that a basis is read once for all frames.
  for (size_t p = 0; p < patches.size(); ++p) {
    const Patch& patch = patches[p];
    const Matrix local = bases[p].expand(coefficients[p]);
    std::vector<float> roots;
    for (const float share : patch.shares) roots.push_back(std::sqrt(share));
    for (Eigen::Index f = 0; f < out.rows(); ++f) {
      const PatchFrame& frame = frames[static_cast<size_t>(f)][p];
      const float* at = local.row(f).data();
      float* row = out.row(f).data();
      for (size_t i = 0; i < patch.vertices.size(); ++i, at += 3) {
        const V3 d = frame.to_world(V3{at[0], at[1], at[2]}) * roots[i] + frame.origin * patch.shares[i];
        float* to = row + 3 * size_t{patch.vertices[i]};
        to[0] += d.x, to[1] += d.y, to[2] += d.z;
      }
    }
  }
}

Matrix PatchModel::weighted_basis(size_t patch) const {
  const PatchBasis& b = bases[patch];
  Matrix out(b.modes.cols(), b.components() + Eigen::Index{kRigidColumns});
  for (Eigen::Index v = 0; v < out.rows(); ++v) {
    const float share = patches[patch].shares[static_cast<size_t>(v)], root = std::sqrt(share);
    out.row(v) << b.modes.col(v).transpose() * root, share, b.mean.segment<3>(3 * v).transpose() * root;
  }
  return out;
}

void PatchModel::operator()(const PatchInputs& inputs, bool with_shape, Eigen::Ref<Matrix> out) const {
  std::vector<Matrix> coefficients;  // one matrix a patch, one row a frame
  for (size_t p = 0; p < patches.size(); ++p) {
    Network network = network_of(p);
    if (!with_shape) network.layers.clear();
    coefficients.push_back(network(features(p, inputs)));
  }
  expand(inputs, coefficients, out);
}

}  // namespace billow::learn
