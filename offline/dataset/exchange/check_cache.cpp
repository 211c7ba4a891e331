#include "dataset/exchange/check_cache.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace billow::dataset {
namespace {

using Edge = std::pair<uint32_t, uint32_t>;

Edge edge(uint32_t a, uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

// The garment's edges, and those that edges between two triangles may be flipped to.
std::set<Edge> edges_either_way(const std::vector<garment::Triangle>& triangles) {
  std::set<Edge> edges;
  std::map<Edge, uint32_t> opposite;
  for (const garment::Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      const Edge e = edge(t[k], t[(k + 1) % 3]);
      edges.insert(e);
      const auto [other, first] = opposite.insert({e, t[(k + 2) % 3]});
      if (!first) edges.insert(edge(other->second, t[(k + 2) % 3]));
    }
  return edges;
}

}  // namespace

void expect_same_cloth(const garment::Garment& garment, const cache::Info& info, const std::string& file) {
  const auto refuse = [&](const std::string& message) { throw std::runtime_error(file + ": " + message); };
  const auto count = [](size_t n) { return std::to_string(n); };
  if (info.topology.vertices != garment.size())
    refuse("expected " + count(garment.size()) + " vertices as the garment has, found " +
           count(info.topology.vertices));
  const std::vector<garment::Triangle>& triangles = info.topology.triangles;
  if (triangles.empty() || triangles == garment.triangles) return;
  if (triangles.size() != garment.triangles.size())
    refuse("expected " + count(garment.triangles.size()) + " triangles as the garment has, found " +
           count(triangles.size()));
  const std::set<Edge> known = edges_either_way(garment.triangles);
  for (size_t t = 0; t < triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      if (!known.contains(edge(a, b)))
        refuse("triangle " + count(t) + ": expected an edge of the garment, found one from vertex " +
               count(a) + " to " + count(b) + ": it is another mesh, or its vertices are in another order");
    }
}

SeamCheck::SeamCheck(const garment::Garment& garment, const body::Skeleton& skeleton)
    : garment_(garment),
      rest_inverse_(character::inverses(body::rest_transforms(skeleton))),
      moved_(rest_inverse_.size()),
      attachment_points_(garment.attachments.size()) {
  V3 low = garment.rest[0], high = low;
  for (const V3& p : garment.rest) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  most_ = 0.1f * std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

float SeamCheck::gap(std::span<const V3> cloth, std::span<const Transform> joints) {
  for (size_t j = 0; j < moved_.size(); ++j) moved_[j] = joints[j] * rest_inverse_[j];
  garment::follow_body(garment_, moved_, attachment_points_);
  float sum = 0;
  for (size_t i = 0; i < attachment_points_.size(); ++i)
    sum += length(cloth[garment_.attachments[i].vertex] - attachment_points_[i]);
  return sum / static_cast<float>(std::max<size_t>(1, attachment_points_.size()));
}

}  // namespace billow::dataset
