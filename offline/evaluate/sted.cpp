#include "evaluate/sted.h"

#include <algorithm>
#include <array>

namespace billow::evaluate {
namespace {

constexpr double kMinLength = 1e-6;  // m, avoids a division by 0 for collapsed edges

double step(std::span<const float> before, std::span<const float> now, size_t v, double h) {
  double sum = h * h;
  for (size_t k = 3 * v; k < 3 * v + 3; ++k) {
    const double d = static_cast<double>(now[k] - before[k]);
    sum += d * d;
  }
  return std::sqrt(sum);
}

}  // namespace

std::vector<Edge> edges_of(const garment::Garment& garment) {
  std::vector<std::array<uint32_t, 2>> pairs;
  for (const garment::Triangle& t : garment.triangles)
    for (size_t k = 0; k < 3; ++k)
      pairs.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<Edge> edges;
  for (const auto& [a, b] : pairs) edges.push_back({a, b, garment::rest_distance(garment, a, b)});
  return edges;
}

double sted_space(std::span<const Edge> edges, size_t vertices, std::span<const float> reference,
                  std::span<const float> lengths) {
  // Sum weights, weighted differences and weighted squares over the edges at each vertex.
  std::vector<std::array<double, 3>> sums(vertices);
  for (size_t i = 0; i < edges.size(); ++i) {
    const double l = std::max(static_cast<double>(reference[i]), kMinLength);
    const double e = std::fabs(static_cast<double>(lengths[i]) - l) / l;
    for (const uint32_t v : {edges[i].a, edges[i].b})
      sums[v][0] += l, sums[v][1] += l * e, sums[v][2] += l * e * e;
  }
  double total = 0;
  for (const auto& [weight, first, second] : sums)
    if (weight > 0) total += std::sqrt(std::max(0.0, second / weight - (first / weight) * (first / weight)));
  return total / static_cast<double>(vertices);
}

double sted_time(std::span<const float> reference_before, std::span<const float> reference,
                 std::span<const float> before, std::span<const float> now, double h) {
  const size_t vertices = now.size() / 3;
  double total = 0;
  for (size_t v = 0; v < vertices; ++v) {
    const double s = step(reference_before, reference, v, h);
    total += std::fabs(step(before, now, v, h) - s) / s;
  }
  return total / static_cast<double>(vertices);
}

}  // namespace billow::evaluate
