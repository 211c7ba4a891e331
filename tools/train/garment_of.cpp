#include "garment_of.h"

#include "character/rope_chains.h"
#include "evaluate/baselines.h"
#include "evaluate/report.h"
#include "learn/gru.h"
#include "learn/model.h"
#include "pack/quantise_networks.h"
#include "ropes/simulate_ropes.h"
#include "train/correction.h"

namespace billow::tool {
namespace {

evaluate::Report evaluate_garment(const learn::Frames& frames, const Learnt& learnt, Figures figures,
                                  const std::function<void(const std::string&)>& log) {
  evaluate::Options options;
  if (figures == Figures::kQuick) options.measure = evaluate::quick_measures();
  if (learnt.gru) options.more_sources.push_back({"gru", gru_bones(frames, *learnt.gru)});
  options.progress = [&](const std::string& what) { log("evaluating: " + what); };
  return evaluate::evaluate(frames, learnt.networks.model, options);
}

}  // namespace

CorrectedRopes simulate_and_correct_ropes(learn::Frames& frames, const train::Run& run) {
  CorrectedRopes out{character::rope_settings(frames.garment()), {}, {}};
  const learn::Matrix bones = ropes::simulate_ropes(frames, out.settings);
  train::Correction trained =
      train_correction(frames, bones, evaluate::embedded_bones(frames).bones, {}, run);
  out.corrected = learn::corrected(trained.network, bones);
  out.correction = std::move(trained.network);
  frames.replace_ropes(std::move(trained.cross_fitted));
  return out;
}

pack::GarmentData garment_of(learn::Frames& frames, const Learnt& learnt, Figures figures,
                             const std::function<void(const std::string&)>& log) {
  // Evaluate on the bones that the runtime will produce, not on the cross-fitted ones.
  frames.replace_ropes(learnt.ropes.corrected);
  pack::GarmentData packed;
  packed.garment = frames.garment();
  packed.skeleton = frames.character().skeleton;
  packed.colliders = frames.character().colliders;
  packed.collider_names = frames.character().collider_names;
  packed.settings = learnt.ropes.settings;
  packed.correction = learnt.ropes.correction;
  packed.model = learnt.networks.model;
  packed.blend = evaluate::fit_weights(frames, evaluate::BoneMotion(frames.garment()), {});
  packed.calibration = pack::calibration_frames(frames);
  packed.training = evaluate::shortened(to_json(learnt.networks.record));
  if (figures != Figures::kNone) {
    const evaluate::Report report = evaluate_garment(frames, learnt, figures, log);
    log(to_text(report));
    packed.training = evaluate::with_figures(to_json(learnt.networks.record), report);
  }
  if (learnt.gru) packed.extra[learn::kGruSection] = learnt.gru_bytes;
  return packed;
}

}  // namespace billow::tool
