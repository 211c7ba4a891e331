// Pictures of a garment and its chains on the character.
#pragma once

#include <filesystem>

#include "body/skin.h"
#include "garment/garment.h"

namespace billow::tool {

// Draws from three sides: skin, cloth (the rest, or the undraped shape if there is no rest), ropes in green,
// laterals in purple, kinematic bones in blue.
void draw_garment(const garment::Garment& garment, const body::Skin& skin, const std::filesystem::path& file);

}  // namespace billow::tool
