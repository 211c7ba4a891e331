// The body in motion over a sub-step: embed() and body_velocity().
#include <gtest/gtest.h>

#include "api/handles.h"
#include "sdf/query.h"
#include "support/colliders.h"

namespace billow::motion_test {
namespace {

using testing::BodyHandle;
using testing::Random;
using testing::Vector;

Transform random_transform(Random& random) {
  const Vector p = random.in_box(1);
  const auto q = random.rotation();
  return {{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])},
          normalized({static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2]),
                      static_cast<float>(q[3])})};
}
// Motion of a joint within a sub-step: some centimetres and some degrees.
Transform move_slightly(Random& random, const Transform& t) {
  const Vector p = random.in_box(0.1), axis = random.direction();
  const float s = random.uniform_float(0, 0.1);
  const Quat rotation = normalized(
      {static_cast<float>(axis[0]) * s, static_cast<float>(axis[1]) * s, static_cast<float>(axis[2]) * s, 1});
  return {t.position + V3{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])},
          normalized(rotation * t.rotation)};
}
V3x4 random_points(Random& random, double half) {
  float c[3][4];
  for (auto& row : c)
    for (float& x : row) x = random.uniform_float(-half, half);
  return {load(c[0]), load(c[1]), load(c[2])};
}
// A query result with given colliders.
Nearest4 nearest_of(float first, float second = -1, float blend = 0) {
  return {zero(), zero3(), splat(first), splat(second), splat(blend)};
}

TEST(Embed, KeepsTheDistanceToTheColliderThatCarriesThePoint) {
  Random random(41);
  for (int round = 0; round < 500; ++round) {
    const BodyHandle body = testing::make_body({testing::random_collider(random, 0.1)});
    const Transform before = random_transform(random), after = move_slightly(random, before);
    const PosedCollider start = pose_collider(body->body.colliders[0], 1, before, before);
    const PosedCollider end = pose_collider(body->body.colliders[0], 1, before, after);
    const V3x4 x = random_points(random, 1.2), carried = embed(&end, nearest_of(0), x);
    const F4 here = distance_to(start, x).phi, there = distance_to(end, carried).phi;
    for (int k = 0; k < 4; ++k) {
      // Rounding grows near the inner kinks of an ellipsoid; collisions happen outside.
      if (lane(here, k) < -0.03f) continue;
      ASSERT_NEAR(lane(there, k), lane(here, k), 3e-6);
    }
  }
}

TEST(Embed, IsRigid) {
  Random random(42);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1)});
  for (int round = 0; round < 500; ++round) {
    const Transform before = random_transform(random), after = move_slightly(random, before);
    const PosedCollider c = pose_collider(body->body.colliders[0], 1, before, after);
    const V3x4 a = random_points(random, 1), b = random_points(random, 1);
    const F4 apart = length(a - b),
             still_apart = length(embed(&c, nearest_of(0), a) - embed(&c, nearest_of(0), b));
    for (int k = 0; k < 4; ++k) ASSERT_NEAR(lane(still_apart, k), lane(apart, k), 2e-6);
    // The centre goes where the collider goes.
    const V3 centre = lane(embed(&c, nearest_of(0), splat(before.position)), 0);
    ASSERT_NEAR(length(centre - after.position), 0, 1e-6);
  }
}

TEST(Embed, LeavesPointsWithoutColliderUnchanged) {
  Random random(43);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1)});
  const PosedCollider c =
      pose_collider(body->body.colliders[0], 1, random_transform(random), random_transform(random));
  const V3x4 x = random_points(random, 1), carried = embed(&c, nearest_of(-1), x);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(lane(carried.x, k), lane(x.x, k));
}

TEST(Embed, TreatsLanesOfDifferentCollidersSeparately) {
  Random random(44);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1), testing::sphere({}, 0.2)});
  PosedCollider two[2];
  for (int i = 0; i < 2; ++i) {
    const Transform before = random_transform(random);
    two[i] = pose_collider(body->body.colliders[i], 1, before, move_slightly(random, before));
  }
  const float indices[4] = {1, -1, 0, 1};
  Nearest4 near = nearest_of(0);
  near.first = load(indices);
  const V3x4 x = random_points(random, 1), carried = embed(two, near, x);
  const V3x4 v = body_velocity(two, near, x, 60);
  for (int k = 0; k < 4; ++k) {
    const Nearest4 alone = nearest_of(indices[k]);
    ASSERT_EQ(lane(carried.x, k), lane(embed(two, alone, x).x, k));
    ASSERT_EQ(lane(v.z, k), lane(body_velocity(two, alone, x, 60).z, k));
  }
}

