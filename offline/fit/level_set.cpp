#include "fit/level_set.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace billow::fit {

Lattice make_lattice(V3 low, V3 high, float spacing, int step) {
  const auto points = [=](float from, float to) {
    const int steps = static_cast<int>(std::ceil((to - from) / (spacing * static_cast<float>(step))));
    return std::max(1, steps) * step + 1;
  };
  Lattice out;
  out.spacing = spacing;
  out.size = {points(low.x, high.x), points(low.y, high.y), points(low.z, high.z)};
  const V3 half{static_cast<float>(out.size[0] - 1), static_cast<float>(out.size[1] - 1),
                static_cast<float>(out.size[2] - 1)};
  out.low = (low + high) * 0.5f - half * (0.5f * spacing);
  out.values.assign(out.count(), 0);
  return out;
}

namespace {

// The functions of level_sets/level_sets.cpp; null where they are not there.
struct Functions {
  void (*zero_set)(const Lattice&, body::Mesh&) = nullptr;
  void (*fill_with_distances)(Lattice&, const body::Mesh&) = nullptr;
};

Functions find_functions() {
  Functions out;
#ifdef BILLOW_LEVEL_SETS
  void* library = dlopen(BILLOW_LEVEL_SETS, RTLD_NOW | RTLD_LOCAL);
  if (!library) return out;
  out.zero_set = reinterpret_cast<decltype(out.zero_set)>(dlsym(library, "billow_zero_set"));
  out.fill_with_distances =
      reinterpret_cast<decltype(out.fill_with_distances)>(dlsym(library, "billow_fill_with_distances"));
#endif
  return out;
}

const Functions& found() {
  static const Functions functions = find_functions();
  return functions;
}

const Functions& needed() {
  if (!have_level_sets())
    throw std::runtime_error(
        "level sets: built without OpenVDB, or it cannot be loaded; install libopenvdb-dev and libboost-dev, "
        "and build again");
  return found();
}

}  // namespace

bool have_level_sets() { return found().zero_set && found().fill_with_distances; }

body::Mesh zero_set(const Lattice& lattice) {
  body::Mesh mesh;
  needed().zero_set(lattice, mesh);
  return mesh;
}

void fill_with_distances(Lattice& lattice, const body::Mesh& mesh) {
  needed().fill_with_distances(lattice, mesh);
}

}  // namespace billow::fit
