// `billow body sdf`: a body's SDF as grids and as networks.
#pragma once

#include <CLI/CLI.hpp>

namespace billow::tool {

void add_body_sdf(CLI::App* body_command);

}  // namespace billow::tool
