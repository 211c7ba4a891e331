// Root motion and ground contact of a retargeted clip: the hips follow the source, scaled by leg length, and
// feet in contact in the source are placed on y = 0.
#pragma once

#include <array>
#include <vector>

#include "motion/actor.h"

namespace billow::motion {

class GroundedMotion {
 public:
  GroundedMotion(const Actor& from, const Actor& to, const Clip& clip);

  float scale() const { return scale_; }
  const std::vector<Transform>& source(size_t frame) const { return source_[frame]; }

  // Moves the root of a pose so that the hips follow the scaled source.
  void place_hips(size_t frame, Pose& pose) const;
  // Shifts the body vertically so that the lower foot in contact is on the ground, then corrects the other
  // foot and any penetrating foot or hand by IK.
  void place_feet(std::vector<Pose>& frames) const;

 private:
  void find_ground();
  void find_contacts();
  std::vector<float> standing_heights(std::vector<Pose>& frames) const;
  // Moving average over a tenth of a second, periodic for loops.
  std::vector<float> smoothed(const std::vector<float>& values) const;

  const Actor& from_;
  const Actor& to_;
  float scale_, frames_per_second_;
  bool loops_;
  std::vector<std::vector<Transform>> source_;
  float ground_ = 0;                             // m, ground height of the source
  std::array<std::vector<bool>, 2> in_contact_;  // per side and frame
};

}  // namespace billow::motion
