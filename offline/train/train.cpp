#include "train/train.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "learn/patch_fit.h"
#include "train/patch_stage.h"
#include "train/vertex_losses.h"

namespace billow::train {
namespace {

using dataset::Part;
using learn::PatchSamples;
using learn::Source;
using Json = nlohmann::ordered_json;

template <class T> void shuffle(std::vector<T>& items, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

// Samples of the data term.
PatchSamples samples_of(const learn::Frames& frames, const std::vector<uint32_t>& which, Bones bones,
                        const learn::Mirror* mirror) {
  if (bones != Bones::kMix)
    return patch_samples(frames, which, bones == Bones::kRope ? Source::kRope : Source::kEmbedded, mirror);
  PatchSamples both = patch_samples(frames, which, Source::kEmbedded, mirror);
  both.append(patch_samples(frames, which, Source::kRope, mirror));
  return both;
}

// RMS residual of the bases over the vertices of the training samples: an upper bound, as patches overlap.
double floor_mm(const learn::PcaFloor& floor, const learn::Frames& frames, size_t train_count) {
  return 1e3 * std::sqrt(floor.residual / static_cast<double>(train_count * frames.garment().size()));
}

Json stage_json(const StageRecord& stage) {
  Json epochs = Json::array();
  for (const Epoch& e : stage.result.epochs)
    epochs.push_back({{"epoch", e.number},
                      {"rate", e.rate},
                      {"seconds", e.seconds},
                      {"loss", e.loss},
                      {"validation_loss", e.validation_loss},
                      {"rmse_mm", e.rmse_mm},
                      {"validation_rmse_mm", e.validation_rmse_mm},
                      {"near_percent", e.near_percent},
                      {"validation_near_percent", e.validation_near_percent}});
  return {{"name", stage.name},
          {"components", stage.components},
          {"basis",
           {{"seconds", stage.basis_seconds},
            {"explained", stage.basis_explained},
            {"floor_mm", stage.basis_floor_mm}}},
          {"ridge_penalty", stage.ridge_penalty},
          {"best_epoch", stage.result.best},
          {"seconds", stage.result.seconds},
          {"epochs", std::move(epochs)}};
}

}  // namespace

FrameSplit split_frames(const learn::Frames& frames, const Options& options) {
  FrameSplit split;
  if (options.validation == Validation::kFrames) {
    split = {frames.of(Part::kTrain), frames.of(Part::kValidation)};
  } else {
    std::vector<learn::Frames::ClipRange> clips;
    for (const auto& clip : frames.clips())
      if (frames.part(clip.begin) != Part::kUnseen) clips.push_back(clip);
    if (clips.size() < 2)
      throw std::invalid_argument("validation: expected at least two clips to hold one out, found " +
                                  std::to_string(clips.size()));
    shuffle(clips, options.seed);
    const auto held_out = std::clamp<size_t>(
        static_cast<size_t>(std::lround(options.validation_clips * static_cast<double>(clips.size()))), 1,
        clips.size() - 1);
    // Exclude holdout frames, which are for evaluation only.
    for (size_t c = 0; c < clips.size(); ++c)
      for (uint32_t f = clips[c].begin; f < clips[c].end; ++f) {
        const Part part = frames.part(f);
        if (c < held_out && (part == Part::kTrain || part == Part::kValidation))
          split.validation.push_back(f);
        if (c >= held_out && part == Part::kTrain) split.train.push_back(f);
      }
  }
  if (options.frames > 0 && options.frames < split.train.size()) {
    shuffle(split.train, options.seed);
    split.train.resize(options.frames);
  }
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.validation.begin(), split.validation.end());
  return split;
}

Result train(const learn::Frames& frames, const Options& options, const TrainRun& run) {
  validate(options);
  if (options.form != Form::kPatches)
    throw std::invalid_argument("patches: expected options of that form, found those of the whole cloth");
  const auto log = [&](const std::string& line) {
    if (run.log) run.log(line);
  };
  const auto began = Clock::now();
  Record record;
  record.garment = frames.info().garment;
  record.options = options;
  record.device = device_name(options.device);
  record.frames = split_frames(frames, options);
  const std::optional<learn::Mirror> mirror =
      options.mirror ? learn::find_mirror(frames.garment()) : std::nullopt;
  const learn::Mirror* mirror_or_null = mirror ? &*mirror : nullptr;

  PatchSamples samples = samples_of(frames, record.frames.train, options.bones, mirror_or_null);
  const size_t train_count = samples.size();
  samples.append(samples_of(frames, record.frames.validation, options.bones, mirror_or_null));
  const size_t validation_count = samples.size() - train_count;
  size_t rope_count = 0;
  if (has_rope_terms(options.patches) && options.bones == Bones::kEmbedded) {
    samples.append(patch_samples(frames, record.frames.train, Source::kRope, mirror_or_null));
    rope_count = samples.size() - train_count - validation_count;
    samples.append(patch_samples(frames, record.frames.validation, Source::kRope, mirror_or_null));
  }
  record.samples = samples.size();

  StageRecord stage;
  stage.name = "patches", stage.options = options.patches;
  log("patches: bases and linear paths from " + std::to_string(record.frames.train.size()) + " frames" +
      (mirror ? " and their mirror images" : ""));
  learn::PatchFitOptions fit;
  fit.patches = options.patch_layout;
  fit.components = static_cast<size_t>(options.patches.components);
  std::vector<learn::PatchRows> rows;
  learn::PcaFloor floor;
  learn::PatchModel model = fit_patches(frames, samples, train_count, mirror_or_null, fit, rows, &floor);
  stage.components = model.components();
  stage.basis_seconds = seconds_since(began);
  stage.basis_explained = floor.explained();
  stage.basis_floor_mm = floor_mm(floor, frames, train_count);

  const FramesScene scene(frames);
  Run stage_run{options.seed, options.device, {}, run.checkpoint_seconds, run.report};
  if (!run.checkpoints.empty()) stage_run.checkpoint = run.checkpoints + "patches";
  log("patches: " + std::to_string(model.patches.size()) + " of them with " +
      std::to_string(model.networks.size()) + " networks, " + std::to_string(train_count) +
      " training samples, " + std::to_string(validation_count) + " for validation, " +
      std::to_string(options.patches.epochs) + " epochs on the " + record.device);
  const PatchTask task{model,
                       rows,
                       samples,
                       train_count,
                       validation_count,
                       rope_count,
                       samples.size() - train_count - validation_count - rope_count,
                       &frames.garment(),
                       &scene};
  stage.result = train_patches(task, options.patches, stage_run);
  record.stages.push_back(std::move(stage));
  record.seconds = seconds_since(began);
  return {std::move(model), std::move(record)};
}

std::string to_json(const Record& record) {
  Json stages = Json::array();
  for (const StageRecord& stage : record.stages) stages.push_back(stage_json(stage));
  return Json{{"garment", record.garment},
              {"frames", record.frames.train.size()},
              {"validation_frames", record.frames.validation.size()},
              {"samples", record.samples},
              {"device", record.device},
              {"seconds", record.seconds},
              {"options", Json::parse(to_json(record.options))},
              {"stages", std::move(stages)}}
      .dump(2);
}

}  // namespace billow::train
