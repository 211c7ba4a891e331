// Cloth inside a ball of radius 1.
#include "evaluate/body_probe.h"

#include <gtest/gtest.h>

#include "support/colliders.h"

namespace billow::evaluate {
namespace {

class BodyProbeTest : public ::testing::Test {
 protected:
  BodyProbeTest() : body_(skeleton(), std::vector<billow_collider>{testing::sphere({0, 0, 0}, 1)}) {}
  static body::Skeleton skeleton() {
    body::Skeleton s;
    s.joints.push_back({"root", body::kNoJoint, {}});
    return s;
  }
  InsideSums measure(std::vector<V3> corners) {
    BodyProbe probe(edges_, triangles_);
    return probe.measure(body_, corners);
  }
  std::vector<Edge> edges_{{0, 1, 1}, {1, 2, 1}, {0, 2, 1}};
  std::vector<garment::Triangle> triangles_{{0, 1, 2}};
  body::Surface body_;
};

TEST_F(BodyProbeTest, OutsideThereIsNothing) {
  const InsideSums s = measure({{-0.1f, 1.2f, 0}, {0.1f, 1.2f, 0}, {0, 1.2f, 0.1f}});
  EXPECT_EQ(s.vertices + s.edges + s.faces, 0);
  EXPECT_EQ(s.deepest_vertex + s.deepest_edge + s.deepest_face, 0);
}

// An edge through the ball, with its ends outside.
TEST_F(BodyProbeTest, FindsEdgesWhoseEndsAreOutside) {
  const InsideSums s = measure({{-1.5f, 0.5f, 0}, {1.5f, 0.5f, 0}, {0, 1.5f, 0}});
  EXPECT_EQ(s.vertices, 0);
  EXPECT_EQ(s.edges, 1);
  EXPECT_EQ(s.faces, 1);
  EXPECT_NEAR(s.deepest_edge, 0.5, 1e-4);
  EXPECT_GT(s.deepest_face, 0);
  EXPECT_LT(s.deepest_face, 0.5);
}

// A face that is pierced between its edges.
TEST_F(BodyProbeTest, FindsFacesWhoseEdgesAreOutside) {
  const InsideSums s = measure({{-2.6f, 0, -1.5f}, {2.6f, 0, -1.5f}, {0, 0, 3}});
  EXPECT_EQ(s.vertices + s.edges, 0);
  EXPECT_EQ(s.faces, 1);
  EXPECT_NEAR(s.deepest_face, 1, 0.01);
}

TEST_F(BodyProbeTest, CountsWhatTouchesAVertexInside) {
  const InsideSums s = measure({{0, 0.9f, 0}, {0, 3, 0}, {1, 3, 0}});
  EXPECT_EQ(s.vertices, 1);
  EXPECT_EQ(s.edges, 2);
  EXPECT_EQ(s.faces, 1);
  EXPECT_NEAR(s.deepest_vertex, 0.1, 1e-4);
}

}  // namespace
}  // namespace billow::evaluate
