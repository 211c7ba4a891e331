// Moves of the procedural dance. Each takes some beats from the plan's `now` on and ends with both feet down.
#pragma once

#include "motion/motion_plan.h"

namespace billow::motion {

struct Dancer {
  MotionPlan& plan;
  double beat;       // seconds
  double energy;     // 0 to 1, scales amplitudes
  double facing;     // heading to return to
  GroundPose stage;  // centre of the dance

  Random& random() { return plan.random; }
  // A random amplitude between low and high that grows with the energy.
  double amplitude(double low, double high) {
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

// Keys a random pose of both arms at a time.
void random_arms(Dancer& dancer, double time);

}  // namespace billow::motion
