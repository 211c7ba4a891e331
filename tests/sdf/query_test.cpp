// The SDF of a body: union, culling, smooth union, custom colliders.
#include "sdf/query.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/handles.h"
#include "support/colliders.h"
#include "support/exact_shapes.h"

namespace billow::query_test {
namespace {

using testing::BodyHandle;
using testing::Random;
using testing::Vector;

std::vector<PosedCollider> posed(const BodyHandle& body) {
  const Body& b = body->body;
  std::vector<PosedCollider> out;
  for (int i = 0; i < b.collider_count; ++i)
    out.push_back(pose_collider(b.colliders[i], b.scale, b.now[i], b.now[i]));
  return out;
}
Nearest4 nearest(const std::vector<PosedCollider>& colliders, V3x4 p, F4 limit) {
  return nearest_surface(all_of(colliders.data(), static_cast<int>(colliders.size())), p, limit);
}
V3x4 random_points(Random& random, double half) {
  float c[3][4];
  for (auto& row : c)
    for (float& x : row) x = random.uniform_float(-half, half);
  return {load(c[0]), load(c[1]), load(c[2])};
}

// The documented smooth minimum of two distances with blend radius k, in double precision.
double smooth_minimum(double a, double b, double k) {
  const double h = std::max(k - std::fabs(a - b), 0.0) / k;
  return std::min(a, b) - 0.25 * h * h * k;
}
// The union without culling: each collider alone, and blended with its partner.
double plain_union(const std::vector<PosedCollider>& colliders, V3x4 p, int lane_index) {
  double best = 1e30;
  std::vector<double> of;
  for (const PosedCollider& c : colliders) {
    double d = lane(distance_to(c, p).phi, lane_index);
    of.push_back(d);
    best = std::min(best, d);
    if (c.collider->blend_with < 0) continue;
    const double partner = of[static_cast<size_t>(c.collider->blend_with)];
    best =
        std::min(best, smooth_minimum(d, partner, static_cast<double>(c.collider->blend_radius * c.scale)));
  }
  return best;
}

TEST(Query, UnionIsTheNearestColliderToTheBit) {
  Random random(21);
  for (int round = 0; round < 50; ++round) {
    std::vector<billow_collider> colliders;
    for (int i = 0; i < 12; ++i) colliders.push_back(testing::random_collider(random, 1.0));
    const BodyHandle body = testing::make_body(colliders);
    const auto all = posed(body);
    for (int i = 0; i < 40; ++i) {
      const V3x4 p = random_points(random, 1.5);
      const Nearest4 found = nearest(all, p, splat(kFarAway));
      for (int k = 0; k < 4; ++k) {
        int collider = -1;
        float distance = kFarAway;
        for (size_t c = 0; c < all.size(); ++c) {
          const float d = lane(distance_to(all[c], p).phi, k);
          if (d < distance) distance = d, collider = static_cast<int>(c);
        }
        ASSERT_EQ(lane(found.phi, k), distance);
        ASSERT_EQ(lane(found.first, k), static_cast<float>(collider));
        ASSERT_EQ(lane(found.blend, k), 0);
        const Distance4 own = distance_to(all[static_cast<size_t>(collider)], p);
        ASSERT_EQ(lane(found.gradient.y, k), lane(own.gradient.y, k));
      }
    }
  }
}

TEST(Query, CullingNeverChangesAResultBelowTheLimit) {
  Random random(22);
  int below = 0, beyond = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<billow_collider> colliders;
    for (int i = 0; i < 10; ++i) {
      colliders.push_back(testing::random_collider(random, 0.8));
      if (i % 3 == 2) {
        colliders.back().blend_with = static_cast<int32_t>(random.bits() % static_cast<uint32_t>(i));
        colliders.back().blend_radius = random.uniform_float(0.02, 0.4);
      }
    }
    const BodyHandle body = testing::make_body(colliders);
    const auto all = posed(body);
    for (int i = 0; i < 50; ++i) {
      const V3x4 p = random_points(random, 1.5);
      // Limits of all sizes, also negative ones, different in each lane.
      float limits[4];
      for (float& l : limits) l = random.uniform_float(-0.2, 0.4);
      const Nearest4 found = nearest(all, p, load(limits));
      for (int k = 0; k < 4; ++k) {
        const double exact = plain_union(all, p, k);
        if (exact < static_cast<double>(limits[k])) {
          ASSERT_NEAR(lane(found.phi, k), exact, 1e-6);
          ++below;
        } else {
          ASSERT_NEAR(lane(found.phi, k), limits[k], 1e-6);
          ++beyond;
          if (exact > static_cast<double>(limits[k]) + 1e-6) {
            ASSERT_EQ(lane(found.first, k), -1);
          }
        }
      }
    }
  }
  EXPECT_GT(below, 1000);
  EXPECT_GT(beyond, 3000);
}

TEST(Query, ReturnsTheLimitIfNothingIsWithinIt) {
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1)});
  const auto all = posed(body);
  const Nearest4 found = nearest(all, splat(V3{0, 0.5f, 0}), splat(0.3f));
  EXPECT_EQ(lane(found.phi, 0), 0.3f);
  EXPECT_EQ(lane(found.first, 0), -1);
  EXPECT_EQ(lane(nearest({}, zero3(), splat(kFarAway)).phi, 0), kFarAway);
}

