#include "motion/clip.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace billow::motion {
namespace {

V3 between(V3 a, V3 b, float share) { return a + (b - a) * share; }

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

}  // namespace

float Clip::duration() const {
  if (frames.empty()) return 0;
  return static_cast<float>(loops ? frames.size() : frames.size() - 1) / frames_per_second;
}

void validate(const Skeleton& skeleton, const Clip& clip) {
  const std::string who = "clip '" + clip.name + "': ";
  if (!(clip.frames_per_second > 0) || !std::isfinite(clip.frames_per_second))
    throw std::invalid_argument(who + "expected more than 0 frames a second, found " +
                                std::to_string(clip.frames_per_second));
  if (clip.frames.empty()) throw std::invalid_argument(who + "expected at least one frame, found none");
  for (size_t k = 0; k < clip.frames.size(); ++k) {
    try {
      body::validate(skeleton, clip.frames[k]);
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(who + "frame " + std::to_string(k) + ": " + e.what());
    }
  }
}

Pose blend(const Pose& a, const Pose& b, float share) {
  Pose out;
  out.root_position = between(a.root_position, b.root_position, share);
  out.rotations.reserve(a.rotations.size());
  for (size_t j = 0; j < a.rotations.size(); ++j)
    out.rotations.push_back(slerp(normalized(a.rotations[j]), normalized(b.rotations[j]), share));
  for (size_t j = 0; j < a.offsets.size() && j < b.offsets.size(); ++j)
    out.offsets.push_back(between(a.offsets[j], b.offsets[j], share));
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

}  // namespace billow::motion
