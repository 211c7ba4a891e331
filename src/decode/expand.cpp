#include "decode/expand.h"

namespace billow {

void expand(const PackedMatrix& basis, float* coefficients, const QuantisedVector& scratch,
            float* displacements) {
  multiply(basis, find_range(coefficients, basis.columns), scratch, displacements);
}

void place_vertices(const float* rest, const float* displacements, size_t vertices, const Transform& world,
                    float scale, float* positions) {
  RigidMatrix m = to_matrix(world);
  m.rx = m.rx * scale, m.ry = m.ry * scale, m.rz = m.rz * scale;
  const auto place_four = [&](const float* from, const float* by, float* to) {
    V3x4 r, d;
    load_points(from, r.x, r.y, r.z);
    load_points(by, d.x, d.y, d.z);
    const V3x4 clamped{clamp(d.x, -1e3f, 1e3f), clamp(d.y, -1e3f, 1e3f), clamp(d.z, -1e3f, 1e3f)};
    const V3x4 p = apply(m, r + clamped);
    store_points(to, p.x, p.y, p.z);
  };
  size_t v = 0;
  for (; v + kLanes <= vertices; v += kLanes)
    place_four(rest + 3 * v, displacements + 3 * v, positions + 3 * v);
  if (v == vertices) return;
  // Copy the last few vertices to buffers that four can be loaded from.
  float from[3 * kLanes] = {}, by[3 * kLanes] = {};
  for (size_t i = 3 * v; i < 3 * vertices; ++i) from[i - 3 * v] = rest[i], by[i - 3 * v] = displacements[i];
  place_four(from, by, positions + 3 * v);
}

}  // namespace billow
