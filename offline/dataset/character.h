// Who wears the cloth of a data set: the built-in person, defined by its preset, or a user's own character.
#pragma once

#include <string>
#include <vector>

#include "body/skeleton.h"
#include "character/clothed_character.h"
#include "motion/motions.h"

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

// The built-in person whose motions the character has: itself, or the average one, from which they are retargeted.
body::Person person_of(const OwnedCharacterBody& character_body);
// A clip of person_of(), on the character.
motion::Clip on_character(const OwnedCharacterBody& character_body, const body::Person& person,
                          motion::Clip clip);

}  // namespace billow::dataset
