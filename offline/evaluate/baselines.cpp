#include "evaluate/baselines.h"

#include <utility>

#include "learn/mirror.h"
#include "learn/patch_fit.h"
#include "learn/ridge.h"
#include "learn/rows.h"

namespace billow::evaluate {
namespace {

using learn::Matrix;

// The number of each frame's clip.
std::vector<uint32_t> clips_of(const Frames& frames, const std::vector<uint32_t>& which) {
  std::vector<uint32_t> clip_of(frames.size()), out;
  for (const Frames::Run& run : frames.clips())
    for (uint32_t f = run.begin; f < run.end; ++f) clip_of[f] = static_cast<uint32_t>(run.clip);
  for (const uint32_t f : which) out.push_back(clip_of[f]);
  return out;
}

// Displacements of the cloth as a mirror shows them.
learn::Rows mirrored_rows(const Frames& frames, const std::vector<uint32_t>& which,
                          const learn::Mirror& mirror) {
  learn::Rows rows = learn::cloth_rows(frames, which);
  rows.fill = [&frames, &mirror, cloth = std::move(rows.fill)](size_t first, Eigen::Ref<Matrix> out) {
    Matrix plain(out.rows(), out.cols());
    cloth(first, plain);
    const std::span<const V3> rest = frames.rest();
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      for (size_t v = 0; v < rest.size(); ++v) {
        const uint32_t o = mirror.vertices[v];
        const float* d = plain.row(i).data() + 3 * size_t{o};
        const V3 moved = learn::mirrored(rest[o] + V3{d[0], d[1], d[2]}) - rest[v];
        out.row(i).segment<3>(3 * static_cast<Eigen::Index>(v)) << moved.x, moved.y, moved.z;
      }
  };
  return rows;
}

// From embedded bones to the coefficients of the training frames, and of the same in a mirror.
learn::Stage fit_linear(const Frames& frames, const learn::Basis& basis, const learn::Mirror* mirror,
                        size_t threads) {
  const std::vector<uint32_t> train = frames.of(dataset::Part::kTrain);
  const learn::PatchSamples samples = learn::patch_samples(frames, train, learn::Source::kEmbedded, mirror);
  Matrix wanted(static_cast<Eigen::Index>(samples.size()), basis.components());
  const auto every_other = [&](Eigen::Index first) {
    return Eigen::seqN(first, static_cast<Eigen::Index>(train.size()), mirror ? 2 : 1);
  };
  wanted(every_other(0), Eigen::all) = learn::coefficients(learn::cloth_rows(frames, train), basis, threads);
  if (mirror)
    wanted(every_other(1), Eigen::all) =
        learn::coefficients(mirrored_rows(frames, train, *mirror), basis, threads);
  learn::RidgeOptions options;
  options.threads = threads;
  return {basis,
          learn::fit_ridge(samples.inputs.bones, wanted, clips_of(frames, samples.frames), options).network};
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
