// SDF grids: the interpolant, its gradient, extrapolation, and as colliders of a body.
#include "sdf/grid.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "support/colliders.h"
#include "support/fields.h"

namespace billow::grid_test {
namespace {

using testing::Random;
using testing::Vector;

Grid to_grid(const testing::TestGrid& g) {
  Grid out;
  out.values = g.grid.values;
  for (size_t k = 0; k < 3; ++k) out.size[k] = static_cast<int>(g.grid.size[k]);
  out.spacing = g.grid.spacing;
  out.unit = g.grid.unit;
  out.half = V3{static_cast<float>(out.size[0] - 1), static_cast<float>(out.size[1] - 1),
                static_cast<float>(out.size[2] - 1)} *
             (0.5f * out.spacing);
  return out;
}
V3 to_v3(const Vector& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}
float phi_at(const Grid& grid, const Vector& p) { return lane(grid_distance(grid, splat(to_v3(p))).phi, 0); }
Vector gradient_at(const Grid& grid, const Vector& p) {
  const V3 g = lane(grid_distance(grid, splat(to_v3(p))).gradient, 0);
  return {{g.x, g.y, g.z}};
}

TEST(Grid, InterpolatesKnownValues) {
  // Corners of one cell of 1 m: 8 at its origin, 0 elsewhere but for 16 at x = y = z = 1.
  const testing::TestGrid corners = testing::make_grid(2, 2, 2, 1, 0.25, [](const Vector& p) {
    return p[0] < 0 && p[1] < 0 && p[2] < 0 ? 2.0 : p[0] > 0 && p[1] > 0 && p[2] > 0 ? 4.0 : 0.0;
  });
  const Grid grid = to_grid(corners);
  EXPECT_EQ(phi_at(grid, {{-0.5, -0.5, -0.5}}), 2);
  EXPECT_EQ(phi_at(grid, {{0.5, 0.5, 0.5}}), 4);
  EXPECT_EQ(phi_at(grid, {{0, 0, 0}}), 0.75f);          // the mean of the corners
  EXPECT_EQ(phi_at(grid, {{0.25, -0.5, -0.5}}), 0.5f);  // three quarters along an edge from 2 to 0
  EXPECT_EQ(phi_at(grid, {{0.5, 0.5, 0}}), 2);
  // In the middle all slopes are (4 - 2) / 4.
  const Vector g = gradient_at(grid, {{0, 0, 0}});
  for (const double x : g) EXPECT_EQ(x, 0.5);
}

TEST(Grid, AxesAreInOrder) {
  // A linear function is reproduced exactly, with sizes that differ.
  const testing::TestGrid linear = testing::make_grid(
      3, 5, 9, 0.125, 1.0 / 1024, [](const Vector& p) { return p[0] + 2 * p[1] - 0.5 * p[2]; });
  const Grid grid = to_grid(linear);
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Vector p{{random.uniform(-0.125, 0.125), random.uniform(-0.25, 0.25), random.uniform(-0.5, 0.5)}};
    EXPECT_NEAR(phi_at(grid, p), p[0] + 2 * p[1] - 0.5 * p[2], 1e-6);
    const Vector g = gradient_at(grid, p);
    EXPECT_NEAR(g[0], 1, 1e-5);
    EXPECT_NEAR(g[1], 2, 1e-5);
    EXPECT_NEAR(g[2], -0.5, 1e-5);
  }
}

TEST(Grid, OfASphereIsItsDistance) {
  constexpr double kRadius = 0.1, kSpacing = 0.01;
  const testing::TestGrid sphere = testing::sphere_grid(kRadius, kSpacing);
  const Grid grid = to_grid(sphere);
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    const Vector p = random.direction() * random.uniform(0.04, 0.13);
    // The interpolation error is up to an eighth of the spacing squared times the curvature of two axes,
    // which is largest at the cell's nearest corner.
    const double nearest = length(p) - std::sqrt(3.0) * kSpacing;
    ASSERT_NEAR(phi_at(grid, p), length(p) - kRadius, kSpacing * kSpacing / (4 * nearest) + 1e-5);
    const Vector g = gradient_at(grid, p);
    ASSERT_NEAR(length(g), 1, 0.7 * kSpacing / nearest);
    ASSERT_GT(dot(g, p) / (length(g) * length(p)), 0.98);
  }
}

