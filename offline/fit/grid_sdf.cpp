#include "fit/grid_sdf.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "body/mesh_distance.h"

namespace billow::fit {
namespace {

// Replaces values beyond one cell, where the level set is not exact.
void add_far_field(Lattice& lattice, const body::MeshDistance& exact) {
  for (int k = 0; k < lattice.size[2]; ++k)
    for (int j = 0; j < lattice.size[1]; ++j)
      for (int i = 0; i < lattice.size[0]; ++i) {
        float& value = lattice.values[lattice.index(i, j, k)];
        if (std::fabs(value) >= lattice.spacing) value = exact.at(lattice.point(i, j, k));
      }
}

}  // namespace

GridSdf make_grid(const body::Mesh& mesh, const GridOptions& options) {
  constexpr int kMaxPoints = 1024, kMaxValue = 32767;
  if (!(options.spacing > 0) || !(options.margin > 0))
    throw std::invalid_argument("grid: expected a spacing and a margin of more than 0");
  edges_of(mesh);  // throws unless the mesh is closed
  V3 half{options.margin, options.margin, options.margin};
  for (const V3& p : mesh.positions)
    half = {std::max(half.x, std::fabs(p.x) + options.margin),
            std::max(half.y, std::fabs(p.y) + options.margin),
            std::max(half.z, std::fabs(p.z) + options.margin)};
  for (const float h : {half.x, half.y, half.z})
    if (2 * h / options.spacing + 2 > static_cast<float>(kMaxPoints))
      throw std::invalid_argument("grid: expected at most " + std::to_string(kMaxPoints) +
                                  " points per side; use a spacing above " + std::to_string(options.spacing) +
                                  " m");
  Lattice lattice = make_lattice(-half, half, options.spacing);
  fill_with_distances(lattice, mesh);
  add_far_field(lattice, body::MeshDistance(mesh));

  GridSdf out;
  out.spacing = options.spacing;
  for (size_t k = 0; k < 3; ++k) out.size[k] = static_cast<uint32_t>(lattice.size[k]);
  float largest = 0;
  for (const float v : lattice.values) largest = std::max(largest, std::fabs(v));
  out.unit = largest / kMaxValue;
  for (const float v : lattice.values) out.values.push_back(static_cast<int16_t>(std::lround(v / out.unit)));
  return out;
}

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

// The functions of level_sets/level_sets.cpp; null if the library cannot be loaded.
struct Functions {
  void (*zero_set)(const Lattice&, body::Mesh&) = nullptr;
  void (*fill_with_distances)(Lattice&, const body::Mesh&) = nullptr;
};

Functions load_functions() {
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

const Functions& loaded_functions() {
  static const Functions functions = load_functions();
  return functions;
}

const Functions& required_functions() {
  if (!have_level_sets())
    throw std::runtime_error(
        "level sets: built without OpenVDB, or it cannot be loaded; install libopenvdb-dev and libboost-dev, "
        "and build again");
  return loaded_functions();
}

}  // namespace

bool have_level_sets() { return loaded_functions().zero_set && loaded_functions().fill_with_distances; }

body::Mesh zero_set(const Lattice& lattice) {
  body::Mesh mesh;
  required_functions().zero_set(lattice, mesh);
  return mesh;
}

void fill_with_distances(Lattice& lattice, const body::Mesh& mesh) {
  required_functions().fill_with_distances(lattice, mesh);
}

}  // namespace billow::fit