// Two spheres and a capsule, which blends with the first sphere.
constexpr double kBlendRadius = 0.2;
const Vector kFirst{{-0.25, 0, 0}}, kOther{{0, 0.5, 0}}, kFrom{{0.2, -0.1, 0}}, kTo{{0.5, 0.2, 0.1}};
BodyHandle blending_body() {
  std::vector<billow_collider> colliders = {testing::sphere(kFirst, 0.2), testing::sphere(kOther, 0.1),
                                            testing::capsule(kFrom, kTo, 0.15)};
  colliders[2].blend_with = 0;
  colliders[2].blend_radius = static_cast<float>(kBlendRadius);
  return testing::make_body(colliders);
}
struct Parts {
  double first, other, partner;
};
Parts exact_parts(const Vector& p) {
  const Vector axis = kTo - kFrom;
  const double l = length(axis), along = dot(p - kFrom, axis) / l;
  const double across = length(p - kFrom - axis * (along / l));
  return {length(p - kFirst) - 0.2, length(p - kOther) - 0.1,
          testing::exact_tapered_capsule({{across, along, 0}}, l, 0.15, 0.15)};
}
double exact_blend(const Vector& p) {
  const Parts d = exact_parts(p);
  return std::min({smooth_minimum(d.first, d.partner, kBlendRadius), d.other});
}

TEST(Query, SmoothUnionIsAtMostAQuarterOfTheRadiusBelowTheUnion) {
  const BodyHandle body = blending_body();
  Random random(23);
  double deepest = 0;
  for (int i = 0; i < 5000; ++i) {
    const Vector p = random.in_box(0.8);
    const Parts d = exact_parts(p);
    const double plain = std::min({d.first, d.other, d.partner}), found = testing::query(body, p).distance;
    ASSERT_LE(found, plain + 1e-6);
    ASSERT_GE(found, plain - 0.25 * kBlendRadius - 1e-6);
    ASSERT_NEAR(found, exact_blend(p), 1e-6);
    // Distances that differ by more than the radius do not blend.
    if (std::fabs(d.first - d.partner) > kBlendRadius) {
      ASSERT_NEAR(found, plain, 1e-6);
    }
    deepest = std::max(deepest, plain - found);
  }
  EXPECT_GT(deepest, 0.24 * kBlendRadius);
}

