#include "decode/tangents.h"

#include <cmath>

#include "decode/neighbours.h"
#include "decode/pattern.h"

namespace billow {
namespace {

V3 at(const float* points, uint32_t v) {
  const float* p = points + 3 * size_t{v};
  return {p[0], p[1], p[2]};
}

}  // namespace

uint32_t count_neighbours(const NormalScratch& scratch, uint32_t vertices) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < vertices; ++v) for_each_neighbour(around(scratch, v), [&](uint32_t) { ++count; });
  return count;
}

void find_tangent_rows(const NormalScratch& scratch, const float* pattern_uvs, const float* rest,
                       uint32_t vertices, TangentRows& rows) {
  uint32_t next = 0;
  for (uint32_t v = 0; v < vertices; ++v) {
    const Around a = around(scratch, v);
    const uint32_t first = rows.first[v] = next;
    for_each_neighbour(a, [&](uint32_t i) {
      rows.neighbours[next] = a.edges[i];
      rows.coefficients[next++] = 0;
    });
    const auto coefficient_of = [&](uint32_t neighbour) -> float& {
      const uint32_t* found = std::find(rows.neighbours + first, rows.neighbours + next, neighbour);
      return rows.coefficients[found - rows.neighbours];
    };
    float area = 0;
    for (uint32_t t = 0; t < a.count; ++t) {
      const uint32_t one = a.edges[2 * t], two = a.edges[2 * t + 1];
      if (across_seam(pattern_uvs, rest, v, one) || across_seam(pattern_uvs, rest, v, two) ||
          across_seam(pattern_uvs, rest, one, two))
        continue;
      // dx/du = ((x1 - x0) dv2 - (x2 - x0) dv1) / twice the area; weighted by the absolute area.
      const PatternUv d1 = on_pattern(pattern_uvs, v, one), d2 = on_pattern(pattern_uvs, v, two);
      const float twice = d1.u * d2.v - d2.u * d1.v, sign = twice < 0 ? -1.0f : 1.0f;
      area += twice;
      coefficient_of(one) += sign * d2.v;
      coefficient_of(two) -= sign * d1.v;
    }
    rows.side[v] = area < 0 ? -1.0f : 1.0f;
  }
  rows.first[vertices] = rows.count = next;
}

V3 find_tangent(const TangentRows& rows, const float* positions, const float* normals, uint32_t vertex) {
  const F4 here = load(positions + 3 * size_t{vertex});
  F4 sum = zero();
  for (uint32_t k = rows.first[vertex]; k < rows.first[vertex + 1]; ++k)
    sum = sum + (load(positions + 3 * size_t{rows.neighbours[k]}) - here) * splat(rows.coefficients[k]);
  const V3 n = at(normals, vertex), along{lane(sum, 0), lane(sum, 1), lane(sum, 2)};
  const V3 t = along - n * dot(along, n);
  const float l2 = dot(t, t);
  if (l2 > 1e-24f) return t * (1 / std::sqrt(l2));
  // Undefined: take any direction orthogonal to the normal.
  const V3 side = cross(n, std::fabs(n.x) < 0.9f ? V3{1, 0, 0} : V3{0, 1, 0});
  return side * (1 / length(side));
}

}  // namespace billow
