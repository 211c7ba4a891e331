// Debug drawing: every kind of thing through the function for it, where it is.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/colliders.h"
#include "support/tiny_garment.h"

namespace billow::debug_draw_test {
namespace {

using Point = std::vector<float>;
struct Drawing {
  std::vector<std::pair<std::vector<Point>, uint32_t>> lines, points, triangles;
  size_t count() const { return lines.size() + points.size() + triangles.size(); }
};
billow_debug_draw pen(Drawing& drawing) {
  billow_debug_draw d{};
  d.line = [](void* user, const float* a, const float* b, uint32_t colour) {
    static_cast<Drawing*>(user)->lines.push_back({{Point(a, a + 3), Point(b, b + 3)}, colour});
  };
  d.point = [](void* user, const float* a, uint32_t colour) {
    static_cast<Drawing*>(user)->points.push_back({{Point(a, a + 3)}, colour});
  };
  d.triangle = [](void* user, const float* a, const float* b, const float* c, uint32_t colour) {
    static_cast<Drawing*>(user)->triangles.push_back(
        {{Point(a, a + 3), Point(b, b + 3), Point(c, c + 3)}, colour});
  };
  d.user = &drawing;
  return d;
}

class DebugDraw : public ::testing::Test {
 protected:
  DebugDraw() {
    EXPECT_EQ(billow_instance_create(garment_, nullptr, &instance_), BILLOW_OK) << billow_last_error();
  }
  ~DebugDraw() override {
    billow_instance_destroy(instance_);
    billow_garment_destroy(garment_);
  }
  void play(int frames) {
    for (int k = 0; k < frames; ++k) {
      const auto joints = testing::tiny_joints(k);
      billow_frame frame = billow_frame_default();
      frame.dt = 1.0f / 64, frame.joints = joints.data(), frame.joint_count = testing::kTinyJoints;
      ASSERT_EQ(billow_instance_step(instance_, &frame), BILLOW_OK) << billow_last_error();
    }
  }
  Drawing draw(uint32_t what) {
    Drawing drawing;
    const billow_debug_draw d = pen(drawing);
    EXPECT_EQ(billow_instance_debug_draw(instance_, what, &d), BILLOW_OK) << billow_last_error();
    return drawing;
  }