TEST(Grid, GradientMatchesFiniteDifferences) {
  Random random(5);
  const testing::TestGrid noise =
      testing::make_grid(6, 7, 8, 0.25, 1e-4, [&](const Vector&) { return random.uniform(-1, 1); });
  const Grid grid = to_grid(noise);
  constexpr double kStep = 1.0 / 256;
  for (int i = 0; i < 2000; ++i) {
    // Well inside a cell.
    Vector p;
    for (size_t k = 0; k < 3; ++k) {
      const double n = grid.size[k] - 1;
      p[k] = (std::floor(random.uniform(0, n)) + random.uniform(0.1, 0.9) - 0.5 * n) * 0.25;
    }
    const Vector g = gradient_at(grid, p);
    for (size_t k = 0; k < 3; ++k) {
      Vector step;
      step[k] = kStep;
      const double slope = (double{phi_at(grid, p + step)} - double{phi_at(grid, p - step)}) / (2 * kStep);
      ASSERT_NEAR(g[k], slope, 1e-3);
    }
  }
}

TEST(Grid, ExtrapolatesBeyondItsBox) {
  constexpr double kRadius = 0.1;
  const testing::TestGrid sphere = testing::sphere_grid(kRadius);
  const Grid grid = to_grid(sphere);
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    const Vector p = random.direction() * random.uniform(0.14, 3);
    const double exact = length(p) - kRadius, found = phi_at(grid, p);
    ASSERT_GT(found, 0.95 * exact);
    ASSERT_LT(found, 1.1 * exact);
    const Vector g = gradient_at(grid, p);
    ASSERT_GT(dot(g, p) / (length(g) * length(p)), 0.97);
  }
  // Continuous at the boundary.
  for (int i = 0; i < 1000; ++i) {
    Vector p = random.in_box(static_cast<double>(grid.half.x));
    const size_t side = random.bits() % 3;
    p[side] = static_cast<double>(grid.half.x) * (random.bits() % 2 ? 1 : -1);
    Vector out = p;
    out[side] *= 1.0001;
    ASSERT_NEAR(phi_at(grid, out), phi_at(grid, p), 5e-5);
  }
}

TEST(Grid, LanesAreIndependent) {
  const testing::TestGrid sphere = testing::sphere_grid(0.1);
  const Grid grid = to_grid(sphere);
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    float x[8], y[8], z[8];
    for (int k = 0; k < 8; ++k)
      x[k] = random.uniform_float(-0.2, 0.2), y[k] = random.uniform_float(-0.2, 0.2),
      z[k] = random.uniform_float(-0.2, 0.2);
    const Distance<F8> eight = grid_distance<F8>(grid, {load_as<F8>(x), load_as<F8>(y), load_as<F8>(z)});
    float phi[8], gx[8];
    store(phi, eight.phi), store(gx, eight.gradient.x);
    for (int k = 0; k < 8; ++k) {
      const Distance4 alone = grid_distance(grid, splat(V3{x[k], y[k], z[k]}));
      ASSERT_EQ(phi[k], lane(alone.phi, 1));
      ASSERT_EQ(gx[k], lane(alone.gradient.x, 1));
    }
  }
}

TEST(Grid, NanReadsNothingOutside) {
  const testing::TestGrid sphere = testing::sphere_grid(0.1);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, infinity, -infinity, 1e30f})
    grid_distance(to_grid(sphere), splat(V3{bad, 0, bad}));
}

