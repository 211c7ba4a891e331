#include <chrono>
#include <stdexcept>

#include "evaluate/report.h"

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

Report describe(const Frames& frames, const learn::ClothModel& model) {
  Report report;
  report.garment = frames.info().garment;
  report.vertices = frames.garment().size();
  report.bones = frames.garment().bones.size();
  report.training_frames = !frames.of(dataset::Part::kTrain).empty();
  if (const auto* whole = std::get_if<learn::Model>(&model)) {
    report.form = "whole cloth";
    report.skinning_components = whole->skinning.basis.components();
    report.shape_components = whole->shape.basis.components();
  } else {
    const auto& patches = std::get<learn::PatchModel>(model);
    report.form = "patches";
    report.patches = patches.patches.size();
    report.patch_components = patches.components();
  }
  return report;
}

}  // namespace

Report evaluate(const ComparisonTask& task, const std::optional<JudgeOptions>& product,
                const Compare& compare) {
  const auto start = std::chrono::steady_clock::now();
  std::visit([&](const auto& m) { check(task.frames, m); }, task.model);
  Report report = describe(task.frames, task.model);
  if (product) {
    if (task.progress) task.progress("product");
    report.product = judge(task.frames, *product);
  }
  if (compare) report.comparison = compare(task);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace billow::evaluate
