#include "body/mesh_distance.h"

#include <algorithm>
#include <cmath>

namespace billow::body {
namespace {

constexpr float kColumn = 0.01f;    // m
constexpr float kOffset = 0.0005f;  // m, how far outside a triangle is looked for other parts

}  // namespace

MeshDistance::MeshDistance(const Mesh& mesh) : mesh_(mesh) {
  build_columns();
  find_outside();
  std::vector<Triangle> triangles;
  for (const uint32_t t : outside_) triangles.push_back(mesh_.triangles[t]);
  tree_ = TriangleTree(mesh_.positions, triangles);
}

void MeshDistance::build_columns() {
  low_ = {1e30f, 1e30f, 1e30f}, high_ = {-1e30f, -1e30f, -1e30f};
  for (const V3& p : mesh_.positions) low_ = least(low_, p), high_ = most(high_, p);
  columns_x_ = std::max(1, static_cast<int>((high_.x - low_.x) / kColumn) + 1);
  columns_y_ = std::max(1, static_cast<int>((high_.y - low_.y) / kColumn) + 1);
  columns_.resize(static_cast<size_t>(columns_x_) * static_cast<size_t>(columns_y_));
  for (uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
    const Triangle& v = mesh_.triangles[t];
    const V3 &a = mesh_.positions[v[0]], &b = mesh_.positions[v[1]], &c = mesh_.positions[v[2]];
    const V3 from = least(a, least(b, c)) - low_, to = most(a, most(b, c)) - low_;
    for (int y = static_cast<int>(from.y / kColumn); y <= static_cast<int>(to.y / kColumn) && y < columns_y_;
         ++y)
      for (int x = static_cast<int>(from.x / kColumn);
           x <= static_cast<int>(to.x / kColumn) && x < columns_x_; ++x)
        columns_[static_cast<size_t>(y * columns_x_ + x)].push_back(t);
  }
}

int MeshDistance::winding(V3 p) const {
  // Count the signed crossings of the ray along +z.
  if (p.x < low_.x || p.y < low_.y || p.x > high_.x || p.y > high_.y) return 0;
  const int x = std::min(columns_x_ - 1, static_cast<int>((p.x - low_.x) / kColumn)),
            y = std::min(columns_y_ - 1, static_cast<int>((p.y - low_.y) / kColumn));
  int count = 0;
  for (const uint32_t t : columns_[static_cast<size_t>(y * columns_x_ + x)]) {
    const Triangle& v = mesh_.triangles[t];
    // The side of p on each edge, by the same arithmetic for both triangles of the edge: no crossing is lost
    // or counted twice between them.
    double side[3];
    for (size_t k = 0; k < 3; ++k) {
      uint32_t i = v[k], j = v[(k + 1) % 3];
      const bool swapped = i > j;
      if (swapped) std::swap(i, j);
      const V3 &a = mesh_.positions[i], &b = mesh_.positions[j];
      double s = (double{a.x} - p.x) * (double{b.y} - p.y) - (double{a.y} - p.y) * (double{b.x} - p.x);
      if (s == 0) s = 1e-300;
      side[k] = swapped ? -s : s;
    }
    const bool positive = side[0] > 0 && side[1] > 0 && side[2] > 0,
               negative = side[0] < 0 && side[1] < 0 && side[2] < 0;
    if (!positive && !negative) continue;
    const double sum = side[0] + side[1] + side[2];
    const double z = (side[1] * double{mesh_.positions[v[0]].z} + side[2] * double{mesh_.positions[v[1]].z} +
                      side[0] * double{mesh_.positions[v[2]].z}) /
                     sum;
    if (z > double{p.z}) count += positive ? 1 : -1;
  }
  return count;
}

void MeshDistance::find_outside() {
  for (uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
    const Triangle& v = mesh_.triangles[t];
    const V3 n = area_normal(mesh_.positions, v);
    const float l = length(n);
    if (!(l > 0)) continue;
    const V3 centre = (mesh_.positions[v[0]] + mesh_.positions[v[1]] + mesh_.positions[v[2]]) * (1.0f / 3);
    const int out = winding(centre + n * (kOffset / l)), in = winding(centre - n * (kOffset / l));
    if (out <= 0 && in > 0) outside_.push_back(t);
  }
}

float MeshDistance::at(V3 p) const {
  const float distance = tree_.nearest(p).distance;
  return winding(p) > 0 ? -distance : distance;
}

}  // namespace billow::body
