#include "motion/clip.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace billow::motion {
namespace {

V3 lerp(V3 a, V3 b, float share) { return a + (b - a) * share; }

Quat slerp(Quat a, Quat b, float share) {
  float cosine = dot(a, b);
  if (cosine < 0) b = {-b.x, -b.y, -b.z, -b.w}, cosine = -cosine;
  float u = 1 - share, v = share;
  if (cosine < 0.9995f) {
    const float angle = std::acos(cosine), sine = std::sin(angle);
    u = std::sin(u * angle) / sine;
    v = std::sin(v * angle) / sine;
  }
  return normalized(Quat{u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z, u * a.w + v * b.w});
}

constexpr double kBlendSeconds = 0.3;
constexpr double kAheadSeconds = 0.08;  // similarity is also tested this far ahead, to match velocities

float heading_of(const Pose& pose) {
  const V3 forward = rotate(pose.rotations[0], V3{0, 0, 1});
  return std::atan2(forward.x, forward.z);
}

// Dissimilarity of two poses, independent of ground position and heading: the sum of joint angles (rad) plus
// ten times the height difference (m).
float difference(const Pose& a, const Pose& b) {
  const Pose there = ground_transform(a, b)(a);
  float sum = 10 * std::fabs(a.root_position.y - b.root_position.y);
  for (size_t j = 0; j < a.rotations.size(); ++j) sum += angle_between(there.rotations[j], b.rotations[j]);
  return sum;
}

}  // namespace

float Clip::duration() const {
  if (frames.empty()) return 0;
  return static_cast<float>(loops ? frames.size() : frames.size() - 1) / frames_per_second;
}

void validate(const Skeleton& skeleton, const Clip& clip) {
  const std::string context = "clip '" + clip.name + "': ";
  if (!(clip.frames_per_second > 0) || !std::isfinite(clip.frames_per_second))
    throw std::invalid_argument(context + "expected more than 0 frames a second, found " +
                                std::to_string(clip.frames_per_second));
  if (clip.frames.empty()) throw std::invalid_argument(context + "expected at least one frame, found none");
  for (size_t k = 0; k < clip.frames.size(); ++k) {
    try {
      body::validate(skeleton, clip.frames[k]);
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(context + "frame " + std::to_string(k) + ": " + e.what());
    }
  }
}

Pose blend(const Pose& a, const Pose& b, float share) {
  Pose out;
  out.root_position = lerp(a.root_position, b.root_position, share);
  out.rotations.reserve(a.rotations.size());
  for (size_t j = 0; j < a.rotations.size(); ++j)
    out.rotations.push_back(slerp(normalized(a.rotations[j]), normalized(b.rotations[j]), share));
  for (size_t j = 0; j < a.offsets.size() && j < b.offsets.size(); ++j)
    out.offsets.push_back(lerp(a.offsets[j], b.offsets[j], share));
  return out;
}

Pose pose_at(const Clip& clip, float seconds) {
  const size_t count = clip.frames.size();
  const double last = static_cast<double>(clip.loops ? count : count - 1);
  double at = static_cast<double>(seconds) * static_cast<double>(clip.frames_per_second);
  at = clip.loops ? at - last * std::floor(at / last) : std::clamp(at, 0.0, last);
  const size_t k = std::min(static_cast<size_t>(at), count - 1);
  const float share = static_cast<float>(at - static_cast<double>(k));
  if (!(share > 0)) return clip.frames[k];
  return blend(clip.frames[k], clip.frames[(k + 1) % count], share);
}

Clip resample(const Clip& clip, float frames_per_second) {
  Clip out{clip.name, frames_per_second, {}, clip.loops};
  const double frames = static_cast<double>(clip.duration()) * static_cast<double>(frames_per_second);
  const size_t count = clip.loops ? std::max<size_t>(1, static_cast<size_t>(std::lround(frames)))
                                  : static_cast<size_t>(std::floor(frames + 1e-3)) + 1;
  for (size_t k = 0; k < count; ++k)
    out.frames.push_back(pose_at(clip, static_cast<float>(k) / frames_per_second));
  return out;
}

Pose GroundTransform::operator()(const Pose& pose) const {
  const Quat by = body::rotation_about({0, 1, 0}, turn);
  Pose out = pose;
  out.root_position = rotate(by, pose.root_position) + V3{x, 0, z};
  out.rotations[0] = normalized(by * pose.rotations[0]);
  return out;
}

GroundTransform ground_transform(const Pose& from, const Pose& to) {
  GroundTransform move{0, 0, heading_of(to) - heading_of(from)};
  const V3 turned = move(from).root_position;
  move.x = to.root_position.x - turned.x, move.z = to.root_position.z - turned.z;
  return move;
}

Loop make_loop(const Clip& clip, double begin_seconds, double min_seconds) {
  const auto frames_in = [&](double seconds) {
    return static_cast<size_t>(std::lround(seconds * static_cast<double>(clip.frames_per_second)));
  };
  const size_t look_ahead = frames_in(kAheadSeconds), blend_frames = frames_in(kBlendSeconds);
  const size_t begin = std::max(frames_in(begin_seconds), blend_frames), min_length = frames_in(min_seconds);
  if (clip.frames.size() < begin + min_length + look_ahead + 1)
    throw std::invalid_argument("clip '" + clip.name + "': expected more than " +
                                std::to_string(begin + min_length + look_ahead) +
                                " frames for a loop, found " + std::to_string(clip.frames.size()));

  // Find the most similar pair of frames. Among near ties prefer the longest loop.
  size_t first = begin, last = begin + min_length;
  float smallest = 1e30f;
  for (size_t i = begin; i + min_length + look_ahead < clip.frames.size(); ++i)
    for (size_t j = i + min_length; j + look_ahead < clip.frames.size(); ++j) {
      const float d = difference(clip.frames[i], clip.frames[j]) +
                      difference(clip.frames[i + look_ahead], clip.frames[j + look_ahead]) -
                      0.1f * static_cast<float>(j - i) / clip.frames_per_second;
      if (d < smallest) smallest = d, first = i, last = j;
    }

  // Cross-fade the frames before the cut into those before the loop start.
  Loop loop{clip, first};
  loop.clip.frames.resize(last + 1);
  const GroundTransform move = ground_transform(clip.frames[first], clip.frames[last]);
  for (size_t k = 0; k <= blend_frames; ++k) {
    const float t = static_cast<float>(k) / static_cast<float>(blend_frames), share = t * t * (3 - 2 * t);
    Pose& pose = loop.clip.frames[last - blend_frames + k];
    pose = blend(pose, move(clip.frames[first - blend_frames + k]), share);
  }
  return loop;
}

}  // namespace billow::motion
