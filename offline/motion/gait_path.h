// The way of a body over the ground: where it is and how fast it goes, along stretches with speeds and turns.
#pragma once

#include <vector>

#include "motion/cover.h"
#include "motion/gait.h"
#include "motion/track.h"

namespace billow::motion {

class GaitPath {
 public:
  // From standing at a place and a time, to standing.
  GaitPath(const Place& start, double from, const std::vector<Stretch>& stretches);

  double end() const { return end_; }
  double speed(double time) const { return speed_.at(time); }
  double acceleration(double time) const { return speed_.slope(time); }
  double turn(double time) const { return speed_.at(time) > 0.05 ? turn_.at(time) : 0; }  // rad/s
  Place at(double time) const { return {x_.at(time), z_.at(time), heading_.at(time)}; }

 private:
  void integrate(const Place& start, double from);

  Track speed_, turn_;
  Sampled x_, z_, heading_;
  double end_ = 0;
};

}  // namespace billow::motion
