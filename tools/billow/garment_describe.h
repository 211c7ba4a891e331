// `billow garment describe`, and helpers that it shares with `billow garment`.
#pragma once

#include <CLI/CLI.hpp>

#include "character/clothed_character.h"
#include "garment/garment.h"

namespace billow::tool {

// Simulates the drape of a garment on a character and prints a summary. `threads` 0: one per core.
void drape_on(garment::Garment& garment, const character::CharacterBody& character_body, int threads);

void add_garment_describe(CLI::App* garment_command);

}  // namespace billow::tool
