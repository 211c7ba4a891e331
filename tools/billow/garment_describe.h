// `billow garment describe`.
#pragma once

#include <CLI/CLI.hpp>

#include "body/skin.h"

namespace billow::tool {

// Who wears a garment: a preset of the built-in person, or a character's file.
struct GarmentWearer {
  body::Skeleton skeleton;
  body::Skin skin;
};
GarmentWearer garment_wearer(const std::string& name);
CLI::Option* add_wearer(CLI::App* command, std::string& wearer);

void add_garment_describe(CLI::App* garment_command);

}  // namespace billow::tool
