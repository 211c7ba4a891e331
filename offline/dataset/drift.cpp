#include "dataset/drift.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "dataset/clip_writer.h"

namespace billow::dataset {
namespace {

double mean_squared_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return 3 * sum / static_cast<double>(a.size());
}

std::filesystem::path chaos_folder(const std::filesystem::path& clip) {
  const std::filesystem::path folder = clip.parent_path().parent_path() / "chaos";
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace

DriftSum::DriftSum(const std::filesystem::path& folder, const garment::Garment& garment, size_t frames,
                   float frames_per_second)
    : garment_(garment),
      cloth_file_(folder / "cloth.npy"),
      bones_file_(folder / "bones.npy"),
      vertices_(chaos_folder(folder) / (folder.filename().string() + ".npy")),
      part_(vertices_.string() + ".part"),
      kept_(part_, {frames, garment.size(), 3}),
      first_frame_(kChaosDelay * frames_per_second),
      bones_(garment.bones.size()) {}

void DriftSum::add(size_t frame, std::span<const V3> cloth) {
  kept_.write(as_floats(cloth));
  if (static_cast<float>(frame) < first_frame_) return;
  garment::bone_positions(garment_, cloth, bones_);
  cloth_sum_ += mean_squared_distance(as_floats(cloth), cloth_file_.row(frame));
  bone_sum_ += mean_squared_distance(as_floats(bones_), bones_file_.row(frame));
  ++count_;
}

std::string DriftSum::finish(const std::string& name) {
  kept_.finish();
  std::filesystem::rename(part_, vertices_);
  std::ostringstream out;
  out << "{\"name\": " << quoted(name)
      << ", \"cloth_mm\": " << 1000 * std::sqrt(cloth_sum_ / std::max(1.0, count_))
      << ", \"bones_mm\": " << 1000 * std::sqrt(bone_sum_ / std::max(1.0, count_)) << "}";
  return out.str();
}

}  // namespace billow::dataset
