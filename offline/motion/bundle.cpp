#include "motion/bundle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>

#include "files/checksum.h"
#include "files/whole_file.h"
#include "motion/retarget.h"
#include "motion/separate_limbs.h"

namespace billow::motion {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBundleMagic{"billmo\x1a\n", 8};
constexpr uint32_t kBundleVersion = 1;
constexpr size_t kBundleHeader = 40;                   // bytes
constexpr size_t kMaxBundleBytes = size_t{256} << 20;  // larger files are broken or malicious
constexpr float kMaxWay = 100;                         // m, so that 16 bits resolve the root to 1 mm
constexpr float kSkeletonTolerance = 0.001f;           // m, by which joints at rest may differ
constexpr float kSmallest = 0.70710678f;               // bound of the three smallest components
constexpr float kComponentSteps = 32767;               // 15 bits
constexpr uint8_t kTestFlag = 1, kLoopFlag = 2;
constexpr const char* kBundleFile = "captured.billowmotion";

const body::Skeleton& bundle_skeleton() {
  static const body::Skeleton skeleton = body::make_person().skeleton;
  return skeleton;
}

// Writes little-endian numbers and short texts.
class BundleWriter {
 public:
  void number(uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void real(float value) { number(std::bit_cast<uint32_t>(value), 4); }
  void text(const std::string& text) {
    if (text.size() > 0xffff)
      throw std::invalid_argument("motion bundle: expected texts of at most 65,535 bytes, found " +
                                  std::to_string(text.size()));
    number(text.size(), 2);
    bytes_ += text;
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

// Reads the same, and throws at the end of the bytes.
class BundleReader {
 public:
  BundleReader(std::string_view bytes, std::string name) : bytes_(bytes), where_(std::move(name)) {}

  uint64_t number(size_t bytes) {
    need(bytes);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes_[at_ + i])) << (8 * i);
    at_ += bytes;
    return value;
  }
  float real() {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(number(4)));
    if (!std::isfinite(value)) fail("a finite number", std::to_string(value));
    return value;
  }
  std::string text() {
    const size_t size = number(2);
    need(size);
    at_ += size;
    return std::string(bytes_.substr(at_ - size, size));
  }
  void need(size_t bytes) const {
    if (left() < bytes) fail(std::to_string(bytes) + " more bytes", std::to_string(left()));
  }
  size_t left() const { return bytes_.size() - at_; }
  void set_place(const std::string& place) { place_ = place; }
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw std::runtime_error(where_ + ": " + (place_.empty() ? "" : place_ + ": ") + "byte " +
                             std::to_string(at_) + ": expected " + expected + ", found " + found);
  }

 private:
  std::string_view bytes_;
  std::string where_, place_;
  size_t at_ = 0;
};

// Index of the largest component in the two highest bits, then 15 bits for each of the others in order. The sign
// is chosen so that the largest is positive, as q and -q are the same rotation.
uint64_t pack_rotation(Quat rotation) {
  const Quat q = normalized(rotation);
  const std::array<float, 4> v{q.x, q.y, q.z, q.w};
  size_t largest = 0;
  for (size_t i = 1; i < 4; ++i)
    if (std::fabs(v[i]) > std::fabs(v[largest])) largest = i;
  const float sign = v[largest] < 0 ? -1.0f : 1.0f;
  uint64_t bits = largest;
  for (size_t i = 0; i < 4; ++i) {
    if (i == largest) continue;
    const float share = std::clamp((sign * v[i] / kSmallest + 1) / 2, 0.0f, 1.0f);
    bits = bits << 15 | static_cast<uint64_t>(std::lround(share * kComponentSteps));
  }
  return bits;
}

Quat unpack_rotation(uint64_t bits) {
  const size_t largest = bits >> 45 & 3;
  std::array<float, 4> v{};
  float squares = 0;
  for (size_t i = 4; i-- > 0;) {
    if (i == largest) continue;
    v[i] = (2 * static_cast<float>(bits & 0x7fff) / kComponentSteps - 1) * kSmallest;
    squares += v[i] * v[i];
    bits >>= 15;
  }
  v[largest] = std::sqrt(std::max(0.0f, 1 - squares));
  // Bytes that no writer makes may give a rotation of another length.
  return normalized(Quat{v[0], v[1], v[2], v[3]});
}

struct BundleBox {
  V3 low, size;
};

