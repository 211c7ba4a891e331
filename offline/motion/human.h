// Which joints of a skeleton are which parts of a human: by their names, as many tools write them, and where
// names say nothing by their place in the tree and in the rest pose.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "body/skeleton.h"

namespace billow::motion {

// Parts of which a human has one, then those it has two of.
enum class Part { hips, chest, neck, head, clavicle, upper_arm, forearm, hand, thigh, calf, foot, toes };
inline constexpr size_t kParts = 12;
inline constexpr Part kLimbs[] = {Part::clavicle, Part::upper_arm, Part::forearm, Part::hand,
                                  Part::thigh,    Part::calf,      Part::foot,    Part::toes};
enum Side : size_t { kLeft = 0, kRight = 1 };  // parts of the middle are stored on the left

struct Human {
  std::array<std::array<int, 2>, kParts> joint;  // kNoJoint where there is none
  std::vector<int> spine;                        // from the hips to the chest, both included

  int of(Part part, size_t side = kLeft) const { return joint[static_cast<size_t>(part)][side]; }
  int& of(Part part, size_t side = kLeft) { return joint[static_cast<size_t>(part)][side]; }
  // The length of a leg from hip to ankle at rest, the mean of both; 0 where legs are not known.
  float leg_length(const body::Skeleton& skeleton) const;
};

// "left upper arm", "head".
std::string part_name(Part part, size_t side);
bool has_sides(Part part);

// `given` names parts outright: {"left upper arm", "Bip01 L UpperArm"}. Parts without a joint are kNoJoint.
// Throws std::invalid_argument for a part or a joint that is not there.
Human find_human(const body::Skeleton& skeleton, const std::map<std::string, std::string>& given = {});

// A name taken apart: "mixamorig:LeftUpLeg_2" is "upleg" on the left with number 2.
struct JointName {
  std::string word;  // letters only, lower case, without its side
  int side = -1;     // kLeft, kRight or -1
  int number = 0;    // its first digits
};
JointName take_apart(std::string_view name);

}  // namespace billow::motion
