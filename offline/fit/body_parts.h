// A body as rigid parts, one a joint, whose union is the body in any pose, nearly.
//
// A part is what is inside the skin in nearly all of some sample poses, seen from its joint: far from other
// joints that is the skin itself; where skin bends or bulges it is what stays inside. So parts overlap with
// rounded ends, the more the less a joint moves, and their union neither sticks out of the skin nor leaves gaps by
// much. Metres.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"

namespace billow::fit {

struct BodyPart {
  std::string name;  // the joint's
  uint32_t joint = 0;
  Transform frame;  // in model space at rest; its y axis is the longest of the part, its origin in the middle
  body::Mesh surface;  // closed, in the frame
};

struct BodyPartOptions {
  float spacing = 0.006f;  // m, of the lattice that surfaces are found on
  float share = 0.9f;      // of the poses in which a point has to be inside
  float overlap = 0.03f;   // m, how far beyond its own skin a part may reach
  // Called now and then with the share that is done.
  std::function<void(double)> progress;
};

// Needs OpenVDB (fit/level_set.h). Throws std::invalid_argument for a skin that is empty or poses that do not
// fit it.
std::vector<BodyPart> find_body_parts(const body::Skeleton& skeleton, const body::Skin& skin,
                                      std::span<const body::Pose> poses, const BodyPartOptions& options = {});

}  // namespace billow::fit
