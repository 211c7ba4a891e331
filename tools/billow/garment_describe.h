// `billow garment describe`, and helpers that it shares with `billow garment`.
#pragma once

#include <CLI/CLI.hpp>

#include "body/person.h"
#include "body/skin.h"
#include "garment/garment.h"

namespace billow::tool {

// The character that wears a garment: a preset of the built-in person, or a character file.
class GarmentCharacter {
 public:
  explicit GarmentCharacter(const std::string& name);
  body::Skeleton skeleton;
  // Built on first use, because the built-in person's skin takes seconds.
  const body::Skin& skin();

 private:
  body::Person person_;
  body::Skin skin_;
};
CLI::Option* add_wearer(CLI::App* command, std::string& character_body);

// Simulates the drape of a garment on a person and prints a summary. `threads` 0: one per core.
void drape_on(garment::Garment& garment, const body::Person& person, int threads);

void add_garment_describe(CLI::App* garment_command);

}  // namespace billow::tool
