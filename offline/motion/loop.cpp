#include "motion/loop.h"

#include <cmath>
#include <stdexcept>

namespace billow::motion {
namespace {

constexpr double kBlendSeconds = 0.3;
constexpr double kAheadSeconds = 0.08;  // moments are alike if they also go on alike

float heading_of(const Pose& pose) {
  const V3 ahead = rotate(pose.rotations[0], V3{0, 0, 1});
  return std::atan2(ahead.x, ahead.z);
}

// Radians between the joints of two poses, all together, and metres between their heights, wherever they stand.
float difference(const Pose& a, const Pose& b) {
  const Pose there = ground_move(a, b)(a);
  float sum = 10 * std::fabs(a.root_position.y - b.root_position.y);
  for (size_t j = 0; j < a.rotations.size(); ++j) sum += angle_between(there.rotations[j], b.rotations[j]);
  return sum;
}

}  // namespace

Pose GroundMove::operator()(const Pose& pose) const {
  const Quat by = body::turn_about({0, 1, 0}, turn);
  Pose out = pose;
  out.root_position = rotate(by, pose.root_position) + V3{x, 0, z};
  out.rotations[0] = normalized(by * pose.rotations[0]);
  return out;
}

GroundMove ground_move(const Pose& from, const Pose& to) {
  GroundMove move{0, 0, heading_of(to) - heading_of(from)};
  const V3 turned = move(from).root_position;
  move.x = to.root_position.x - turned.x, move.z = to.root_position.z - turned.z;
  return move;
}

Loop make_loop(const Clip& clip, double begin_seconds, double least_seconds) {
  const auto frames_in = [&](double seconds) {
    return static_cast<size_t>(std::lround(seconds * static_cast<double>(clip.frames_per_second)));
  };
  const size_t ahead = frames_in(kAheadSeconds), over = frames_in(kBlendSeconds);
  const size_t begin = std::max(frames_in(begin_seconds), over), least = frames_in(least_seconds);
  if (clip.frames.size() < begin + least + ahead + 1)
    throw std::invalid_argument("clip '" + clip.name + "': expected more than " +
                                std::to_string(begin + least + ahead) + " frames to make a loop of, found " +
                                std::to_string(clip.frames.size()));

  // Find the two moments. Of nearly equal ones the longest loop is the least monotonous.
  size_t first = begin, last = begin + least;
  float smallest = 1e30f;
  for (size_t i = begin; i + least + ahead < clip.frames.size(); ++i)
    for (size_t j = i + least; j + ahead < clip.frames.size(); ++j) {
      const float d = difference(clip.frames[i], clip.frames[j]) +
                      difference(clip.frames[i + ahead], clip.frames[j + ahead]) -
                      0.1f * static_cast<float>(j - i) / clip.frames_per_second;
      if (d < smallest) smallest = d, first = i, last = j;
    }

  // Let what leads to the later one go over into what leads to the earlier one.
  Loop loop{clip, first};
  loop.clip.frames.resize(last + 1);
  const GroundMove move = ground_move(clip.frames[first], clip.frames[last]);
  for (size_t k = 0; k <= over; ++k) {
    const float t = static_cast<float>(k) / static_cast<float>(over), share = t * t * (3 - 2 * t);
    Pose& pose = loop.clip.frames[last - over + k];
    pose = blend(pose, move(clip.frames[first - over + k]), share);
  }
  return loop;
}

}  // namespace billow::motion
