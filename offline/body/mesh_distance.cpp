#include "body/mesh_distance.h"

#include <algorithm>
#include <cmath>

namespace billow::body {
namespace {

constexpr int kStackSize = 64;  // at most 2^32 triangles: 32 levels, two entries each

float squared_distance(V3 p, V3 low, V3 high) {
  const V3 d = component_max(component_max(low - p, p - high), V3{0, 0, 0});
  return dot(d, d);
}

// Slab test of a ray against a box; `inverse` is one over the direction.
bool ray_hits_box(V3 origin, V3 inverse, V3 low, V3 high) {
  const V3 a{(low.x - origin.x) * inverse.x, (low.y - origin.y) * inverse.y, (low.z - origin.z) * inverse.z};
  const V3 b{(high.x - origin.x) * inverse.x, (high.y - origin.y) * inverse.y,
             (high.z - origin.z) * inverse.z};
  const V3 enter = component_min(a, b), leave = component_max(a, b);
  return std::max({enter.x, enter.y, enter.z, 0.0f}) <= std::min({leave.x, leave.y, leave.z});
}

// Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997), two-sided.
bool ray_hits_triangle(V3 origin, V3 direction, const std::array<V3, 3>& t, float from) {
  const V3 e1 = t[1] - t[0], e2 = t[2] - t[0], h = cross(direction, e2);
  const float determinant = dot(e1, h);
  if (determinant == 0) return false;
  const V3 s = (origin - t[0]) * (1 / determinant), q = cross(s, e1);
  const float u = dot(s, h), v = dot(direction, q);
  return u >= 0 && v >= 0 && u + v <= 1 && dot(e2, q) > from;
}

constexpr float kColumnWidth = 0.01f;   // m
constexpr float kSideOffset = 0.0005f;  // m, distance from a triangle at which winding numbers are taken

}  // namespace

V3 nearest_on_triangle(V3 p, V3 a, V3 b, V3 c) {
  const V3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
              d6 = dot(ac, cp);
  // Voronoi regions of the vertices, then of the edges, then the face.
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
  leaves_.reserve(order_.size());
  for (const uint32_t t : order_) leaves_.push_back(corners(t));
}

std::array<V3, 3> TriangleTree::corners(uint32_t t) const {
  const Triangle& v = triangles_[t];
  return {positions_[v[0]], positions_[v[1]], positions_[v[2]]};
}

void TriangleTree::build(uint32_t node, uint32_t first, uint32_t count, const std::vector<V3>& centres) {
  Node bounds{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, first, count};
  for (uint32_t i = first; i < first + count; ++i)
    for (const V3& p : corners(order_[i]))
      bounds.low = component_min(bounds.low, p), bounds.high = component_max(bounds.high, p);
  if (count > 4) {
    // Median split along the longest axis. Ties are broken by index, so that the tree is deterministic.
    const V3 size = bounds.high - bounds.low;
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
    bounds.first = child, bounds.count = 0;
    build(child, first, half, centres);
    build(child + 1, first + half, count - half, centres);
  }
  nodes_[node] = bounds;
}

TriangleTree::Nearest TriangleTree::nearest(V3 p, float within) const {
  Nearest best;
  if (nodes_.empty()) return best;
  // Nodes still to visit, with their distances.
  struct {
    float distance2;
    uint32_t node;
  } stack[kStackSize];
  int top = 0;
  float best2 = within < 1e15f ? within * within : 1e30f;
  bool found = false;
  stack[top++] = {squared_distance(p, nodes_[0].low, nodes_[0].high), 0};
  while (top > 0) {
    const auto [distance2, at] = stack[--top];
    if (distance2 >= best2) continue;
    const Node& node = nodes_[at];
    if (node.count == 0) {
      // Visit the nearer child first.
      const Node &a = nodes_[node.first], &b = nodes_[node.first + 1];
      const float to_a = squared_distance(p, a.low, a.high), to_b = squared_distance(p, b.low, b.high);
      const bool a_first = to_a < to_b;
      stack[top++] = {a_first ? to_b : to_a, node.first + a_first};
      stack[top++] = {a_first ? to_a : to_b, node.first + !a_first};
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i) {
      const auto& [a, b, c] = leaves_[i];
      const V3 on = nearest_on_triangle(p, a, b, c);
      if (const float d2 = dot(p - on, p - on); d2 < best2)
        best2 = d2, best = {on, 0, order_[i]}, found = true;
    }
  }
  best.distance = found ? std::sqrt(best2) : Nearest{}.distance;
  return best;
}

bool TriangleTree::hit_by_ray(V3 origin, V3 direction, float from) const {
  if (nodes_.empty()) return false;
  const auto inverted = [](float v) { return 1 / (std::fabs(v) > 1e-12f ? v : std::copysign(1e-12f, v)); };
  const V3 inverse{inverted(direction.x), inverted(direction.y), inverted(direction.z)};
  uint32_t stack[kStackSize];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    if (!ray_hits_box(origin, inverse, node.low, node.high)) continue;
    if (node.count == 0) {
      stack[top++] = node.first;
      stack[top++] = node.first + 1;
      continue;
    }
    for (uint32_t i = node.first; i < node.first + node.count; ++i)
      if (ray_hits_triangle(origin, direction, leaves_[i], from)) return true;
  }
  return false;
}

