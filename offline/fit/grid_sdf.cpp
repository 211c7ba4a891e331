#include "fit/grid_sdf.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "body/mesh_distance.h"
#include "fit/level_set.h"

namespace billow::fit {
namespace {

// A level set is exact near its surface only.
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
  constexpr int kMaxPoints = 1024, kMaxSteps = 32767;
  if (!(options.spacing > 0) || !(options.margin > 0))
    throw std::invalid_argument("grid: expected a spacing and a margin of more than 0");
  edges_of(mesh);  // closed, or it throws
  V3 half{options.margin, options.margin, options.margin};
  for (const V3& p : mesh.positions)
    half = {std::max(half.x, std::fabs(p.x) + options.margin),
            std::max(half.y, std::fabs(p.y) + options.margin),
            std::max(half.z, std::fabs(p.z) + options.margin)};
  for (const float h : {half.x, half.y, half.z})
    if (2 * h / options.spacing + 2 > static_cast<float>(kMaxPoints))
      throw std::invalid_argument("grid: expected at most " + std::to_string(kMaxPoints) +
                                  " points a side; take a larger spacing than " +
                                  std::to_string(options.spacing) + " m");
  Lattice lattice = make_lattice(-half, half, options.spacing);
  fill_with_distances(lattice, mesh);
  add_far_field(lattice, body::MeshDistance(mesh));

  GridSdf out;
  out.spacing = options.spacing;
  for (size_t k = 0; k < 3; ++k) out.size[k] = static_cast<uint32_t>(lattice.size[k]);
  float largest = 0;
  for (const float v : lattice.values) largest = std::max(largest, std::fabs(v));
  out.unit = largest / kMaxSteps;
  for (const float v : lattice.values) out.values.push_back(static_cast<int16_t>(std::lround(v / out.unit)));
  return out;
}

}  // namespace billow::fit
