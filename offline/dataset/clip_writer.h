// One clip on its way to disk: its four arrays frame by frame, its figures, and clip.json. However the cloth was
// made, what is written and how it is judged are the same.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "body/surface.h"
#include "cloth/sheet.h"
#include "dataset/measure.h"
#include "files/npy.h"
#include "garment/garment.h"
#include "motion/clip.h"

namespace billow::dataset {

// The poses before a clip, as joints in model space: from rest, where it begins, to its first frame; then it waits. Cloth
// and ropes that start at rest are driven through them.
std::vector<std::vector<Transform>> lead_in(const body::Skeleton& skeleton, const motion::Clip& clip);

// Places as the numbers that arrays on disk hold.
inline std::span<const float> floats(std::span<const V3> v) { return {&v[0].x, 3 * v.size()}; }

struct ClipText {
  std::string name;
  std::string parts;   // a letter a frame: see Part
  std::string source;  // of a clip that was imported: tells it from others; else empty
};

class ClipWriter {
 public:
  // In a folder that is there. Keeps references to garment and sheet.
  ClipWriter(const std::filesystem::path& folder, ClipText text, const garment::Garment& garment,
             const cloth::Sheet& sheet, size_t joints);

  // The next frame: the cloth, the bones of the rope chains, and the body, which has to be posed.
  void add(std::span<const V3> cloth, std::span<const V3> ropes, std::span<const Transform> joints,
           const body::Surface& body);
  // Throws std::runtime_error unless all frames were added and written.
  void finish();

 private:
  std::string text(const std::string& checksums) const;

  std::filesystem::path folder_;
  ClipText text_;
  const garment::Garment& garment_;
  const cloth::Sheet& sheet_;
  files::NpyWriter cloth_file_, bones_file_, rope_file_, joints_file_;
  std::vector<V3> bones_;
  std::vector<float> distances_;
  FigureSum figures_;
  size_t frame_ = 0;
};

}  // namespace billow::dataset
