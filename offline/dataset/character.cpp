#include "dataset/character.h"

#include "motion/retarget.h"

namespace billow::dataset {

OwnedCharacterBody person_as_character_body(const std::string& preset) {
  body::Person person = body::make_person(body::person_preset(preset));
  return {preset, "", std::move(person.skeleton), std::move(person.colliders),
          std::move(person.collider_names)};
}

body::Person person_of(const OwnedCharacterBody& character_body) {
  return body::make_person(
      body::person_preset(character_body.preset.empty() ? "average" : character_body.preset));
}

motion::Clip on_character(const OwnedCharacterBody& character_body, const body::Person& person,
                          motion::Clip clip) {
  if (!character_body.preset.empty()) return clip;
  motion::Clip out = motion::retarget(person.skeleton, clip, character_body.skeleton);
  out.name = clip.name;
  return out;
}

}  // namespace billow::dataset
