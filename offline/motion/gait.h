// Walking and running along a path, planned step by step.
#pragma once

#include <vector>

#include "motion/motion_plan.h"

namespace billow::motion {

struct PathSegment {
  double seconds;
  double speed;             // m/s, target
  double turn = 0;          // rad/s to the left, target
  double acceleration = 2;  // m/s2, maximum
};

// Plans a gait from standing along the segments and back to standing.
void follow_path(MotionPlan& plan, const std::vector<PathSegment>& segments);

}  // namespace billow::motion
