// Whether cloth stays as it is in a long motion: strain at both ends of it, and what still moves after the body has stopped.
#pragma once

#include "evaluate/strain.h"

namespace billow::evaluate {

inline constexpr double kEnds = 10;     // s; halves of a shorter motion
inline constexpr double kCalmDown = 5;  // s after which cloth on a still body should be still

class Steadiness {
 public:
  // Of a motion of so many frames.
  Steadiness(const garment::Garment& garment, size_t frames, double frames_per_second);

  // The next frame: vertices and joints in world space.
  void add(std::span<const float> positions, std::span<const Transform> joints);

  const StrainSum& all() const { return all_; }
  const StrainSum& first() const { return first_; }
  const StrainSum& last() const { return last_; }
  // How often joints moved and then stood still for kCalmDown, and the speed of the vertices from then on for as long as they did:
  // mean over vertices and frames, and the fastest, m/s.
  size_t stops() const { return stops_; }
  double mean_speed() const { return speeds_ > 0 ? speed_sum_ / speeds_ : 0; }
  double largest_speed() const { return largest_speed_; }

 private:
  bool is_still(std::span<const Transform> joints) const;

  std::vector<Edge> edges_;
  size_t frames_, ends_, calm_down_, frame_ = 0, still_ = 0;
  double rate_;
  bool has_moved_ = false;
  StrainSum all_, first_, last_;
  size_t stops_ = 0;
  double speeds_ = 0, speed_sum_ = 0, largest_speed_ = 0;
  std::vector<float> last_positions_;
  std::vector<Transform> last_joints_;
};

}  // namespace billow::evaluate
