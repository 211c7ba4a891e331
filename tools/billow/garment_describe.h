// `billow garment describe`.
#pragma once

#include <CLI/CLI.hpp>

#include "body/person.h"
#include "body/skin.h"
#include "garment/garment.h"

namespace billow::tool {

// Who wears a garment: a preset of the built-in person, or a character's file.
class GarmentCharacter {
 public:
  explicit GarmentCharacter(const std::string& name);
  body::Skeleton skeleton;
  // That of the built-in person takes seconds, so it is made when it is asked for.
  const body::Skin& skin();

 private:
  body::Person person_;
  body::Skin skin_;
};
CLI::Option* add_wearer(CLI::App* command, std::string& character_body);

// Lets a garment fall on a person and says how it went. Threads 0: as many as there are cores.
void drape_on(garment::Garment& garment, const body::Person& person, int threads);

void add_garment_describe(CLI::App* garment_command);

}  // namespace billow::tool
