#include "learn/blend_weights.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "garment/ssdr_solve.h"
#include "parallel.h"

namespace billow::learn {

BoneMotion::BoneMotion(const garment::Garment& garment) : rest_(garment.bones.size()) {
  garment::bone_positions(garment, garment.rest, rest_);
  std::vector<uint32_t> sizes, bones;
  for (const auto& chain : garment.chains) {
    sizes.push_back(static_cast<uint32_t>(chain.size()));
    bones.insert(bones.end(), chain.begin(), chain.end());
  }
  const BoneChains chains{sizes, bones, garment.closed};
  axes_.resize(bones.size());
  find_bone_axes(chains, axes_.data());
  followers_.resize(rest_.size());
  followers_.resize(find_bone_followers(chains, rest_, followers_.data()));
}

std::vector<Transform> BoneMotion::from(std::span<const float> displacements) const {
  std::vector<V3> positions(rest_);
  for (size_t b = 0; b < positions.size(); ++b)
    positions[b] += V3{displacements[3 * b], displacements[3 * b + 1], displacements[3 * b + 2]};
  std::vector<Transform> out(rest_.size());
  find_bone_motions(axes_, followers_, rest_, positions.data(), out.data());
  return out;
}

namespace {

using Eigen::Index;

constexpr size_t kVerticesPerTask = 64;

// Up to `count` evenly spaced elements.
std::vector<uint32_t> evenly_spaced(const std::vector<uint32_t>& all, size_t count) {
  if (all.size() <= count) return all;
  std::vector<uint32_t> some;
  for (size_t k = 0; k < count; ++k) some.push_back(all[(2 * k + 1) * all.size() / (2 * count)]);
  return some;
}

// The bones nearest to a point at rest, the nearest first.
std::vector<uint32_t> nearest_bones(std::span<const V3> bones, V3 point, size_t count) {
  std::vector<uint32_t> order(bones.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  const auto distance = [&](uint32_t b) { return dot(bones[b] - point, bones[b] - point); };
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](uint32_t a, uint32_t b) { return distance(a) != distance(b) ? distance(a) < distance(b) : a < b; });
  order.resize(count);
  return order;
}

Eigen::VectorXd solve_weights(const Eigen::MatrixXd& products, const std::vector<Index>& subset) {
  return garment::nearest_in_hull(products(subset, subset));
}

}  // namespace

std::vector<BlendWeights> fit_weights(const Frames& frames, const BoneMotion& motion,
                                      const WeightOptions& options) {
  const std::vector<uint32_t> which = evenly_spaced(frames.of(dataset::Part::kTrain), options.frames);
  if (which.empty()) throw std::invalid_argument("skinning weights: expected training frames, found none");
  const Matrix bones = bone_matrix(frames, which, Source::kEmbedded);
  std::vector<std::vector<Transform>> motions(which.size());
  Matrix cloth(static_cast<Index>(which.size()), static_cast<Index>(frames.cloth_values()));
  for_each_in_parallel(
      which.size(),
      [&](size_t i) {
        const auto row = static_cast<Index>(i);
        motions[i] = motion.from({bones.row(row).data(), frames.bone_values()});
        frames.cloth(which[i], {cloth.row(row).data(), frames.cloth_values()});
      },
      options.threads);

  const std::span<const V3> rest = frames.rest();
  std::vector<BlendWeights> out(rest.size());
  const auto fit = [&](size_t v) {
    // Compute the error of each candidate bone alone, in all frames.
    const std::vector<uint32_t> near = nearest_bones(motion.rest(), rest[v], options.candidates);
    Eigen::MatrixXf errors(3 * static_cast<Index>(which.size()), static_cast<Index>(near.size()));
    for (size_t i = 0; i < which.size(); ++i) {
      const float* d = &cloth(static_cast<Index>(i), 3 * static_cast<Index>(v));
      const V3 target = rest[v] + V3{d[0], d[1], d[2]};
      for (size_t k = 0; k < near.size(); ++k) {
        const V3 e = apply(motions[i][near[k]], rest[v]) - target;
        errors.block<3, 1>(3 * static_cast<Index>(i), static_cast<Index>(k)) = Eigen::Vector3f(e.x, e.y, e.z);
      }
    }
    const Eigen::MatrixXd products = (errors.transpose() * errors).cast<double>();
    // Solve for all candidates, then again for those with the largest weights.
    std::vector<Index> all(near.size());
    std::iota(all.begin(), all.end(), 0);
    const Eigen::VectorXd first = solve_weights(products, all);
    std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) { return first[a] > first[b]; });
    all.resize(std::min(all.size(), kBonesPerVertex));
    const Eigen::VectorXd w = solve_weights(products, all);
    out[v].weights = {};
    for (size_t k = 0; k < all.size(); ++k) {
      out[v].bones[k] = near[static_cast<size_t>(all[k])];
      out[v].weights[k] = static_cast<float>(w[static_cast<Index>(k)]);
    }
  };
  for_each_in_parallel((rest.size() + kVerticesPerTask - 1) / kVerticesPerTask,
                       [&](size_t b) {
                         for (size_t v = b * kVerticesPerTask;
                              v < std::min(rest.size(), (b + 1) * kVerticesPerTask); ++v)
                           fit(v);
                       },
                       options.threads);
  return out;
}

std::vector<V3> linear_blend(std::span<const BlendWeights> skin, std::span<const Transform> motions,
                             std::span<const V3> rest) {
  std::vector<BlendMatrix> matrices;
  for (const Transform& m : motions) matrices.push_back(blend_matrix(m));
  std::vector<V3> out;
  for (size_t v = 0; v < rest.size(); ++v) {
    const F4 p = blended(matrices.data(), skin[v].bones.data(), skin[v].weights.data(), 1, &rest[v].x);
    out.push_back({lane(p, 0), lane(p, 1), lane(p, 2)});
  }
  return out;
}

}  // namespace billow::learn
