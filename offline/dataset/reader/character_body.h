// The character of a data set: the built-in person, defined by its preset, or a user's own character, stored
// in the folder as skeleton.json and body.json (docs/cloth.md, docs/formats.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "body/skeleton.h"
#include "character/clothed_character.h"
#include "fit/body_file.h"

namespace billow::dataset {

struct OwnedCharacterBody {
  std::string preset;     // of the built-in person; empty: the user's own character
  std::string character;  // name of the user's own character
  body::Skeleton skeleton;
  std::vector<billow_collider> colliders;
  std::vector<std::string> collider_names;

  operator character::CharacterBody() const { return {skeleton, colliders}; }
};

OwnedCharacterBody person_as_character_body(const std::string& preset);
// Throws std::invalid_argument if the colliders do not match the skeleton.
OwnedCharacterBody own_character_body(const std::string& name, const body::Skeleton& skeleton,
                                      const fit::BodyFile& body);

// Files of a character; none for the built-in person. Throw std::runtime_error with the file and the location
// in it.
void write_character_body(const OwnedCharacterBody& character_body, const std::filesystem::path& folder);
// Files are only read if `preset` is empty.
OwnedCharacterBody read_character_body(const std::filesystem::path& folder, const std::string& preset,
                                       const std::string& character);

// skeleton.json: names, parents and rest transforms relative to the parents. Floats round-trip exactly.
std::string skeleton_to_text(const body::Skeleton& skeleton);
body::Skeleton skeleton_from_text(std::string_view text);

}  // namespace billow::dataset
