// `billow body fit`: fits colliders to a skinned character.
#pragma once

#include <CLI/CLI.hpp>

namespace billow::tool {

void add_body_fit(CLI::App* body_command);

}  // namespace billow::tool
