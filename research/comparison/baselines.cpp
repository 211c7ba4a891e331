#include "research/comparison/baselines.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "learn/patch_fit.h"
#include "learn/patches.h"
#include "learn/ridge.h"

namespace billow::research {

using Eigen::Index;

// ---- Skinning

namespace {

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
            const auto blend = method == Skinning::kLinearBlend ? learn::linear_blend : dual_quaternion;
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
    for (Index i = 0; i < out.rows(); ++i)
      for (size_t v = 0; v < rest.size(); ++v) {
        const uint32_t o = mirror.vertices[v];
        const float* d = original.row(i).data() + 3 * size_t{o};
        const V3 mirrored = learn::mirrored(rest[o] + V3{d[0], d[1], d[2]}) - rest[v];
        out.row(i).segment<3>(3 * static_cast<Index>(v)) << mirrored.x, mirrored.y, mirrored.z;
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
  Matrix targets(static_cast<Index>(samples.size()), basis.components());
  const auto every_other = [&](Index first) {
    return Eigen::seqN(first, static_cast<Index>(train.size()), mirror ? 2 : 1);
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
      weights_(learn::fit_weights(frames, motion_, {.threads = threads})) {
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

}  // namespace billow::research
