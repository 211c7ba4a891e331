// Cloth by patches: docs/findings.md 13.
#include <chrono>

#include "learn/patch_fit.h"
#include "train/frames_scene.h"
#include "train/patch_stage.h"
#include "train/train.h"

namespace billow::train {
namespace {

using learn::PatchSamples;
using learn::Source;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// Of the sources that the data term sees.
PatchSamples samples_of(const learn::Frames& frames, const std::vector<uint32_t>& which, Bones bones,
                        const learn::Mirror* mirror) {
  if (bones != Bones::kMix)
    return patch_samples(frames, which, bones == Bones::kRope ? Source::kRope : Source::kEmbedded, mirror);
  PatchSamples both = patch_samples(frames, which, Source::kEmbedded, mirror);
  both.append(patch_samples(frames, which, Source::kRope, mirror));
  return both;
}

// What the bases leave of the samples that are learnt, RMS over vertices: as shares of a vertex add up to 1, a bound.
double floor_mm(const learn::PatchFloor& floor, const learn::Frames& frames, size_t learnt) {
  return 1e3 * std::sqrt(floor.left / static_cast<double>(learnt * frames.garment().size()));
}

}  // namespace

Result train_by_patches(const learn::Frames& frames, const Options& options, const TrainRun& run) {
  const auto say = [&](const std::string& line) {
    if (run.say) run.say(line);
  };
  const auto began = Clock::now();
  Record record;
  record.garment = frames.info().garment;
  record.options = options;
  record.device = device_name(options.device);
  record.frames = choose_frames(frames, options);
  const std::optional<learn::Mirror> mirror =
      options.mirror ? learn::find_mirror(frames.garment()) : std::nullopt;
  const learn::Mirror* seen_in = mirror ? &*mirror : nullptr;

  PatchSamples samples = samples_of(frames, record.frames.train, options.bones, seen_in);
  const size_t learnt = samples.size();
  samples.append(samples_of(frames, record.frames.validation, options.bones, seen_in));
  const size_t choosing = samples.size() - learnt;
  size_t ropes = 0;
  if ((options.patches.collision.rope_weight > 0 || options.patches.length_weight > 0) &&
      options.bones == Bones::kEmbedded) {
    samples.append(patch_samples(frames, record.frames.train, Source::kRope, seen_in));
    ropes = samples.size() - learnt - choosing;
    samples.append(patch_samples(frames, record.frames.validation, Source::kRope, seen_in));
  }
  record.samples = samples.size();

  StageRecord stage;
  stage.name = "patches", stage.options = options.patches;
  say("patches: bases and linear networks from " + std::to_string(record.frames.train.size()) + " frames" +
      (mirror ? " and their mirror images" : ""));
  learn::PatchFitOptions fit;
  fit.patches = options.patch_layout;
  fit.components = static_cast<size_t>(options.patches.components);
  std::vector<learn::PatchRows> rows;
  learn::PatchFloor floor;
  learn::PatchModel model = fit_patches(frames, samples, learnt, seen_in, fit, rows, &floor);
  stage.components = model.components();
  stage.basis_seconds = since(began);
  stage.basis_explained = floor.explained();
  stage.basis_floor_mm = floor_mm(floor, frames, learnt);

  const FramesScene scene(frames);
  Run how{options.seed, options.device, {}, run.checkpoint_seconds, run.report};
  if (!run.checkpoints.empty()) how.checkpoint = run.checkpoints + "patches";
  say("patches: " + std::to_string(model.patches.size()) + " of them with " +
      std::to_string(model.networks.size()) + " networks, " + std::to_string(learnt) + " samples, " +
      std::to_string(choosing) + " to choose by, " + std::to_string(options.patches.epochs) +
      " epochs on the " + record.device);
  const PatchTask task{model,
                       rows,
                       samples,
                       learnt,
                       choosing,
                       ropes,
                       samples.size() - learnt - choosing - ropes,
                       &frames.garment(),
                       &scene};
  stage.result = train_patches(task, options.patches, how);
  record.stages.push_back(std::move(stage));
  record.seconds = since(began);
  return {std::move(model), std::move(record)};
}

}  // namespace billow::train
