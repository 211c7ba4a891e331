#include "body/contacts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace billow::body {
namespace {

constexpr const char* kYields = ":yields";

// The world's group and those that are free: met unless a list says otherwise.
constexpr uint32_t kBeyondBody = BILLOW_ALL_GROUPS & ~((1u << kColliderGroupNames.size()) - 1);

}  // namespace

std::string group_name(uint32_t group) {
  return group < kColliderGroupNames.size() ? kColliderGroupNames[group] : std::to_string(group);
}

int group_named(std::string_view name) {
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g)
    if (group_name(g) == name) return static_cast<int>(g);
  return -1;
}

Contacts contacts_of(const billow_settings& settings) {
  Contacts out{settings.collider_groups, {}, settings.yielding_groups};
  for (size_t g = 0; g < out.softness.size(); ++g) out.softness[g] = settings.softness[g];
  return out;
}

void apply(const Contacts& contacts, billow_settings& settings) {
  settings.collider_groups = contacts.groups;
  settings.yielding_groups = contacts.yielding;
  for (size_t g = 0; g < contacts.softness.size(); ++g) settings.softness[g] = contacts.softness[g];
}

std::string text_of(const Contacts& contacts) {
  if (contacts.groups == 0) return "none";
  std::string out;
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g) {
    const bool met = contacts.groups >> g & 1, of_body = !(kBeyondBody >> g & 1);
    if (of_body ? !met : (contacts.rigid_groups() >> g & 1)) continue;
    out += (out.empty() ? "" : ",") + std::string(met ? "" : "-") + group_name(g);
    if (!met) continue;
    char softness[16] = "";
    if (contacts.yielding >> g & 1)
      out += kYields;
    else if (contacts.softness[g] > 0)
      std::snprintf(softness, sizeof softness, ":%.3g", static_cast<double>(contacts.softness[g]));
    out += softness;
  }
  return out.empty() ? group_name(BILLOW_COLLIDER_GROUP_WORLD) : out;
}

Contacts contacts_from(const std::string& text) {
  if (text == "none") return {0, {}, 0};
  Contacts out{kBeyondBody, {}, 0};
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin), name = entry.substr(0, entry.find(':'));
    if (name.starts_with('-') && entry == name && group_named(name.substr(1)) >= 0) {
      out.groups &= ~(1u << group_named(name.substr(1)));
      begin = end + 1;
      continue;
    }
    const int group = group_named(name);
    char* rest = nullptr;
    const bool yields = group >= 0 && entry == name + kYields,
               has_softness = name.size() < entry.size() && !yields;
    const float softness = has_softness ? std::strtof(entry.c_str() + name.size() + 1, &rest) : 0;
    if (group < 0 || (has_softness && (*rest || name.size() + 1 == entry.size())) ||
        !(softness >= 0 && softness <= 1))
      throw std::invalid_argument("expected collider groups (" + group_names() +
                                  "), each with a softness from 0 to 1 or :yields if it is not rigid, as in "
                                  "trunk,leg,upper_arm:0.5,forearm:yields; found '" +
                                  entry + "'");
    out.groups |= 1u << group;
    out.softness[static_cast<size_t>(group)] = softness;
    if (yields) out.yielding |= 1u << group;
    begin = end + 1;
  }
  return out;
}

std::string group_names() {
  std::string out;
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g) out += (g > 0 ? ", " : "") + group_name(g);
  return out;
}

}  // namespace billow::body
