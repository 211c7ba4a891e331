// What a garment meets of a body: groups of colliders, rigid or soft (billow_settings: collider_groups, softness).
#pragma once

#include <billow/billow.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace billow::body {

// Names of the groups in files and on the command line, in the order of billow_collider_group.
inline constexpr std::array<const char*, 5> kColliderGroupNames{"trunk", "head", "upper_arm", "forearm",
                                                                "leg"};

inline std::string group_name(uint32_t group) {
  return group < kColliderGroupNames.size() ? kColliderGroupNames[group] : std::to_string(group);
}
// The group of this name, or -1.
inline int group_named(std::string_view name) {
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g)
    if (group_name(g) == name) return static_cast<int>(g);
  return -1;
}

struct Contacts {
  uint32_t groups = BILLOW_ALL_GROUPS;
  std::array<float, BILLOW_COLLIDER_GROUPS> softness{};

  uint32_t soft_groups() const {
    uint32_t out = 0;
    for (uint32_t g = 0; g < softness.size(); ++g) out |= softness[g] > 0 ? 1u << g : 0;
    return out & groups;
  }
  uint32_t rigid_groups() const { return groups & ~soft_groups(); }
  bool operator==(const Contacts&) const = default;
};

}  // namespace billow::body
