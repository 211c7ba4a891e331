#include "evaluate/skinning.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "garment/ssdr_solve.h"
#include "learn/rows.h"
#include "parallel.h"

namespace billow::evaluate {
namespace {

using Eigen::Index;

constexpr size_t kBlock = 64;  // vertices, one piece of work

std::vector<uint32_t> spread(const std::vector<uint32_t>& all, size_t count) {
  if (all.size() <= count) return all;
  std::vector<uint32_t> some;
  for (size_t k = 0; k < count; ++k) some.push_back(all[(2 * k + 1) * all.size() / (2 * count)]);
  return some;
}

// The bones that are nearest at rest.
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

Eigen::VectorXd weights_among(const Eigen::MatrixXd& products, const std::vector<Index>& some) {
  return garment::nearest_in_hull(products(some, some));
}

V3 by_dual_quaternions(const BlendWeights& skin, std::span<const Transform> motions, V3 rest) {
  // Sums of the real parts, and of the dual ones: half the translation times the rotation. q and -q turn alike: take the
  // one that is on the side of the first.
  Quat real{0, 0, 0, 0}, dual{0, 0, 0, 0};
  const Quat& first = motions[skin.bones[0]].rotation;
  for (size_t k = 0; k < kBonesPerVertex; ++k) {
    if (!(skin.weights[k] > 0)) continue;
    const Transform& m = motions[skin.bones[k]];
    const float w = dot(m.rotation, first) < 0 ? -skin.weights[k] : skin.weights[k];
    const Quat t = Quat{m.position.x, m.position.y, m.position.z, 0} * m.rotation;
    real = {real.x + w * m.rotation.x, real.y + w * m.rotation.y, real.z + w * m.rotation.z,
            real.w + w * m.rotation.w};
    dual = {dual.x + w * t.x / 2, dual.y + w * t.y / 2, dual.z + w * t.z / 2, dual.w + w * t.w / 2};
  }
  // Back to a rotation and a translation.
  const float size = std::max(dot(real, real), 1e-12f);
  const Quat t = dual * conjugate(real);
  return rotate(normalized(real), rest) + V3{t.x, t.y, t.z} * (2 / size);
}

}  // namespace

std::vector<BlendWeights> fit_weights(const Frames& frames, const BoneMotion& motion,
                                      const WeightOptions& options) {
  const std::vector<uint32_t> which = spread(frames.of(dataset::Part::kTrain), options.frames);
  if (which.empty()) throw std::invalid_argument("skinning weights: expected training frames, found none");
  const Matrix bones = learn::bone_matrix(frames, which, learn::Source::kEmbedded);
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
    // What each candidate alone is off, in all frames.
    const std::vector<uint32_t> near = nearest_bones(motion.rest(), rest[v], options.candidates);
    Eigen::MatrixXf off(3 * static_cast<Index>(which.size()), static_cast<Index>(near.size()));
    for (size_t i = 0; i < which.size(); ++i) {
      const float* d = &cloth(static_cast<Index>(i), 3 * static_cast<Index>(v));
      const V3 target = rest[v] + V3{d[0], d[1], d[2]};
      for (size_t k = 0; k < near.size(); ++k) {
        const V3 e = apply(motions[i][near[k]], rest[v]) - target;
        off.block<3, 1>(3 * static_cast<Index>(i), static_cast<Index>(k)) = Eigen::Vector3f(e.x, e.y, e.z);
      }
    }
    const Eigen::MatrixXd products = (off.transpose() * off).cast<double>();
    // Weigh all of them, then once more those that weigh most.
    std::vector<Index> all(near.size());
    std::iota(all.begin(), all.end(), 0);
    const Eigen::VectorXd first = weights_among(products, all);
    std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) { return first[a] > first[b]; });
    all.resize(std::min(all.size(), kBonesPerVertex));
    const Eigen::VectorXd w = weights_among(products, all);
    out[v].weights = {};
    for (size_t k = 0; k < all.size(); ++k) {
      out[v].bones[k] = near[static_cast<size_t>(all[k])];
      out[v].weights[k] = static_cast<float>(w[static_cast<Index>(k)]);
    }
  };
  for_each_in_parallel((rest.size() + kBlock - 1) / kBlock,
                       [&](size_t b) {
                         for (size_t v = b * kBlock; v < std::min(rest.size(), (b + 1) * kBlock); ++v) fit(v);
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

std::vector<V3> dual_quaternion(std::span<const BlendWeights> skin, std::span<const Transform> motions,
                                std::span<const V3> rest) {
  std::vector<V3> out;
  for (size_t v = 0; v < rest.size(); ++v) out.push_back(by_dual_quaternions(skin[v], motions, rest[v]));
  return out;
}

Predictor skinned(std::string name, const Frames& frames, const BoneSource& source, const BoneMotion& motion,
                  std::span<const BlendWeights> weights, Skinning how) {
  return {std::move(name),
          [&frames, &source, &motion, weights, how](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            const auto blend = how == Skinning::kLinearBlend ? linear_blend : dual_quaternion;
            const std::span<const V3> rest = frames.rest();
            for (size_t i = 0; i < which.size(); ++i) {
              const auto motions = motion.from({source.bones.row(which[i]).data(), frames.bone_values()});
              const std::vector<V3> places = blend(weights, motions, rest);
              float* row = out.row(static_cast<Index>(i)).data();
              for (size_t v = 0; v < rest.size(); ++v) {
                const V3 d = places[v] - rest[v];
                row[3 * v] = d.x, row[3 * v + 1] = d.y, row[3 * v + 2] = d.z;
              }
            }
          }};
}

}  // namespace billow::evaluate
