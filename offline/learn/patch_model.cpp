#include "learn/patch_model.h"

#include <algorithm>
#include <cmath>

namespace billow::learn {

std::vector<V3> bone_places(const PatchModel& model, const PatchInputs& inputs, Eigen::Index row) {
  std::vector<V3> places(model.bone_rest);
  const float* d = inputs.bones.row(row).data();
  for (V3& p : places) p += V3{d[0], d[1], d[2]}, d += 3;
  return places;
}

std::vector<PatchFrame> PatchModel::turned(const PatchInputs& inputs, Eigen::Index row) const {
  const std::vector<V3> bones = bone_places(*this, inputs, row);
  std::vector<PatchFrame> frames;
  for (const Patch& patch : patches) frames.push_back(frame_of(patch, bones));
  return frames;
}

Matrix PatchModel::seen(size_t patch, const PatchInputs& inputs) const {
  const size_t count = feature_count(patches[patch]);
  Matrix out(inputs.bones.rows(), static_cast<Eigen::Index>(count));
  for (Eigen::Index f = 0; f < out.rows(); ++f) {
    const std::vector<V3> bones = bone_places(*this, inputs, f);
    const auto up = inputs.up.row(f);
    features(patches[patch], frame_of(patches[patch], bones), bones, {up[0], up[1], up[2]},
             {out.row(f).data(), count});
  }
  return out;
}

void PatchModel::expand(std::span<const PatchFrame> frames, const Matrix& coefficients,
                        std::span<V3> out) const {
  std::fill(out.begin(), out.end(), V3{0, 0, 0});
  for (size_t p = 0; p < patches.size(); ++p) {
    const Patch& patch = patches[p];
    const Basis& basis = stages[p].basis;
    const Vector local =
        basis.mean +
        (coefficients.row(static_cast<Eigen::Index>(p)).head(basis.components()) * basis.modes).transpose();
    const float* at = local.data();
    for (size_t i = 0; i < patch.vertices.size(); ++i, at += 3)
      out[patch.vertices[i]] += frames[p].turned(V3{at[0], at[1], at[2]}) * std::sqrt(patch.shares[i]) +
                                frames[p].origin * patch.shares[i];
  }
}

void PatchModel::operator()(const PatchInputs& inputs, bool with_shape, Eigen::Ref<Matrix> out) const {
  std::vector<Matrix> coefficients;  // of each patch, a row a frame
  Eigen::Index most = 0;
  for (size_t p = 0; p < patches.size(); ++p) {
    Network network = stages[p].network;
    if (!with_shape) network.layers.clear();
    coefficients.push_back(network(seen(p, inputs)));
    most = std::max(most, coefficients.back().cols());
  }
  Matrix of_frame = Matrix::Zero(static_cast<Eigen::Index>(patches.size()), most);
  std::vector<V3> places(rest.size());
  for (Eigen::Index f = 0; f < out.rows(); ++f) {
    for (size_t p = 0; p < patches.size(); ++p)
      of_frame.row(static_cast<Eigen::Index>(p)).head(coefficients[p].cols()) = coefficients[p].row(f);
    expand(turned(inputs, f), of_frame, places);
    float* d = out.row(f).data();
    for (size_t v = 0; v < rest.size(); ++v, d += 3) {
      const V3 moved = places[v] - rest[v];
      d[0] = moved.x, d[1] = moved.y, d[2] = moved.z;
    }
  }
}

}  // namespace billow::learn
