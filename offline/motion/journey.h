// Ways to walk and run, drawn at random, that stay within some metres of the origin.
#pragma once

#include "motion/score.h"

namespace billow::motion {

// `speed` 0: drawn too.
void walk(Score& score, double seconds, double speed);
void run(Score& score, double seconds, double speed);
// Runs, stops as suddenly as people can, waits, and sets off again.
void run_and_stop(Score& score, double seconds, double speed);

}  // namespace billow::motion
