#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "evaluate/baselines.h"
#include "evaluate/report.h"
#include "learn/pca.h"

namespace billow::evaluate {
namespace {

using Eigen::Index;

void check(const std::string& what, size_t expected, Index found) {
  if (static_cast<Index>(expected) != found)
    throw std::invalid_argument("evaluate: " + what + ": expected " + std::to_string(expected) +
                                " as the data set has, found " + std::to_string(found));
}

void check(const Frames& frames, const learn::Model& model) {
  check("values of the skinning basis", frames.cloth_values(), model.skinning.basis.values());
  check("inputs of the skinning network", frames.bone_values(), model.skinning.network.mean.size());
  if (model.shape.basis.components() == 0) return;
  check("values of the shape basis", frames.cloth_values(), model.shape.basis.values());
  check("inputs of the shape network", frames.bone_values(), model.shape.network.mean.size());
}

void check(const Frames& frames, const learn::PatchModel& model) {
  check("vertices of the patches", frames.garment().size(), static_cast<Index>(model.rest.size()));
  check("bones of the patches", frames.garment().bones.size(), static_cast<Index>(model.bone_rest.size()));
  if (model.empty()) throw std::invalid_argument("evaluate: expected patches, found none");
}

void check(const Frames& frames, const std::vector<BoneSource>& sources) {
  for (const BoneSource& s : sources) {
    check("frames of bones from " + s.name, frames.size(), s.bones.rows());
    check("values of bones from " + s.name, frames.bone_values(), s.bones.cols());
  }
}

std::vector<BoneSource> sources_of(const Frames& frames, const Options& options) {
  std::vector<BoneSource> sources{embedded_bones(frames)};
  sources.push_back(options.rope ? BoneSource{"rope", *options.rope} : rope_bones(frames));
  sources.insert(sources.end(), options.more_sources.begin(), options.more_sources.end());
  check(frames, sources);
  return sources;
}

void describe(const Frames& frames, Report& report) {
  report.garment = frames.info().garment;
  report.vertices = frames.garment().size();
  report.bones = frames.garment().bones.size();
  for (const Frames::ClipRange& run : frames.clips())
    if (frames.part(run.begin) == dataset::Part::kUnseen) {
      report.unseen_clips.push_back({run.begin, run.end});
      report.unseen_names.push_back(frames.info().clips[run.clip].name);
    }
}

BoneGap gap_of(const Frames& frames, const BoneSource& embedded, const BoneSource& source) {
  BoneGap gap{source.name, rope_gap(frames, embedded, source), {}};
  for (size_t s = 0; s < kSets.size(); ++s) {
    const std::vector<uint32_t> which = frames.of(kSets[s]);
    Matrix differences(static_cast<Index>(which.size()), embedded.bones.cols());
    for (size_t i = 0; i < which.size(); ++i)
      differences.row(static_cast<Index>(i)) = source.bones.row(which[i]) - embedded.bones.row(which[i]);
    gap.sets[s] = split_gap(frames.garment(), differences);
  }
  return gap;
}

// The basis of the PCA floor: the two bases of a whole-cloth model, joined. For patches, a basis of the
// training frames with options.floor_components, so that the floors of both forms are comparable.
learn::Basis floor_basis(const Frames& frames, const learn::ClothModel& model, const Options& options) {
  if (const auto* whole = std::get_if<learn::Model>(&model))
    return learn::joined(whole->skinning.basis, whole->shape.basis);
  learn::PcaOptions pca;
  pca.components = options.floor_components;
  pca.threads = options.measure.threads;
  return learn::principal_components(learn::cloth_rows(frames, frames.of(dataset::Part::kTrain)), pca).basis;
}

void describe(const learn::ClothModel& model, const learn::Basis& floor, Report& report) {
  report.floor_components = floor.components();
  if (const auto* whole = std::get_if<learn::Model>(&model)) {
    report.form = "whole cloth";
    report.skinning_components = whole->skinning.basis.components();
    report.shape_components = whole->shape.basis.components();
    report.spectra = {{"skinning", whole->skinning.basis.deviation}};
    if (report.shape_components > 0) report.spectra.push_back({"shape", whole->shape.basis.deviation});
    return;
  }
  const auto& patches = std::get<learn::PatchModel>(model);
  report.form = "patches";
  report.patches = patches.patches.size();
  report.patch_components = patches.components();
  if (floor.components() > 0) report.spectra = {{"whole cloth", floor.deviation}};
}

std::vector<Named> named(std::span<const Predictor> predictors, std::span<Measured> measured) {
  std::vector<Named> out;
  for (size_t i = 0; i < predictors.size(); ++i) out.push_back({predictors[i].name, std::move(measured[i])});
  return out;
}

// Measures the networks on all bone sources, and the reference itself.
void measure_networks(const Frames& frames, const learn::ClothModel& model,
                      const std::vector<BoneSource>& sources, const MeasureOptions& options, Report& report) {
  std::vector<Predictor> ours{truth(frames)};
  for (const bool with_shape : {true, false})
    for (const BoneSource& s : sources) ours.push_back(networks(s.name, frames, model, s, with_shape));
  std::vector<Measured> measured = measure(frames, ours, options);
  const std::span all(measured);
  const std::span<const Predictor> each(ours);
  const size_t count = sources.size();
  report.truth = std::move(measured[0]);
  report.sources = named(each.subspan(1, count), all.subspan(1, count));
  report.skinning_only = named(each.subspan(1 + count), all.subspan(1 + count));
}

// Keeps the better of the two ridge regressions on the last set that has frames: a baseline should be as
// strong as possible. Returns whether it is the mirrored one.
bool keep_better_ridge(const std::vector<Named>& judged, std::vector<Named>& methods) {
  const auto find = [](const std::vector<Named>& list, const char* name) {
    return std::find_if(list.begin(), list.end(), [&](const Named& n) { return n.name == name; });
  };
  const auto plain = find(judged, kRidge), mirrored = find(judged, kMirroredRidge);
  if (mirrored == judged.end()) return false;
  size_t set = kSets.size() - 1;
  while (set > 0 && plain->measured.sets[set].frames == 0) --set;
  const bool better = mirrored->measured.sets[set].rmse_mm < plain->measured.sets[set].rmse_mm;
  methods.erase(find(methods, better ? kRidge : kMirroredRidge));
  if (better) methods[static_cast<size_t>(find(methods, kMirroredRidge) - methods.begin())].name = kRidge;
  return better;
}

// Measures floors and baselines, by vertex distances only.
void measure_baselines(const Frames& frames, const learn::ClothModel& model, const learn::Basis& floor,
                       const std::vector<BoneSource>& sources, const Options& options, Report& report) {
  const auto* whole = std::get_if<learn::Model>(&model);
  std::vector<Predictor> all{projection("floor", frames, floor)};
  all.push_back(whole ? projection("skinning_floor", frames, whole->skinning.basis)
                      : patch_projection("patch_floor", frames, std::get<learn::PatchModel>(model)));
  const size_t floors = all.size();
  size_t count = 0;
  std::optional<Baselines> baselines;
  if (options.baselines) {
    baselines.emplace(frames, floor, whole ? &whole->skinning.basis : nullptr, options.measure.threads);
    for (const BoneSource& source : {std::cref(sources[0]), std::cref(sources[1])}) {
      const std::vector<Predictor> more = baselines->on(source);
      count = more.size();
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  MeasureOptions distances = options.measure;
  distances.everything = false;
  std::vector<Measured> measured = measure(frames, all, distances);
  const std::span<const Predictor> each(all);
  const std::span of_each(measured);
  report.floors = named(each.first(floors), of_each.first(floors));
  report.baselines = named(each.subspan(floors, count), of_each.subspan(floors, count));
  report.rope_baselines = named(each.subspan(floors + count), of_each.subspan(floors + count));
  const std::vector<Named> judged = report.baselines;
  report.ridge_mirrored = keep_better_ridge(judged, report.baselines);
  keep_better_ridge(judged, report.rope_baselines);
}

}  // namespace

Report evaluate(const Frames& frames, const learn::ClothModel& model, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto report_progress = [&](const std::string& stage) {
    if (options.progress) options.progress(stage);
  };
  std::visit([&](const auto& m) { check(frames, m); }, model);
  report_progress("bones");
  const std::vector<BoneSource> sources = sources_of(frames, options);
  Report report;
  describe(frames, report);
  report.with_sted = options.measure.sted;
  report.with_surfaces = options.measure.surface_frames > 0;
  for (size_t s = 1; s < sources.size(); ++s) report.gaps.push_back(gap_of(frames, sources[0], sources[s]));

  if (options.product) {
    report_progress("product");
    report.product = judge(frames, *options.product);
  }
  report_progress("networks");
  measure_networks(frames, model, sources, options.measure, report);
  // Floors and baselines are fitted to training frames; a data set of test clips has none.
  const bool with_baselines = !frames.of(dataset::Part::kTrain).empty();
  if (with_baselines) report_progress("floor");
  const learn::Basis floor = with_baselines ? floor_basis(frames, model, options) : learn::Basis{};
  describe(model, floor, report);
  if (with_baselines) {
    report_progress("baselines");
    measure_baselines(frames, model, floor, sources, options, report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace billow::evaluate
