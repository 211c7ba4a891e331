// Makes poses of a score: feet stay where they touch, legs reach them, the head looks where it is asked to,
// arms keep clear of the body.
#pragma once

#include <vector>

#include "body/skeleton.h"
#include "motion/score.h"

namespace billow::motion {

// Poses from time `from`, `frames` of them. The motion does not depend on the frame rate.
std::vector<body::Pose> perform(const Score& score, double from, size_t frames, double frames_per_second);

}  // namespace billow::motion
