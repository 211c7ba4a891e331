// `billow dataset show`: draws a clip.
#pragma once

#include <CLI/CLI.hpp>

namespace billow::tool {

void add_dataset_show(CLI::App* command);

}  // namespace billow::tool
