// The reference cloth against what is known about cloth.
#include "cloth/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "garment/pattern.h"

namespace billow::cloth {
namespace {

// A nearly rectangular strip, cut from a very large ring, its upper edge pinned.
struct Strip {
  garment::RingPattern pattern;
  std::vector<V3> positions, pins;
  std::vector<uint32_t> pinned;
  Sheet sheet;
};

Strip make_strip(float width, float drop, size_t vertices, const Material& material, bool flat) {
  constexpr float kRadius = 100;
  Strip s;
  s.pattern = garment::make_ring_pattern(kRadius, kRadius + drop, width / kRadius, false, vertices);
  for (const auto& v : s.pattern.vertices) {
    const float aside = (v[1] - 0.5f) * width, down = v[0] - kRadius;
    s.positions.push_back(flat ? V3{aside, 0, down} : V3{aside, -down, 0});
  }
  for (uint32_t i = 0; i < s.pattern.row_start[1]; ++i)
    s.pinned.push_back(i), s.pins.push_back(s.positions[i]);
  s.sheet = make_sheet(s.positions, s.pattern.triangles, material);
  return s;
}

float lowest(const Simulator& cloth) {
  float low = 1e9f;
  for (const V3& p : cloth.positions()) low = std::min(low, p.y);
  return low;
}

TEST(ReferenceCloth, AHangingStripStretchesByItsWeight) {
  Material soft;
  soft.stretch = 60;
  const Strip s = make_strip(0.3f, 0.5f, 400, soft, false);
  Settings settings;
  settings.self_contact = false;
  settings.air_density = 0;
  Simulator cloth(s.sheet, s.positions, s.pinned, settings, 1);
  for (int i = 0; i < 300; ++i) {
    cloth.step(0.01f, nullptr, {}, s.pins);
    if (i < 250 && i % 10 == 0) cloth.stop();
  }
  const double expected = 0.15 * 9.81 * 0.5 * 0.5 / (2 * 60);  // rho g L^2 / (2 E h)
  EXPECT_NEAR(-static_cast<double>(lowest(cloth)) - 0.5, expected, 0.15 * expected);
}

TEST(ReferenceCloth, TheNumberOfThreadsDoesNotChangeABit) {
  const Strip s = make_strip(0.4f, 0.5f, 900, Material{}, true);
  Settings settings;
  std::vector<std::vector<V3>> ends;
  for (const int threads : {1, 2, 3}) {
    Simulator cloth(s.sheet, s.positions, s.pinned, settings, threads);
    for (int i = 0; i < 20; ++i) cloth.step(0.01f, nullptr, {}, s.pins);
    ends.push_back(cloth.positions());
  }
  for (size_t v = 0; v < ends[0].size(); ++v)
    for (size_t k = 1; k < ends.size(); ++k) {
      ASSERT_EQ(ends[0][v].x, ends[k][v].x);
      ASSERT_EQ(ends[0][v].y, ends[k][v].y);
      ASSERT_EQ(ends[0][v].z, ends[k][v].z);
    }
}

// Peirce's test ("The Handle of Cloth as a Measurable Quantity", 1930): an overhang l whose chord sinks by theta has
// the bending length c = l (cos(theta / 2) / (8 tan(theta)))^(1/3), and c^3 = B / (rho g).
TEST(ReferenceCloth, ACantileverHasItsBendingLength) {
  constexpr float kTable = 0.03f;
  Material stiff;
  stiff.bending = 1e-3f;
  stiff.damping = 5e-5f;
  const double expected = std::cbrt(1e-3 / (0.15 * 9.81));  // m
  const float overhang = static_cast<float>(2 * expected);
  const Strip s = make_strip(0.12f, overhang + kTable, 260, stiff, true);
  Settings settings;
  settings.self_contact = false;
  settings.air_density = 0;
  settings.substeps = 8;
  // Clamp what lies on the table.
  std::vector<uint32_t> clamped;
  std::vector<V3> pins;
  float edge = 0;
  for (uint32_t v = 0; v < s.positions.size(); ++v)
    if (s.positions[v].z <= kTable) {
      clamped.push_back(v), pins.push_back(s.positions[v]);
      edge = std::max(edge, s.positions[v].z);
    }
  Simulator cloth(s.sheet, s.positions, clamped, settings, 1);
  for (int i = 0; i < 150; ++i) {
    cloth.step(0.01f, nullptr, {}, pins);
    if (i < 120 && i % 4 == 0) cloth.stop();
  }
  V3 tip{0, 0, 0};
  const uint32_t first = s.pattern.row_start[s.pattern.rows() - 1], last = s.pattern.row_start.back();
  for (uint32_t v = first; v < last; ++v)
    tip += cloth.positions()[v] * (1.0f / static_cast<float>(last - first));
  const double length = static_cast<double>(s.positions[first].z - edge);
  const double theta = std::atan2(-static_cast<double>(tip.y), static_cast<double>(tip.z - edge));
  ASSERT_GT(theta, 0.2);
  const double found = length * std::cbrt(std::cos(theta / 2) / (8 * std::tan(theta)));
  EXPECT_NEAR(found, expected, 0.1 * expected);
}

}  // namespace
}  // namespace billow::cloth