BundleBox box_of_roots(const Clip& clip) {
  V3 low = clip.frames[0].root_position, high = low;
  for (const Pose& pose : clip.frames) {
    const V3 p = pose.root_position;
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {low, high - low};
}

void check_bundled(const BundledClip& bundled) {
  const Clip& clip = bundled.clip;
  validate(bundle_skeleton(), clip);
  const auto fail = [&](const std::string& what) {
    throw std::invalid_argument("motion bundle: clip '" + clip.name + "': expected " + what);
  };
  if (clip.name.empty()) fail("a name, found none");
  for (const Pose& pose : clip.frames)
    if (!pose.offsets.empty()) fail("poses without joint offsets");
  const V3 size = box_of_roots(clip).size;
  if (const float way = std::max({size.x, size.y, size.z}); way > kMaxWay)
    fail("a root that moves at most 100 m, found " + std::to_string(way) + " m");
}

void write_bundled(const BundledClip& bundled, BundleWriter& out) {
  const Clip& clip = bundled.clip;
  const BundleBox box = box_of_roots(clip);
  out.text(clip.name);
  out.text(bundled.about);
  out.text(bundled.subject);
  out.number((bundled.test ? kTestFlag : 0u) | (clip.loops ? kLoopFlag : 0u), 1);
  out.real(clip.frames_per_second);
  out.number(clip.frames.size(), 4);
  for (const float v : {box.low.x, box.low.y, box.low.z, box.size.x, box.size.y, box.size.z}) out.real(v);
  const auto step = [](float value, float low, float size) {
    return size > 0 ? static_cast<uint64_t>(std::lround(std::clamp((value - low) / size, 0.0f, 1.0f) * 65535))
                    : 0;
  };
  for (const Pose& pose : clip.frames) {
    const V3 p = pose.root_position;
    out.number(step(p.x, box.low.x, box.size.x), 2);
    out.number(step(p.y, box.low.y, box.size.y), 2);
    out.number(step(p.z, box.low.z, box.size.z), 2);
    for (const Quat& q : pose.rotations) out.number(pack_rotation(q), 6);
  }
}

BundledClip read_bundled(BundleReader& in) {
  BundledClip bundled;
  Clip& clip = bundled.clip;
  clip.name = in.text();
  if (clip.name.empty()) in.fail("a name", "none");
  in.set_place("clip '" + clip.name + "'");
  bundled.about = in.text();
  bundled.subject = in.text();
  const uint64_t flags = in.number(1);
  if (flags > (kTestFlag | kLoopFlag)) in.fail("flags from 0 to 3", std::to_string(flags));
  bundled.test = (flags & kTestFlag) != 0, clip.loops = (flags & kLoopFlag) != 0;
  clip.frames_per_second = in.real();
  if (!(clip.frames_per_second >= 1 && clip.frames_per_second <= 1000))
    in.fail("1 to 1000 frames a second", std::to_string(clip.frames_per_second));
  const size_t joints = bundle_skeleton().size(), frames = in.number(4);
  if (frames == 0) in.fail("at least one frame", "none");
  float box[6];
  for (float& v : box) v = in.real();
  for (size_t axis = 3; axis < 6; ++axis)
    if (box[axis] < 0 || box[axis] > kMaxWay) in.fail("a way of 0 to 100 m", std::to_string(box[axis]));
  // A frame takes 6 bytes for the root and 6 for each joint; check before memory is allocated.
  in.need(frames * (6 + 6 * joints));
  clip.frames.resize(frames);
  for (Pose& pose : clip.frames) {
    const auto coordinate = [&](size_t axis) {
      return box[axis] + static_cast<float>(in.number(2)) / 65535 * box[3 + axis];
    };
    pose.root_position.x = coordinate(0);
    pose.root_position.y = coordinate(1);
    pose.root_position.z = coordinate(2);
    for (size_t j = 0; j < joints; ++j) pose.rotations.push_back(unpack_rotation(in.number(6)));
  }
  return bundled;
}

// The skeleton is stored so that clips of another version of the person are noticed.
void check_bundle_skeleton(BundleReader& in) {
  const body::Skeleton& skeleton = bundle_skeleton();
  for (const body::Joint& joint : skeleton.joints) {
    const std::string name = in.text();
    const V3 rest{in.real(), in.real(), in.real()};
    if (name != joint.name) in.fail("the built-in person's joint '" + joint.name + "'", "'" + name + "'");
    const V3 gap = rest - joint.rest.position;
    if (length(gap) > kSkeletonTolerance)
      in.fail("the joint '" + name + "' where the built-in person has it; make the bundle again",
              "it " + std::to_string(1000 * length(gap)) + " mm away");
  }
}

std::array<fs::path, 3> bundle_folders() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  return {(program / "../share/billow/motions").lexically_normal(),
          (program / "../../../assets/motions").lexically_normal(),
          (program / "../../assets/motions").lexically_normal()};
}

}  // namespace

