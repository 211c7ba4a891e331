// The reference cloth against analytic results and standard fabric tests.
#include "cloth/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "garment/tailor.h"

namespace billow::cloth {
namespace {

// A nearly rectangular strip of a very large ring, pinned along its upper edge.
struct Strip {
  garment::RingPattern pattern;
  std::vector<V3> positions, attachment_points;
  std::vector<uint32_t> pinned;
  Sheet sheet;
};

Strip make_strip(float width, float drop, size_t vertices, const Material& material, bool horizontal) {
  constexpr float kRadius = 100;
  Strip s;
  s.pattern = garment::make_ring_pattern(kRadius, kRadius + drop, width / kRadius, false, vertices);
  for (const auto& v : s.pattern.vertices) {
    const float aside = (v[1] - 0.5f) * width, down = v[0] - kRadius;
    s.positions.push_back(horizontal ? V3{aside, 0, down} : V3{aside, -down, 0});
  }
  for (uint32_t i = 0; i < s.pattern.row_start[1]; ++i)
    s.pinned.push_back(i), s.attachment_points.push_back(s.positions[i]);
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
    cloth.step(0.01f, nullptr, {}, s.attachment_points);
    if (i < 250 && i % 10 == 0) cloth.stop();
  }
  const double expected = 0.15 * 9.81 * 0.5 * 0.5 / (2 * 60);  // rho g L^2 / (2 E h)
  EXPECT_NEAR(-static_cast<double>(lowest(cloth)) - 0.5, expected, 0.15 * expected);
}

TEST(ReferenceCloth, IsBitIdenticalForAnyNumberOfThreads) {
  const Strip s = make_strip(0.4f, 0.5f, 900, Material{}, true);
  Settings settings;
  std::vector<std::vector<V3>> ends;
  for (const int threads : {1, 2, 3}) {
    Simulator cloth(s.sheet, s.positions, s.pinned, settings, threads);
    for (int i = 0; i < 20; ++i) cloth.step(0.01f, nullptr, {}, s.attachment_points);
    ends.push_back(cloth.positions());
  }
  for (size_t v = 0; v < ends[0].size(); ++v)
    for (size_t k = 1; k < ends.size(); ++k) {
      ASSERT_EQ(ends[0][v].x, ends[k][v].x);
      ASSERT_EQ(ends[0][v].y, ends[k][v].y);
      ASSERT_EQ(ends[0][v].z, ends[k][v].z);
    }
}

// Peirce's test ("The Handle of Cloth as a Measurable Quantity", 1930): an overhang l whose chord sinks by
// theta has the bending length c = l (cos(theta / 2) / (8 tan(theta)))^(1/3), and c^3 = B / (rho g).
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
  // Clamp what lies on the table.
  std::vector<uint32_t> clamped;
  std::vector<V3> attachment_points;
  float edge = 0;
  for (uint32_t v = 0; v < s.positions.size(); ++v)
    if (s.positions[v].z <= kTable) {
      clamped.push_back(v), attachment_points.push_back(s.positions[v]);
      edge = std::max(edge, s.positions[v].z);
    }
  Simulator cloth(s.sheet, s.positions, clamped, settings, 1);
  for (int i = 0; i < 150; ++i) {
    cloth.step(0.01f, nullptr, {}, attachment_points);
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

// The lowest mode of a heavy rope has omega = (j / 2) sqrt(g / L), with j the first zero of the Bessel
// function J0.
TEST(ReferenceCloth, SwingsLikeAHangingRope) {
  constexpr float kLength = 0.6f;
  constexpr double kZero = 2.404825557695773;
  Strip s = make_strip(0.05f, kLength, 240, Material{}, false);
  // Tilt it out of its plane by 3 degrees.
  for (V3& p : s.positions) p.z = -0.05f * p.y;
  s.sheet = make_sheet(s.positions, s.pattern.triangles, Material{});
  Settings settings;
  settings.self_contact = false;
  settings.air_density = 0;
  Simulator cloth(s.sheet, s.positions, s.pinned, settings, 1);
  const auto middle = [&] {
    V3 sum{0, 0, 0};
    for (const V3& p : cloth.positions()) sum += p;
    return sum * (1 / static_cast<float>(cloth.positions().size()));
  };
  // Measure the times of passages through the vertical.
  const float start = std::fabs(middle().z);
  float max_swing = 0, max_swing_at_end = 0;
  double first = 0, last = 0;
  int passages = 0;
  float before = middle().z;
  for (int i = 1; i <= 1200; ++i) {
    cloth.step(0.005f, nullptr, {}, s.attachment_points);
    const float now = middle().z;
    max_swing = std::max(max_swing, std::fabs(now));
    if (i > 900) max_swing_at_end = std::max(max_swing_at_end, std::fabs(now));
    if (before * now < 0) {
      last = 0.005 * (i - static_cast<double>(std::fabs(now) / std::fabs(now - before)));
      if (passages++ == 0) first = last;
    }
    before = now;
  }
  ASSERT_GT(passages, 4);
  const double omega = std::numbers::pi * (passages - 1) / (last - first);
  EXPECT_NEAR(omega, kZero / 2 * std::sqrt(9.81 / static_cast<double>(kLength)), 0.03 * omega);
  // It gains no energy and keeps most of its amplitude.
  EXPECT_LT(max_swing, 1.01f * start);
  EXPECT_GT(max_swing_at_end, 0.7f * start);
}

// Cloth on a slope rests below the angle of friction and slides above it with g (sin a - mu cos a).
TEST(ReferenceCloth, SlidesOnASlopeByCoulombFriction) {
  for (const float angle : {0.2f, 0.6f}) {
    SCOPED_TRACE(angle);
    Material material;
    material.friction = 0.4f;
    const V3 down{std::cos(angle), -std::sin(angle), 0}, up{std::sin(angle), std::cos(angle), 0};
    billow_collider slope = billow_collider_default();
    slope.shape = BILLOW_SHAPE_HALF_SPACE;
    const Quat turn = body::rotation_about({0, 0, 1}, -angle);
    const float rotation[] = {turn.x, turn.y, turn.z, turn.w};
    std::copy(rotation, rotation + 4, slope.rotation);
    body::Skeleton skeleton;
    skeleton.joints.push_back({"ground", body::kNoJoint, {}});
    body::Surface ground(skeleton, {&slope, 1});
    Strip s = make_strip(0.2f, 0.2f, 200, material, true);
    for (V3& p : s.positions) p = down * p.x + V3{0, 0, p.z} + up * (material.thickness + 1e-5f);
    Settings settings;
    settings.air_density = 0;
    Simulator cloth(s.sheet, s.positions, {}, settings, 1);
    const std::vector<Transform> joints(1);
    constexpr int kFrames = 60;
    for (int i = 0; i < kFrames; ++i) cloth.step(0.01f, &ground, joints, {});
    double slid = 0;
    for (size_t v = 0; v < s.positions.size(); ++v)
      slid += static_cast<double>(dot(cloth.positions()[v] - s.positions[v], down)) /
              static_cast<double>(s.positions.size());
    const double a =
        9.81 * (std::sin(static_cast<double>(angle)) - 0.4 * std::cos(static_cast<double>(angle)));
    const double expected = a > 0 ? 0.5 * a * std::pow(0.01 * kFrames, 2) : 0;
    EXPECT_NEAR(slid, expected, 0.003 + 0.05 * expected);
    for (const V3& p : cloth.positions()) EXPECT_GT(dot(p, up), 0.0f);
  }
}

// A collar may lie deep in the collider of a helmet: it follows the skin, and is not thrown out.
TEST(ReferenceCloth, PinnedVerticesStayInsideColliders) {
  body::Skeleton skeleton;
  skeleton.joints.push_back({"head", body::kNoJoint, {}});
  billow_collider helmet = billow_collider_default();
  helmet.radius = 0.05f;
  body::Surface body(skeleton, {&helmet, 1});
  const Strip s = make_strip(0.2f, 0.2f, 200, Material{}, false);
  Simulator cloth(s.sheet, s.positions, s.pinned, {}, 1);
  const std::vector<Transform> joints(1);
  for (int i = 0; i < 5; ++i) cloth.step(1.0f / 60, &body, joints, s.attachment_points);
  size_t inside = 0;
  for (size_t k = 0; k < s.pinned.size(); ++k) {
    inside += length(s.attachment_points[k]) < helmet.radius;
    EXPECT_EQ(length(cloth.positions()[s.pinned[k]] - s.attachment_points[k]), 0);
  }
  EXPECT_GT(inside, 2u);
}

// Cusick's drape test: the softer a disc of 30 cm on a pedestal of 18 cm, the smaller its shadow.
TEST(ReferenceCloth, SoftDiscsDrapeMore) {
  std::vector<double> covered;
  for (const float bending : {3e-6f, 3e-5f, 1e-3f}) {
    Material material;
    material.bending = bending;
    const garment::RingPattern p = garment::make_ring_pattern(0.09f, 0.15f, 6.2831853f, true, 500);
    std::vector<V3> flat, attachment_points;
    std::vector<uint32_t> pinned;
    for (uint32_t v = 0; v < p.vertices.size(); ++v) {
      const float turn = p.vertices[v][1] * p.angle, r = p.vertices[v][0];
      flat.push_back({r * std::sin(turn), 0, r * std::cos(turn)});
      // The pedestal clamps the first rows, so that the cloth leaves it horizontally.
      if (v < p.row_start[2]) pinned.push_back(v), attachment_points.push_back(flat.back());
    }
    Settings settings;
    settings.damping = 3;
    if (bending > 1e-4f) material.damping = 5e-5f;
    Simulator cloth(make_sheet(flat, p.triangles, material), flat, pinned, settings, 1);
    // A gust breaks the symmetry.
    for (int i = 0; i < 150; ++i) {
      settings.wind = i < 20 ? V3{2, 0, 0} : V3{0, 0, 0};
      cloth.settings.wind = settings.wind;
      cloth.step(0.01f, nullptr, {}, attachment_points);
    }
    // Area of the shadow: projected areas of the triangles.
    double area = 0, full = 0;
    for (const Triangle& t : p.triangles) {
      const auto projected_area = [&](const std::vector<V3>& x) {
        return 0.5 * std::fabs(static_cast<double>(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]).y));
      };
      area += projected_area(cloth.positions()), full += projected_area(flat);
    }
    covered.push_back(area / full);
  }
  EXPECT_LT(covered[0], 0.6);
  EXPECT_LT(covered[0], covered[1]);
  EXPECT_LT(covered[1], covered[2]);
  EXPECT_GT(covered[2], 0.85);
}