MeshDistance::MeshDistance(const Mesh& mesh) : mesh_(mesh) {
  build_columns();
  find_outside();
  std::vector<Triangle> triangles;
  for (const uint32_t t : outside_) triangles.push_back(mesh_.triangles[t]);
  tree_ = TriangleTree(mesh_.positions, triangles);
}

void MeshDistance::build_columns() {
  low_ = {1e30f, 1e30f, 1e30f}, high_ = {-1e30f, -1e30f, -1e30f};
  for (const V3& p : mesh_.positions) low_ = component_min(low_, p), high_ = component_max(high_, p);
  column_count_x_ = std::max(1, static_cast<int>((high_.x - low_.x) / kColumnWidth) + 1);
  column_count_y_ = std::max(1, static_cast<int>((high_.y - low_.y) / kColumnWidth) + 1);
  columns_.resize(static_cast<size_t>(column_count_x_) * static_cast<size_t>(column_count_y_));
  for (uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
    const Triangle& v = mesh_.triangles[t];
    const V3 &a = mesh_.positions[v[0]], &b = mesh_.positions[v[1]], &c = mesh_.positions[v[2]];
    const V3 from = component_min(a, component_min(b, c)) - low_,
             to = component_max(a, component_max(b, c)) - low_;
    for (int y = static_cast<int>(from.y / kColumnWidth);
         y <= static_cast<int>(to.y / kColumnWidth) && y < column_count_y_; ++y)
      for (int x = static_cast<int>(from.x / kColumnWidth);
           x <= static_cast<int>(to.x / kColumnWidth) && x < column_count_x_; ++x)
        columns_[static_cast<size_t>(y * column_count_x_ + x)].push_back(t);
  }
}

int MeshDistance::winding(V3 p) const {
  // Count signed crossings of the ray along +z.
  if (p.x < low_.x || p.y < low_.y || p.x > high_.x || p.y > high_.y) return 0;
  const int x = std::min(column_count_x_ - 1, static_cast<int>((p.x - low_.x) / kColumnWidth)),
            y = std::min(column_count_y_ - 1, static_cast<int>((p.y - low_.y) / kColumnWidth));
  int count = 0;
  for (const uint32_t t : columns_[static_cast<size_t>(y * column_count_x_ + x)]) {
    const Triangle& v = mesh_.triangles[t];
    // Side of p with respect to each edge. Both triangles of an edge evaluate it with the vertices in the
    // same order, so that no crossing is missed or counted twice.
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
    const int out = winding(centre + n * (kSideOffset / l)), in = winding(centre - n * (kSideOffset / l));
    if (out <= 0 && in > 0) outside_.push_back(t);
  }
}

float MeshDistance::at(V3 p, float within) const {
  const float distance = tree_.nearest(p, within).distance;
  if (distance > within) return distance;
  return winding(p) > 0 ? -distance : distance;
}

}  // namespace billow::body
