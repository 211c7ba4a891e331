// What a person does on the spot. Each starts and ends with both feet on the ground, and writes into a score
// from its `now` on.
#pragma once

#include "motion/score.h"

namespace billow::motion {

// Stands: sways, breathes, shifts its weight, looks about.
void stand(Score& score, double seconds);

// Goes down in the knees and up again; sometimes picks something up.
void squat(Score& score);
// Bends forward, aside or back, or turns the trunk.
void bend(Score& score);

struct Jump {
  double height = 0.25;  // m that the pelvis rises in flight
  double forward = 0;    // m
  double turn = 0;       // radians
  double tuck = 0;       // share: knees up in flight
  double star = 0;       // share: legs and arms apart
};
void jump(Score& score, const Jump& plan);
Jump random_jump(Random& random);

// Turns on the spot by stepping round.
void spin(Score& score, double turns, double turns_per_second);
// Turns on one foot, the other leg drawn up.
struct Pirouette {
  size_t side = 0;   // the foot it stands on
  double turns = 2;  // above 0: to the left
  double turns_per_second = 1.5;
};
void pirouette(Score& score, const Pirouette& plan);

// Dances for a time: steps, kicks, lunges, hip turns, pirouettes and jumps to a beat.
void dance(Score& score, double seconds);

}  // namespace billow::motion
