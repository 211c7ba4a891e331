// Limbs that yield: rigid in free air, cut back where they face the rest of the body.
#include "sdf/yielding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sdf/query_points.h"

namespace billow {
namespace {

constexpr uint32_t kTrunk = 0, kHand = 1;
constexpr float kRadius = 0.04f;

// A trunk, the half-space below y = 0, and a hand, a capsule along x at some height.
struct Pressed {
  explicit Pressed(float height) {
    colliders[0].shape = Shape::kBox;
    colliders[0].half = {1, 0.5f, 1};
    colliders[0].rest.position = {0, -0.5f, 0};
    colliders[0].group = kTrunk;
    colliders[1].shape = Shape::kCapsule;
    colliders[1].radius = kRadius;
    colliders[1].length = 0.2f;
    colliders[1].rest.position = {0, height, 0};
    colliders[1].rest.rotation = {0, 0, -std::sqrt(0.5f), std::sqrt(0.5f)};
    colliders[1].group = kHand;
    for (const Collider& c : colliders) posed.push_back(pose_collider(c, 1, c.rest, c.rest));
  }
  struct Found {
    float phi;
    V3 gradient;
    int nearest;
  };
  Found query(V3 p, uint32_t rigid, uint32_t yielding, float limit = 0.05f) const {
    Found f{};
    int32_t nearest = 0;
    query_points(posed.data(), BodyBounds(posed.data(), 2, rigid, yielding), &p.x, 1, limit, &f.phi,
                 &f.gradient.x, &nearest);
    f.nearest = nearest;
    return f;
  }
  Found yielding(V3 p) const { return query(p, 1u << kTrunk, 1u << kHand); }
  Found rigid(V3 p) const { return query(p, 1u << kTrunk | 1u << kHand, 0); }

  Collider colliders[2];
  std::vector<PosedCollider> posed;
};

TEST(Yielding, AHandInFreeAirIsRigid) {
  const Pressed body(0.4f);
  for (const V3 p : {V3{0.1f, 0.38f, 0}, V3{0.1f, 0.43f, 0.01f}, V3{-0.03f, 0.4f, 0}, V3{0.1f, 0.45f, 0}}) {
    const Pressed::Found found = body.yielding(p), expected = body.rigid(p);
    EXPECT_EQ(found.phi, expected.phi);
    EXPECT_EQ(found.gradient.y, expected.gradient.y);
    EXPECT_EQ(found.nearest, 1);
  }
}

TEST(Yielding, WhatLiesOnTheBodyIsFreeOfTheHand) {
  // The hand reaches 1 cm into the trunk.
  const Pressed body(kRadius - 0.01f);
  const V3 on_the_body{0.1f, 0.005f, 0};
  EXPECT_LT(body.rigid(on_the_body).phi, -0.01f);
  EXPECT_NEAR(body.yielding(on_the_body).phi, 0.005f, 1e-6f);
  EXPECT_EQ(body.yielding(on_the_body).nearest, 0);
  // Farther out the way leads to the body, with which the point then moves.
  const Pressed::Found between = Pressed(0.06f).yielding({0.1f, 0.038f, 0});
  EXPECT_NEAR(between.phi, kYieldGap - 0.038f, 1e-6f);
  EXPECT_NEAR(between.gradient.y, -1, 1e-6f);
  EXPECT_EQ(between.nearest, 0);
  // The back of the hand is rigid.
  const V3 behind{0.1f, kRadius + 0.025f, 0};
  EXPECT_EQ(body.yielding(behind).phi, body.rigid(behind).phi);
}

TEST(Yielding, DistancesChangeNoFasterThanPointAndHandMove) {
  constexpr float kStep = 1e-4f;
  for (const float z : {0.0f, 0.02f, 0.05f}) {
    float last = 0;
    for (int k = 0; k < 800; ++k) {
      const float now = Pressed(0.08f).yielding({0.1f, kStep * static_cast<float>(k), z}).phi;
      // Where the hand's normal turns over the axis, the face of the cut does at once, by half the gap's share at most.
      if (k > 0 && std::abs(kStep * static_cast<float>(k) - 0.08f) > 1e-3f) {
        EXPECT_LE(std::abs(now - last), 5 * kStep) << k << " " << z;
      }
      last = now;
    }
    for (int k = 0; k < 800; ++k) {
      const float now = Pressed(0.12f - kStep * static_cast<float>(k)).yielding({0.1f, 0.03f, z}).phi;
      if (k > 0) {
        EXPECT_LE(std::abs(now - last), 5 * kStep) << k << " " << z;
      }
      last = now;
    }
  }
}

}  // namespace
}  // namespace billow
