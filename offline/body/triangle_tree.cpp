#include "body/triangle_tree.h"

#include <algorithm>
#include <cmath>

namespace billow::body {
namespace {

constexpr int kDeepest = 64;  // halving 2^32 triangles goes 32 deep, with two entries a level

float squared_distance(V3 p, V3 low, V3 high) {
  const V3 d = most(most(low - p, p - high), V3{0, 0, 0});
  return dot(d, d);
}

// Whether a ray comes through a box, by the overlap of its three slabs.
bool crosses(V3 origin, V3 inverse, V3 low, V3 high) {
  const V3 a{(low.x - origin.x) * inverse.x, (low.y - origin.y) * inverse.y, (low.z - origin.z) * inverse.z};
  const V3 b{(high.x - origin.x) * inverse.x, (high.y - origin.y) * inverse.y,
             (high.z - origin.z) * inverse.z};
  const V3 enter = least(a, b), leave = most(a, b);
  return std::max({enter.x, enter.y, enter.z, 0.0f}) <= std::min({leave.x, leave.y, leave.z});
}

// Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997), both sides.
bool hits(V3 origin, V3 direction, const std::array<V3, 3>& t, float from) {
  const V3 e1 = t[1] - t[0], e2 = t[2] - t[0], h = cross(direction, e2);
  const float determinant = dot(e1, h);
  if (determinant == 0) return false;
  const V3 s = (origin - t[0]) * (1 / determinant), q = cross(s, e1);
  const float u = dot(s, h), v = dot(direction, q);
  return u >= 0 && v >= 0 && u + v <= 1 && dot(e2, q) > from;
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

TriangleTree::TriangleTree(std::span<const V3> positions, std::span<const Triangle> triangles)
    : positions_(positions.begin(), positions.end()), triangles_(triangles.begin(), triangles.end()) {
  std::vector<V3> centres(triangles_.size());
  for (uint32_t t = 0; t < triangles_.size(); ++t) {
    if (!(length(area_normal(positions_, triangles_[t])) > 0)) continue;
    order_.push_back(t);
    const auto [a, b, c] = corners(t);
    centres[t] = (a + b + c) * (1.0f / 3);
  }
  if (order_.empty()) return;
  nodes_.resize(1);
  build(0, 0, static_cast<uint32_t>(order_.size()), centres);
}

std::array<V3, 3> TriangleTree::corners(uint32_t t) const {
  const Triangle& v = triangles_[t];
  return {positions_[v[0]], positions_[v[1]], positions_[v[2]]};
}

void TriangleTree::build(uint32_t node, uint32_t first, uint32_t count, const std::vector<V3>& centres) {
  Node made{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, first, count};
  for (uint32_t i = first; i < first + count; ++i)
    for (const V3& p : corners(order_[i])) made.low = least(made.low, p), made.high = most(made.high, p);
  if (count > 4) {
    // Halve the triangles along the longest side; equal centres go by number, so that the tree is the same
    // everywhere.
    const V3 size = made.high - made.low;
    const auto key = [&](uint32_t t) {
      return size.x >= size.y && size.x >= size.z ? centres[t].x
             : size.y >= size.z                   ? centres[t].y
                                                  : centres[t].z;
    };
    const uint32_t half = count / 2;
    const auto at = order_.begin() + first;
    std::nth_element(at, at + half, at + count,
                     [&](uint32_t a, uint32_t b) { return key(a) < key(b) || (key(a) == key(b) && a < b); });
    const auto child = static_cast<uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    made.first = child, made.count = 0;
    build(child, first, half, centres);
    build(child + 1, first + half, count - half, centres);
  }
  nodes_[node] = made;
}

TriangleTree::Nearest TriangleTree::nearest(V3 p) const {
  Nearest best;
  if (nodes_.empty()) return best;
  float best2 = 1e30f;
  uint32_t stack[kDeepest];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    if (squared_distance(p, node.low, node.high) >= best2) continue;
    if (node.count == 0) {
      // Visit the nearer child first.
      const Node &a = nodes_[node.first], &b = nodes_[node.first + 1];
      const bool a_first = squared_distance(p, a.low, a.high) < squared_distance(p, b.low, b.high);
      stack[top++] = a_first ? node.first + 1 : node.first;
      stack[top++] = a_first ? node.first : node.first + 1;
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i) {
      const auto [a, b, c] = corners(order_[i]);
      const V3 on = nearest_on_triangle(p, a, b, c);
      if (const float d2 = dot(p - on, p - on); d2 < best2) best2 = d2, best = {on, 0, order_[i]};
    }
  }
  best.distance = std::sqrt(best2);
  return best;
}

bool TriangleTree::meets(V3 origin, V3 direction, float from) const {
  if (nodes_.empty()) return false;
  const auto inverted = [](float v) { return 1 / (std::fabs(v) > 1e-12f ? v : std::copysign(1e-12f, v)); };
  const V3 inverse{inverted(direction.x), inverted(direction.y), inverted(direction.z)};
  uint32_t stack[kDeepest];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    if (!crosses(origin, inverse, node.low, node.high)) continue;
    if (node.count == 0) {
      stack[top++] = node.first;
      stack[top++] = node.first + 1;
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i)
      if (hits(origin, direction, corners(order_[i]), from)) return true;
  }
  return false;
}

}  // namespace billow::body