// Two sheets that fall on each other do not pass through each other.
TEST(ReferenceCloth, SheetsStayApart) {
  const Strip s = make_strip(0.25f, 0.25f, 400, Material{}, true);
  std::vector<V3> flat = s.positions, start = s.positions;
  std::vector<Triangle> triangles(s.pattern.triangles.begin(), s.pattern.triangles.end());
  const auto n = static_cast<uint32_t>(s.positions.size());
  for (const V3& p : s.positions) {
    flat.push_back(p + V3{1, 0, 0});
    start.push_back({0.6f * p.x + 0.7f * (p.z - 0.125f), 0.12f, 0.6f * (p.z - 0.125f) - 0.7f * p.x + 0.125f});
  }
  for (const Triangle& t : s.pattern.triangles) triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  // The lower sheet is pinned along its border.
  std::vector<uint32_t> pinned;
  std::vector<V3> attachment_points;
  for (uint32_t v = 0; v < n; ++v)
    if (std::fabs(s.positions[v].x) > 0.11f || std::fabs(s.positions[v].z - 0.125f) > 0.11f)
      pinned.push_back(v), attachment_points.push_back(s.positions[v]);
  Simulator cloth(make_sheet(flat, triangles, Material{}), start, pinned, {}, 1);
  for (int i = 0; i < 60; ++i) cloth.step(0.01f, nullptr, {}, attachment_points);
  size_t below = 0;
  for (uint32_t v = n; v < 2 * n; ++v) {
    const V3 p = cloth.positions()[v];
    if (std::fabs(p.x) > 0.1f || std::fabs(p.z - 0.125f) > 0.1f) continue;
    // The horizontally nearest vertex of the lower sheet is below it.
    float nearest = 1e9f, height = 0;
    for (uint32_t o = 0; o < n; ++o) {
      const V3 d = cloth.positions()[o] - p;
      if (d.x * d.x + d.z * d.z < nearest) nearest = d.x * d.x + d.z * d.z, height = -d.y;
    }
    below += height < 0;
  }
  EXPECT_EQ(below, 0u);
}

