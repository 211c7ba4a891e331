#include "garment_of.h"

#include <cstdio>

#include "billow/chains_of_file.h"
#include "character/rope_chains.h"
#include "evaluate/report.h"
#include "evaluate/rope_gap.h"
#include "learn/blend_weights.h"
#include "learn/model.h"
#include "pack/quantise_networks.h"
#include "ropes/settings_file.h"
#include "train/correction.h"
#include "train/learnt_force.h"

namespace billow::tool {
namespace {

learn::Network train_force(const learn::Frames& frames, const Given& given, const billow_settings& settings,
                           const train::Run& run, const std::function<void(const std::string&)>& log) {
  std::vector<size_t> clips, held_out;
  for (size_t c = 0; c < frames.clips().size(); ++c) {
    const learn::Frames::ClipRange& clip = frames.clips()[c];
    if (clip.end - clip.begin < train::kShortestForceClip) continue;
    const dataset::Part part = frames.part(clip.begin);
    if (part == dataset::Part::kTrain) clips.push_back(c);
    if (part == dataset::Part::kValidation) held_out.push_back(c);
  }
  if (clips.empty()) std::swap(clips, held_out);  // a few clips, split by frames
  if (clips.empty()) {
    log("force: no clip has " + std::to_string(train::kShortestForceClip) +
        " frames or more to learn from, so the chains go without a learnt force");
    return {};
  }
  train::ForceOptions options = given.force_options;
  options.seed = run.seed, options.device = run.device;
  options.report = [&](const train::ForceOptions::Round& round, const learn::Network&) {
    char text[160];
    std::snprintf(text, sizeof text, "force    %4d of %d  loss %-9.4g  speed %.2f of the reference's",
                  round.number, options.rounds, round.loss, round.speed);
    log(text);
  };
  return train::train_force(frames, clips, held_out, settings, options);
}

}  // namespace

CorrectedRopes simulate_and_correct_ropes(learn::Frames& frames, const Given& given, const train::Run& run,
                                          const std::function<void(const std::string&)>& log) {
  CorrectedRopes out{given.chains.empty() ? character::rope_settings(frames.garment())
                                          : chains_of_file(given.chains, frames),
                     {},
                     {}};
  if (!given.settings.empty()) ropes::read_settings_file(given.settings, out.dynamics.settings);
  if (given.learns_force()) out.dynamics.force = train_force(frames, given, out.dynamics.settings, run, log);
  log("ropes: run over all clips");
  const learn::Matrix bones = ropes::simulate_ropes(frames, out.dynamics);
  if (!given.learns_correction()) {
    out.corrected = bones;
    frames.replace_ropes(bones);
    return out;
  }
  train::Correction trained =
      train_correction(frames, bones, evaluate::embedded_bones(frames).bones, {}, run);
  out.corrected = learn::corrected(trained.network, bones);
  out.correction = std::move(trained.network);
  frames.replace_ropes(std::move(trained.cross_fitted));
  return out;
}

pack::GarmentData garment_of(learn::Frames& frames, const Learnt& learnt, Figures figures,
                             const evaluate::Compare& compare,
                             const std::function<void(const std::string&)>& log) {
  // Evaluate on the bones that the runtime will produce, not on the cross-fitted ones.
  frames.replace_ropes(learnt.ropes.corrected);
  pack::GarmentData packed;
  packed.garment = frames.garment();
  packed.skeleton = frames.character().skeleton;
  packed.colliders = frames.character().colliders;
  packed.collider_names = frames.character().collider_names;
  packed.settings = learnt.ropes.dynamics.settings;
  packed.force = learnt.ropes.dynamics.force;
  packed.correction = learnt.ropes.correction;
  packed.model = learnt.networks.model;
  packed.blend = learn::fit_weights(frames, learn::BoneMotion(frames.garment()), {});
  packed.calibration = pack::calibration_frames(frames);
  packed.training = evaluate::shortened(to_json(learnt.networks.record));
  packed.extra = learnt.extra;
  if (figures == Figures::kNone) return packed;
  if (!compare) {
    log("not compared with baselines: this build is without research (BILLOW_BUILD_RESEARCH)");
    return packed;
  }
  const evaluate::Report report =
      evaluate::evaluate({.frames = frames,
                          .model = packed.model,
                          .extra = packed.extra,
                          .quick = figures == Figures::kQuick,
                          .progress = [&](const std::string& what) { log("evaluating: " + what); }},
                         {}, compare);
  log(to_text(report));
  packed.training = evaluate::with_figures(to_json(learnt.networks.record), report);
  return packed;
}

}  // namespace billow::tool