  billow_garment* garment_ = testing::make_tiny_garment(1, testing::Form::kPatches);
  billow_instance* instance_ = nullptr;
};

TEST_F(DebugDraw, HasEachKindWhereItIs) {
  EXPECT_EQ(draw(BILLOW_DEBUG_ALL).count(), 0u) << "nothing is anywhere before the first frame";
  play(30);
  // Three chains of four bones.
  const Drawing ropes = draw(BILLOW_DEBUG_ROPES);
  EXPECT_EQ(ropes.lines.size(), 9u);
  ASSERT_EQ(ropes.points.size(), 12u);
  float bones[3 * 12];
  ASSERT_EQ(billow_chains_get_positions(billow_instance_chains(instance_), bones, 12), BILLOW_OK);
  for (size_t b = 0; b < 12; ++b)
    EXPECT_EQ(ropes.points[b].first[0], Point(bones + 3 * b, bones + 3 * b + 3));
  EXPECT_EQ(draw(BILLOW_DEBUG_LATERALS).lines.size(), 8u);
  const Drawing panels = draw(BILLOW_DEBUG_PANELS);
  EXPECT_EQ(panels.triangles.size(), 12u);
  EXPECT_EQ(panels.count(), 12u);
  // Three axes for each of twelve patches.
  EXPECT_EQ(draw(BILLOW_DEBUG_PATCHES).lines.size(), 36u);
  // An ellipsoid and a capsule.
  EXPECT_EQ(draw(BILLOW_DEBUG_COLLIDERS).lines.size(), 3u * 24 + 2 * 24 + 4 + 4 * 12);

  billow_chains_report report{};
  ASSERT_EQ(billow_chains_get_report(billow_instance_chains(instance_), &report), BILLOW_OK);
  EXPECT_EQ(draw(BILLOW_DEBUG_CONTACTS).points.size(), report.contacts);
}

TEST_F(DebugDraw, ColoursEveryEdgeByItsStrain) {
  play(30);
  const Drawing edges = draw(BILLOW_DEBUG_STRAIN);
  // Those of the sheet's squares and their diagonals, but for the eight between attached vertices.
  EXPECT_EQ(edges.lines.size(), 8u * 10 + 9 * 10 + 8 * 10);
  for (const auto& [ends, colour] : edges.lines) {
    double length = 0;
    for (size_t k = 0; k < 3; ++k)
      length += std::pow(static_cast<double>(ends[0][k]) - static_cast<double>(ends[1][k]), 2);
    length = std::sqrt(length);
    // Edges of this pattern are 1/16 m long, or the diagonal of that.
    const uint32_t red = colour >> 24, blue = colour >> 8 & 0xff;
    EXPECT_EQ(colour & 0xff, 0xffu);
    if (length < 0.9 / 16) {
      EXPECT_EQ(blue, 255u);
    }
    if (length > 1.11 * std::sqrt(2.0) / 16) {
      EXPECT_EQ(red, 255u);
    }
  }
}

TEST(DebugDrawBody, DrawsSurfaces) {
  testing::Random random(91);
  std::vector<billow_collider> colliders;
  for (int k = 0; k < 30; ++k) colliders.push_back(testing::random_collider(random, 0.5));
  for (billow_collider& c : colliders) {
    if (c.shape == BILLOW_SHAPE_BOX) c.radius = 0;
    const testing::BodyHandle body = testing::make_body({c});
    const billow_transform joint = testing::at({{1, 2, 3}}, testing::about_y(0.7));
    ASSERT_EQ(billow_body_pose(body.get(), &joint, 1, 0.5f), BILLOW_OK);
    Drawing drawing;
    const billow_debug_draw d = pen(drawing);
    ASSERT_EQ(billow_body_debug_draw(body.get(), BILLOW_DEBUG_ALL, &d), BILLOW_OK);
    ASSERT_GE(drawing.lines.size(), 12u);
    for (const auto& [ends, colour] : drawing.lines)
      for (const Point& end : ends) {
        const double distance =
            static_cast<double>(testing::query(body, testing::vector_at(end.data(), 0)).distance);
        // Arcs of a tapered capsule's ends lie partly within it.
        EXPECT_LT(distance, 1e-4) << c.shape;
        if (c.shape != BILLOW_SHAPE_TAPERED_CAPSULE) {
          EXPECT_GT(distance, -1e-4) << c.shape;
        }
      }
  }
}

TEST_F(DebugDraw, LeavesOutWhatHasNoFunction) {
  play(5);
  const billow_debug_draw none{};
  EXPECT_EQ(billow_instance_debug_draw(instance_, BILLOW_DEBUG_ALL, &none), BILLOW_OK);
  EXPECT_EQ(billow_instance_debug_draw(instance_, 0, &none), BILLOW_OK);
  Drawing drawing;
  billow_debug_draw lines = pen(drawing);
  lines.point = nullptr, lines.triangle = nullptr;
  EXPECT_EQ(billow_chains_debug_draw(billow_instance_chains(instance_), BILLOW_DEBUG_ALL, &lines), BILLOW_OK);
  EXPECT_EQ(drawing.lines.size(), drawing.count());
}

TEST_F(DebugDraw, RefusesWhatIsWrong) {
  play(5);
  Drawing drawing;
  const billow_debug_draw d = pen(drawing);
  billow_chains* chains = billow_instance_chains(instance_);
  const billow_body* body = billow_instance_body(instance_);
  uint64_t other[64] = {};
  EXPECT_EQ(billow_instance_debug_draw(nullptr, 1, &d), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_chains_debug_draw(nullptr, 1, &d), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_body_debug_draw(nullptr, 1, &d), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_debug_draw(reinterpret_cast<billow_instance*>(other), 1, &d),
            BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_chains_debug_draw(reinterpret_cast<billow_chains*>(other), 1, &d),
            BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_body_debug_draw(reinterpret_cast<billow_body*>(other), 1, &d),
            BILLOW_ERROR_INVALID_ARGUMENT);
  for (const uint32_t what : {128u, 0xffffffffu}) {
    EXPECT_EQ(billow_instance_debug_draw(instance_, what, &d), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_chains_debug_draw(chains, what, &d), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_body_debug_draw(body, what, &d), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(std::string(billow_last_error()).find("what"), std::string::npos);
  }
  EXPECT_EQ(billow_instance_debug_draw(instance_, 1, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_chains_debug_draw(chains, 1, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_body_debug_draw(body, 1, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(drawing.count(), 0u);
}

}  // namespace
}  // namespace billow::debug_draw_test
