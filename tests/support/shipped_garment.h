// The garments shipped with Billow.
#pragma once

#include <billow/billow.hpp>
#include <string>

namespace billow::testing {

// `name` is "cape" or "skirt". Tests run in the repository root.
inline Garment load_shipped(const std::string& name) {
  return Garment::load(("assets/" + name + ".billow").c_str()).value();
}

}  // namespace billow::testing
