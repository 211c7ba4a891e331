#include "evaluate/baselines.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "garment/ssdr_solve.h"
#include "learn/frames.h"
#include "learn/patch_fit.h"
#include "learn/patches.h"
#include "learn/ridge.h"
#include "parallel.h"

namespace billow::evaluate {

// ---- Bone motions

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

// ---- Skinning

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

V3 by_dual_quaternions(const BlendWeights& skin, std::span<const Transform> motions, V3 rest) {
  // Sum the real parts and the dual parts, which are half the translation times the rotation. q and -q are
  // the same rotation: use the sign that agrees with the first bone.
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
  // Convert back to a rotation and a translation.
  const float size = std::max(dot(real, real), 1e-12f);
  const Quat t = dual * conjugate(real);
  return rotate(normalized(real), rest) + V3{t.x, t.y, t.z} * (2 / size);
}

}  // namespace

std::vector<BlendWeights> fit_weights(const Frames& frames, const BoneMotion& motion,
                                      const WeightOptions& options) {
  const std::vector<uint32_t> which = evenly_spaced(frames.of(dataset::Part::kTrain), options.frames);
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

std::vector<V3> dual_quaternion(std::span<const BlendWeights> skin, std::span<const Transform> motions,
                                std::span<const V3> rest) {
  std::vector<V3> out;
  for (size_t v = 0; v < rest.size(); ++v) out.push_back(by_dual_quaternions(skin[v], motions, rest[v]));
  return out;
}

Predictor skinned(std::string name, const Frames& frames, const BoneSource& source, const BoneMotion& motion,
                  std::span<const BlendWeights> weights, Skinning method) {
  return {std::move(name), [&frames, &source, &motion, weights, method](std::span<const uint32_t> which,
                                                                        Eigen::Ref<Matrix> out) {
            const auto blend = method == Skinning::kLinearBlend ? linear_blend : dual_quaternion;
            const std::span<const V3> rest = frames.rest();
            for (size_t i = 0; i < which.size(); ++i) {
              const auto motions = motion.from({source.bones.row(which[i]).data(), frames.bone_values()});
              const std::vector<V3> positions = blend(weights, motions, rest);
              float* row = out.row(static_cast<Index>(i)).data();
              for (size_t v = 0; v < rest.size(); ++v) {
                const V3 d = positions[v] - rest[v];
                row[3 * v] = d.x, row[3 * v + 1] = d.y, row[3 * v + 2] = d.z;
              }
            }
          }};
}

// ---- Baselines

namespace {

using learn::Matrix;

// The clip index of each frame.
std::vector<uint32_t> clips_of(const Frames& frames, const std::vector<uint32_t>& which) {
  std::vector<uint32_t> clip_of(frames.size()), out;
  for (const Frames::ClipRange& run : frames.clips())
    for (uint32_t f = run.begin; f < run.end; ++f) clip_of[f] = static_cast<uint32_t>(run.clip);
  for (const uint32_t f : which) out.push_back(clip_of[f]);
  return out;
}

// Displacements of the mirrored cloth.
learn::Rows mirrored_rows(const Frames& frames, const std::vector<uint32_t>& which,
                          const learn::Mirror& mirror) {
  learn::Rows rows = learn::cloth_rows(frames, which);
  rows.fill = [&frames, &mirror, cloth = std::move(rows.fill)](size_t first, Eigen::Ref<Matrix> out) {
    Matrix original(out.rows(), out.cols());
    cloth(first, original);
    const std::span<const V3> rest = frames.rest();
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      for (size_t v = 0; v < rest.size(); ++v) {
        const uint32_t o = mirror.vertices[v];
        const float* d = original.row(i).data() + 3 * size_t{o};
        const V3 mirrored = learn::mirrored(rest[o] + V3{d[0], d[1], d[2]}) - rest[v];
        out.row(i).segment<3>(3 * static_cast<Eigen::Index>(v)) << mirrored.x, mirrored.y, mirrored.z;
      }
  };
  return rows;
}

// Ridge regression from embedded bones to the coefficients of the training frames and, with `mirror`, of
// their mirror images.
learn::Stage fit_linear(const Frames& frames, const learn::Basis& basis, const learn::Mirror* mirror,
                        size_t threads) {
  const std::vector<uint32_t> train = frames.of(dataset::Part::kTrain);
  const learn::PatchSamples samples = learn::patch_samples(frames, train, learn::Source::kEmbedded, mirror);
  Matrix targets(static_cast<Eigen::Index>(samples.size()), basis.components());
  const auto every_other = [&](Eigen::Index first) {
    return Eigen::seqN(first, static_cast<Eigen::Index>(train.size()), mirror ? 2 : 1);
  };
  targets(every_other(0), Eigen::all) = learn::coefficients(learn::cloth_rows(frames, train), basis, threads);
  if (mirror)
    targets(every_other(1), Eigen::all) =
        learn::coefficients(mirrored_rows(frames, train, *mirror), basis, threads);
  learn::RidgeOptions options;
  options.threads = threads;
  return {basis,
          learn::fit_ridge(samples.inputs.bones, targets, clips_of(frames, samples.frames), options).network};
}

}  // namespace

Baselines::Baselines(const Frames& frames, const learn::Basis& whole, const learn::Basis* skinning,
                     size_t threads)
    : frames_(frames),
      ridge_(fit_linear(frames, whole, nullptr, threads)),
      motion_(frames.garment()),
      weights_(fit_weights(frames, motion_, {.threads = threads})) {
  if (const auto mirror = learn::find_mirror(frames.garment()))
    mirrored_ = fit_linear(frames, whole, &*mirror, threads);
  if (skinning) skinning_ = fit_linear(frames, *skinning, nullptr, threads);
}

std::vector<Predictor> Baselines::on(const BoneSource& source) const {
  std::vector<Predictor> out{skinned("lbs", frames_, source, motion_, weights_, Skinning::kLinearBlend),
                             skinned("dqs", frames_, source, motion_, weights_, Skinning::kDualQuaternion),
                             nearest_frame("nearest", frames_, source), network(kRidge, ridge_, source)};
  if (mirrored_) out.push_back(network(kMirroredRidge, *mirrored_, source));
  if (skinning_) out.push_back(network("ridge_skinning", *skinning_, source));
  return out;
}

}  // namespace billow::evaluate
