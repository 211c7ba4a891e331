// Which triangles an edge passes through.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/vec.h"

namespace billow::dataset {

// Intersection of the segment pq with a triangle (Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle
// Intersection", 1997).
inline bool segment_hits_triangle(V3 p, V3 q, V3 a, V3 b, V3 c) {
  const V3 direction = q - p, e1 = b - a, e2 = c - a, n = cross(direction, e2);
  const float det = dot(e1, n);
  if (std::fabs(det) < 1e-20f) return false;
  const float inverse = 1 / det;
  const V3 from = p - a;
  const float u = dot(from, n) * inverse;
  if (u < 0 || u > 1) return false;
  const V3 m = cross(from, e1);
  const float v = dot(direction, m) * inverse;
  if (v < 0 || u + v > 1) return false;
  const float t = dot(e2, m) * inverse;
  return t > 0 && t < 1;
}

struct Box {
  V3 low, high;
};
inline Box box_of(std::initializer_list<V3> points) {
  Box b{*points.begin(), *points.begin()};
  for (const V3& p : points) {
    b.low = {std::min(b.low.x, p.x), std::min(b.low.y, p.y), std::min(b.low.z, p.z)};
    b.high = {std::max(b.high.x, p.x), std::max(b.high.y, p.y), std::max(b.high.z, p.z)};
  }
  return b;
}
inline bool overlap(const Box& a, const Box& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

// A grid of the triangles' boxes: cells by hash, with their entries in one array (counting sort).
class TriangleGrid {
 public:
  TriangleGrid(std::span<const Box> boxes, float cell_size) : inverse_size_(1 / cell_size) {
    size_t buckets = 1;
    while (buckets < 2 * boxes.size()) buckets *= 2;
    start_.resize(buckets + 1);
    for (const Box& b : boxes) visit(b, [&](const Cell& c) { ++start_[bucket(c) + 1]; });
    for (size_t b = 0; b < buckets; ++b) start_[b + 1] += start_[b];
    entries_.resize(start_[buckets]);
    std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
    for (uint32_t t = 0; t < boxes.size(); ++t)
      visit(boxes[t], [&](const Cell& c) { entries_[next[bucket(c)]++] = {boxes[t], c, t}; });
  }

  // Calls f(triangle) once for each triangle whose box overlaps `box`.
  template <class F> void for_each_overlap(const Box& box, F f) const {
    visit(box, [&](const Cell& c) {
      const size_t b = bucket(c);
      for (uint32_t i = start_[b]; i < start_[b + 1]; ++i) {
        const Entry& e = entries_[i];
        if (!overlap(box, e.box) || !(e.cell == c)) continue;
        // Boxes that share several cells meet in the one that has the lowest corner of their intersection.
        const V3 corner{std::max(box.low.x, e.box.low.x), std::max(box.low.y, e.box.low.y),
                        std::max(box.low.z, e.box.low.z)};
        if (cell(corner) == c) f(e.triangle);
      }
    });
  }

 private:
  struct Cell {
    int32_t i, j, k;
    bool operator==(const Cell&) const = default;
  };
  struct Entry {
    Box box;
    Cell cell;
    uint32_t triangle;
  };
  Cell cell(V3 p) const {
    const auto at = [&](float v) { return static_cast<int32_t>(std::floor(v * inverse_size_)); };
    return {at(p.x), at(p.y), at(p.z)};
  }
  size_t bucket(const Cell& c) const {
    const uint32_t hash = static_cast<uint32_t>(c.i) * 73856093u ^ static_cast<uint32_t>(c.j) * 19349663u ^
                          static_cast<uint32_t>(c.k) * 83492791u;
    return (hash ^ hash >> 15) & (start_.size() - 2);
  }
  template <class F> void visit(const Box& b, F f) const {
    const Cell low = cell(b.low), high = cell(b.high);
    for (int32_t k = low.k; k <= high.k; ++k)
      for (int32_t j = low.j; j <= high.j; ++j)
        for (int32_t i = low.i; i <= high.i; ++i) f({i, j, k});
  }

  float inverse_size_;
  std::vector<uint32_t> start_;
  std::vector<Entry> entries_;
};

}  // namespace billow::dataset