TEST(Query, SmoothUnionHasTheGradientOfItsDistance) {
  const BodyHandle body = blending_body();
  Random random(24);
  const double h = 1e-6;
  int compared = 0;
  for (int i = 0; i < 4000; ++i) {
    Vector p = random.in_box(0.8);
    for (double& x : p) x = static_cast<float>(x);
    Vector slope;
    double bend = 0;
    for (size_t k = 0; k < 3; ++k) {
      Vector step;
      step[k] = h;
      const double ahead = exact_blend(p + step), behind = exact_blend(p - step);
      slope[k] = (ahead - behind) / (2 * h);
      bend = std::max(bend, std::fabs(ahead + behind - 2 * exact_blend(p)) / h);
    }
    // Leave out the axes, where each shape has a kink, and points where opposite gradients cancel.
    if (bend > 1e-4 || length(slope) < 0.2) continue;
    ++compared;
    const Vector g = testing::query(body, p).gradient, direction = slope * (1 / length(slope));
    ASSERT_NEAR(length(g), 1, 1e-5);
    ASSERT_NEAR(length(g - direction), 0, 1e-4) << "at " << p[0] << ' ' << p[1] << ' ' << p[2];
  }
  EXPECT_GT(compared, 3000);
}

TEST(Query, SmoothUnionIsContinuous) {
  const BodyHandle body = blending_body();
  Random random(25);
  for (int i = 0; i < 300; ++i) {
    const Vector a = random.in_box(0.8), b = random.in_box(0.8);
    const double step = length(b - a) / 200;
    double last = testing::query(body, a).distance;
    for (int k = 1; k <= 200; ++k) {
      const double here = testing::query(body, a + (b - a) * (k / 200.0)).distance;
      ASSERT_LE(std::fabs(here - last), step + 1e-6);
      last = here;
    }
  }
}

TEST(Query, BlendWeightsAreAtMostAHalf) {
  const BodyHandle body = blending_body();
  const auto all = posed(body);
  Random random(26);
  for (int i = 0; i < 2000; ++i) {
    const V3x4 p = random_points(random, 0.8);
    const Nearest4 found = nearest(all, p, splat(kFarAway));
    for (int k = 0; k < 4; ++k) {
      ASSERT_GE(lane(found.blend, k), 0);
      ASSERT_LE(lane(found.blend, k), 0.5) << "sdf/query.h: 0 to 1/2, the weight of `second`";
      ASSERT_TRUE(lane(found.blend, k) == 0 || lane(found.second, k) >= 0);
    }
  }
}

TEST(Query, ReturnsTheNearestColliderAlsoWhereTwoBlend) {
  const BodyHandle body = blending_body();
  Random random(27);
  for (int i = 0; i < 4000; ++i) {
    const Vector p = random.in_box(0.8);
    const Parts d = exact_parts(p);
    const double blended = smooth_minimum(d.first, d.partner, kBlendRadius);
    // Leave out points that are equally near to two.
    if (std::fabs(d.first - d.partner) < 1e-5 || std::fabs(blended - d.other) < 1e-5) continue;
    const int expected = d.other < blended ? 1 : d.first < d.partner ? 0 : 2;
    ASSERT_EQ(testing::query(body, p).collider, expected) << "at " << p[0] << ' ' << p[1] << ' ' << p[2];
  }
}

// A sphere of 0.1 m as a custom collider that records the queried points.
struct CustomSphere {
  double farthest_queried = 0;
  static void distance(void* user, const float* points, uint32_t count, float* distances, float* gradients) {
    auto* self = static_cast<CustomSphere*>(user);
    for (uint32_t i = 0; i < count; ++i) {
      const Vector p = testing::vector_at(points, i);
      const double l = length(p);
      self->farthest_queried = std::max(self->farthest_queried, l);
      distances[i] = static_cast<float>(l - 0.1);
      testing::copy(p * (1 / std::max(l, 1e-9)), gradients + 3 * i);
    }
  }
  billow_collider collider(const Vector& centre, double bound) {
    billow_collider c = testing::sphere(centre, bound);
    c.shape = BILLOW_SHAPE_CUSTOM;
    testing::copy({0.5, 0.5, 0.5, 0.5}, c.rotation);
    c.sdf = distance;
    c.user = this;
    return c;
  }
};

