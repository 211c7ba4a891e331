#include "motion/ground.h"

#include <algorithm>
#include <cmath>

namespace billow::motion {
namespace {

constexpr float kMaxContactHeight = 0.07f;  // leg lengths; recorded feet are not level
constexpr float kMaxContactSpeed = 0.6f;    // leg lengths per second
constexpr float kSmoothing = 0.1f;          // s

}  // namespace

GroundedMotion::GroundedMotion(const Actor& from, const Actor& to, const Clip& clip)
    : from_(from),
      to_(to),
      scale_(to.leg / from.leg),
      frames_per_second_(clip.frames_per_second),
      loops_(clip.loops) {
  for (const Pose& frame : clip.frames) source_.push_back(body::joint_transforms(from.skeleton, frame));
  find_ground();
  find_contacts();
}

// Ground height: the tenth percentile of the lower foot's height. A clip whose feet stay far from y = 0, such
// as one in the air, keeps its height.
void GroundedMotion::find_ground() {
  std::vector<float> heights;
  for (const std::vector<Transform>& joints : source_)
    heights.push_back(std::min(from_.sole_height(joints, kLeft), from_.sole_height(joints, kRight)));
  const auto tenth = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 10);
  std::nth_element(heights.begin(), tenth, heights.end());
  if (std::fabs(*tenth) < 0.2f * from_.leg) ground_ = *tenth;
}

// A foot is in contact if it is low and its slower end is slow.
void GroundedMotion::find_contacts() {
  for (const size_t side : {kLeft, kRight})
    for (size_t k = 0; k < source_.size(); ++k) {
      const size_t other = k > 0 ? k - 1 : std::min<size_t>(1, source_.size() - 1);
      float speed = 1e30f;
      for (const Part part : {Part::foot, Part::toes})
        if (from_.has(part, side)) {
          const size_t j = from_.joint(part, side);
          speed = std::min(speed,
                           length(source_[k][j].position - source_[other][j].position) * frames_per_second_);
        }
      in_contact_[side].push_back(from_.sole_height(source_[k], side) - ground_ <
                                      kMaxContactHeight * from_.leg &&
                                  speed < kMaxContactSpeed * from_.leg);
    }
}

void GroundedMotion::place_hips(size_t frame, Pose& pose) const {
  const auto ankles = [](const Actor& a) {
    return 0.5f * (a.at_rest(Part::foot, kLeft).y + a.at_rest(Part::foot, kRight).y);
  };
  const V3 centre = from_.hip_centre(source_[frame]);
  V3 target = centre * scale_;
  target.y = ankles(to_) + scale_ * (centre.y - ground_ - ankles(from_));
  pose.root_position += target - to_.hip_centre(to_.forward_kinematics(pose));
}

std::vector<float> GroundedMotion::smoothed(const std::vector<float>& values) const {
  const int count = static_cast<int>(values.size());
  const int reach = std::min(static_cast<int>(kSmoothing * frames_per_second_), (count - 1) / 2);
  std::vector<float> out;
  for (int k = 0; k < count; ++k) {
    float sum = 0;
    for (int d = -reach; d <= reach; ++d) {
      const int at = loops_ ? (k + d + count) % count : std::clamp(k + d, 0, count - 1);
      sum += values[static_cast<size_t>(at)];
    }
    out.push_back(sum / static_cast<float>(2 * reach + 1));
  }
  return out;
}

// Height of the lower foot in contact, linearly interpolated over frames without contact.
std::vector<float> GroundedMotion::standing_heights(std::vector<Pose>& frames) const {
  std::vector<float> heights(frames.size(), 0);
  std::vector<size_t> contacts;
  for (size_t k = 0; k < frames.size(); ++k) {
    const std::vector<Transform> joints = to_.forward_kinematics(frames[k]);
    float lowest = 1e30f;
    for (const size_t side : {kLeft, kRight})
      if (in_contact_[side][k]) lowest = std::min(lowest, to_.sole_height(joints, side));
    if (lowest < 1e29f) heights[k] = lowest, contacts.push_back(k);
  }
  for (size_t k = 0; k < frames.size() && !contacts.empty(); ++k) {
    const auto next = std::lower_bound(contacts.begin(), contacts.end(), k);
    const size_t b = next == contacts.end() ? contacts.back() : *next,
                 a = next == contacts.begin() ? b : *(next - 1);
    if (a != b && b != k)
      heights[k] = heights[a] + (heights[b] - heights[a]) * static_cast<float>(std::min(k, b) - a) /
                                    static_cast<float>(b - a);
    else
      heights[k] = heights[b];
  }
  return heights;
}

void GroundedMotion::place_feet(std::vector<Pose>& frames) const {
  const std::vector<float> heights = smoothed(standing_heights(frames));
  for (size_t k = 0; k < frames.size(); ++k) frames[k].root_position.y -= heights[k];

  // Correct the remaining height by IK: fully for feet in contact, only penetration for others. Raise
  // penetrating hands too.
  for (const size_t side : {kLeft, kRight}) {
    const bool has_arm =
        to_.has(Part::hand, side) && to_.has(Part::forearm, side) && to_.has(Part::upper_arm, side);
    std::vector<float> weight;
    for (const bool contact : in_contact_[side]) weight.push_back(contact ? 1.0f : 0.0f);
    weight = smoothed(weight);
    for (size_t k = 0; k < frames.size(); ++k) {
      const std::vector<Transform> joints = to_.forward_kinematics(frames[k]);
      const float sole = to_.sole_height(joints, side), hand = has_arm ? to_.hand_height(joints, side) : 0;
      const float by = sole < 0 ? -sole : -sole * weight[k];
      if (std::fabs(by) > 1e-5f) to_.lift(Part::foot, side, by, frames[k]);
      if (hand < 0) to_.lift(Part::hand, side, -hand, frames[k]);
    }
  }
  for (Pose& pose : frames) to_.forward_kinematics(pose);
}

}  // namespace billow::motion
