// The files of a user's own character in a data set, skeleton.json and body.json (docs/cloth.md, docs/formats.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/character.h"
#include "fit/body_file.h"

namespace billow::dataset {

// Throws std::invalid_argument if the colliders do not match the skeleton.
OwnedCharacterBody own_character_body(const std::string& name, const body::Skeleton& skeleton,
                                      const fit::BodyFile& body);

// Files of a character, as names and texts; none for the built-in person.
std::vector<std::pair<std::string, std::string>> character_files(const OwnedCharacterBody& character_body);
// Throw std::runtime_error with the file and the location in it.
void write_character_body(const OwnedCharacterBody& character_body, const std::filesystem::path& folder);
// Files are only read if `preset` is empty.
OwnedCharacterBody read_character_body(const std::filesystem::path& folder, const std::string& preset,
                                       const std::string& character);

// skeleton.json: names, parents and rest transforms relative to the parents. Floats round-trip exactly.
std::string skeleton_to_text(const body::Skeleton& skeleton);
body::Skeleton skeleton_from_text(std::string_view text);

}  // namespace billow::dataset
