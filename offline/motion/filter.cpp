#include "motion/filter.h"

#include <algorithm>
#include <cmath>

#include "motion/actor.h"

namespace billow::motion {
namespace {

constexpr float kMinFramesPerSecond = 60;
constexpr float kMinAngle = 0.1f;      // radians
constexpr float kMinDistance = 0.02f;  // m
constexpr float kMinRatio = 4;         // to the distance of the neighbours from their average

// A frame of a clip, extended beyond both ends: periodically if it loops, else by point reflection about the
// first or last frame, which continues a steady motion.
class ExtendedFrame {
 public:
  ExtendedFrame(const Clip& clip, int frame) {
    const int count = static_cast<int>(clip.frames.size());
    if (clip.loops) frame = (frame % count + count) % count;
    const int end = frame < 0 ? 0 : count - 1;
    outside_ = frame < 0 || frame >= count;
    at_ = &clip.frames[static_cast<size_t>(outside_ ? std::clamp(2 * end - frame, 0, count - 1) : frame)];
    end_ = &clip.frames[static_cast<size_t>(end)];
  }
  Quat rotation(size_t joint) const {
    const Quat q = normalized(at_->rotations[joint]);
    if (!outside_) return q;
    const Quat end = normalized(end_->rotations[joint]);
    return end * conjugate(q) * end;
  }
  template <class Get> V3 position(Get get) const {
    return outside_ ? get(*end_) * 2.0f - get(*at_) : get(*at_);
  }

 private:
  const Pose *at_, *end_;
  bool outside_;
};

// Faster than any thigh or foot: kicks reach 1000 to 1500 degrees per second.
constexpr float kMinJumpSpeed = 44;  // rad/s, 2500 degrees
constexpr float kMinJump = 0.35f;    // radians
constexpr float kHoldTime = 0.25f;   // s, most jumps of the CMU data revert within it
constexpr float kFadeTime = 0.12f;   // s

bool is_jump(float radians, float seconds) {
  return std::fabs(radians) > kMinJump && std::fabs(radians) > kMinJumpSpeed * seconds;
}

}  // namespace

Clip without_outliers(const Clip& clip) {
  Clip out = clip;
  if (clip.frames_per_second < kMinFramesPerSecond) return out;
  for (size_t k = 1; k + 1 < clip.frames.size(); ++k) {
    const Pose &before = out.frames[k - 1], &now = clip.frames[k], &after = clip.frames[k + 1];
    for (size_t j = 0; j < now.rotations.size(); ++j) {
      const Quat a = normalized(before.rotations[j]), b = normalized(after.rotations[j]),
                 middle = nlerp(a, b, 0.5f);
      const float deviation = angle_between(normalized(now.rotations[j]), middle);
      if (deviation > kMinAngle && deviation > kMinRatio * 0.5f * angle_between(a, b))
        out.frames[k].rotations[j] = middle;
    }
    const V3 middle = (before.root_position + after.root_position) * 0.5f;
    const float deviation = length(now.root_position - middle);
    if (deviation > kMinDistance &&
        deviation > kMinRatio * 0.5f * length(after.root_position - before.root_position))
      out.frames[k].root_position = middle;
  }
  return out;
}

Clip low_pass(const Clip& clip, float hertz) {
  if (!(hertz > 0)) return clip;
  // A Gaussian of standard deviation s halves the power at sqrt(ln 2) / (2 pi s).
  const float width = 0.13251f / hertz * clip.frames_per_second;  // frames
  const int count = static_cast<int>(clip.frames.size()),
            reach = std::min(static_cast<int>(3 * width), count - 1);
  if (reach < 1) return clip;
  std::vector<float> weights;
  float sum = 0;
  for (int d = -reach; d <= reach; ++d) {
    const float x = static_cast<float>(d) / width;
    weights.push_back(std::exp(-0.5f * x * x));
    sum += weights.back();
  }
  Clip out = clip;
  for (int k = 0; k < count; ++k) {
    Pose& pose = out.frames[static_cast<size_t>(k)];
    std::vector<Quat> rotations(pose.rotations.size(), Quat{0, 0, 0, 0});
    std::vector<V3> offsets(pose.offsets.size(), V3{0, 0, 0});
    V3 root{0, 0, 0};
    for (int d = -reach; d <= reach; ++d) {
      const float weight = weights[static_cast<size_t>(d + reach)] / sum;
      const ExtendedFrame other(clip, k + d);
      root += other.position([](const Pose& p) { return p.root_position; }) * weight;
      for (size_t j = 0; j < rotations.size(); ++j) {
        const Quat q = other.rotation(j);
        const float w = dot(q, pose.rotations[j]) < 0 ? -weight : weight;
        rotations[j] = {rotations[j].x + w * q.x, rotations[j].y + w * q.y, rotations[j].z + w * q.z,
                        rotations[j].w + w * q.w};
      }
      for (size_t j = 0; j < offsets.size(); ++j)
        offsets[j] += other.position([j](const Pose& p) { return p.offsets[j]; }) * weight;
    }
    for (Quat& q : rotations) q = normalized(q);
    pose = {root, std::move(rotations), std::move(offsets)};
  }
  return out;
}

float OffsetFade::next(float seconds) {
  since_ += seconds;
  return since_ < kHoldTime ? 1 : std::exp(-seconds / kFadeTime);
}

Quat RotationJumpFilter::next(Quat rotation, float seconds) {
  rotation = normalized(rotation);
  const bool first = !(dot(last_, last_) > 0);
  const float angle = first ? 0 : 2 * std::acos(std::min(1.0f, std::fabs(dot(rotation, last_))));
  if (is_jump(angle, seconds)) {
    offset_ = normalized(offset_ * last_ * conjugate(rotation));
    fade_.restart();
  }
  last_ = rotation;
  offset_ = nlerp({0, 0, 0, 1}, offset_, fade_.next(seconds));
  return normalized(offset_ * rotation);
}

V3 KneeJumpFilter::next(V3 hip, V3 knee, V3 ankle, float seconds) {
  const V3 line = unit_or_zero(ankle - hip);
  const V3 bend = (knee - hip) - line * dot(knee - hip, line);
  offset_ *= fade_.next(seconds);
  // The bending plane of a straight leg is undefined.
  if (length(bend) < 0.05f * length(knee - hip)) {
    last_bend_ = {0, 0, 0};
    return knee;
  }
  if (length(last_bend_) > 0) {
    const V3 before = rotate(rotation_between(last_line_, line), last_bend_);
    const float angle = std::atan2(dot(cross(before, bend), line), dot(before, bend));
    if (is_jump(angle, seconds)) {
      offset_ = std::remainder(offset_ - angle, 6.2831853f);
      fade_.restart();
    }
  }
  last_line_ = line;
  last_bend_ = bend;
  return knee - bend + rotate(body::rotation_about(line, offset_), bend);
}

}  // namespace billow::motion
