#include "dataset/clip_writer.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "dataset/folder.h"
#include "files/whole_file.h"

namespace billow::dataset {
namespace {

constexpr float kLeadIn = 1.0f;      // s, from the rest pose to the first of the clip
constexpr float kWait = 0.5f;        // s, that it stands there before the clip begins
constexpr int kCrossingsEvery = 10;  // frames
// Clips with more than this are not for learning: the cloth got caught, torn or tangled.
constexpr double kMaxWorstP99 = 0.25, kMaxDepth = 0.02, kMaxCrossings = 0.01;  // the last: of the edges

}  // namespace

std::vector<std::vector<Transform>> lead_in(const body::Skeleton& skeleton, const motion::Clip& clip) {
  body::Pose start = body::rest_pose(skeleton);
  start.root_position.x = clip.frames[0].root_position.x;
  start.root_position.z = clip.frames[0].root_position.z;
  start.rotations[0] = clip.frames[0].rotations[0];
  if (!clip.frames[0].offsets.empty())
    for (const body::Joint& joint : skeleton.joints) start.offsets.push_back(joint.rest.position);
  std::vector<std::vector<Transform>> poses;
  const auto frames = static_cast<int>(std::lround(kLeadIn * clip.frames_per_second));
  const auto wait = static_cast<int>(std::lround(kWait * clip.frames_per_second));
  for (int i = 0; i <= frames + wait; ++i) {
    const float t = std::min(1.0f, static_cast<float>(i) / static_cast<float>(frames));
    // Start and stop gently.
    poses.push_back(
        body::joint_transforms(skeleton, motion::blend(start, clip.frames[0], t * t * (3 - 2 * t))));
  }
  return poses;
}

ClipWriter::ClipWriter(const std::filesystem::path& folder, ClipText text, const garment::Garment& garment,
                       const cloth::Sheet& sheet, size_t joints)
    : folder_(folder),
      text_(std::move(text)),
      garment_(garment),
      sheet_(sheet),
      cloth_file_(folder / "cloth.npy", {text_.parts.size(), garment.size(), 3}),
      bones_file_(folder / "bones.npy", {text_.parts.size(), garment.bones.size(), 3}),
      rope_file_(folder / "rope.npy", {text_.parts.size(), garment.bones.size(), 3}),
      joints_file_(folder / "joints.npy", {text_.parts.size(), joints, 7}),
      bones_(garment.bones.size()),
      distances_(garment.size()) {}

void ClipWriter::add(std::span<const V3> cloth, std::span<const V3> ropes, std::span<const Transform> joints,
                     const body::Surface& body) {
  garment::places_of_bones(garment_, cloth, bones_);
  cloth_file_.write(floats(cloth));
  bones_file_.write(floats(bones_));
  rope_file_.write(floats(ropes));
  for (const Transform& t : joints) {
    const float values[] = {t.position.x, t.position.y, t.position.z, t.rotation.x,
                            t.rotation.y, t.rotation.z, t.rotation.w};
    joints_file_.write(values);
  }
  body.query(cloth, distances_);
  const bool crossings = frame_++ % kCrossingsEvery == 0;
  figures_.add(measure(sheet_, cloth, distances_, crossings), crossings);
}

void ClipWriter::finish() {
  std::string checksums;
  for (const auto& [name, file] : {std::pair{"cloth.npy", &cloth_file_},
                                   {"bones.npy", &bones_file_},
                                   {"rope.npy", &rope_file_},
                                   {"joints.npy", &joints_file_}}) {
    file->finish();
    checksums +=
        std::string(checksums.empty() ? "" : ", ") + "\"" + name + "\": \"" + hex(file->checksum()) + "\"";
  }
  files::write_whole_file(folder_ / "clip.json", text(checksums));
}

std::string ClipWriter::text(const std::string& checksums) const {
  const ClothFigures f = figures_.mean();
  const bool usable = figures_.worst_p99() <= kMaxWorstP99 && f.deepest <= kMaxDepth &&
                      f.crossings <= kMaxCrossings * 3 * static_cast<double>(garment_.size());
  std::ostringstream out;
  out << "{\"name\": " << quoted(text_.name) << ", \"frames\": " << text_.parts.size()
      << ", \"usable\": " << (usable ? "true" : "false")
      << ",\n  \"strain_percent\": {\"mean\": " << 100 * f.strain_mean << ", \"p99\": " << 100 * f.strain_p99
      << ", \"worst_frame_p99\": " << 100 * figures_.worst_p99() << ", \"most\": " << 100 * f.strain_most
      << "},\n  \"penetrating_percent\": " << 100 * f.penetrating << ", \"deepest_mm\": " << 1000 * f.deepest
      << ", \"crossings\": " << f.crossings;
  if (!text_.source.empty()) out << ",\n  \"source\": \"" << text_.source << "\"";
  out << ",\n  \"checksums\": {" << checksums << "},\n  \"split\": \"" << text_.parts << "\"}";
  return out.str();
}

}  // namespace billow::dataset
