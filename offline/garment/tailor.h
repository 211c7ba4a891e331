// The two built-in garments, cut to the measure of the built-in person.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "body/person.h"
#include "body/skin.h"
#include "garment/garment.h"

namespace billow::garment {

struct BuiltIn {
  std::string name, about;
  size_t vertices;  // as in the paper
};
const std::vector<BuiltIn>& built_in_garments();

// "cape": worn from the shoulders, down to the calves, 10 chains. "skirt": a full circle from the waist to the
// knees, 26 chains. `shape` lies flat behind the shoulders or round the waist; the drape is found by simulation.
// `vertices` 0: as many as in the paper. Throws std::invalid_argument for other names, with those there are.
Garment make_garment(std::string_view name, const body::Person& person, const body::Skin& skin,
                     size_t vertices = 0);

}  // namespace billow::garment
