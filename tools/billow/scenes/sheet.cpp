// The cloth represented by neighbouring chains, as a smooth sheet: Catmull-Rom curves along the chains, then
// across them. The sheet passes through all bones.
#include <algorithm>
#include <cmath>
#include <utility>

#include "draw_scene.h"

namespace billow::tool {
namespace {

using draw::Vec3;

constexpr int kAlong = 40, kAcross = 6;  // segments along a chain, and between neighbouring chains

Vec3 catmull_rom(Vec3 p0, Vec3 p1, Vec3 p2, Vec3 p3, float s) {
  const float s2 = s * s, s3 = s2 * s;
  return 0.5f *
         ((-s + 2 * s2 - s3) * p0 + (2 - 5 * s2 + 3 * s3) * p1 + (s + 4 * s2 - 3 * s3) * p2 + (s3 - s2) * p3);
}

// The point at parameter `at` on the curve through `points`; point i is at parameter i. A `closed` curve wraps around.
Vec3 on_curve(const std::vector<Vec3>& points, float at, bool closed) {
  const int count = static_cast<int>(points.size());
  const int i = std::clamp(static_cast<int>(std::floor(at)), 0, closed ? count - 1 : count - 2);
  const auto point = [&](int k) -> Vec3 {
    if (closed) return points[static_cast<size_t>((k + count) % count)];
    // Extrapolate linearly beyond the ends.
    if (k < 0) return 2.0f * points[0] - points[1];
    if (k >= count)
      return 2.0f * points[static_cast<size_t>(count - 1)] - points[static_cast<size_t>(count - 2)];
    return points[static_cast<size_t>(k)];
  };
  return catmull_rom(point(i - 1), point(i), point(i + 1), point(i + 2), at - static_cast<float>(i));
}

// Orients the triangles so that their front faces away from the body, judged by the first row of quads.
void orient_outward(draw::Mesh& mesh, size_t columns, Vec3 body) {
  float outward = 0;
  for (size_t k = 0; k + 1 < columns; ++k) {
    const Vec3 a = load(&mesh.positions[3 * k]), b = load(&mesh.positions[3 * (k + 1)]),
               below = load(&mesh.positions[3 * (columns + k)]);
    outward += draw::dot(draw::cross(below - a, b - a), Vec3{a.x - body.x, 0, a.z - body.z});
  }
  if (outward >= 0) return;
  for (size_t t = 0; t + 2 < mesh.indices.size(); t += 3) std::swap(mesh.indices[t], mesh.indices[t + 1]);
}

}  // namespace

draw::Mesh sheet_mesh(const scenes::Scene& scene, const Snapshot& moment) {
  draw::Mesh mesh;
  const size_t chains = scene.bone_counts.size();
  if (!scene.neighbours || chains < 2) return mesh;

  // Resample all chains to the same number of points.
  std::vector<std::vector<Vec3>> rows(kAlong + 1, std::vector<Vec3>(chains));
  size_t first = 0;
  for (size_t c = 0; c < chains; ++c) {
    std::vector<Vec3> bones;
    for (size_t i = first; i < first + scene.bone_counts[c]; ++i)
      bones.push_back(load(&moment.positions[3 * i]));
    first += scene.bone_counts[c];
    for (int r = 0; r <= kAlong; ++r) {
      const float share = static_cast<float>(r) / kAlong;
      rows[static_cast<size_t>(r)][c] = on_curve(bones, share * static_cast<float>(bones.size() - 1), false);
    }
  }

  // Interpolate across the chains, row by row.
  const int spans = static_cast<int>(scene.closed ? chains : chains - 1), columns = spans * kAcross + 1;
  for (const std::vector<Vec3>& row : rows)
    for (int k = 0; k < columns; ++k) {
      const Vec3 p = on_curve(row, static_cast<float>(k) / kAcross, scene.closed);
      mesh.positions.insert(mesh.positions.end(), {p.x, p.y, p.z});
    }
  for (int r = 0; r < kAlong; ++r)
    for (int k = 0; k + 1 < columns; ++k) {
      const auto a = static_cast<uint32_t>(r * columns + k), below = a + static_cast<uint32_t>(columns);
      mesh.indices.insert(mesh.indices.end(), {a, below, a + 1, a + 1, below, below + 1});
    }
  orient_outward(mesh, static_cast<size_t>(columns), load(moment.joints[0].position));
  mesh.normals = draw::smooth_normals(mesh.positions, mesh.indices);
  return mesh;
}

}  // namespace billow::tool