std::string bundle_bytes(const MotionBundle& bundle) {
  BundleWriter body;
  for (const body::Joint& joint : bundle_skeleton().joints) {
    body.text(joint.name);
    const V3 p = joint.rest.position;
    for (const float v : {p.x, p.y, p.z}) body.real(v);
  }
  std::set<std::string> names;
  for (const BundledClip& clip : bundle) {
    check_bundled(clip);
    if (!names.insert(clip.clip.name).second)
      throw std::invalid_argument("motion bundle: expected names that are unique, found two clips '" +
                                  clip.clip.name + "'");
    write_bundled(clip, body);
  }
  BundleWriter out;
  out.bytes() = kBundleMagic;
  out.number(kBundleVersion, 4);
  out.number(bundle.size(), 4);
  out.number(bundle_skeleton().size(), 4);
  out.number(0, 4);
  out.number(kBundleHeader + body.bytes().size(), 8);
  out.number(files::add_to_checksum(files::kChecksumStart, body.bytes().data(), body.bytes().size()), 8);
  return out.bytes() + body.bytes();
}

MotionBundle parse_bundle(std::string_view bytes, const std::string& name) {
  BundleReader in(bytes, name);
  if (bytes.size() < kBundleHeader || bytes.substr(0, kBundleMagic.size()) != kBundleMagic)
    in.fail("a motion bundle (.billowmotion)", "another file of " + std::to_string(bytes.size()) + " bytes");
  in.number(8);
  const auto expect = [&](const std::string& what, uint64_t expected, size_t size) {
    const uint64_t found = in.number(size);
    if (found != expected) in.fail(what + " " + std::to_string(expected), std::to_string(found));
  };
  expect("version", kBundleVersion, 4);
  const size_t clips = in.number(4);
  expect("number of joints", bundle_skeleton().size(), 4);
  expect("reserved bytes", 0, 4);
  expect("file size", bytes.size(), 8);
  const std::string_view body = bytes.substr(kBundleHeader);
  expect("checksum", files::add_to_checksum(files::kChecksumStart, body.data(), body.size()), 8);
  check_bundle_skeleton(in);
  MotionBundle bundle;
  std::set<std::string> names;
  for (size_t c = 0; c < clips; ++c) {
    in.set_place("clip " + std::to_string(c));
    bundle.push_back(read_bundled(in));
    if (!names.insert(bundle.back().clip.name).second) in.fail("a name of its own", "one that came before");
  }
  in.set_place("");
  if (in.left() > 0) in.fail("the end of the file", std::to_string(in.left()) + " more bytes");
  return bundle;
}

MotionBundle read_bundle(const fs::path& file) {
  return parse_bundle(files::read_whole_file(file, kMaxBundleBytes), file.string());
}

fs::path shipped_bundle() {
  std::string searched;
  for (const fs::path& folder : bundle_folders()) {
    if (fs::is_regular_file(folder / kBundleFile)) return fs::canonical(folder / kBundleFile);
    searched += (searched.empty() ? "" : " or ") + folder.string();
  }
  throw std::runtime_error(std::string("expected the captured clips that come with Billow, found no ") +
                           kBundleFile + " in " + searched);
}

const BundledClip& clip_in(const MotionBundle& bundle, std::string_view name) {
  std::string similar;
  const std::string subject = subject_of_clip(std::string(name));
  for (const BundledClip& clip : bundle) {
    if (clip.clip.name == name) return clip;
    if (clip.subject == subject) similar += (similar.empty() ? "" : ", ") + clip.clip.name;
  }
  throw std::invalid_argument("captured clips: expected a name of `billow motion list captured`, found '" +
                              std::string(name) + "'" +
                              (similar.empty() ? "" : "; clips of that subject are " + similar));
}

Clip on_person(const BundledClip& clip, const body::Person& person) {
  const body::Skeleton &from = bundle_skeleton(), &to = person.skeleton;
  bool same = true;
  for (size_t j = 0; j < from.size(); ++j)
    same &= length(from.joints[j].rest.position - to.joints[j].rest.position) <= kSkeletonTolerance;
  Clip out = same ? clip.clip : retarget(from, clip.clip, to, {.low_pass = 0});
  separate_limbs(person, out);
  return out;
}

std::string subject_of_clip(const std::string& name) {
  const auto digits = [](const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const size_t end = name.find('_');
  if (end == std::string::npos) return name;
  const std::string take = name.substr(end + 1, name.find('_', end + 1) - end - 1);
  return digits(name.substr(0, end)) && digits(take) ? name.substr(0, end) : name;
}

}  // namespace billow::motion
