// Flat patterns: exact vertex counts and well-shaped triangles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "garment/tailor.h"

namespace billow::garment {
namespace {

struct Case {
  const char* name;
  float inner, outer, angle;
  bool closed;
  size_t vertices;
};
const Case kCases[] = {{"a cape", 0.3f, 1.4f, 2.1f, false, 12690},
                       {"a full-circle skirt", 0.11f, 0.66f, 6.2831853f, true, 18546},
                       {"a double-circle skirt", 0.06f, 0.5f, 12.5663706f, true, 3000},
                       {"a narrow strip", 1.0f, 1.5f, 0.2f, false, 400}};

TEST(RingPattern, HasExactlyTheRequestedVertices) {
  for (const Case& c : kCases) {
    const RingPattern p = make_ring_pattern(c.inner, c.outer, c.angle, c.closed, c.vertices);
    EXPECT_EQ(p.vertices.size(), c.vertices) << c.name;
    EXPECT_EQ(p.row_start.back(), c.vertices) << c.name;
  }
}

TEST(RingPattern, HasWellShapedTriangles) {
  for (const Case& c : kCases) {
    const RingPattern p = make_ring_pattern(c.inner, c.outer, c.angle, c.closed, c.vertices);
    double smallest = 180;
    for (const Triangle& t : p.triangles) {
      for (size_t k = 0; k < 3; ++k) {
        const double a = p.distance(t[(k + 1) % 3], t[(k + 2) % 3]), b = p.distance(t[k], t[(k + 1) % 3]),
                     d = p.distance(t[k], t[(k + 2) % 3]);
        smallest = std::min(
            smallest, std::acos(std::clamp((b * b + d * d - a * a) / (2 * b * d), -1.0, 1.0)) * 57.29578);
      }
    }
    EXPECT_GT(smallest, 28) << c.name;
  }
}

TEST(RingPattern, HasTheTopologyOfARingOrADisc) {
  for (const Case& c : kCases) {
    const RingPattern p = make_ring_pattern(c.inner, c.outer, c.angle, c.closed, c.vertices);
    std::map<std::pair<uint32_t, uint32_t>, int> directed;
    for (const Triangle& t : p.triangles)
      for (size_t k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
    size_t border = 0, inside = 0;
    for (const auto& [edge, count] : directed) {
      ASSERT_EQ(count, 1) << c.name << ": two triangles run along an edge the same way";
      if (directed.count({edge.second, edge.first}))
        ++inside;
      else
        ++border;
    }
    const auto edges = static_cast<long>(inside / 2 + border);
    EXPECT_EQ(static_cast<long>(p.vertices.size()) - edges + static_cast<long>(p.triangles.size()),
              c.closed ? 0 : 1)
        << c.name;
  }
}

TEST(RingPattern, RefusesInvalidDimensions) {
  EXPECT_THROW(make_ring_pattern(0, 1, 1, false, 100), std::invalid_argument);
  EXPECT_THROW(make_ring_pattern(1, 1, 1, false, 100), std::invalid_argument);
  EXPECT_THROW(make_ring_pattern(1, 2, 0, false, 100), std::invalid_argument);
  EXPECT_THROW(make_ring_pattern(1, 2, 1, false, 3), std::invalid_argument);
}

}  // namespace
}  // namespace billow::garment
