#include "train/correction.h"

#include <numeric>

#include "learn/correction.h"

namespace billow::train {
namespace {

constexpr float kMinDeviation = 0.01f;  // m: what hardly moves says little, however it is scaled

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

// Frames of clips that `wanted` takes, by what they are for.
template <class Wanted> SampleSet frames_of(const learn::Frames& frames, dataset::Part part, Wanted wanted) {
  SampleSet out;
  for (size_t c = 0; c < frames.clips().size(); ++c)
    for (uint32_t f = frames.clips()[c].begin; wanted(c) && f < frames.clips()[c].end; ++f)
      if (frames.part(f) == part) out.learn.push_back(f);
  return out;
}

learn::Network train_one(const learn::Frames& frames, const Matrix& ropes, const Matrix& off,
                         const SampleSet& train, const SampleSet& validation,
                         const CorrectionOptions& options, const Run& run) {
  StageTask task;
  task.name = "correction";
  task.inputs = ropes, task.truth = off;
  task.outside = Vector::Zero(ropes.rows());
  task.frames.resize(frames.size());
  std::iota(task.frames.begin(), task.frames.end(), 0u);
  task.train = train, task.validation = validation;
  task.vertices = frames.garment().bones.size();
  Matrix learnt(static_cast<Eigen::Index>(train.learn.size()), ropes.cols());
  for (size_t i = 0; i < train.learn.size(); ++i)
    learnt.row(static_cast<Eigen::Index>(i)) = ropes.row(static_cast<Eigen::Index>(train.learn[i]));
  task.start.mean = learnt.colwise().mean();
  const Vector deviation =
      (learnt.rowwise() - task.start.mean.transpose()).array().square().colwise().mean().sqrt();
  task.start.scale = (deviation.array() + kMinDeviation).inverse();
  return train_stage(task, stage_options(options), run).network;
}

}  // namespace

Correction train_correction(const learn::Frames& frames, const Matrix& ropes, const Matrix& embedded,
                            const CorrectionOptions& options, const Run& run) {
  const Matrix off = embedded - ropes;
  const auto fold_of = [&](size_t clip) { return clip % options.folds; };
  const auto trained_on = [&](auto wanted) {
    const SampleSet train = frames_of(frames, dataset::Part::kTrain, wanted),
                    validation = frames_of(frames, dataset::Part::kValidation, wanted);
    if (train.learn.empty() || validation.learn.empty()) return learn::Network{};
    return train_one(frames, ropes, off, train, validation, options, run);
  };
  Correction out{trained_on([](size_t) { return true; }), {}};
  out.out_of_fold = learn::corrected(out.network, ropes);
  for (size_t fold = 0; fold < options.folds && !out.network.layers.empty(); ++fold) {
    const learn::Network without = trained_on([&](size_t clip) { return fold_of(clip) != fold; });
    if (without.layers.empty()) continue;
    for (size_t c = 0; c < frames.clips().size(); ++c) {
      const learn::Frames::Run& clip = frames.clips()[c];
      const auto begin = static_cast<Eigen::Index>(clip.begin),
                 count = static_cast<Eigen::Index>(clip.end - clip.begin);
      if (fold_of(c) == fold && frames.part(clip.begin) != dataset::Part::kUnseen)
        out.out_of_fold.middleRows(begin, count) = learn::corrected(without, ropes.middleRows(begin, count));
    }
  }
  return out;
}

}  // namespace billow::train
