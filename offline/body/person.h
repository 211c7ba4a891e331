// The built-in person: a skeleton of 22 joints and colliders. The colliders define the surface: the runtime
// collides with them, and the skin (body/skin.h) is generated from them.
//
// The rest pose is an A-pose on y = 0 facing +z: arms 45 degrees down, legs slightly apart. All rest
// rotations are the identity, so the rotations of a pose are about the axes of model space.
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

// Presets are "slim", "average" and "heavy". Throws std::invalid_argument for other names.
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
