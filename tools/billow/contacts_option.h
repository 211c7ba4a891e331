// The option --contacts: what a garment meets of the body.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

#include "body/contacts.h"

namespace billow::tool {

inline constexpr const char* kContactsHelp =
    "Parts of the body that the garment meets, instead of its own choice: trunk, head, upper_arm, forearm, "
    "leg, separated by commas; the world (5) and your own groups (6, 7) unless given as -5. A softness from "
    "0 to 1 after a colon lets cloth give way; `yields` makes a limb "
    "rigid except "
    "where it presses cloth on the body: trunk,leg,upper_arm:0.5,forearm:yields";

inline body::Contacts contacts_option(const std::string& text) {
  try {
    return body::contacts_from(text);
  } catch (const std::invalid_argument& e) {
    throw CLI::ValidationError("--contacts", e.what());
  }
}

}  // namespace billow::tool
