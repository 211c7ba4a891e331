// body.json: a character's colliders, editable by hand. docs/formats.md has the format.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "body/skeleton.h"
#include "fit/fit_colliders.h"

namespace billow::fit {

// A joint that colliders follow, with its rest transform in model space.
struct BodyJoint {
  std::string name;
  Transform rest;
};

struct BodyFile {
  std::string character;  // a description, not parsed
  std::vector<BodyJoint> joints;
  std::vector<NamedCollider> colliders;  // their joints are indices into `joints`
};

// Collects the colliders of a skeleton with the joints they follow.
BodyFile make_body_file(std::string character, const body::Skeleton& skeleton,
                        std::span<const NamedCollider> colliders);
// The colliders with joint indices of a skeleton. Throws std::invalid_argument unless the skeleton has all
// joints of the file, by name and rest position.
std::vector<NamedCollider> bind(const BodyFile& file, const body::Skeleton& skeleton);

// Floats round-trip exactly. Writing is atomic. Both throw std::runtime_error with the file, the position in
// it, what was expected and what was found.
void write_body_file(const BodyFile& body, const std::filesystem::path& path);
BodyFile read_body_file(const std::filesystem::path& path);
// The same for text in memory.
std::string body_to_text(const BodyFile& body);
BodyFile body_from_text(std::string_view text);

}  // namespace billow::fit
