#include "train/correction.h"

#include <numeric>

#include "learn/model.h"

namespace billow::train {
namespace {

constexpr float kMinDeviation = 0.01f;  // m: bones that hardly move are not amplified

StageOptions stage_options(const CorrectionOptions& o) {
  StageOptions s;
  s.hidden = o.hidden, s.hidden_layers = o.hidden_layers;
  s.activation = learn::Activation::kGelu;
  s.linear = false;
  s.rate = o.rate, s.epochs = o.epochs, s.batch = o.batch;
  s.weight_decay = o.weight_decay, s.dropout = o.dropout;
  s.collision.weight = 0;
  return s;
}

// Frames of a part in the clips that `selected` accepts.
template <class Predicate>
SampleSet select_frames(const learn::Frames& frames, dataset::Part part, Predicate selected) {
  SampleSet out;
  for (size_t c = 0; c < frames.clips().size(); ++c)
    for (uint32_t f = frames.clips()[c].begin; selected(c) && f < frames.clips()[c].end; ++f)
      if (frames.part(f) == part) out.data.push_back(f);
  return out;
}

learn::Network train_network(const learn::Frames& frames, const Matrix& ropes, const Matrix& difference,
                             const SampleSet& train, const SampleSet& validation,
                             const CorrectionOptions& options, const Run& run) {
  StageTask task;
  task.name = "correction";
  task.inputs = ropes, task.truth = difference;
  task.pca_residual = Vector::Zero(ropes.rows());
  task.frames.resize(frames.size());
  std::iota(task.frames.begin(), task.frames.end(), 0u);
  task.train = train, task.validation = validation;
  task.vertices = frames.garment().bones.size();
  Matrix train_inputs(static_cast<Eigen::Index>(train.data.size()), ropes.cols());
  for (size_t i = 0; i < train.data.size(); ++i)
    train_inputs.row(static_cast<Eigen::Index>(i)) = ropes.row(static_cast<Eigen::Index>(train.data[i]));
  task.start.mean = train_inputs.colwise().mean();
  const Vector deviation =
      (train_inputs.rowwise() - task.start.mean.transpose()).array().square().colwise().mean().sqrt();
  task.start.scale = (deviation.array() + kMinDeviation).inverse();
  return train_stage(task, stage_options(options), run).network;
}

}  // namespace

Correction train_correction(const learn::Frames& frames, const Matrix& ropes, const Matrix& embedded,
                            const CorrectionOptions& options, const Run& run) {
  const Matrix difference = embedded - ropes;
  const auto fold_of = [&](size_t clip) { return clip % options.folds; };
  const auto train_on = [&](auto selected) {
    const SampleSet train = select_frames(frames, dataset::Part::kTrain, selected),
                    validation = select_frames(frames, dataset::Part::kValidation, selected);
    if (train.data.empty() || validation.data.empty()) return learn::Network{};
    return train_network(frames, ropes, difference, train, validation, options, run);
  };
  Correction out{train_on([](size_t) { return true; }), {}};
  out.cross_fitted = learn::corrected(out.network, ropes);
  for (size_t fold = 0; fold < options.folds && !out.network.layers.empty(); ++fold) {
    const learn::Network others = train_on([&](size_t clip) { return fold_of(clip) != fold; });
    if (others.layers.empty()) continue;
    for (size_t c = 0; c < frames.clips().size(); ++c) {
      const learn::Frames::ClipRange& clip = frames.clips()[c];
      const auto begin = static_cast<Eigen::Index>(clip.begin),
                 count = static_cast<Eigen::Index>(clip.end - clip.begin);
      if (fold_of(c) == fold && frames.part(clip.begin) != dataset::Part::kUnseen)
        out.cross_fitted.middleRows(begin, count) = learn::corrected(others, ropes.middleRows(begin, count));
    }
  }
  return out;
}

}  // namespace billow::train
