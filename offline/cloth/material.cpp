#include "cloth/material.h"

#include <stdexcept>

namespace billow::cloth {

const std::vector<std::string>& material_names() {
  static const std::vector<std::string> names{"cotton", "wool", "silk"};
  return names;
}

Material material_named(std::string_view name) {
  Material m;
  if (name == "cotton") return m;
  if (name == "wool") {
    m.density = 0.25f, m.stretch = 3000, m.bending = 1.4e-5f, m.thickness = 0.005f, m.friction = 0.4f;
    return m;
  }
  if (name == "silk") {
    m.density = 0.08f, m.stretch = 3000, m.bending = 4.0e-6f, m.thickness = 0.003f, m.friction = 0.2f;
    m.self_friction = 0.2f;
    return m;
  }
  throw std::invalid_argument("there is no material '" + std::string(name) +
                              "'; there are cotton, wool and silk");
}

}  // namespace billow::cloth
