// Writes data sets: the arrays, quality measures and clip.json of a clip, and the files of the folder.
// Simulated and imported cloth use the same writer. dataset/simulate.h describes the layout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "body/skeleton.h"
#include "body/surface.h"
#include "cloth/sheet.h"
#include "dataset/measure.h"
#include "files/npy.h"
#include "garment/garment.h"
#include "motion/clip.h"

namespace billow::dataset {

// Joint transforms before a clip: from the rest pose at its start position to its first frame, which is then
// held. Cloth and ropes that start at rest are driven through them.
std::vector<std::vector<Transform>> lead_in(const body::Skeleton& skeleton, const motion::Clip& clip);

// The drape of a garment, moved with the root joint: where its cloth starts on a character at `joints`.
std::vector<V3> drape_at(const garment::Garment& garment, const body::Skeleton& skeleton,
                         std::span<const Transform> joints);

// Positions as flat floats, as stored in arrays.
inline std::span<const float> as_floats(std::span<const V3> v) { return {&v[0].x, 3 * v.size()}; }

struct ClipText {
  std::string name;
  std::string parts;   // split of each frame, one letter per frame: see Part
  std::string source;  // checksum that identifies an imported clip; else empty
};

class ClipWriter {
 public:
  // Writes to an existing folder. Keeps references to garment and sheet.
  ClipWriter(const std::filesystem::path& folder, ClipText text, const garment::Garment& garment,
             const cloth::Sheet& sheet, size_t joints);

  // Appends a frame: cloth vertices, bones of the rope chains, joints, and the body in that pose.
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
  MeasureSum figures_;
  size_t frame_ = 0;
};

// The figures of the reference's check in a clip.json that ClipWriter wrote. Does without a JSON library, as
// billow_simulate has to.
ClipQuality quality_in_clip_file(const std::filesystem::path& file);

// Name of a clip's folder and of its entry in chaos/.
std::string clip_name(size_t index);

std::string hex(uint64_t value);
// A JSON string; control characters become spaces.
std::string quoted(const std::string& text);

// Creates the folder of a data set with this head ("key": value lines), or resumes it. Throws
// std::invalid_argument if the folder holds another data set.
void claim_folder(const std::filesystem::path& folder, const std::string& head);

// The text of head.json.
std::string head_text(const std::string& head);
// Writes manifest.json: the head and the entries of all clips, which have to exist.
void write_manifest(const std::filesystem::path& folder, const std::string& head_text, size_t clips);

}  // namespace billow::dataset
