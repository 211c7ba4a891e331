// Queries of many points against queries of four: they have to agree to the bit.
#include "sdf/query_points.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/colliders.h"
#include "support/random.h"

namespace billow {
namespace {

using testing::Random;
using testing::Vector;

// Colliders of several shapes, close enough to blend, some of them blended.
struct PosedColliders {
  std::vector<Collider> colliders;
  std::vector<PosedCollider> posed;
  BodyBounds bounds;
};

void fill(PosedColliders& body, uint32_t seed, int count) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    Collider c;
    const Shape shapes[] = {Shape::kSphere, Shape::kCapsule, Shape::kTaperedCapsule, Shape::kEllipsoid,
                            Shape::kBox};
    c.shape = shapes[i % 5];
    const Vector at = random.in_box(0.5), half = random.in_box(0.06);
    c.rest.position = {static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2])};
    c.rest.rotation =
        normalized(Quat{static_cast<float>(half[0]), 0.03f, static_cast<float>(half[1]), 0.05f});
    c.half = {0.08f + static_cast<float>(half[0]), 0.08f + static_cast<float>(half[1]),
              0.08f + static_cast<float>(half[2])};
    c.radius = c.shape == Shape::kBox ? 0.01f : 0.08f;
    if (c.shape == Shape::kCapsule || c.shape == Shape::kTaperedCapsule) c.length = 0.3f;
    if (c.shape == Shape::kTaperedCapsule) c.taper = 0.15f, c.slope = 0.15f / std::sqrt(1 - 0.15f * 0.15f);
    if (i % 3 == 1) c.blend_with = i - 1, c.blend_radius = 0.06f;
    body.colliders.push_back(c);
  }
  for (Collider& c : body.colliders) {
    c.reach = std::max(c.reach, c.blend_radius + 1e-5f);
    if (c.blend_with < 0) continue;
    Collider& partner = body.colliders[static_cast<size_t>(c.blend_with)];
    partner.reach = std::max(partner.reach, c.reach);
  }
  for (const Collider& c : body.colliders) body.posed.push_back(pose_collider(c, 1, c.rest, c.rest));
  body.bounds = BodyBounds(body.posed.data(), count);
}

// Points on wavy sheets, neighbours close to each other, as vertices of cloth are.
std::vector<float> sheet(uint32_t seed, size_t count) {
  Random random(seed);
  const Vector corner = random.in_box(0.6), along = random.in_box(0.02), aside = random.in_box(0.02);
  std::vector<float> points;
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < 3; ++k)
      points.push_back(static_cast<float>(corner[k] + along[k] * static_cast<double>(i % 16) +
                                          aside[k] * static_cast<double>(i / 16)));
  return points;
}

TEST(QueryPoints, AgreesWithTheQueryOfFourToTheBit) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    const int count = 1 + static_cast<int>(seed) % 31;
    PosedColliders body;
    fill(body, seed, count);
    const size_t points_count = 200 + seed;
    const std::vector<float> points = sheet(seed + 100, points_count);
    for (const float limit : {kFarAway, 0.1f, 0.01f, -0.02f}) {
      std::vector<float> phi(points_count), gradient(3 * points_count);
      std::vector<int32_t> indices(points_count);
      query_points(body.posed.data(), body.bounds, points.data(), points_count, limit, phi.data(),
                   gradient.data(), indices.data());
      for (size_t i = 0; i < points_count; ++i) {
        const V3x4 p = splat(V3{points[3 * i], points[3 * i + 1], points[3 * i + 2]});
        const Nearest4 expected = nearest_surface(all_of(body.posed.data(), count), p, splat(limit));
        const V3 n = lane(expected.gradient, 0);
        ASSERT_EQ(phi[i], lane(expected.phi, 0)) << "seed " << seed << ", point " << i << ", limit " << limit;
        ASSERT_EQ(indices[i], static_cast<int>(lane(expected.first, 0)));
        ASSERT_EQ(gradient[3 * i], n.x);
        ASSERT_EQ(gradient[3 * i + 1], n.y);
        ASSERT_EQ(gradient[3 * i + 2], n.z);
      }
    }
  }
}

TEST(QueryPoints, GradientsAndCollidersAreOptional) {
  PosedColliders body;
  fill(body, 3, 12);
  const std::vector<float> points = sheet(5, 100);
  std::vector<float> phi(100), again(100), gradient(300);
  query_points(body.posed.data(), body.bounds, points.data(), 100, kFarAway, phi.data(), nullptr, nullptr);
  query_points(body.posed.data(), body.bounds, points.data(), 100, kFarAway, again.data(), gradient.data(),
               nullptr);
  EXPECT_EQ(phi, again);
}

TEST(ColliderBounds, OuterAndInnerCapsulesBoundTheDistance) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    PosedColliders body;
    fill(body, seed, 10);
    Random random(seed);
    for (int t = 0; t < 400; ++t) {
      const Vector at = random.in_box(1);
      const V3 p{static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2])};
      for (int i = 0; i < 10; ++i) {
        const float phi = lane(distance_to(body.posed[static_cast<size_t>(i)], splat(p)).phi, 0);
        const float from_axis =
            lane(distance_from_axes(body.bounds.rigid, i / kLanes * kLanes, p), i % kLanes);
        ASSERT_GE(phi, from_axis - body.bounds.rigid.radius[i] - 1e-6f) << "collider " << i;
        ASSERT_LE(phi, from_axis - body.bounds.rigid.inner[i] + 1e-6f) << "collider " << i;
      }
    }
  }
}

}  // namespace
}  // namespace billow
