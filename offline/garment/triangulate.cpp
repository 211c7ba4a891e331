#include "garment/triangulate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace billow::garment {
namespace {

using Point = std::array<double, 2>;

double area(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

double square(const Point& a, const Point& b) { return std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2); }

// Lays the polygon flat: along its normal (Newell) onto the two axes across it.
std::vector<Point> flatten(std::span<const V3> positions, std::span<const uint32_t> corners) {
  V3 normal{0, 0, 0};
  for (size_t i = 0; i < corners.size(); ++i)
    normal += cross(positions[corners[i]] - positions[corners[0]],
                    positions[corners[(i + 1) % corners.size()]] - positions[corners[0]]);
  const float size = length(normal);
  normal = size > 0 ? normal * (1 / size) : V3{0, 1, 0};
  V3 across = std::fabs(normal.y) < 0.9f ? cross(V3{0, 1, 0}, normal) : cross(V3{1, 0, 0}, normal);
  across = across * (1 / length(across));
  const V3 along = cross(normal, across);
  std::vector<Point> out;
  for (const uint32_t c : corners) {
    const V3 p = positions[c] - positions[corners[0]];
    out.push_back({static_cast<double>(dot(p, across)), static_cast<double>(dot(p, along))});
  }
  return out;
}

// How good the ear at place i of the polygon is: its area over its longest side's square, below 0 if it is none.
double ear(const std::vector<Point>& p, const std::vector<size_t>& left, size_t i) {
  const size_t n = left.size();
  const size_t before = left[(i + n - 1) % n], at = left[i], after = left[(i + 1) % n];
  const double a = area(p[before], p[at], p[after]);
  if (!(a > 0)) return -1;
  for (const size_t k : left)
    if (k != before && k != at && k != after && area(p[before], p[at], p[k]) >= 0 &&
        area(p[at], p[after], p[k]) >= 0 && area(p[after], p[before], p[k]) >= 0)
      return -1;
  return a / std::max({square(p[before], p[at]), square(p[at], p[after]), square(p[after], p[before])});
}

}  // namespace

void triangulate(std::span<const V3> positions, std::span<const uint32_t> corners,
                 std::vector<Triangle>& out) {
  const std::vector<Point> p = flatten(positions, corners);
  std::vector<size_t> left(corners.size());
  for (size_t i = 0; i < left.size(); ++i) left[i] = i;
  while (left.size() > 3) {
    // Judge an ear also by the worst corner it leaves, so that a quadrangle gets its better diagonal.
    size_t best = 0;
    double best_score = -2;
    for (size_t i = 0; i < left.size(); ++i) {
      double score = ear(p, left, i);
      if (left.size() == 4 && score > 0) score = std::min(score, ear(p, left, (i + 2) % 4));
      if (score > best_score) best_score = score, best = i;
    }
    const size_t n = left.size();
    out.push_back({corners[left[(best + n - 1) % n]], corners[left[best]], corners[left[(best + 1) % n]]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  out.push_back({corners[left[0]], corners[left[1]], corners[left[2]]});
}

}  // namespace billow::garment
