// The built-in person: a skeleton of 22 joints and the colliders that are the one definition of its surface.
// The runtime collides with them; the skin (body/skin.h) is made from them.
//
// At rest it stands on y = 0 facing +z in an A-pose: arms 45 degrees down, legs a little apart. All joints
// are unturned then, so that turns of a pose are about the axes of the model.
#pragma once

#include <billow/billow.h>

#include <string>
#include <string_view>
#include <vector>

#include "body/skeleton.h"

namespace billow::body {

struct PersonShape {
  float height = 1.75f;  // m, 1.2 to 2.2
  float build = 0;       // -1 slim, 0 average, 1 heavy; up to 1.25 either way
};

// "slim", "average" and "heavy". Throws std::invalid_argument for other names, with those there are.
PersonShape person_preset(std::string_view name);
const std::vector<std::string>& person_presets();

struct Person {
  PersonShape shape;
  Skeleton skeleton;
  std::vector<billow_collider> colliders;
  std::vector<std::string> collider_names;
};

// Throws std::invalid_argument if the shape is out of range.
Person make_person(const PersonShape& shape = {});

}  // namespace billow::body
