#include "garment/pattern.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace billow::garment {
namespace {

constexpr double kRowHeight = 0.8660254037844386;  // of equilateral triangles of side 1

// Vertices of each row for edges of about `spacing`.
std::vector<size_t> row_counts(const RingPattern& p, double spacing) {
  const double width = static_cast<double>(p.outer) - static_cast<double>(p.inner);
  const size_t rows =
      std::max<size_t>(2, static_cast<size_t>(std::lround(width / (spacing * kRowHeight))) + 1);
  std::vector<size_t> counts;
  for (size_t k = 0; k < rows; ++k) {
    const double radius =
        static_cast<double>(p.inner) + width * static_cast<double>(k) / static_cast<double>(rows - 1);
    const size_t edges = static_cast<size_t>(std::lround(radius * static_cast<double>(p.angle) / spacing));
    counts.push_back(p.closed ? std::max<size_t>(3, edges) : std::max<size_t>(1, edges) + 1);
  }
  return counts;
}

size_t sum(const std::vector<size_t>& counts) {
  size_t total = 0;
  for (const size_t c : counts) total += c;
  return total;
}

// Finds the spacing by halving, then gives or takes what is missing, spread over the rows.
std::vector<size_t> counts_for(const RingPattern& p, size_t wanted) {
  double fine = 1e-4, coarse = static_cast<double>(p.outer);
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(fine * coarse);
    (sum(row_counts(p, middle)) > wanted ? fine : coarse) = middle;
  }
  std::vector<size_t> counts = row_counts(p, coarse);
  const auto missing = static_cast<std::ptrdiff_t>(wanted) - static_cast<std::ptrdiff_t>(sum(counts));
  const auto rows = static_cast<std::ptrdiff_t>(counts.size());
  for (std::ptrdiff_t i = 0; i < std::abs(missing); ++i) {
    // The outer rows are the longest, so they notice one vertex the least.
    const auto row = static_cast<size_t>(rows - 1 - i % rows);
    counts[row] = static_cast<size_t>(static_cast<std::ptrdiff_t>(counts[row]) + (missing > 0 ? 1 : -1));
  }
  return counts;
}

// Fills the strip between two rows by always taking the triangle that advances the row that is behind.
void stitch(RingPattern& p, size_t row) {
  const uint32_t a0 = p.row_start[row], b0 = p.row_start[row + 1];
  const uint32_t na = b0 - a0, nb = p.row_start[row + 2] - b0;
  const uint32_t steps_a = p.closed ? na : na - 1, steps_b = p.closed ? nb : nb - 1;
  const auto share = [](uint32_t i, uint32_t steps, float shift) {
    return (static_cast<float>(i) + shift) / static_cast<float>(steps);
  };
  const float shift_a = p.closed && row % 2 ? 0.5f : 0, shift_b = p.closed && row % 2 == 0 ? 0.5f : 0;
  uint32_t i = 0, j = 0;
  while (i < steps_a || j < steps_b) {
    const uint32_t a = a0 + i % na, b = b0 + j % nb;
    const bool inner =
        j == steps_b || (i < steps_a && share(i + 1, steps_a, shift_a) + share(i, steps_a, shift_a) <
                                            share(j + 1, steps_b, shift_b) + share(j, steps_b, shift_b));
    if (inner) {
      p.triangles.push_back({a, b, a0 + (i + 1) % na});
      ++i;
    } else {
      p.triangles.push_back({a, b, b0 + (j + 1) % nb});
      ++j;
    }
  }
}

}  // namespace

float RingPattern::distance(uint32_t a, uint32_t b) const { return distance(vertices[a], vertices[b]); }

float RingPattern::distance(std::array<float, 2> a, std::array<float, 2> b) const {
  float apart = std::fabs(a[1] - b[1]);
  if (closed) apart = std::min(apart, 1 - apart);
  const double turn = static_cast<double>(apart) * static_cast<double>(angle);
  const double ra = static_cast<double>(a[0]), rb = static_cast<double>(b[0]);
  if (turn > std::numbers::pi) return static_cast<float>(ra + rb);
  return static_cast<float>(std::sqrt(std::max(0.0, ra * ra + rb * rb - 2 * ra * rb * std::cos(turn))));
}

RingPattern make_ring_pattern(float inner, float outer, float angle, bool closed, size_t vertices) {
  if (!(inner > 0) || !(outer > inner) || !(angle > 0) || !std::isfinite(outer) || !std::isfinite(angle))
    throw std::invalid_argument("pattern: expected 0 < inner < outer and a positive angle, found " +
                                std::to_string(inner) + ", " + std::to_string(outer) + ", " +
                                std::to_string(angle));
  if (vertices < 12)
    throw std::invalid_argument("pattern: expected at least 12 vertices, found " + std::to_string(vertices));
  RingPattern p;
  p.inner = inner, p.outer = outer, p.angle = angle, p.closed = closed;
  const std::vector<size_t> counts = counts_for(p, vertices);
  for (size_t row = 0; row < counts.size(); ++row) {
    p.row_start.push_back(static_cast<uint32_t>(p.vertices.size()));
    const float radius =
        inner + (outer - inner) * static_cast<float>(row) / static_cast<float>(counts.size() - 1);
    const size_t steps = closed ? counts[row] : counts[row] - 1;
    // Every other row of a closed ring is turned by half an edge; an open one keeps its straight edges.
    const float shift = closed && row % 2 ? 0.5f : 0;
    for (size_t i = 0; i < counts[row]; ++i)
      p.vertices.push_back({radius, (static_cast<float>(i) + shift) / static_cast<float>(steps)});
  }
  p.row_start.push_back(static_cast<uint32_t>(p.vertices.size()));
  for (size_t row = 0; row + 1 < counts.size(); ++row) stitch(p, row);
  return p;
}

}  // namespace billow::garment
