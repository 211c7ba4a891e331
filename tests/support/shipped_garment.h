// The garments that come with Billow, for tests of what users get.
#pragma once

#include <billow/billow.hpp>
#include <string>

namespace billow::testing {

// `name` is "cape" or "skirt". Tests run in the project's folder.
inline Garment load_shipped(const std::string& name) {
  return Garment::load(("assets/" + name + ".billow").c_str()).value();
}

}  // namespace billow::testing
