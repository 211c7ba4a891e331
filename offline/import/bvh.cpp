#include "import/bvh.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>

#include "import/names.h"
#include "motion/human.h"

namespace billow::importer {
namespace {

constexpr size_t kMaxNameLength = 128;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r' || c == '\f'; }
bool is_brace(char c) { return c == '{' || c == '}'; }

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// A word as quoted in messages: shortened, with '?' for unprintable characters.
std::string quoted(std::string_view word) {
  std::string out;
  for (const char c : word.substr(0, 40)) out += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return "'" + out + (word.size() > 40 ? "..." : "") + "'";
}

// Tokeniser that tracks the line number. Words are separated by blanks, tabs, commas and line ends of any
// kind; a brace is a word of its own.
class BvhText {
 public:
  BvhText(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  // The next word in lower case. Throws at the end of the file.
  std::string lower_word();
  // Consumes a word, compared without case; throws if it is another.
  void expect(std::string_view word);
  // A finite number from -1e6 to 1e6.
  float number();
  // An integer from 0 to `max_count`; `what` is named in the message.
  size_t count(size_t max_count, std::string_view what);
  // The rest of the line, up to a brace: names may contain blanks.
  std::string name();
  bool at_end();
  size_t bytes_left() const { return text_.size() - at_; }

  // Throws std::runtime_error: "file.bvh:12: expected ..., found ...".
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  void skip_blanks();
  std::string_view word();

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  size_t line_ = 1;
};

void BvhText::fail(std::string_view expected, std::string_view found) const {
  throw std::runtime_error(file_ + ":" + std::to_string(line_) + ": expected " + std::string(expected) +
                           ", found " + std::string(found));
}

void BvhText::skip_blanks() {
  for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) {
    // Count line ends of any kind: \n, \r\n, \r.
    const bool windows = text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
    if (text_[at_] == '\n' || (text_[at_] == '\r' && !windows)) ++line_;
  }
}

std::string_view BvhText::word() {
  skip_blanks();
  const size_t start = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && !is_brace(text_[at_])) ++at_;
  if (at_ == start && at_ < text_.size()) ++at_;  // a brace
  return text_.substr(start, at_ - start);
}

std::string BvhText::lower_word() {
  const std::string_view found = word();
  if (found.empty()) fail("more", "the end of the file");
  return lower(found);
}

void BvhText::expect(std::string_view expected) {
  const std::string_view found = word();
  if (lower(found) != lower(expected))
    fail("'" + std::string(expected) + "'", found.empty() ? "the end of the file" : quoted(found));
}

bool BvhText::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

float BvhText::number() {
  std::string_view found = word();
  if (found.empty()) fail("a number", "the end of the file");
  const std::string_view digits = found.substr(found.size() > 1 && found[0] == '+' ? 1 : 0);
  float value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // Flush underflow to 0.
  if (error == std::errc::result_out_of_range && end == digits.data() + digits.size()) {
    double as_double = 0;
    if (std::from_chars(digits.data(), end, as_double).ec == std::errc{} && std::fabs(as_double) < 1)
      return 0;
  }
  if (error != std::errc{} || end != digits.data() + digits.size()) fail("a number", quoted(found));
  if (!std::isfinite(value) || std::fabs(value) > 1e6f) fail("a number from -1e6 to 1e6", quoted(found));
  return value;
}

size_t BvhText::count(size_t max_count, std::string_view what) {
  const std::string_view found = word();
  size_t value = 0;
  const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (found.empty() || error != std::errc{} || end != found.data() + found.size() || value > max_count)
    fail("0 to " + std::to_string(max_count) + " " + std::string(what),
         found.empty() ? "the end of the file" : quoted(found));
  return value;
}

std::string BvhText::name() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  const size_t start = at_;
  while (at_ < text_.size() && !is_brace(text_[at_]) && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
  std::string_view found = text_.substr(start, at_ - start);
  while (!found.empty() && is_blank(found.back())) found.remove_suffix(1);
  if (found.empty()) fail("a name", "none");
  if (found.size() > kMaxNameLength) fail("a name of at most 128 letters", quoted(found));
  return std::string(found);
}

using body::kNoJoint;
using Channels = std::vector<int>;  // 0 to 2: positions along x, y, z; 3 to 5: rotations about x, y, z

constexpr size_t kMaxDepth = 256;

struct Bvh {
  body::Skeleton skeleton;
  std::vector<Channels> channels;  // per joint; empty for end sites
  float frame_time = 0;
  size_t frames = 0, values_per_frame = 0;
  bool has_joint_positions = false;  // a joint below the root has position channels
  std::vector<float> values;
};

V3 read_offset(BvhText& text) {
  text.expect("OFFSET");
  const float x = text.number(), y = text.number(), z = text.number();
  return {x, y, z};
}

Channels read_channels(BvhText& text) {
  static const std::map<std::string, int> kinds{{"xposition", 0}, {"yposition", 1}, {"zposition", 2},
                                                {"xrotation", 3}, {"yrotation", 4}, {"zrotation", 5}};
  text.expect("CHANNELS");
  const size_t count = text.count(6, "channels");
  Channels channels;
  for (size_t k = 0; k < count; ++k) {
    const std::string word = text.lower_word();
    const auto kind = kinds.find(word);
    if (kind == kinds.end()) text.fail("a channel such as Xposition or Zrotation", word);
    if (std::find(channels.begin(), channels.end(), kind->second) != channels.end())
      text.fail("each channel once", word + " again");
    channels.push_back(kind->second);
  }
  return channels;
}

void read_hierarchy(BvhText& text, Bvh& bvh) {
  text.expect("HIERARCHY");
  UniqueNames names;
  std::vector<int> open;  // stack of joints whose braces are open
  bool in_end_site = false;
  const auto add = [&](const std::string& name) {
    if (bvh.skeleton.size() == kMaxJoints)
      text.fail("at most " + std::to_string(kMaxJoints) + " joints", "more");
    if (open.size() == kMaxDepth) text.fail("at most " + std::to_string(kMaxDepth) + " joints deep", "more");
    text.expect("{");
    const int parent = open.empty() ? kNoJoint : open.back();
    open.push_back(static_cast<int>(bvh.skeleton.size()));
    bvh.skeleton.joints.push_back({names.unique(name), parent, {read_offset(text), {0, 0, 0, 1}}});
  };
  text.expect("ROOT");
  add(text.name());
  bvh.channels.push_back(read_channels(text));
  while (!open.empty()) {
    const std::string word = text.lower_word();
    if (word == "}") {
      open.pop_back();
      in_end_site = false;
    } else if (in_end_site || (word != "joint" && word != "end")) {
      text.fail(in_end_site ? "'}'" : "JOINT, End Site or '}'", word);
    } else if (word == "joint") {
      add(text.name());
      bvh.channels.push_back(read_channels(text));
    } else {
      text.expect("Site");
      add(bvh.skeleton.joints[static_cast<size_t>(open.back())].name + "_end");
      bvh.channels.emplace_back();
      in_end_site = true;
    }
  }
  for (size_t j = 0; j < bvh.channels.size(); ++j) {
    bvh.values_per_frame += bvh.channels[j].size();
    for (const int channel : bvh.channels[j]) bvh.has_joint_positions |= j > 0 && channel < 3;
  }
}

void read_motion(BvhText& text, Bvh& bvh) {
  text.expect("MOTION");
  text.expect("Frames:");
  bvh.frames = text.count(kMaxFrames, "frames");
  if (bvh.frames == 0) text.fail("at least one frame", "0");
  text.expect("Frame");
  text.expect("Time:");
  bvh.frame_time = text.number();
  if (!(bvh.frame_time >= 1e-4f && bvh.frame_time <= 10))
    text.fail("a frame time from 0.0001 to 10 s", std::to_string(bvh.frame_time));
  // Check the header's counts before allocating: a number and a space are two bytes at least.
  if (bvh.frames * bvh.skeleton.size() > kMaxPosedJoints)
    text.fail("at most " + std::to_string(kMaxPosedJoints) + " frames times joints",
              std::to_string(bvh.frames * bvh.skeleton.size()));
  const size_t values = bvh.frames * bvh.values_per_frame;
  if (values > text.bytes_left() / 2 + 1)
    text.fail(std::to_string(bvh.frames) + " frames of " + std::to_string(bvh.values_per_frame) + " numbers",
              "a file that ends earlier");
  bvh.values.reserve(values);
  for (size_t k = 0; k < values; ++k) bvh.values.push_back(text.number());
}

// The pose of a frame. Rotations compose in the order of the channels, the first outermost.
body::Pose pose_of(const Bvh& bvh, size_t frame) {
  static constexpr V3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  body::Pose pose;
  pose.rotations.reserve(bvh.skeleton.size());
  if (bvh.has_joint_positions) pose.offsets.reserve(bvh.skeleton.size());
  const float* next = bvh.values.data() + frame * bvh.values_per_frame;
  for (size_t j = 0; j < bvh.skeleton.size(); ++j) {
    V3 offset = bvh.skeleton.joints[j].rest.position;
    Quat rotation{0, 0, 0, 1};
    for (const int channel : bvh.channels[j]) {
      const float value = *next++;
      if (channel < 3)
        (channel == 0 ? offset.x : channel == 1 ? offset.y : offset.z) = value;
      else
        rotation = rotation *
                   body::rotation_about(kAxes[channel - 3], std::remainder(value, 360.0f) * 0.0174532925f);
    }
    pose.rotations.push_back(normalized(rotation));
    if (j == 0) pose.root_position = offset;
    if (bvh.has_joint_positions) pose.offsets.push_back(offset);
  }
  return pose;
}

// True if the first frame is a T-pose: most rotations are the identity, more than in the next frame, and the
// step to the next frame is large compared with the step after it.
bool starts_with_rest_pose(const std::vector<body::Pose>& frames, const std::vector<Channels>& channels) {
  if (frames.size() < 3) return false;
  size_t joints = 0, unrotated = 0, unrotated_next = 0;
  float jump = 0, step = 0;
  for (size_t j = 0; j < channels.size(); ++j) {
    if (channels[j].empty()) continue;
    ++joints;
    unrotated += motion::angle_between(frames[0].rotations[j], {0, 0, 0, 1}) < 1e-3f;
    unrotated_next += motion::angle_between(frames[1].rotations[j], {0, 0, 0, 1}) < 1e-3f;
    jump = std::max(jump, motion::angle_between(frames[0].rotations[j], frames[1].rotations[j]));
    step = std::max(step, motion::angle_between(frames[1].rotations[j], frames[2].rotations[j]));
  }
  return 2 * unrotated > joints && unrotated > unrotated_next && jump > 0.17f && jump > 4 * step;
}

// Converts from z up to y up by a rotation about x.
void convert_z_up(Bvh& bvh, std::vector<body::Pose>& frames) {
  const Quat to_y_up = body::rotation_about({1, 0, 0}, -1.57079633f);
  Transform& root = bvh.skeleton.joints[0].rest;
  root = {rotate(to_y_up, root.position), to_y_up * root.rotation};
  for (body::Pose& pose : frames) {
    pose.root_position = rotate(to_y_up, pose.root_position);
    pose.rotations[0] = to_y_up * pose.rotations[0];
  }
}

// Compares hips and head in the rest pose.
bool z_is_up(const body::Skeleton& skeleton) {
  const motion::Human human = motion::find_human(skeleton);
  const int hips = human.of(motion::Part::hips), head = human.of(motion::Part::head);
  if (hips == kNoJoint || head == kNoJoint) return false;
  const std::vector<Transform> rest = body::rest_transforms(skeleton);
  const V3 up = rest[static_cast<size_t>(head)].position - rest[static_cast<size_t>(hips)].position;
  return up.z > 2 * std::fabs(up.y);
}

void scale_all(float scale, body::Skeleton& skeleton, std::vector<body::Pose>& frames) {
  for (body::Joint& joint : skeleton.joints) joint.rest.position = joint.rest.position * scale;
  for (body::Pose& pose : frames) {
    pose.root_position = pose.root_position * scale;
    for (V3& offset : pose.offsets) offset = offset * scale;
  }
}

// Moves the rest pose so that the root is above the origin and the lowest joint at y = 0.
void stand_at_origin(body::Skeleton& skeleton) {
  V3& root = skeleton.joints[0].rest.position;
  root = {0, 0, 0};
  float low = 0;
  for (const Transform& t : body::rest_transforms(skeleton)) low = std::min(low, t.position.y);
  root.y = -low;
}

}  // namespace

