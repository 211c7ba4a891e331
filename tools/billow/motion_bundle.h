// `billow motion bundle`: retargets folders of motion files to the built-in person and writes them as one file.
#pragma once

#include <CLI/CLI.hpp>

namespace billow::tool {

void add_motion_bundle(CLI::App* command);

}  // namespace billow::tool