TEST(Embed, BlendsCollidersByWeight) {
  Random random(45);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1), testing::sphere({}, 0.2)});
  PosedCollider two[2];
  for (int i = 0; i < 2; ++i) {
    const Transform before = random_transform(random);
    two[i] = pose_collider(body->body.colliders[i], 1, before, move_slightly(random, before));
  }
  const V3x4 x = random_points(random, 1);
  const V3x4 by_first = embed(two, nearest_of(1), x), by_second = embed(two, nearest_of(0), x);
  const V3x4 merged = embed(two, nearest_of(1, 0, 0.25f), x);
  const V3x4 v_first = body_velocity(two, nearest_of(1), x, 60),
             v_second = body_velocity(two, nearest_of(0), x, 60);
  const V3x4 v_merged = body_velocity(two, nearest_of(1, 0, 0.25f), x, 60);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(length(lane(merged - (by_first * 0.75f + by_second * 0.25f), k)), 0, 1e-6);
    EXPECT_NEAR(length(lane(v_merged - (v_first * 0.75f + v_second * 0.25f), k)), 0, 1e-4);
  }
}

TEST(BodyVelocity, IsTheMotionsFiniteDifference) {
  Random random(46);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1)});
  for (const float rate : {60.0f, 480.0f}) {
    for (int round = 0; round < 300; ++round) {
      const Transform before = random_transform(random), after = move_slightly(random, before);
      const PosedCollider c = pose_collider(body->body.colliders[0], 1, before, after);
      // A material point of the collider, before and after.
      const V3x4 was = random_points(random, 1), is = embed(&c, nearest_of(0), was);
      const V3x4 v = body_velocity(&c, nearest_of(0), is, rate);
      for (int k = 0; k < 4; ++k) {
        // The tolerance is for positions of about a metre, each rounded, over a sub-step.
        const V3 difference = lane((is - was) * rate, k);
        ASSERT_NEAR(length(lane(v, k) - difference), 0, 1e-6f * rate);
      }
    }
  }
}

TEST(BodyVelocity, IsExactlyZeroForAStaticBody) {
  Random random(47);
  for (int round = 0; round < 200; ++round) {
    const BodyHandle body = testing::make_body({testing::random_collider(random, 0.5)});
    const Transform transform = random_transform(random);
    const PosedCollider c = pose_collider(body->body.colliders[0], 1.7f, transform, transform);
    const V3x4 x = random_points(random, 2);
    const V3x4 v = body_velocity(&c, nearest_of(0), x, 480), carried = embed(&c, nearest_of(0), x);
    for (int k = 0; k < 4; ++k) {
      ASSERT_EQ(lane(dot(v, v), k), 0);
      ASSERT_EQ(lane(carried.x, k), lane(x.x, k));
      ASSERT_EQ(lane(carried.z, k), lane(x.z, k));
    }
  }
}

// Through the API: the same joints twice are no motion.
TEST(BodyVelocity, IsExactlyZeroWhenTheSamePoseComesTwice) {
  Random random(48);
  std::vector<billow_collider> colliders;
  for (int i = 0; i < 20; ++i) {
    colliders.push_back(testing::random_collider(random, 0.5));
    colliders.back().joint[1] = 1;
    colliders.back().weight[1] = random.uniform_float(0, 1);
  }
  const BodyHandle handle = testing::make_body(colliders, {testing::at({}), testing::at({{1, 0, 0}})});
  const billow_transform joints[2] = {testing::at({{5, 1, 2}}, random.rotation()),
                                      testing::at({{4, 1, 2}}, random.rotation())};
  for (int frame = 0; frame < 2; ++frame)
    ASSERT_EQ(billow_body_pose(handle.get(), joints, 2, 1.3f), BILLOW_OK);
  const Body& body = handle->body;
  for (int i = 0; i < body.collider_count; ++i) {
    const PosedCollider c = pose_collider(body.colliders[i], body.scale, body.before[i], body.now[i]);
    EXPECT_FALSE(c.moving) << "collider " << i;
  }
}

}  // namespace
}  // namespace billow::motion_test