Character parse_bvh(std::string_view bytes, const std::string& name, const BvhOptions& options) {
  BvhText text(bytes, name);
  Bvh bvh;
  read_hierarchy(text, bvh);
  read_motion(text, bvh);
  motion::Clip clip{name.substr(0, name.find_last_of('.')), 1 / bvh.frame_time, {}, false};
  if (const float rounded = std::round(clip.frames_per_second);
      std::fabs(clip.frames_per_second - rounded) < 2e-3f * rounded)
    clip.frames_per_second = rounded;
  for (size_t f = 0; f < bvh.frames; ++f) clip.frames.push_back(pose_of(bvh, f));

  using First = BvhOptions::FirstFrame;
  if (options.first_frame == First::rest ||
      (options.first_frame == First::guess && starts_with_rest_pose(clip.frames, bvh.channels))) {
    for (size_t j = 0; j < bvh.skeleton.size(); ++j)
      bvh.skeleton.joints[j].rest.rotation = clip.frames[0].rotations[j];
    if (clip.frames.size() > 1) clip.frames.erase(clip.frames.begin());
  }
  try {
    using Up = BvhOptions::Up;
    if (options.up == Up::z || (options.up == Up::guess && z_is_up(bvh.skeleton)))
      convert_z_up(bvh, clip.frames);
    scale_all(options.scale > 0 ? options.scale : guess_unit(bvh.skeleton), bvh.skeleton, clip.frames);
    stand_at_origin(bvh.skeleton);
    Character character{clip.name, std::move(bvh.skeleton), {}, {}, {}};
    if (!text.at_end())
      character.notes.push_back("the file continues after the last frame; the rest is ignored");
    character.clips.push_back(std::move(clip));
    validate(character);
    return character;
  } catch (const std::exception& e) {
    throw std::runtime_error(name + ": " + e.what());
  }
}

Character read_bvh(const std::filesystem::path& file, const BvhOptions& options) {
  return parse_bvh(read_bytes(file), file.filename().string(), options);
}

}  // namespace billow::importer
