// Who wears the garment of a data set: the built-in person, which its preset says all about, or a character of the
// user's own. Then the folder holds it: skeleton.json and body.json (docs/cloth.md, docs/body_file.md).
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
  std::string preset;     // of the built-in person; empty: a character
  std::string character;  // its name then
  body::Skeleton skeleton;
  std::vector<billow_collider> colliders;
  std::vector<std::string> collider_names;

  operator character::CharacterBody() const { return {skeleton, colliders}; }
};

OwnedCharacterBody person_as_character_body(const std::string& preset);
// Throws std::invalid_argument where the colliders are not for this skeleton.
OwnedCharacterBody own_character_body(const std::string& name, const body::Skeleton& skeleton,
                                      const fit::BodyFile& body);

// The files of a character; none for the built-in person. Throw std::runtime_error with the file, the place in it,
// what was expected and what was found.
void write_character_body(const OwnedCharacterBody& character_body, const std::filesystem::path& folder);
// `character` is read where `preset` is empty.
OwnedCharacterBody read_character_body(const std::filesystem::path& folder, const std::string& preset,
                                       const std::string& character);

// skeleton.json: names, parents and where joints rest, relative to their parents. What is written is read back to
// the last bit.
std::string skeleton_to_text(const body::Skeleton& skeleton);
body::Skeleton skeleton_from_text(std::string_view text);

}  // namespace billow::dataset
