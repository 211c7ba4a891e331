// Fabrics, in physical units.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace billow::cloth {

struct Material {
  float density = 0.15f;     // kg/m2
  float stretch = 4000;      // N/m, Young's modulus times thickness
  float bending = 1.0e-5f;   // N m, rigidity of a strip one metre wide
  float damping = 0.0005f;   // s, of bending: the time over which its speed counts as much as itself
  float thickness = 0.004f;  // m, kept between the cloth and what it touches
  float friction = 0.3f;     // Coulomb, cloth on skin
  float self_friction = 0.3f;
  float drag = 1.1f;  // of a plate across the air's flow
  float lift = 0.5f;
};

// "cotton", "wool" and "silk": densities and bending rigidities as the Kawabata system measures them on such
// fabrics (S. Kawabata, "The Standardization and Analysis of Hand Evaluation", 1980). Throws std::invalid_argument
// for other names, with those there are.
Material material_named(std::string_view name);
const std::vector<std::string>& material_names();

}  // namespace billow::cloth