TEST(Grid, ExtentContainsTheSurface) {
  const testing::TestGrid egg = testing::make_grid(31, 31, 31, 0.01, 1e-5, [](const Vector& p) {
    return std::sqrt(p[0] * p[0] + 0.25 * p[1] * p[1] + p[2] * p[2]) - 0.05;
  });
  const V3 extent = extent_of(to_grid(egg));
  EXPECT_GE(extent.y, 0.1f);
  EXPECT_LE(extent.y, 0.1201f);
  EXPECT_GE(extent.x, 0.05f);
  EXPECT_LE(extent.x, 0.0701f);
}

// The grid of a sphere matches the sphere at any transform and scale.
TEST(GridCollider, FollowsItsJointAndScales) {
  const testing::TestGrid grid = testing::sphere_grid(0.1);
  Random random(6);
  for (const float scale : {1.0f, 0.5f, 3.0f}) {
    billow_collider c = testing::field_collider(grid.grid);
    testing::copy(Vector{{0.1, 0.2, -0.1}}, c.position);
    testing::copy(random.rotation(), c.rotation);
    const testing::BodyHandle body = testing::make_body({c});
    ASSERT_NE(body, nullptr) << billow_last_error();
    const std::array<double, 4> rotation = random.rotation();
    const billow_transform joint = testing::at({{1, 2, 3}}, rotation);
    ASSERT_EQ(billow_body_pose(body.get(), &joint, 1, scale), BILLOW_OK);
    const Vector centre = Vector{{1, 2, 3}} + rotate(rotation, Vector{{0.1, 0.2, -0.1}} * scale);
    for (int i = 0; i < 200; ++i) {
      const Vector d = random.direction();
      const double r = random.uniform(0.05, 0.12) * scale;
      const testing::QueryResult found = testing::query(body, centre + d * r);
      ASSERT_NEAR(found.distance, r - 0.1 * scale, 1e-3 * scale);
      ASSERT_NEAR(length(found.gradient), 1, 1e-5);
      ASSERT_GT(dot(found.gradient, d), 0.98);
      ASSERT_EQ(found.collider, 0);
    }
  }
}

TEST(GridCollider, InvalidGridsAreRefused) {
  testing::TestGrid good = testing::sphere_grid(0.1);
  ASSERT_NE(testing::make_body({testing::field_collider(good.grid)}), nullptr) << billow_last_error();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const struct {
    const char* message;
    std::function<void(billow_sdf_grid&)> corrupt;
  } cases[] = {
      {"grid", [](auto& g) { g.values = nullptr; }},
      {"grid.size", [](auto& g) { g.size[1] = 1; }},
      {"grid.size", [](auto& g) { g.size[2] = 1025; }},
      {"grid.spacing", [](auto& g) { g.spacing = 0; }},
      {"grid.spacing", [=](auto& g) { g.spacing = nan; }},
      {"grid.unit", [](auto& g) { g.unit = -1; }},
      {"grid.unit", [](auto& g) { g.unit = 1e9f; }},
      {"outermost", [](auto& g) { g.size[0] = g.size[1] = g.size[2] = 20; }},
      {"under 0", [](auto& g) { g.size[0] = g.size[1] = g.size[2] = 3; }},
  };
  for (const auto& c : cases) {
    billow_sdf_grid grid = good.grid;
    c.corrupt(grid);
    EXPECT_EQ(testing::make_body({testing::field_collider(grid)}), nullptr) << c.message;
    EXPECT_NE(std::string(billow_last_error()).find(c.message), std::string::npos) << billow_last_error();
    EXPECT_NE(std::string(billow_last_error()).find("colliders[0]"), std::string::npos)
        << billow_last_error();
  }
  billow_collider none = testing::field_collider(good.grid);
  none.grid = nullptr;
  EXPECT_EQ(testing::make_body({none}), nullptr);
}

}  // namespace
}  // namespace billow::grid_test
