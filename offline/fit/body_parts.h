// Decomposes a skinned body into rigid parts, one per joint, whose union approximates the body in any pose.
//
// A part is the region that is inside the skin in most sample poses, in the frame of its joint. Far from
// other joints its surface is the skin itself; near them it is what stays inside under bending. So parts
// overlap with rounded ends, more where a joint moves less, and their union hardly protrudes from the skin or
// leaves gaps. Metres.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"

namespace billow::fit {

struct BodyPart {
  std::string name;  // of the joint
  uint32_t joint = 0;
  // In model space at rest. y is the longest principal axis; the origin is the centre of the bounds.
  Transform frame;
  body::Mesh surface;  // closed, in the frame
};

struct BodyPartOptions {
  float spacing = 0.006f;  // m, of the lattice
  float share = 0.9f;      // fraction of poses in which a point has to be inside
  float overlap = 0.03f;   // m, largest extent of a part beyond the bounds of its own skin
  // Called from time to time with the completed fraction.
  std::function<void(double)> progress;
};

// Needs OpenVDB (fit/grid_sdf.h). Throws std::invalid_argument for an empty skin or poses that do not match
// the skeleton.
std::vector<BodyPart> find_body_parts(const body::Skeleton& skeleton, const body::Skin& skin,
                                      std::span<const body::Pose> poses, const BodyPartOptions& options = {});

}  // namespace billow::fit
