#include <chrono>
#include <stdexcept>

#include "evaluate/report.h"
#include "evaluate/skinning.h"
#include "learn/pca.h"
#include "learn/ridge.h"

namespace billow::evaluate {
namespace {

using Eigen::Index;

void check(const char* what, Index expected, Index found) {
  if (expected != found)
    throw std::invalid_argument("evaluate: " + std::string(what) + ": expected " + std::to_string(expected) +
                                " as the data set has, found " + std::to_string(found));
}

void check(const Frames& frames, const learn::Model& model, const std::vector<BoneSource>& sources) {
  const auto values = static_cast<Index>(frames.cloth_values());
  check("values of the skinning basis", values, model.skinning.basis.values());
  const auto inputs = static_cast<Index>(frames.bone_values());
  check("inputs of the skinning network", inputs, model.skinning.network.mean.size());
  if (model.shape.basis.components() > 0) {
    check("values of the shape basis", values, model.shape.basis.values());
    check("inputs of the shape network", inputs, model.shape.network.mean.size());
  }
  for (const BoneSource& s : sources) {
    check(("frames of bones from " + s.name).c_str(), static_cast<Index>(frames.size()), s.bones.rows());
    check(("values of bones from " + s.name).c_str(), inputs, s.bones.cols());
  }
}

// Ridge regression from embedded bones to the training frames' coefficients.
learn::Stage fit_linear(const Frames& frames, const learn::Basis& basis, size_t threads) {
  const std::vector<uint32_t> train = frames.of(dataset::Part::kTrain);
  std::vector<uint32_t> clips;
  for (const uint32_t f : train) {
    uint32_t clip = 0;
    while (frames.clips()[clip].end <= f) ++clip;
    clips.push_back(clip);
  }
  learn::RidgeOptions options;
  options.threads = threads;
  return {basis, learn::fit_ridge(learn::bone_matrix(frames, train, learn::Source::kEmbedded),
                                  learn::coefficients(learn::cloth_rows(frames, train), basis, threads),
                                  clips, options)
                     .network};
}

// Everything that the baselines know, whatever bones they are given.
struct Baselines {
  learn::Stage both, skinning;
  BoneMotion motion;
  std::vector<SkinWeights> weights;

  Baselines(const Frames& frames, const learn::Basis& together, const learn::Basis& first, size_t threads)
      : both(fit_linear(frames, together, threads)),
        skinning(fit_linear(frames, first, threads)),
        motion(frames.garment()),
        weights(fit_weights(frames, motion, {.threads = threads})) {}

  std::vector<Predictor> on(const Frames& frames, const BoneSource& source) const {
    return {skinned("lbs", frames, source, motion, weights, Skinning::kLinearBlend),
            skinned("dqs", frames, source, motion, weights, Skinning::kDualQuaternion),
            network("ridge", both, source), network("ridge_skinning", skinning, source),
            nearest_frame("nearest", frames, source)};
  }
};

std::vector<Named> named(std::span<const Predictor> predictors, std::span<Measured> measured) {
  std::vector<Named> out;
  for (size_t i = 0; i < predictors.size(); ++i) out.push_back({predictors[i].name, std::move(measured[i])});
  return out;
}

}  // namespace

Report evaluate(const Frames& frames, const learn::Model& model, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto tell = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  tell("bones");
  std::vector<BoneSource> sources{embedded_bones(frames), rope_bones(frames)};
  sources.insert(sources.end(), options.more_sources.begin(), options.more_sources.end());
  check(frames, model, sources);

  Report report;
  report.garment = frames.info().garment;
  report.vertices = frames.garment().size();
  report.bones = frames.garment().bones.size();
  report.skinning_components = model.skinning.basis.components();
  report.shape_components = model.shape.basis.components();
  report.skinning_deviation = model.skinning.basis.deviation;
  report.shape_deviation = model.shape.basis.deviation;
  for (const Frames::Run& run : frames.clips())
    if (frames.part(run.begin) == dataset::Part::kUnseen) {
      report.unseen_clips.push_back({run.begin, run.end});
      report.unseen_names.push_back(frames.info().clips[run.clip].name);
    }
  report.rope_gap = rope_gap(frames, sources[0], sources[1]);

  // What was learnt, on all sources, and the reference itself.
  tell("networks");
  const learn::Basis together = learn::joined(model.skinning.basis, model.shape.basis);
  std::vector<Predictor> ours{truth(frames)};
  for (const BoneSource& s : sources) ours.push_back(networks(s.name, model, s, true));
  for (const BoneSource& s : sources) ours.push_back(networks(s.name, model, s, false));
  std::vector<Measured> measured = measure(frames, ours, options.measure);
  const std::span all(measured);
  report.truth = std::move(measured[0]);
  report.sources = named(std::span(ours).subspan(1, sources.size()), all.subspan(1, sources.size()));
  report.skinning_only = named(std::span(ours).subspan(1 + sources.size()), all.subspan(1 + sources.size()));

  // What it has to beat.
  tell("floor");
  MeasureOptions distances = options.measure;
  distances.everything = false;
  const std::vector<Predictor> floors{projection("floor", frames, together),
                                      projection("skinning floor", frames, model.skinning.basis)};
  std::vector<Measured> floor = measure(frames, floors, distances);
  report.floor = std::move(floor[0]);
  report.skinning_floor = std::move(floor[1]);
  if (options.baselines) {
    tell("baselines");
    const Baselines baselines(frames, together, model.skinning.basis, options.measure.threads);
    std::vector<Predictor> on_embedded = baselines.on(frames, sources[0]);
    const std::vector<Predictor> on_rope = baselines.on(frames, sources[1]);
    const size_t count = on_embedded.size();
    on_embedded.insert(on_embedded.end(), on_rope.begin(), on_rope.end());
    std::vector<Measured> base = measure(frames, on_embedded, distances);
    const std::span<const Predictor> each(on_embedded);
    report.baselines = named(each.first(count), std::span(base).first(count));
    report.rope_baselines = named(each.subspan(count), std::span(base).subspan(count));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace billow::evaluate
