#include "dataset/layer_crossings.h"

#include "dataset/triangle_grid.h"

namespace billow::dataset {
namespace {

constexpr float kCell = 0.025f;  // m, some two edges

std::array<V3, 3> corners_of(const ClothMesh& mesh, size_t t) {
  std::array<V3, 3> out;
  for (size_t k = 0; k < 3; ++k) {
    const float* p = &mesh.positions[3 * size_t{mesh.triangles[t][k]}];
    out[k] = {p[0], p[1], p[2]};
  }
  return out;
}

std::vector<Box> boxes_of(const ClothMesh& mesh) {
  std::vector<Box> boxes;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = corners_of(mesh, t);
    boxes.push_back(box_of({c[0], c[1], c[2]}));
  }
  return boxes;
}

// Calls f(triangle of `edges`, triangle of `faces`, depth) where an edge of the one passes through the other. Inner edges come twice.
template <class F> void for_each_crossing(const ClothMesh& edges, const ClothMesh& faces, F f) {
  const TriangleGrid grid(boxes_of(faces), kCell);
  for (size_t e = 0; e < edges.triangles.size(); ++e) {
    const auto edge = corners_of(edges, e);
    for (size_t k = 0; k < 3; ++k) {
      const V3 p = edge[k], q = edge[(k + 1) % 3];
      grid.for_each_overlap(box_of({p, q}), [&](uint32_t t) {
        const auto [a, b, c] = corners_of(faces, t);
        if (!segment_hits_triangle(p, q, a, b, c)) return;
        const V3 n = cross(b - a, c - a);
        f(e, t, std::min(std::fabs(dot(p - a, n)), std::fabs(dot(q - a, n))) / length(n));
      });
    }
  }
}

}  // namespace

LayerCrossings count_layer_crossings(const ClothMesh& outer, const ClothMesh& inner) {
  std::vector<bool> crossed(outer.triangles.size());
  LayerCrossings count;
  const auto add = [&](size_t face, float depth) {
    count.faces += !crossed[face];
    crossed[face] = true;
    count.deepest = std::max(count.deepest, depth);
  };
  for_each_crossing(outer, inner, [&](size_t edge, size_t, float depth) { add(edge, depth); });
  for_each_crossing(inner, outer, [&](size_t, size_t face, float depth) { add(face, depth); });
  return count;
}

}  // namespace billow::dataset
