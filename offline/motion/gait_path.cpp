#include "motion/gait_path.h"

#include <algorithm>

namespace billow::motion {

GaitPath::GaitPath(const Place& start, double from, const std::vector<Stretch>& stretches) {
  constexpr double kMaxAside = 3.2;  // m/s2 to the side, as runners reach in tight curves
  constexpr double kTurnIn = 0.8;    // seconds to come into a curve
  std::vector<Stretch> all = stretches;
  if (all.empty() || all.back().speed > 0) all.push_back({0, 0, 0, 2});
  double t = from, speed = 0, turn = 0;
  for (const Stretch& s : all) {
    // A movement of least jerk has 1.875 times its mean acceleration in the middle.
    const double ramp = std::max(0.3, 1.875 * std::fabs(s.speed - speed) / s.acceleration);
    const double turn_in = std::max(ramp, kTurnIn);
    const double most = s.speed > 0 ? kMaxAside / std::max(s.speed, speed) : 0;
    speed_.key(t, speed);
    turn_.key(t, turn);
    speed = s.speed, turn = std::clamp(s.turn, -most, most);
    speed_.key(t + ramp, speed);
    turn_.key(t + turn_in, turn);
    t += std::max(s.seconds, turn_in);
  }
  end_ = t;
  integrate(start, from);
}

void GaitPath::integrate(const Place& start, double from) {
  constexpr double kRate = 240;
  for (Sampled* s : {&x_, &z_, &heading_}) s->from = from, s->rate = kRate;
  Place p = start;
  for (double t = from; t < end_ + 0.5; t += 1 / kRate) {
    x_.values.push_back(p.x), z_.values.push_back(p.z), heading_.values.push_back(p.heading);
    const double middle = t + 0.5 / kRate, v = speed(middle) / kRate, w = turn(middle) / kRate;
    p.x += v * std::sin(p.heading + 0.5 * w);
    p.z += v * std::cos(p.heading + 0.5 * w);
    p.heading += w;
  }
}

}  // namespace billow::motion
