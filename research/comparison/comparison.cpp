#include "research/comparison/comparison.h"

#include <algorithm>
#include <stdexcept>

#include "learn/pca.h"
#include "research/comparison/baselines.h"
#include "research/gru/gru.h"
#include "research/whole_cloth/bases.h"

namespace billow::research {
namespace {

using Eigen::Index;

void check(const std::string& what, size_t expected, Index found) {
  if (static_cast<Index>(expected) != found)
    throw std::invalid_argument("evaluate: " + what + ": expected " + std::to_string(expected) +
                                " as the data set has, found " + std::to_string(found));
}

std::vector<BoneSource> sources_of(const Frames& frames, const ComparisonOptions& options) {
  std::vector<BoneSource> sources{evaluate::embedded_bones(frames), evaluate::rope_bones(frames)};
  sources.insert(sources.end(), options.more_sources.begin(), options.more_sources.end());
  for (const BoneSource& s : sources) {
    check("frames of bones from " + s.name, frames.size(), s.bones.rows());
    check("values of bones from " + s.name, frames.bone_values(), s.bones.cols());
  }
  return sources;
}

BoneGap gap_of(const Frames& frames, const BoneSource& embedded, const BoneSource& source) {
  BoneGap gap{source.name, evaluate::rope_gap(frames, embedded, source), {}};
  for (size_t s = 0; s < kSets.size(); ++s) {
    const std::vector<uint32_t> which = frames.of(kSets[s]);
    Matrix differences(static_cast<Index>(which.size()), embedded.bones.cols());
    for (size_t i = 0; i < which.size(); ++i)
      differences.row(static_cast<Index>(i)) = source.bones.row(which[i]) - embedded.bones.row(which[i]);
    gap.sets[s] = evaluate::split_gap(frames.garment(), differences);
  }
  return gap;
}

// The basis of the PCA floor: the two bases of a whole-cloth model, joined. For patches, a basis of the
// training frames with options.floor_components, so that the floors of both forms are comparable.
learn::Basis floor_basis(const Frames& frames, const learn::ClothModel& model,
                         const ComparisonOptions& options) {
  if (const auto* whole = std::get_if<learn::Model>(&model))
    return joined(whole->skinning.basis, whole->shape.basis);
  learn::PcaOptions pca;
  pca.components = options.floor_components;
  pca.threads = options.measure.threads;
  return learn::principal_components(learn::cloth_rows(frames, frames.of(dataset::Part::kTrain)), pca).basis;
}

std::vector<Spectrum> spectra_of(const learn::ClothModel& model, const learn::Basis& floor) {
  if (const auto* whole = std::get_if<learn::Model>(&model)) {
    std::vector<Spectrum> spectra{{"skinning", whole->skinning.basis.deviation}};
    if (whole->shape.basis.components() > 0) spectra.push_back({"shape", whole->shape.basis.deviation});
    return spectra;
  }
  if (floor.components() == 0) return {};
  return {{"whole cloth", floor.deviation}};
}

std::vector<Named> named(std::span<const Predictor> predictors, std::span<Measured> measured) {
  std::vector<Named> out;
  for (size_t i = 0; i < predictors.size(); ++i) out.push_back({predictors[i].name, std::move(measured[i])});
  return out;
}

// Measures the networks on all bone sources, and the reference itself.
void measure_networks(const Frames& frames, const learn::ClothModel& model,
                      const std::vector<BoneSource>& sources, const MeasureOptions& options,
                      Results& results) {
  std::vector<Predictor> ours{truth(frames)};
  for (const bool with_shape : {true, false})
    for (const BoneSource& s : sources) ours.push_back(networks(s.name, frames, model, s, with_shape));
  std::vector<Measured> measured = measure(frames, ours, options);
  const std::span all(measured);
  const std::span<const Predictor> each(ours);
  const size_t count = sources.size();
  results.truth = std::move(measured[0]);
  results.sources = named(each.subspan(1, count), all.subspan(1, count));
  results.skinning_only = named(each.subspan(1 + count), all.subspan(1 + count));
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
                       const std::vector<BoneSource>& sources, const ComparisonOptions& options,
                       Results& results) {
  const auto* whole = std::get_if<learn::Model>(&model);
  std::vector<Predictor> all{projection("floor", frames, floor)};
  all.push_back(whole ? projection("skinning_floor", frames, whole->skinning.basis)
                      : patch_projection("patch_floor", frames, std::get<learn::PatchModel>(model)));
  const size_t floors = all.size();
  size_t count = 0;
  const Baselines baselines(frames, floor, whole ? &whole->skinning.basis : nullptr, options.measure.threads);
  for (const BoneSource& source : {std::cref(sources[0]), std::cref(sources[1])}) {
    const std::vector<Predictor> more = baselines.on(source);
    count = more.size();
    all.insert(all.end(), more.begin(), more.end());
  }
  MeasureOptions distances = options.measure;
  distances.everything = false;
  std::vector<Measured> measured = measure(frames, all, distances);
  const std::span<const Predictor> each(all);
  const std::span of_each(measured);
  results.floors = named(each.first(floors), of_each.first(floors));
  results.baselines = named(each.subspan(floors, count), of_each.subspan(floors, count));
  results.rope_baselines = named(each.subspan(floors + count), of_each.subspan(floors + count));
  const std::vector<Named> judged = results.baselines;
  results.ridge_mirrored = keep_better_ridge(judged, results.baselines);
  keep_better_ridge(judged, results.rope_baselines);
}

}  // namespace

Results compare(const Frames& frames, const learn::ClothModel& model, const ComparisonOptions& options) {
  const auto report_progress = [&](const std::string& stage) {
    if (options.progress) options.progress(stage);
  };
  report_progress("bones");
  const std::vector<BoneSource> sources = sources_of(frames, options);
  Results results;
  results.vertices = frames.garment().size();
  for (const Frames::ClipRange& run : frames.clips())
    if (frames.part(run.begin) == dataset::Part::kUnseen)
      results.unseen_clips.push_back({run.begin, run.end});
  results.with_sted = options.measure.sted;
  results.with_surfaces = options.measure.surface_frames > 0;
  for (size_t s = 1; s < sources.size(); ++s) results.gaps.push_back(gap_of(frames, sources[0], sources[s]));

  report_progress("networks");
  measure_networks(frames, model, sources, options.measure, results);
  // Floors and baselines are fitted to training frames; a data set of test clips has none.
  const bool with_baselines = !frames.of(dataset::Part::kTrain).empty();
  if (with_baselines) report_progress("floor");
  const learn::Basis floor = with_baselines ? floor_basis(frames, model, options) : learn::Basis{};
  results.floor_components = floor.components();
  results.spectra = spectra_of(model, floor);
  if (with_baselines) {
    report_progress("baselines");
    measure_baselines(frames, model, floor, sources, options, results);
  }
  return results;
}

evaluate::Comparison compare(const evaluate::ComparisonTask& task) {
  ComparisonOptions options;
  if (task.quick) options.measure = quick_measures();
  options.measure.threads = task.threads;
  options.progress = task.progress;
  if (const auto gru = task.extra.find(kGruSection); gru != task.extra.end())
    options.more_sources.push_back({"gru", gru_bones(task.frames, gru_from_bytes(gru->second))});
  const Results results = compare(task.frames, task.model, options);
  return {to_json(results), to_text(results), to_html(results), kPlotStyle};
}

}  // namespace billow::research
