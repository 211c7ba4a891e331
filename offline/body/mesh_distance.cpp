#include "body/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace billow::body {
namespace {

constexpr float kColumn = 0.01f;    // m
constexpr float kOffset = 0.0005f;  // m, how far outside a triangle is looked for other parts

V3 least(V3 a, V3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
V3 most(V3 a, V3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

float squared_distance(V3 p, V3 low, V3 high) {
  const V3 d = most(most(low - p, p - high), V3{0, 0, 0});
  return dot(d, d);
}

}  // namespace

V3 nearest_on_triangle(V3 p, V3 a, V3 b, V3 c) {
  const V3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
              d6 = dot(ac, cp);
  // Corners, edges, then the face.
  if (d1 <= 0 && d2 <= 0) return a;
  if (d3 >= 0 && d4 <= d3) return b;
  if (d6 >= 0 && d5 <= d6) return c;
  const float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + ab * (d1 / (d1 - d3));
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + ac * (d2 / (d2 - d6));
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
  const float sum = va + vb + vc;
  if (!(sum > 0)) return a;
  return a + ab * (vb / sum) + ac * (vc / sum);
}

MeshDistance::MeshDistance(const Mesh& mesh) : mesh_(mesh) {
  build_columns();
  find_outside();
  build_tree();
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

void MeshDistance::build_tree() {
  order_ = outside_;
  std::vector<V3> centres(mesh_.triangles.size());
  for (const uint32_t t : order_) {
    const Triangle& v = mesh_.triangles[t];
    centres[t] = (mesh_.positions[v[0]] + mesh_.positions[v[1]] + mesh_.positions[v[2]]) * (1.0f / 3);
  }
  nodes_.resize(1);
  if (!order_.empty()) build_node(0, 0, static_cast<uint32_t>(order_.size()), centres);
}

uint32_t MeshDistance::build_node(uint32_t node, uint32_t first, uint32_t count, std::vector<V3>& centres) {
  Node made{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, first, count};
  for (uint32_t i = first; i < first + count; ++i)
    for (const uint32_t v : mesh_.triangles[order_[i]])
      made.low = least(made.low, mesh_.positions[v]), made.high = most(made.high, mesh_.positions[v]);
  if (count > 4) {
    // Halve the triangles along the longest side.
    const V3 size = made.high - made.low;
    const auto key = [&](uint32_t t) {
      return size.x >= size.y && size.x >= size.z ? centres[t].x
             : size.y >= size.z                   ? centres[t].y
                                                  : centres[t].z;
    };
    const uint32_t half = count / 2;
    std::nth_element(order_.begin() + first, order_.begin() + first + half, order_.begin() + first + count,
                     [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    const uint32_t child = static_cast<uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    made.first = child, made.count = 0;
    build_node(child, first, half, centres);
    build_node(child + 1, first + half, count - half, centres);
  }
  nodes_[node] = made;
  return node;
}

float MeshDistance::at(V3 p) const {
  float best = 1e30f;
  if (!order_.empty()) {
    uint32_t stack[64];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[stack[--top]];
      if (squared_distance(p, node.low, node.high) >= best) continue;
      if (node.count == 0) {
        // Visit the nearer child first.
        const Node &a = nodes_[node.first], &b = nodes_[node.first + 1];
        const bool a_first = squared_distance(p, a.low, a.high) < squared_distance(p, b.low, b.high);
        stack[top++] = a_first ? node.first + 1 : node.first;
        stack[top++] = a_first ? node.first : node.first + 1;
        continue;
      }
      for (uint32_t i = node.first; i < node.first + node.count; ++i) {
        const Triangle& v = mesh_.triangles[order_[i]];
        const V3 d =
            p - nearest_on_triangle(p, mesh_.positions[v[0]], mesh_.positions[v[1]], mesh_.positions[v[2]]);
        best = std::min(best, dot(d, d));
      }
    }
  }
  const float distance = std::sqrt(best);
  return winding(p) > 0 ? -distance : distance;
}

}  // namespace billow::body
