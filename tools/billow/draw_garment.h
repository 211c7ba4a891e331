// Pictures of a garment on its character, with its chains.
#pragma once

#include <filesystem>

#include "body/skin.h"
#include "garment/garment.h"

namespace billow::tool {

// From three sides: skin, cloth (the drape, or as modelled where there is none), chains green, neighbours of one height
// joined in purple, bones that follow the body blue.
void draw_garment(const garment::Garment& garment, const body::Skin& skin, const std::filesystem::path& file);

}  // namespace billow::tool