// Meshes of other tools have slivers, whose cotangents would ask for steps of nanoseconds.
TEST(ReferenceCloth, ASliverNeedsNoTinySteps) {
  const Strip strip = make_strip(0.4f, 0.4f, 600, Material{}, true);
  EXPECT_EQ(strip.sheet.softened_hinges, 0u);
  std::vector<V3> thin = strip.positions;
  const Triangle& t = strip.pattern.triangles[strip.pattern.triangles.size() / 2];
  thin[t[0]] = (thin[t[1]] + thin[t[2]]) * 0.5f + (thin[t[0]] - thin[t[1]]) * 1e-3f;
  const Sheet sliver = make_sheet(thin, strip.pattern.triangles, Material{});
  EXPECT_GT(sliver.softened_hinges, 0u);
  EXPECT_GT(sliver.max_step, strip.sheet.max_step / 4);
}

TEST(ReferenceCloth, RefusesInvalidInput) {
  const Strip s = make_strip(0.1f, 0.1f, 30, Material{}, true);
  std::vector<V3> broken = s.positions;
  broken[7].x = std::nanf("");
  EXPECT_THROW(Simulator(s.sheet, broken, s.pinned, {}, 1), std::invalid_argument);
  broken.pop_back();
  EXPECT_THROW(Simulator(s.sheet, broken, s.pinned, {}, 1), std::invalid_argument);
  Simulator cloth(s.sheet, s.positions, s.pinned, {}, 1);
  std::vector<V3> attachment_points = s.attachment_points;
  attachment_points[0].y = INFINITY;
  EXPECT_THROW(cloth.step(0.01f, nullptr, {}, attachment_points), std::invalid_argument);
  EXPECT_THROW(cloth.step(0.01f, nullptr, {}, {}), std::invalid_argument);
  EXPECT_THROW(cloth.step(-1, nullptr, {}, s.attachment_points), std::invalid_argument);
  cloth.step(0.01f, nullptr, {}, s.attachment_points);
  for (const V3& p : cloth.positions()) EXPECT_TRUE(std::isfinite(p.x + p.y + p.z));
}

}  // namespace
}  // namespace billow::cloth
