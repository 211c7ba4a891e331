// body.json: a character's colliders, readable and editable by hand. docs/body_file.md has the format.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "body/skeleton.h"
#include "fit/fit_colliders.h"

namespace billow::fit {

// A joint that colliders follow, where it rests in model space.
struct BodyJoint {
  std::string name;
  Transform rest;
};

struct BodyFile {
  std::string character;  // what the colliders were made for, for people to read
  std::vector<BodyJoint> joints;
  std::vector<NamedCollider> colliders;  // their joints are places in `joints`
};

// The colliders of a skeleton with the joints they follow.
BodyFile make_body_file(std::string character, const body::Skeleton& skeleton,
                        std::span<const NamedCollider> colliders);
// The colliders for a skeleton that has all joints of the file, by name and where they rest. Throws
// std::invalid_argument with what was expected and found.
std::vector<NamedCollider> bind(const BodyFile& file, const body::Skeleton& skeleton);

// What is written is read back to the last bit. Writing goes beside the file and is then renamed. Throw
// std::runtime_error with the file, the place in it, what was expected and what was found.
void write_body_file(const BodyFile& body, const std::filesystem::path& path);
BodyFile read_body_file(const std::filesystem::path& path);
// The same for a text.
std::string body_to_text(const BodyFile& body);
BodyFile body_from_text(std::string_view text);

}  // namespace billow::fit
