// A character from a file: skeleton, skin and clips.
#pragma once

#include <string>
#include <vector>

#include "body/skin.h"
#include "motion/clip.h"

namespace billow::importer {

struct Character {
  std::string name;
  body::Skeleton skeleton;
  body::Skin skin;  // may be open, may be in several pieces; no vertices where the file has no mesh
  std::vector<motion::Clip> clips;
};

}  // namespace billow::importer
