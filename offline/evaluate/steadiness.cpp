#include "evaluate/steadiness.h"

namespace billow::evaluate {
namespace {

constexpr float kStillSpeed = 0.005f;  // m/s, of joints

}  // namespace

Steadiness::Steadiness(const garment::Garment& garment, size_t frames, double frames_per_second)
    : edges_(edges_of(garment)),
      frames_(frames),
      ends_(std::min(static_cast<size_t>(std::lround(kEnds * frames_per_second)), frames / 2)),
      calm_down_(static_cast<size_t>(std::lround(kCalmDown * frames_per_second))),
      rate_(frames_per_second) {}

bool Steadiness::is_still(std::span<const Transform> joints) const {
  const float farthest = kStillSpeed / static_cast<float>(rate_);
  for (size_t j = 0; j < last_joints_.size(); ++j)
    if (length(joints[j].position - last_joints_[j].position) > farthest) return false;
  return true;
}

void Steadiness::add(std::span<const float> positions, std::span<const Transform> joints) {
  StrainSum strain;
  strain.add(edges_, positions);
  all_.add(strain);
  if (frame_ < ends_) first_.add(strain);
  if (frame_ + ends_ >= frames_) last_.add(strain);

  // A body that has never moved has not stopped.
  const bool still = is_still(joints);
  has_moved_ = has_moved_ || !still;
  still_ = still && has_moved_ ? still_ + 1 : 0;
  stops_ += still_ == calm_down_;
  if (still_ >= calm_down_) {
    double sum = 0;
    for (size_t k = 0; k < positions.size(); k += 3) {
      const V3 moved{positions[k] - last_positions_[k], positions[k + 1] - last_positions_[k + 1],
                     positions[k + 2] - last_positions_[k + 2]};
      const double speed = rate_ * static_cast<double>(length(moved));
      sum += speed;
      largest_speed_ = std::max(largest_speed_, speed);
    }
    speed_sum_ += 3 * sum / static_cast<double>(positions.size());
    speeds_ += 1;
  }
  ++frame_;
  last_positions_.assign(positions.begin(), positions.end());
  last_joints_.assign(joints.begin(), joints.end());
}

}  // namespace billow::evaluate
