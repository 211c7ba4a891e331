// Neural SDFs: a known example, the gradient, extrapolation, and as colliders of a body.
#include "sdf/neural.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "api/handles.h"
#include "sdf/query_points.h"
#include "support/colliders.h"
#include "support/fields.h"

namespace billow::neural_test {
namespace {

using testing::Random;
using testing::Vector;

SdfNetwork to_network(const testing::TestNetwork& n) {
  return {n.network.weights,
          static_cast<int>(n.network.width),
          {n.network.half_extents[0], n.network.half_extents[1], n.network.half_extents[2]}};
}
V3 to_v3(const Vector& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}
float phi_at(const SdfNetwork& net, const Vector& p) {
  return lane(network_distance(net, splat(to_v3(p))).phi, 0);
}

TEST(SdfNetwork, ActivationJoinsZeroAndIdentity) {
  const struct {
    float z, value, slope;
  } cases[] = {{-7, 0, 0}, {-1, 0, 0}, {-0.5f, 0.0625f, 0.25f}, {0, 0.25f, 0.5f}, {0.5f, 0.5625f, 0.75f},
               {1, 1, 1},  {7, 7, 1}};
  for (const auto& c : cases) {
    const auto a = activate(splat(c.z));
    EXPECT_EQ(lane(a.value, 0), c.value) << c.z;
    EXPECT_EQ(lane(a.slope, 0), c.slope) << c.z;
  }
}

TEST(SdfNetwork, MatchesAHandComputedExample) {
  // At p = (1/2, 0, 0) the first layer's sums are 1, -2, 0, 3, so its values 1, 0, 1/4, 3 and slopes 1, 0,
  // 1/2, 1. The second layer's sums are 1/2 + 1 + 2/4 = 2, -3/2, -1/2 + 1/2 = 0, 0; values 2, 0, 1/4, 1/4;
  // slopes 1, 0, 1/2, 1/2. So phi = 3 * 2 + 5 * 0 + 4 / 4 + 0 + 1/8. Backward: the derivative by the first
  // unit is 3 * 1 * 1 + 4 * 1/2 * 1/2 = 4, and its row is (2, -1, 0); by the third one it is 3 * 1 * 2 = 6,
  // at a slope of 1/2, and its row is (0, 0, 1).
  const float weights[] = {2,     -1,   0,    0, /**/ 0, 1, 0,      -2, /**/ 0, 0, 1, 0, /**/ 0,     0,
                           4,     3,    0.5f, 1, 0,      2, 0,      3,  /**/ 0, 0, 0, 0, -0.5f,      5,
                           -0.5f, 0.5f, 0,    0, 0,      4, /**/ 0, 0,  0,      0, 0, 0, /**/ 0.125f};
  static_assert(std::size(weights) == weight_count(4) && weight_count(4) == BILLOW_NEURAL_SDF_WEIGHTS(4));
  const SdfNetwork net{weights, 4, {1, 1, 1}};
  const Distance4 d = network_distance(net, splat(V3{0.5f, 0, 0}));
  EXPECT_EQ(lane(d.phi, 0), 7.125f);
  const V3 g = lane(d.gradient, 3);
  EXPECT_EQ(g.x, 8);
  EXPECT_EQ(g.y, -4);
  EXPECT_EQ(g.z, 3);
}

TEST(SdfNetwork, GradientMatchesFiniteDifferences) {
  Random random(7);
  for (const uint32_t width : {4u, 8u, 16u, 32u, 64u}) {
    const testing::TestNetwork wavy = testing::wavy_network(width, 0.1, 0.3, width);
    const SdfNetwork net = to_network(wavy);
    constexpr double kStep = 1e-3;
    for (int i = 0; i < 300; ++i) {
      const Vector p = random.in_box(0.29);
      const V3 found = lane(network_distance(net, splat(to_v3(p))).gradient, 0);
      const double g[3] = {found.x, found.y, found.z};
      for (size_t k = 0; k < 3; ++k) {
        Vector step;
        step[k] = kStep;
        const double slope = (double{phi_at(net, p + step)} - double{phi_at(net, p - step)}) / (2 * kStep);
        // Tolerance: rounding of sums of up to 64 values, over the step; and ends of parabolas within it.
        ASSERT_NEAR(g[k], slope, 0.02 + 0.02 * std::fabs(slope)) << width;
      }
    }
  }
}

TEST(SdfNetwork, ExtrapolatesBeyondItsBox) {
  // A plane: beyond the box, the surface is known to be inside the box.
  const testing::TestNetwork plane = testing::wavy_network(4, 0.1, 0, 1);
  const SdfNetwork net = to_network(plane);
  EXPECT_NEAR(phi_at(net, {{0.1, 0.25, -0.2}}), 0.15, 1e-6);
  EXPECT_NEAR(phi_at(net, {{0, 2.4, 0}}), 2.3, 1e-5);
  // Not nearer than the box.
  EXPECT_GE(phi_at(net, {{5.3, 0.3, 0}}), 5.0f);
  Random random(8);
  for (int i = 0; i < 1000; ++i) {
    const Vector p{{random.uniform(-0.3, 0.3), 0.4, random.uniform(-0.5, 0.5)}}, out{{p[0], 0.4001, p[2]}};
    ASSERT_NEAR(phi_at(net, p), phi_at(net, out), 2e-4);
  }
}

TEST(SdfNetwork, LanesAreIndependent) {
  const testing::TestNetwork wavy = testing::wavy_network(16, 0.1, 0.3, 5);
  const SdfNetwork net = to_network(wavy);
  Random random(9);
  for (int i = 0; i < 300; ++i) {
    float x[8], y[8], z[8], phi[8], gz[8];
    for (int k = 0; k < 8; ++k)
      x[k] = random.uniform_float(-0.6, 0.6), y[k] = random.uniform_float(-0.6, 0.6),
      z[k] = random.uniform_float(-0.6, 0.6);
    const Distance<F8> eight = network_distance<F8>(net, {load_as<F8>(x), load_as<F8>(y), load_as<F8>(z)});
    store(phi, eight.phi), store(gz, eight.gradient.z);
    for (int k = 0; k < 8; ++k) {
      const Distance4 alone = network_distance(net, splat(V3{x[k], y[k], z[k]}));
      ASSERT_EQ(phi[k], lane(alone.phi, 2));
      ASSERT_EQ(gz[k], lane(alone.gradient.z, 2));
    }
  }
}

TEST(NeuralCollider, InvalidNetworksAreRefused) {
  const testing::TestNetwork good = testing::wavy_network(8, 0.1, 0.1, 2);
  ASSERT_NE(testing::make_body({testing::field_collider(good.network)}), nullptr) << billow_last_error();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> bad_weights = good.weights, huge_weights = good.weights;
  bad_weights.back() = nan;
  huge_weights.front() = 1e7f;
  const struct {
    const char* message;
    std::function<void(billow_neural_sdf&)> corrupt;
  } cases[] = {
      {"neural", [](auto& n) { n.weights = nullptr; }},
      {"neural.width", [](auto& n) { n.width = 0; }},
      {"neural.width", [](auto& n) { n.width = 6; }},
      {"neural.width", [](auto& n) { n.width = 68; }},
      {"neural.half_extents", [](auto& n) { n.half_extents[1] = 0; }},
      {"neural.half_extents", [=](auto& n) { n.half_extents[2] = nan; }},
      {"neural.margin", [](auto& n) { n.margin = -0.1f; }},
      {"neural.margin", [](auto& n) { n.margin = 0.3f; }},
      {"neural.weights", [&](auto& n) { n.weights = bad_weights.data(); }},
      {"neural.weights", [&](auto& n) { n.weights = huge_weights.data(); }},
  };
  for (const auto& c : cases) {
    billow_neural_sdf network = good.network;
    c.corrupt(network);
    EXPECT_EQ(testing::make_body({testing::field_collider(network)}), nullptr) << c.message;
    EXPECT_NE(std::string(billow_last_error()).find(c.message), std::string::npos) << billow_last_error();
  }
  billow_collider none = testing::field_collider(good.network);
  none.neural = nullptr;
  EXPECT_EQ(testing::make_body({none}), nullptr);
}

// Culling by boxes and capsules does not change results, among other shapes too.
TEST(FieldColliders, UnionIsTheNearestToTheBit) {
  Random random(10);
  std::vector<testing::TestGrid> grids;
  std::vector<testing::TestNetwork> networks;
  for (const double radius : {0.05, 0.1, 0.15}) grids.push_back(testing::sphere_grid(radius));
  for (uint32_t k = 0; k < 3; ++k) networks.push_back(testing::wavy_network(8, 0.1, 0.01, k));
  for (int round = 0; round < 20; ++round) {
    std::vector<billow_collider> colliders;
    for (const auto& g : grids) colliders.push_back(testing::field_collider(g.grid));
    for (const auto& n : networks) colliders.push_back(testing::field_collider(n.network));
    for (billow_collider& c : colliders) {
      testing::copy(random.in_box(1), c.position);
      testing::copy(random.rotation(), c.rotation);
    }
    for (int k = 0; k < 4; ++k) colliders.push_back(testing::random_collider(random, 1));
    const testing::BodyHandle body = testing::make_body(colliders);
    ASSERT_NE(body, nullptr) << billow_last_error();
    const Body& b = body->body;
    std::vector<PosedCollider> posed;
    for (int i = 0; i < b.collider_count; ++i)
      posed.push_back(pose_collider(b.colliders[i], b.scale, b.now[i], b.now[i]));
    for (int i = 0; i < 300; ++i) {
      const Vector p = random.in_box(1.5);
      float nearest = 1e30f;
      for (const PosedCollider& c : posed)
        nearest = std::min(nearest, lane(distance_to(c, splat(to_v3(p))).phi, 0));
      const testing::QueryResult found = testing::query(body, p);
      ASSERT_EQ(found.distance, nearest);
      ASSERT_GE(found.collider, 0);
      ASSERT_NEAR(length(found.gradient), 1, 1e-5);
    }
  }
}

// Queries of many points close together, as those of cloth are, match queries of single points.
TEST(FieldColliders, BlocksAgreeWithSinglePointsToTheBit) {
  const testing::TestGrid grid = testing::sphere_grid(0.1);
  const testing::TestNetwork network = testing::wavy_network(8, 0.1, 0.01, 1);
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    std::vector<billow_collider> colliders;
    for (int k = 0; k < 3; ++k) {
      colliders.push_back(testing::field_collider(grid.grid));
      colliders.push_back(testing::field_collider(network.network));
    }
    for (billow_collider& c : colliders) {
      testing::copy(random.in_box(0.4), c.position);
      testing::copy(random.rotation(), c.rotation);
    }
    for (int k = 0; k < 4; ++k) colliders.push_back(testing::random_collider(random, 0.5));
    const testing::BodyHandle body = testing::make_body(colliders);
    ASSERT_NE(body, nullptr) << billow_last_error();
    for (int block = 0; block < 20; ++block) {
      constexpr uint32_t kPoints = 64;
      const Vector middle = random.in_box(0.6);
      const double size = random.uniform(0.001, 0.2);
      float points[3 * kPoints], together[kPoints];
      for (uint32_t i = 0; i < kPoints; ++i) testing::copy(middle + random.in_box(size), points + 3 * i);
      billow_body_query(body.get(), BILLOW_ALL_GROUPS, points, kPoints, BILLOW_NO_LIMIT, together, nullptr,
                        nullptr);
      for (uint32_t i = 0; i < kPoints; ++i) {
        float alone;
        billow_body_query(body.get(), BILLOW_ALL_GROUPS, points + 3 * i, 1, BILLOW_NO_LIMIT, &alone, nullptr,
                          nullptr);
        ASSERT_EQ(together[i], alone) << "seed " << seed;
      }
    }
  }
}

// embed() and body_velocity(), which chains use.
TEST(FieldColliders, MoveLikeOtherColliders) {
  const testing::TestGrid grid = testing::sphere_grid(0.1);
  const testing::BodyHandle fields = testing::make_body({testing::field_collider(grid.grid)});
  const testing::BodyHandle sphere = testing::make_body({testing::sphere({}, 0.1)});
  const billow_transform before = testing::at({{0, 0, 0}}),
                         after = testing::at({{0.1, 0, 0}}, testing::about_y(0.3));
  V3 carried[2], velocity[2];
  int k = 0;
  for (const testing::BodyHandle* body : {&fields, &sphere}) {
    billow_body_pose(body->get(), &before, 1, 1);
    billow_body_pose(body->get(), &after, 1, 1);
    const Body& b = (*body)->body;
    const PosedCollider c = pose_collider(b.colliders[0], 1, b.before[0], b.now[0]);
    const V3x4 p = splat(V3{0.12f, 0.01f, 0.08f});
    const Nearest4 near = nearest_surface(all_of(&c, 1), p, splat(kFarAway));
    carried[k] = lane(embed(&c, near, p), 0);
    velocity[k++] = lane(body_velocity(&c, near, p, 60), 0);
  }
  EXPECT_EQ(carried[0].x, carried[1].x);
  EXPECT_EQ(carried[0].z, carried[1].z);
  EXPECT_EQ(velocity[0].x, velocity[1].x);
  EXPECT_EQ(velocity[0].z, velocity[1].z);
}

}  // namespace
}  // namespace billow::neural_test
