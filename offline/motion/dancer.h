// The steps a dance is made of. Each takes some beats from the score's `now` on, and ends with both feet down.
#pragma once

#include "motion/score.h"

namespace billow::motion {

struct Dancer {
  Score& score;
  double beat;    // seconds
  double energy;  // 0 calm to 1 wild: how large movements are
  double facing;  // the heading to come back to
  Place stage;    // where the dance is

  Random& random() { return score.random; }
  double large(double low, double high) {
    return mix(low, high, std::clamp(energy + random().uniform(-0.3, 0.3), 0.0, 1.0));
  }
};

using DanceMove = void (*)(Dancer&);

void side_steps(Dancer& dancer);
void walk_steps(Dancer& dancer);
void kick(Dancer& dancer);
void leg_circle(Dancer& dancer);
void lunge(Dancer& dancer);
void hip_circles(Dancer& dancer);
void hip_turns(Dancer& dancer);
void groove(Dancer& dancer);
void body_wave(Dancer& dancer);
void rise_on_toes(Dancer& dancer);
void pivot_turn(Dancer& dancer);
void dance_pirouette(Dancer& dancer);
void dance_jump(Dancer& dancer);

// A pose of both arms to come to, at a time.
void arms_somewhere(Dancer& dancer, double time);

}  // namespace billow::motion
