// Maps the joints of any skeleton to human body parts: by the naming schemes of common tools, and where names
// do not help, by hierarchy and rest pose.
#pragma once

#include <billow/billow.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "body/skeleton.h"

namespace billow::motion {

// Unpaired parts first, then those with a left and a right.
enum class Part { hips, chest, neck, head, clavicle, upper_arm, forearm, hand, thigh, calf, foot, toes };
inline constexpr size_t kParts = 12;
inline constexpr Part kLimbs[] = {Part::clavicle, Part::upper_arm, Part::forearm, Part::hand,
                                  Part::thigh,    Part::calf,      Part::foot,    Part::toes};
enum Side : size_t { kLeft = 0, kRight = 1 };  // unpaired parts are stored as kLeft

struct Human {
  std::array<std::array<int, 2>, kParts> joint;  // kNoJoint if not found
  std::vector<int> spine;                        // from the hips to the chest, inclusive

  int of(Part part, size_t side = kLeft) const { return joint[static_cast<size_t>(part)][side]; }
  int& of(Part part, size_t side = kLeft) { return joint[static_cast<size_t>(part)][side]; }
  // Mean length of both legs from hip to ankle at rest; 0 if the legs were not found.
  float leg_length(const body::Skeleton& skeleton) const;
};

// "left upper arm", "head".
std::string part_name(Part part, size_t side);
bool has_sides(Part part);

// `given` maps parts explicitly: {"left upper arm", "Bip01 L UpperArm"}. Throws std::invalid_argument for an
// unknown part or joint in it.
Human find_human(const body::Skeleton& skeleton, const std::map<std::string, std::string>& given = {});

// The collider group of each joint's skin: that of the nearest mapped joint at or above it.
std::vector<billow_collider_group> collider_groups(const body::Skeleton& skeleton);

// A parsed joint name: "mixamorig:LeftUpLeg_2" is "upleg" on the left with number 2.
struct JointName {
  std::string word;  // letters only, lower case, without the side
  int side = -1;     // kLeft, kRight or -1
  int number = 0;    // the first group of digits
};
JointName parse_joint_name(std::string_view name);

}  // namespace billow::motion
