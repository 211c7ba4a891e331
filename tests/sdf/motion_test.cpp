// The body in motion over a sub-step: where it carries points, and how fast it moves.
#include <gtest/gtest.h>

#include "api/handles.h"
#include "sdf/query.h"
#include "support/colliders.h"

namespace billow {
namespace {

using testing::BodyHandle;
using testing::Random;
using testing::Vector;

Transform random_place(Random& random) {
  const Vector p = random.in_box(1);
  const auto q = random.rotation();
  return {{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])},
          normalized({static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2]),
                      static_cast<float>(q[3])})};
}
// What a joint does within a sub-step: some centimetres and some degrees.
Transform a_little_further(Random& random, const Transform& t) {
  const Vector p = random.in_box(0.1), axis = random.direction();
  const float s = random.uniform_float(0, 0.1);
  const Quat turn = normalized(
      {static_cast<float>(axis[0]) * s, static_cast<float>(axis[1]) * s, static_cast<float>(axis[2]) * s, 1});
  return {t.position + V3{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])},
          normalized(turn * t.rotation)};
}
V3x4 random_points(Random& random, double half) {
  float c[3][4];
  for (auto& row : c)
    for (float& x : row) x = random.uniform_float(-half, half);
  return {load(c[0]), load(c[1]), load(c[2])};
}
// Names colliders outright, without a search.
Nearest4 naming(float first, float second = -1, float blend = 0) {
  return {zero(), zero3(), splat(first), splat(second), splat(blend)};
}

TEST(Embed, KeepsTheDistanceToTheColliderThatCarriesThePoint) {
  Random random(41);
  for (int round = 0; round < 500; ++round) {
    const BodyHandle body = testing::make_body({testing::random_collider(random, 0.1)});
    const Transform before = random_place(random), after = a_little_further(random, before);
    const PosedCollider start = pose_collider(body->body.colliders[0], 1, before, before);
    const PosedCollider end = pose_collider(body->body.colliders[0], 1, before, after);
    const V3x4 x = random_points(random, 1.2), carried = embed(&end, naming(0), x);
    const F4 here = distance_to(start, x).phi, there = distance_to(end, carried).phi;
    for (int k = 0; k < 4; ++k) {
      // Near the inner kinks of an ellipsoid roundings grow; collisions happen outside.
      if (lane(here, k) < -0.03f) continue;
      ASSERT_NEAR(lane(there, k), lane(here, k), 3e-6);
    }
  }
}

TEST(Embed, IsRigid) {
  Random random(42);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1)});
  for (int round = 0; round < 500; ++round) {
    const Transform before = random_place(random), after = a_little_further(random, before);
    const PosedCollider c = pose_collider(body->body.colliders[0], 1, before, after);
    const V3x4 a = random_points(random, 1), b = random_points(random, 1);
    const F4 apart = length(a - b), still_apart = length(embed(&c, naming(0), a) - embed(&c, naming(0), b));
    for (int k = 0; k < 4; ++k) ASSERT_NEAR(lane(still_apart, k), lane(apart, k), 2e-6);
    // The centre goes where the collider goes.
    const V3 centre = lane(embed(&c, naming(0), splat(before.position)), 0);
    ASSERT_NEAR(length(centre - after.position), 0, 1e-6);
  }
}

TEST(Embed, LeavesPointsAloneThatNoColliderCarries) {
  Random random(43);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1)});
  const PosedCollider c =
      pose_collider(body->body.colliders[0], 1, random_place(random), random_place(random));
  const V3x4 x = random_points(random, 1), carried = embed(&c, naming(-1), x);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(lane(carried.x, k), lane(x.x, k));
}

TEST(Embed, TreatsLanesOfDifferentCollidersSeparately) {
  Random random(44);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1), testing::sphere({}, 0.2)});
  PosedCollider two[2];
  for (int i = 0; i < 2; ++i) {
    const Transform before = random_place(random);
    two[i] = pose_collider(body->body.colliders[i], 1, before, a_little_further(random, before));
  }
  const float names[4] = {1, -1, 0, 1};
  Nearest4 near = naming(0);
  near.first = load(names);
  const V3x4 x = random_points(random, 1), carried = embed(two, near, x);
  const V3x4 v = body_velocity(two, near, x, 60);
  for (int k = 0; k < 4; ++k) {
    const Nearest4 alone = naming(names[k]);
    ASSERT_EQ(lane(carried.x, k), lane(embed(two, alone, x).x, k));
    ASSERT_EQ(lane(v.z, k), lane(body_velocity(two, alone, x, 60).z, k));
  }
}

TEST(Embed, MovesMergedCollidersByTheirShares) {
  Random random(45);
  const BodyHandle body = testing::make_body({testing::sphere({}, 0.1), testing::sphere({}, 0.2)});
  PosedCollider two[2];
  for (int i = 0; i < 2; ++i) {
    const Transform before = random_place(random);
    two[i] = pose_collider(body->body.colliders[i], 1, before, a_little_further(random, before));
  }
  const V3x4 x = random_points(random, 1);
  const V3x4 by_first = embed(two, naming(1), x), by_second = embed(two, naming(0), x);
  const V3x4 merged = embed(two, naming(1, 0, 0.25f), x);
  const V3x4 v_first = body_velocity(two, naming(1), x, 60), v_second = body_velocity(two, naming(0), x, 60);
  const V3x4 v_merged = body_velocity(two, naming(1, 0, 0.25f), x, 60);
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
      const Transform before = random_place(random), after = a_little_further(random, before);
      const PosedCollider c = pose_collider(body->body.colliders[0], 1, before, after);
      // A material point of the collider: here it was, there it is.
      const V3x4 was = random_points(random, 1), is = embed(&c, naming(0), was);
      const V3x4 v = body_velocity(&c, naming(0), is, rate);
      for (int k = 0; k < 4; ++k) {
        // The difference of positions of a metre, each rounded, over a sub-step.
        const V3 difference = lane((is - was) * rate, k);
        ASSERT_NEAR(length(lane(v, k) - difference), 0, 1e-6f * rate);
      }
    }
  }
}

TEST(BodyVelocity, IsExactlyZeroForAStillBody) {
  Random random(47);
  for (int round = 0; round < 200; ++round) {
    const BodyHandle body = testing::make_body({testing::random_collider(random, 0.5)});
    const Transform place = random_place(random);
    const PosedCollider c = pose_collider(body->body.colliders[0], 1.7f, place, place);
    const V3x4 x = random_points(random, 2);
    const V3x4 v = body_velocity(&c, naming(0), x, 480), carried = embed(&c, naming(0), x);
    for (int k = 0; k < 4; ++k) {
      ASSERT_EQ(lane(dot(v, v), k), 0);
      ASSERT_EQ(lane(carried.x, k), lane(x.x, k));
      ASSERT_EQ(lane(carried.z, k), lane(x.z, k));
    }
  }
}

// Through the API: the same joints twice, written the same way, is standing still.
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
}  // namespace billow
