// Where a retargeted motion is: hips go as the source's, scaled by the length of the legs, and feet that stand
// in the source stand on y = 0.
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

  // Moves a pose's root so that the hips are as high over the ground as legs of this length have them.
  void place_hips(size_t frame, Pose& pose) const;
  // Raises and lowers the whole body so that the lower standing foot is on the ground, then bends legs for the
  // other one, and for any foot that is under the ground.
  void place_feet(std::vector<Pose>& frames) const;

 private:
  void find_ground();
  void find_contacts();
  std::vector<float> standing_heights(std::vector<Pose>& frames) const;
  // Averages over a tenth of a second, across the ends of a loop.
  std::vector<float> smoothed(const std::vector<float>& values) const;

  const Actor& from_;
  const Actor& to_;
  float scale_, frames_per_second_;
  bool loops_;
  std::vector<std::vector<Transform>> source_;
  float ground_ = 0;                         // m, of the source
  std::array<std::vector<bool>, 2> stands_;  // a foot in a frame
};

}  // namespace billow::motion
