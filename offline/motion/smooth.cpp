#include "motion/smooth.h"

#include <algorithm>
#include <cmath>

namespace billow::motion {
namespace {

constexpr float kMinFramesPerSecond = 60;
constexpr float kTurnApart = 0.1f;    // radians
constexpr float kPlaceApart = 0.02f;  // m
constexpr float kTimesApart = 4;      // and so many times as far as the neighbours are from their middle

// A frame of a clip, also before its start and after its end: round where it loops, and else turned about the
// first or last frame, so that a steady motion goes on.
class Around {
 public:
  Around(const Clip& clip, int frame) {
    const int count = static_cast<int>(clip.frames.size());
    if (clip.loops) frame = (frame % count + count) % count;
    const int end = frame < 0 ? 0 : count - 1;
    outside_ = frame < 0 || frame >= count;
    at_ = &clip.frames[static_cast<size_t>(outside_ ? std::clamp(2 * end - frame, 0, count - 1) : frame)];
    end_ = &clip.frames[static_cast<size_t>(end)];
  }
  Quat turn(size_t joint) const {
    const Quat q = normalized(at_->rotations[joint]);
    if (!outside_) return q;
    const Quat end = normalized(end_->rotations[joint]);
    return end * conjugate(q) * end;
  }
  template <class Get> V3 place(Get get) const {
    return outside_ ? get(*end_) * 2.0f - get(*at_) : get(*at_);
  }

 private:
  const Pose *at_, *end_;
  bool outside_;
};

}  // namespace

Clip without_outliers(const Clip& clip) {
  Clip out = clip;
  if (clip.frames_per_second < kMinFramesPerSecond) return out;
  for (size_t k = 1; k + 1 < clip.frames.size(); ++k) {
    const Pose &before = out.frames[k - 1], &now = clip.frames[k], &after = clip.frames[k + 1];
    for (size_t j = 0; j < now.rotations.size(); ++j) {
      const Quat a = normalized(before.rotations[j]), b = normalized(after.rotations[j]),
                 middle = nlerp(a, b, 0.5f);
      const float apart = angle_between(normalized(now.rotations[j]), middle);
      if (apart > kTurnApart && apart > kTimesApart * 0.5f * angle_between(a, b))
        out.frames[k].rotations[j] = middle;
    }
    const V3 middle = (before.root_position + after.root_position) * 0.5f;
    const float apart = length(now.root_position - middle);
    if (apart > kPlaceApart &&
        apart > kTimesApart * 0.5f * length(after.root_position - before.root_position))
      out.frames[k].root_position = middle;
  }
  return out;
}

Clip low_pass(const Clip& clip, float hertz) {
  if (!(hertz > 0)) return clip;
  // A Gaussian of width s halves the power at sqrt(ln 2) / (2 pi s).
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
    std::vector<Quat> turns(pose.rotations.size(), Quat{0, 0, 0, 0});
    std::vector<V3> offsets(pose.offsets.size(), V3{0, 0, 0});
    V3 root{0, 0, 0};
    for (int d = -reach; d <= reach; ++d) {
      const float weight = weights[static_cast<size_t>(d + reach)] / sum;
      const Around other(clip, k + d);
      root += other.place([](const Pose& p) { return p.root_position; }) * weight;
      for (size_t j = 0; j < turns.size(); ++j) {
        const Quat q = other.turn(j);
        const float w = dot(q, pose.rotations[j]) < 0 ? -weight : weight;
        turns[j] = {turns[j].x + w * q.x, turns[j].y + w * q.y, turns[j].z + w * q.z, turns[j].w + w * q.w};
      }
      for (size_t j = 0; j < offsets.size(); ++j)
        offsets[j] += other.place([j](const Pose& p) { return p.offsets[j]; }) * weight;
    }
    for (Quat& q : turns) q = normalized(q);
    pose = {root, std::move(turns), std::move(offsets)};
  }
  return out;
}

}  // namespace billow::motion
