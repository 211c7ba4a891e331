#include "import/bvh.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "import/bvh_text.h"
#include "import/names.h"
#include "import/units.h"
#include "motion/human.h"

namespace billow::importer {
namespace {

using body::kNoJoint;
using Channels = std::vector<int>;  // 0 to 2: positions along x, y, z; 3 to 5: rotations about them

constexpr size_t kMaxDepth = 256;

struct Bvh {
  body::Skeleton skeleton;
  std::vector<Channels> channels;  // one a joint, none for end sites
  float frame_time = 0;
  size_t frames = 0, numbers_a_frame = 0;
  bool moves_joints = false;  // joints below the root have positions
  std::vector<float> numbers;
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
  Names names;
  std::vector<int> open;  // joints whose braces are open
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
    bvh.numbers_a_frame += bvh.channels[j].size();
    for (const int channel : bvh.channels[j]) bvh.moves_joints |= j > 0 && channel < 3;
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
  // Check what the header promises before memory is taken for it: a number and a space are two bytes.
  if (bvh.frames * bvh.skeleton.size() > kMaxPosedJoints)
    text.fail("at most " + std::to_string(kMaxPosedJoints) + " frames times joints",
              std::to_string(bvh.frames * bvh.skeleton.size()));
  const size_t numbers = bvh.frames * bvh.numbers_a_frame;
  if (numbers > text.bytes_left() / 2 + 1)
    text.fail(std::to_string(bvh.frames) + " frames of " + std::to_string(bvh.numbers_a_frame) + " numbers",
              "a file that ends before");
  bvh.numbers.reserve(numbers);
  for (size_t k = 0; k < numbers; ++k) bvh.numbers.push_back(text.number());
}

// A frame: turns in the order of the channels, the first outermost.
body::Pose pose_of(const Bvh& bvh, size_t frame) {
  static constexpr V3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  body::Pose pose;
  pose.rotations.reserve(bvh.skeleton.size());
  if (bvh.moves_joints) pose.offsets.reserve(bvh.skeleton.size());
  const float* number = bvh.numbers.data() + frame * bvh.numbers_a_frame;
  for (size_t j = 0; j < bvh.skeleton.size(); ++j) {
    V3 offset = bvh.skeleton.joints[j].rest.position;
    Quat turn{0, 0, 0, 1};
    for (const int channel : bvh.channels[j]) {
      const float value = *number++;
      if (channel < 3)
        (channel == 0 ? offset.x : channel == 1 ? offset.y : offset.z) = value;
      else
        turn = turn * body::turn_about(kAxes[channel - 3], std::remainder(value, 360.0f) * 0.0174532925f);
    }
    pose.rotations.push_back(normalized(turn));
    if (j == 0) pose.root_position = offset;
    if (bvh.moves_joints) pose.offsets.push_back(offset);
  }
  return pose;
}

// True if the first frame is a T-pose: most joints unturned, unlike in the next, which is far from it
// compared with the one after.
bool starts_with_rest(const std::vector<body::Pose>& frames, const std::vector<Channels>& channels) {
  if (frames.size() < 3) return false;
  size_t turning = 0, unturned = 0, unturned_next = 0;
  float jump = 0, step = 0;
  for (size_t j = 0; j < channels.size(); ++j) {
    if (channels[j].empty()) continue;
    ++turning;
    unturned += motion::angle_between(frames[0].rotations[j], {0, 0, 0, 1}) < 1e-3f;
    unturned_next += motion::angle_between(frames[1].rotations[j], {0, 0, 0, 1}) < 1e-3f;
    jump = std::max(jump, motion::angle_between(frames[0].rotations[j], frames[1].rotations[j]));
    step = std::max(step, motion::angle_between(frames[1].rotations[j], frames[2].rotations[j]));
  }
  return 2 * unturned > turning && unturned > unturned_next && jump > 0.17f && jump > 4 * step;
}

// Turns a file whose z is up: its x stays.
void turn_up(Bvh& bvh, std::vector<body::Pose>& frames) {
  const Quat turn = body::turn_about({1, 0, 0}, -1.57079633f);
  Transform& root = bvh.skeleton.joints[0].rest;
  root = {rotate(turn, root.position), turn * root.rotation};
  for (body::Pose& pose : frames) {
    pose.root_position = rotate(turn, pose.root_position);
    pose.rotations[0] = turn * pose.rotations[0];
  }
}

// Looks from the hips to the head at rest.
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

// Stands the rest pose on y = 0, the root above the origin.
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
  if (const float whole = std::round(clip.frames_per_second);
      std::fabs(clip.frames_per_second - whole) < 2e-3f * whole)
    clip.frames_per_second = whole;
  for (size_t f = 0; f < bvh.frames; ++f) clip.frames.push_back(pose_of(bvh, f));

  using First = BvhOptions::FirstFrame;
  if (options.first_frame == First::rest ||
      (options.first_frame == First::guess && starts_with_rest(clip.frames, bvh.channels))) {
    for (size_t j = 0; j < bvh.skeleton.size(); ++j)
      bvh.skeleton.joints[j].rest.rotation = clip.frames[0].rotations[j];
    if (clip.frames.size() > 1) clip.frames.erase(clip.frames.begin());
  }
  try {
    using Up = BvhOptions::Up;
    if (options.up == Up::z || (options.up == Up::guess && z_is_up(bvh.skeleton))) turn_up(bvh, clip.frames);
    scale_all(options.scale > 0 ? options.scale : guess_unit(bvh.skeleton), bvh.skeleton, clip.frames);
    stand_at_origin(bvh.skeleton);
    Character character{clip.name, std::move(bvh.skeleton), {}, {}, {}};
    if (!text.at_end()) character.notes.push_back("there is more after the last frame, which is not read");
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
