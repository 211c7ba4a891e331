// The chaos floor: how far a clip drifts from itself when it is simulated again in slightly denser air.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "files/npy.h"
#include "garment/garment.h"

namespace billow::dataset {

inline constexpr float kChaosAirDensity = 1.001f;  // factor of the air density
inline constexpr float kChaosDelay = 1.5f;         // s, after which the drift is measured

class DriftSum {
 public:
  // Compares with the clip of `frames` frames in `folder`, and writes the vertices to ../../chaos/CLIP.npy. Keeps a
  // reference to the garment.
  DriftSum(const std::filesystem::path& folder, const garment::Garment& garment, size_t frames,
           float frames_per_second);
  void add(size_t frame, std::span<const V3> cloth);
  // Closes the file of vertices and returns the entry of chaos/.
  std::string finish(const std::string& clip_name);

 private:
  const garment::Garment& garment_;
  files::NpyMap cloth_file_, bones_file_;
  std::filesystem::path vertices_, part_;
  files::NpyWriter kept_;
  float first_frame_;
  std::vector<V3> bones_;
  double cloth_sum_ = 0, bone_sum_ = 0, count_ = 0;
};

}  // namespace billow::dataset
