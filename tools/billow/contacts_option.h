// The option --contacts: what a garment meets of the body.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

#include "body/contacts.h"

namespace billow::tool {

inline constexpr const char* kContactsHelp =
    "Collider groups that the garment meets, instead of its own: trunk, head, upper_arm, forearm, leg or 5 "
    "to 7, "
    "separated by commas. A softness from 0 to 1 after a colon lets cloth give way; `yields` makes a limb "
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
