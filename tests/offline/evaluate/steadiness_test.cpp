// Strain at both ends of a motion, and what moves after a stop.
#include "evaluate/steadiness.h"

#include <gtest/gtest.h>

namespace billow::evaluate::steadiness_test {
namespace {

constexpr double kRate = 10;

// One triangle with sides 3, 4 and 5 on the pattern.
garment::Garment triangle() {
  garment::Garment g;
  g.triangles = {{0, 1, 2}};
  g.shape = g.rest = {{0, 0, 0}, {3, 0, 0}, {0, 4, 0}};
  g.pattern_uvs = {{0, 0}, {3, 0}, {0, 4}};
  return g;
}

// Cloth scaled by `scale` and moved along x.
std::vector<float> cloth(float scale, float x = 0) {
  const garment::Garment g = triangle();
  std::vector<float> out;
  for (const V3 p : g.shape)
    for (const float q : {scale * p.x + x, scale * p.y, scale * p.z}) out.push_back(q);
  return out;
}
std::vector<Transform> joints(float x) { return {{{0, 0, 0}, {0, 0, 0, 1}}, {{x, 0, 0}, {0, 0, 0, 1}}}; }

TEST(Steadiness, TellsStrainAtBothEnds) {
  constexpr size_t kFrames = 300;
  Steadiness s(triangle(), kFrames, kRate);
  for (size_t k = 0; k < kFrames; ++k)
    s.add(cloth(k < 100 ? 1.02f : k < 200 ? 1.5f : 1.1f), joints(static_cast<float>(k)));
  EXPECT_NEAR(s.first().mean(), 2, 1e-3);
  EXPECT_NEAR(s.last().mean(), 10, 1e-3);
  EXPECT_NEAR(s.last().p99(), 10, 0.1);
  EXPECT_NEAR(s.all().mean(), (2 + 50 + 10) / 3.0, 1e-3);
  EXPECT_EQ(s.stops(), 0u);
  EXPECT_EQ(s.mean_speed(), 0);
}

TEST(Steadiness, EndsOfAShortMotionAreItsHalves) {
  Steadiness s(triangle(), 5, kRate);
  for (size_t k = 0; k < 5; ++k) s.add(cloth(1 + 0.1f * static_cast<float>(k)), joints(0));
  EXPECT_NEAR(s.first().mean(), 5, 1e-3);  // 0 and 10 %
  EXPECT_NEAR(s.last().mean(), 35, 1e-3);
}

TEST(Steadiness, MeasuresSpeedFromFiveSecondsAfterAStop) {
  Steadiness s(triangle(), 1000, kRate);
  float place = 0, way = 0;
  const auto play = [&](size_t frames, float body_speed, float cloth_speed) {
    for (size_t k = 0; k < frames; ++k) {
      place += body_speed / static_cast<float>(kRate), way += cloth_speed / static_cast<float>(kRate);
      s.add(cloth(1, way), joints(place));
    }
  };
  play(100, 0, 0.5f);
  EXPECT_EQ(s.stops(), 0u) << "it has never moved";
  play(20, 1, 1);
  play(49, 0, 0.2f);
  EXPECT_EQ(s.stops(), 0u) << "cloth may swing for five seconds";
  play(11, 0, 0.01f);
  EXPECT_EQ(s.stops(), 1u);
  EXPECT_NEAR(s.mean_speed(), 0.01, 1e-4);
  play(30, 1, 1);
  play(40, 0, 0.5f);
  EXPECT_EQ(s.stops(), 1u) << "four seconds are too few";
  play(5, 1, 1);
  play(49, 0.001f, 0.5f);
  play(11, 0.001f, 0.03f);
  EXPECT_EQ(s.stops(), 2u) << "a body breathes";
  EXPECT_NEAR(s.mean_speed(), 0.02, 1e-4);
  EXPECT_NEAR(s.largest_speed(), 0.03, 1e-4);
}

}  // namespace
}  // namespace billow::evaluate::steadiness_test
