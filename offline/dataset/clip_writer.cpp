#include "dataset/clip_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "files/whole_file.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

constexpr float kLeadInTime = 1.0f;  // s, from the rest pose to the first frame
constexpr float kHoldTime = 0.5f;    // s, for which the first frame is held
constexpr int kCrossingsEvery = 10;  // frames between counts of crossings

// JSON has no numbers that are not finite: cloth that blew up is beyond every limit by this.
double json_number(double value) { return std::isfinite(value) ? value : 1e9; }

// The number after a key, which the writer below wrote. `otherwise` if there is none.
double number_of_key(const std::string& text, const std::string& key, double otherwise) {
  const size_t at = text.find("\"" + key + "\": ");
  return at == std::string::npos ? otherwise : std::strtod(text.c_str() + at + key.size() + 4, nullptr);
}

}  // namespace

std::vector<std::vector<Transform>> lead_in(const body::Skeleton& skeleton, const motion::Clip& clip) {
  body::Pose start = body::rest_pose(skeleton);
  start.root_position.x = clip.frames[0].root_position.x;
  start.root_position.z = clip.frames[0].root_position.z;
  start.rotations[0] = clip.frames[0].rotations[0];
  if (!clip.frames[0].offsets.empty())
    for (const body::Joint& joint : skeleton.joints) start.offsets.push_back(joint.rest.position);
  std::vector<std::vector<Transform>> poses;
  const auto frames = static_cast<int>(std::lround(kLeadInTime * clip.frames_per_second));
  const auto hold_frames = static_cast<int>(std::lround(kHoldTime * clip.frames_per_second));
  for (int i = 0; i <= frames + hold_frames; ++i) {
    const float t = std::min(1.0f, static_cast<float>(i) / static_cast<float>(frames));
    // Ease in and out.
    poses.push_back(
        body::joint_transforms(skeleton, motion::blend(start, clip.frames[0], t * t * (3 - 2 * t))));
  }
  return poses;
}

std::vector<V3> drape_at(const garment::Garment& garment, const body::Skeleton& skeleton,
                         std::span<const Transform> joints) {
  const Transform root_motion = joints[0] * inverse(body::rest_transforms(skeleton)[0]);
  std::vector<V3> out;
  for (const V3& p : garment.rest) out.push_back(apply(root_motion, p));
  return out;
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
  garment::bone_positions(garment_, cloth, bones_);
  cloth_file_.write(as_floats(cloth));
  bones_file_.write(as_floats(bones_));
  rope_file_.write(as_floats(ropes));
  for (const Transform& t : joints) {
    const float values[] = {t.position.x, t.position.y, t.position.z, t.rotation.x,
                            t.rotation.y, t.rotation.z, t.rotation.w};
    joints_file_.write(values);
  }
  body.query(cloth, distances_);
  // What is sewn to the skin cannot be caught, wherever the colliders end.
  for (const garment::Attachment& a : garment_.attachments)
    distances_[a.vertex] = std::max(0.0f, distances_[a.vertex]);
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
  const ClothMeasures f = figures_.mean();
  const ClipQuality q = figures_.quality();
  const bool usable = is_usable(q, garment_.size());
  std::ostringstream out;
  out << "{\"name\": " << quoted(text_.name) << ", \"frames\": " << text_.parts.size()
      << ", \"usable\": " << (usable ? "true" : "false")
      << ",\n  \"strain_percent\": {\"mean\": " << json_number(100 * f.strain_mean)
      << ", \"p99\": " << json_number(100 * f.strain_p99)
      << ", \"worst_frame_p99\": " << json_number(100 * q.strain)
      << ", \"most\": " << json_number(100 * f.strain_max)
      << "},\n  \"penetrating_percent\": " << 100 * f.penetrating
      << ", \"deepest_mm\": " << json_number(1000 * q.deepest) << ", \"crossings\": " << f.crossings
      << ", \"tangled\": " << f.tangled << ",\n  \"worst_frames\": {\"strain_frame\": " << q.strain_frame
      << ", \"deepest_frame\": " << q.deepest_frame << ", \"tangled_frame\": " << q.tangled_frame << "}";
  if (!text_.source.empty()) out << ",\n  \"source\": \"" << text_.source << "\"";
  out << ",\n  \"checksums\": {" << checksums << "},\n  \"split\": \"" << text_.parts << "\"}";
  return out.str();
}

ClipQuality quality_in_clip_file(const std::filesystem::path& file) {
  const std::string text = files::read_whole_file(file);
  const auto frame = [&](const char* key) {
    const double found = number_of_key(text, key, -1);
    return found < 0 ? kUnknownFrame : static_cast<size_t>(found);
  };
  ClipQuality q;
  q.strain = number_of_key(text, "worst_frame_p99", 0) / 100;
  q.deepest = number_of_key(text, "deepest_mm", 0) / 1000;
  q.tangled = number_of_key(text, "tangled", 0);
  q.strain_frame = frame("strain_frame");
  q.deepest_frame = frame("deepest_frame");
  q.tangled_frame = frame("tangled_frame");
  return q;
}

std::string clip_name(size_t index) {
  std::string name = std::to_string(index);
  return name.size() < 4 ? std::string(4 - name.size(), '0') + name : name;
}

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string head_text(const std::string& head) { return "{\n" + head + "\n}\n"; }

void claim_folder(const fs::path& folder, const std::string& head) {
  fs::create_directories(folder / "clips");
  fs::create_directories(folder / "chaos");
  const fs::path file = folder / "head.json";
  const std::string text = head_text(head);
  if (!fs::exists(file)) {
    files::write_whole_file(file, text);
  } else if (const std::string found = files::read_whole_file(file); found != text) {
    throw std::invalid_argument(
        folder.string() + ": this folder holds another data set; choose another folder, or remove " +
        file.string() + " and all other files in it. Expected:\n" + text + "found:\n" + found);
  }
}

void write_manifest(const fs::path& folder, const std::string& head_text, size_t clips) {
  std::string out = head_text.substr(0, head_text.find_last_of('}'));
  out.resize(out.find_last_not_of("\n") + 1);
  out += ",\n\"clips\": [\n";
  for (size_t c = 0; c < clips; ++c)
    out += (c > 0 ? ",\n" : "") + files::read_whole_file(folder / "clips" / clip_name(c) / "clip.json");
  out += "\n],\n\"chaos\": [\n";
  bool first = true;
  for (size_t c = 0; c < clips; ++c)
    if (const fs::path file = folder / "chaos" / (clip_name(c) + ".json"); fs::exists(file))
      out +=
          std::exchange(first, false) ? files::read_whole_file(file) : ",\n" + files::read_whole_file(file);
  files::write_whole_file(folder / "manifest.json", out + "\n]\n}\n");
}

}  // namespace billow::dataset