TEST(CustomCollider, IsTransformedLikeAnyOther) {
  CustomSphere custom;
  const Vector centre{{0.3, 0.2, -0.1}};
  const BodyHandle body = testing::make_body({custom.collider(centre, 50)});
  const BodyHandle plain = testing::make_body({testing::sphere(centre, 0.1)});
  Random random(28);
  for (const float scale : {1.0f, 2.5f}) {
    const billow_transform joint = testing::at(random.in_box(1), random.rotation());
    ASSERT_EQ(billow_body_pose(body.get(), &joint, 1, scale), BILLOW_OK);
    ASSERT_EQ(billow_body_pose(plain.get(), &joint, 1, scale), BILLOW_OK);
    for (int i = 0; i < 500; ++i) {
      const Vector p = random.in_box(2);
      const auto found = testing::query(body, p), expected = testing::query(plain, p);
      ASSERT_NEAR(found.distance, expected.distance, 2e-6);
      ASSERT_NEAR(length(found.gradient - expected.gradient), 0, 1e-5);
    }
  }
}

TEST(CustomCollider, IsNotQueriedBeyondItsBound) {
  for (const float scale : {1.0f, 2.0f}) {
    CustomSphere custom;
    const BodyHandle body = testing::make_body({custom.collider({}, 0.3), testing::sphere({{2, 0, 0}}, 0.1)});
    const billow_transform joint = testing::at({});
    ASSERT_EQ(billow_body_pose(body.get(), &joint, 1, scale), BILLOW_OK);
    Random random(29);
    for (int i = 0; i < 500; ++i) testing::query(body, random.in_box(i % 2 ? 0.5 : 3));
    EXPECT_GT(custom.farthest_queried, 0.1);
    EXPECT_LE(custom.farthest_queried, 0.3 * (1 + 1e-6)) << "at scale " << scale;
  }
}

TEST(CustomCollider, CountsAsFarAwayBeyondItsBound) {
  CustomSphere custom;
  const BodyHandle body = testing::make_body({custom.collider({}, 0.3), testing::sphere({{2, 0, 0}}, 0.1)});
  EXPECT_NEAR(testing::query(body, {{0.29, 0, 0}}).distance, 0.19, 1e-6);
  // 0.4 from the custom sphere, but outside its bound; 1.4 from the other.
  EXPECT_NEAR(testing::query(body, {{0.5, 0, 0}}).distance, 1.4, 1e-6);
}

TEST(Query, TakesAnyNumberOfPoints) {
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.5)});
  for (uint32_t count = 0; count < 10; ++count) {
    std::vector<float> points(3 * count), distances(count + 1, -7), gradients(3 * count + 1, -7);
    std::vector<int32_t> indices(count + 1, -7);
    for (uint32_t i = 0; i < count; ++i) points[3 * i] = 1 + static_cast<float>(i);
    ASSERT_EQ(billow_body_query(body.get(), BILLOW_ALL_GROUPS, points.data(), count, BILLOW_NO_LIMIT,
                                distances.data(), gradients.data(), indices.data()),
              BILLOW_OK);
    for (uint32_t i = 0; i < count; ++i) {
      EXPECT_FLOAT_EQ(distances[i], 0.5f + static_cast<float>(i));
      EXPECT_FLOAT_EQ(gradients[3 * i], 1);
      EXPECT_EQ(indices[i], 0);
    }
    EXPECT_EQ(distances[count], -7);
    EXPECT_EQ(gradients[3 * count], -7);
    EXPECT_EQ(indices[count], -7);
    // Without gradients and colliders.
    ASSERT_EQ(billow_body_query(body.get(), BILLOW_ALL_GROUPS, points.data(), count, BILLOW_NO_LIMIT,
                                distances.data(), nullptr, nullptr),
              BILLOW_OK);
  }
}

TEST(Query, ABodyWithoutCollidersIsFarAway) {
  const BodyHandle body = testing::make_body({});
  const auto found = testing::query(body, {{1, 2, 3}});
  EXPECT_EQ(found.distance, 1e30f);
  EXPECT_EQ(found.collider, -1);
}

}  // namespace
}  // namespace billow::query_test
