// What a garment meets of a body: groups of colliders, rigid, soft or yielding (billow_settings: collider_groups, softness,
// yielding_groups).
#pragma once

#include <billow/billow.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace billow::body {

// Names of the groups in files and on the command line, in the order of billow_collider_group. Groups
// without one are named by their number.
inline constexpr std::array<const char*, 5> kColliderGroupNames{"trunk", "head", "upper_arm", "forearm",
                                                                "leg"};
std::string group_name(uint32_t group);
std::string group_names();               // all of them, for messages
int group_named(std::string_view name);  // -1: none

struct Contacts {
  uint32_t groups = BILLOW_ALL_GROUPS;
  std::array<float, BILLOW_COLLIDER_GROUPS> softness{};
  uint32_t yielding = 0;

  uint32_t soft_groups() const {
    uint32_t out = 0;
    for (uint32_t g = 0; g < softness.size(); ++g) out |= softness[g] > 0 ? 1u << g : 0;
    return out & groups & ~yielding;
  }
  uint32_t yielding_groups() const { return groups & yielding; }
  uint32_t rigid_groups() const { return groups & ~soft_groups() & ~yielding; }
  bool operator==(const Contacts&) const = default;
};

Contacts contacts_of(const billow_settings& settings);
void apply(const Contacts& contacts, billow_settings& settings);

// "trunk,leg,upper_arm:0.5,forearm:yields": the groups of the body that are met, with the softness of those that are soft. The world
// and the groups of callers, 5 to 7, are met unless they are given as "-5". "none": nothing at all.
// contacts_from() throws std::invalid_argument.
std::string text_of(const Contacts& contacts);
Contacts contacts_from(const std::string& text);

}  // namespace billow::body
