#include "research/comparison/predictor.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "learn/patch_fit.h"
#include "parallel.h"

namespace billow::research {
namespace {

using Eigen::Index;

Matrix rows_of(const Matrix& all, std::span<const uint32_t> which) {
  Matrix rows(static_cast<Index>(which.size()), all.cols());
  for (size_t i = 0; i < which.size(); ++i) rows.row(static_cast<Index>(i)) = all.row(which[i]);
  return rows;
}

void fill_with_cloth(const Frames& frames, std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
  for (size_t i = 0; i < which.size(); ++i)
    frames.cloth(which[i], {out.row(static_cast<Index>(i)).data(), static_cast<size_t>(out.cols())});
}

// For each row of `queries`, the nearest row of `known`.
std::vector<Index> nearest_rows(const Matrix& known, const Matrix& queries) {
  constexpr Index kBlock = 256;
  const learn::Vector squares = known.rowwise().squaredNorm();
  std::vector<Index> nearest(static_cast<size_t>(queries.rows()));
  for_each_in_parallel(static_cast<size_t>((queries.rows() + kBlock - 1) / kBlock), [&](size_t b) {
    const Index first = static_cast<Index>(b) * kBlock, count = std::min(kBlock, queries.rows() - first);
    // |q - k|^2 - |q|^2; the last term is the same for all k.
    Matrix distance = -2 * (queries.middleRows(first, count) * known.transpose());
    distance.rowwise() += squares.transpose();
    for (Index i = 0; i < count; ++i) distance.row(i).minCoeff(&nearest[static_cast<size_t>(first + i)]);
  });
  return nearest;
}

}  // namespace

Predictor truth(const Frames& frames) {
  return {"truth", [&frames](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            fill_with_cloth(frames, which, out);
          }};
}

Predictor network(std::string name, const learn::Stage& stage, const BoneSource& source) {
  // Compute the coefficients of all frames now; expand them on demand.
  return {std::move(name), [&basis = stage.basis, c = stage.network(source.bones)](
                               std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            out = basis.expand(rows_of(c, which));
          }};
}

namespace {

Predictor whole_cloth_model(std::string name, const learn::Model& model, const BoneSource& source,
                            bool with_shape) {
  Predictor skinning = network(name, model.skinning, source);
  if (!with_shape || model.shape.basis.components() == 0) return skinning;
  return {std::move(name),
          [skin = std::move(skinning.predict), shape = network("", model.shape, source).predict](
              std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            Matrix detail(out.rows(), out.cols());
            skin(which, out);
            shape(which, detail);
            out += detail;
          }};
}

learn::PatchInputs patch_inputs(const Frames& frames, Matrix bones, std::span<const uint32_t> which) {
  return {std::move(bones), learn::up_directions(frames, {which.begin(), which.end()})};
}

// The weighted local positions of a patch's vertices, as its basis represents them: one row per frame.
Matrix to_patch_space(const learn::PatchModel& model, size_t p, const learn::PatchInputs& inputs,
                      Eigen::Ref<const Matrix> cloth) {
  const learn::Patch& patch = model.patches[p];
  Matrix local(cloth.rows(), 3 * static_cast<Index>(patch.vertices.size()));
  for (Index f = 0; f < cloth.rows(); ++f) {
    const learn::PatchFrame frame = learn::frame_of(patch, learn::bone_positions(model, inputs, f));
    for (size_t i = 0; i < patch.vertices.size(); ++i) {
      const uint32_t v = patch.vertices[i];
      const float* d = cloth.row(f).data() + 3 * size_t{v};
      const V3 x =
          frame.to_local(model.rest[v] + V3{d[0], d[1], d[2]} - frame.origin) * std::sqrt(patch.shares[i]);
      local.row(f).segment<3>(3 * static_cast<Index>(i)) << x.x, x.y, x.z;
    }
  }
  return local;
}

// The inputs of all patches in all frames would not fit in memory: computes them on demand.
Predictor patch_model(std::string name, const Frames& frames, const learn::PatchModel& model,
                      const BoneSource& source, bool with_shape) {
  return {std::move(name),
          [&frames, &model, &source, with_shape](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            model(patch_inputs(frames, rows_of(source.bones, which), which), with_shape, out);
          }};
}

}  // namespace

Predictor networks(std::string name, const Frames& frames, const learn::ClothModel& model,
                   const BoneSource& source, bool with_shape) {
  if (const auto* patches = std::get_if<learn::PatchModel>(&model))
    return patch_model(std::move(name), frames, *patches, source, with_shape);
  return whole_cloth_model(std::move(name), std::get<learn::Model>(model), source, with_shape);
}

Predictor projection(std::string name, const Frames& frames, const learn::Basis& basis) {
  return {std::move(name), [&frames, &basis](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            fill_with_cloth(frames, which, out);
            out = basis.expand(basis.project(out));
          }};
}

Predictor patch_projection(std::string name, const Frames& frames, const learn::PatchModel& model) {
  return {std::move(name), [&frames, &model](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            const learn::PatchInputs inputs = patch_inputs(
                frames, learn::bone_matrix(frames, {which.begin(), which.end()}, learn::Source::kEmbedded),
                which);
            fill_with_cloth(frames, which, out);
            std::vector<Matrix> coefficients;
            for (size_t p = 0; p < model.patches.size(); ++p)
              coefficients.push_back(model.bases[p].project(to_patch_space(model, p, inputs, out)));
            model.expand(inputs, coefficients, out);
          }};
}

Predictor nearest_frame(std::string name, const Frames& frames, const BoneSource& source) {
  const std::vector<uint32_t> train = frames.of(dataset::Part::kTrain);
  if (train.empty()) throw std::invalid_argument("nearest frame: expected training frames, found none");
  const auto rows = nearest_rows(learn::bone_matrix(frames, train, learn::Source::kEmbedded), source.bones);
  std::vector<uint32_t> nearest;
  for (const Index r : rows) nearest.push_back(train[static_cast<size_t>(r)]);
  return {std::move(name), [&frames, nearest](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            std::vector<uint32_t> matches;
            for (const uint32_t f : which) matches.push_back(nearest[f]);
            fill_with_cloth(frames, matches, out);
          }};
}

}  // namespace billow::research
