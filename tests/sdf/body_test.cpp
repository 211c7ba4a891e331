// Transforms of colliders: placed in model space, carried by joints, scaled with the character.
#include "sdf/body.h"

#include <gtest/gtest.h>

#include <functional>

#include "api/handles.h"
#include "sdf/query.h"
#include "support/colliders.h"
#include "support/exact_shapes.h"

namespace billow::body_test {
namespace {

using testing::BodyHandle;
using testing::Random;
using testing::Vector;

// Positions of about 2 m, rounded a few times.
constexpr double kRounding = 3e-6;

TEST(Body, EachShapeIsWhereItWasPlaced) {
  const Vector centre{{0.3, -0.2, 0.1}}, half{{0.3, 0.2, 0.1}}, end{{0.1, 0.4, 0.5}};
  const std::array<double, 4> rotation{0.5, -0.5, 0.5, 0.5};
  const auto local = [&](const Vector& p) {
    return testing::rotate({-rotation[0], -rotation[1], -rotation[2], rotation[3]}, p - centre);
  };
  const auto along = [&](const Vector& p) {
    const double l = length(end - centre), y = dot(p - centre, end - centre) / l;
    return Vector{{length(p - centre - (end - centre) * (y / l)), y, 0}};
  };
  struct Case {
    const char* name;
    billow_collider collider;
    std::function<double(const Vector&)> exact;
  };
  const Case cases[] = {
      {"sphere", testing::sphere(centre, 0.2), [&](const Vector& p) { return length(p - centre) - 0.2; }},
      {"capsule", testing::capsule(centre, end, 0.2),
       [&](const Vector& p) {
         return testing::exact_tapered_capsule(along(p), length(end - centre), 0.2, 0.2);
       }},
      {"tapered capsule", testing::tapered_capsule(centre, end, 0.1, 0.3),
       [&](const Vector& p) {
         return testing::exact_tapered_capsule(along(p), length(end - centre), 0.1, 0.3);
       }},
      {"box", testing::box(centre, half, 0.05),
       [&](const Vector& p) { return testing::exact_rounded_box(local(p), half, 0.05); }},
      {"half space", testing::half_space(centre), [&](const Vector& p) { return local(p)[1]; }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    billow_collider collider = c.collider;
    testing::copy(rotation, collider.rotation);
    const BodyHandle body = testing::make_body({collider});
    Random random(31);
    for (int i = 0; i < 1000; ++i) {
      const Vector p = random.in_box(1);
      // Shapes.DistanceIsExactEverywhere covers points close to a capsule's axis.
      if (along(p)[0] < 0.01) continue;
      ASSERT_NEAR(testing::query(body, p).distance, c.exact(p), kRounding);
    }
  }
}

TEST(Body, ARotatedEllipsoidIsTheSameInItsFrame) {
  const Vector centre{{0.3, -0.2, 0.1}};
  Random random(32);
  for (int i = 0; i < 300; ++i) {
    const auto rotation = random.rotation();
    billow_collider rotated = testing::ellipsoid(centre, {{0.3, 0.2, 0.1}});
    testing::copy(rotation, rotated.rotation);
    const BodyHandle body = testing::make_body({rotated});
    const BodyHandle plain = testing::make_body({testing::ellipsoid({}, {{0.3, 0.2, 0.1}})});
    // On a shell around it, away from the kinks inside.
    const Vector local = random.direction() * random.uniform(0.35, 1);
    const auto found = testing::query(body, centre + testing::rotate(rotation, local));
    const auto wanted = testing::query(plain, local);
    ASSERT_NEAR(found.distance, wanted.distance, kRounding);
    ASSERT_NEAR(length(found.gradient - testing::rotate(rotation, wanted.gradient)), 0, 1e-4);
  }
}

TEST(Body, ACapsuleEndInsideTheOtherLeavesTheLargerSphere) {
  const Vector from{{0.1, 0, 0}}, to{{0.1, 0.1, 0}};
  Random random(33);
  const struct {
    billow_collider collider;
    Vector centre;
    double radius;
  } cases[] = {{testing::tapered_capsule(from, to, 0.3, 0.1), from, 0.3},
               {testing::tapered_capsule(from, to, 0.1, 0.3), to, 0.3},
               {testing::tapered_capsule(from, to, 0.2, 0.1), from, 0.2},
               {testing::capsule(from, from, 0.2), from, 0.2},
               {testing::tapered_capsule(from, from, 0.1, 0.2), from, 0.2}};
  for (const auto& c : cases) {
    const BodyHandle body = testing::make_body({c.collider});
    for (int i = 0; i < 200; ++i) {
      const Vector p = random.in_box(1);
      ASSERT_NEAR(testing::query(body, p).distance, length(p - c.centre) - c.radius, kRounding);
    }
  }
}

TEST(Body, CapsulesMayHaveAnyDirection) {
  // Straight down and nearly so is where a rotation from +y is undefined.
  Random random(34);
  std::vector<Vector> directions = {{{0, 1, 0}},     {{0, -1, 0}}, {{1e-4, -1, 0}},
                                    {{0, -1, 2e-3}}, {{1, 0, 0}},  {{0, 0, -1}}};
  for (int i = 0; i < 50; ++i) directions.push_back(random.direction());
  for (const Vector& direction : directions) {
    const Vector end = direction * 0.5;
    const BodyHandle body = testing::make_body({testing::capsule({}, end, 0.1)});
    const Vector tip = end + direction * 0.3;
    EXPECT_NEAR(testing::query(body, tip).distance, length(tip - end) - 0.1, kRounding)
        << direction[0] << ' ' << direction[1] << ' ' << direction[2];
    EXPECT_NEAR(testing::query(body, direction * -0.3).distance, 0.3 * length(direction) - 0.1, kRounding);
  }
}

// A rigid motion applied to all joints alike.
billow_transform moved(const billow_transform& joint, const Vector& shift,
                       const std::array<double, 4>& rotation) {
  const Vector p = shift + testing::rotate(rotation, testing::vector_at(joint.position, 0));
  const Quat a{static_cast<float>(rotation[0]), static_cast<float>(rotation[1]),
               static_cast<float>(rotation[2]), static_cast<float>(rotation[3])};
  const Quat q = a * Quat{joint.rotation[0], joint.rotation[1], joint.rotation[2], joint.rotation[3]};
  billow_transform out = testing::at(p);
  out.rotation[0] = q.x, out.rotation[1] = q.y, out.rotation[2] = q.z, out.rotation[3] = q.w;
  return out;
}

TEST(Body, CollidersFollowTheirJointsFromTheRestPose) {
  Random random(35);
  for (int round = 0; round < 30; ++round) {
    std::vector<billow_transform> rest;
    for (int j = 0; j < 3; ++j) rest.push_back(testing::at(random.in_box(1), random.rotation()));
    std::vector<billow_collider> colliders;
    for (int i = 0; i < 6; ++i) {
      // Some on one joint, some on a blend of several.
      colliders.push_back(testing::random_collider(random, 0.5));
      for (uint32_t k = 0; k < 3; ++k) {
        colliders.back().joint[k] = (static_cast<uint32_t>(i) + k) % 3;
        colliders.back().weight[k] = k == 0 ? 1.0f : i % 2 ? random.uniform_float(0, 2) : 0.0f;
      }
    }
    const BodyHandle body = testing::make_body(colliders, rest);
    std::vector<Vector> points;
    std::vector<float> before;
    for (int i = 0; i < 50; ++i) {
      // A body at rest need not be posed.
      points.push_back(random.in_box(1));
      before.push_back(testing::query(body, points.back()).distance);
    }
    const Vector shift = random.in_box(1);
    const auto rotation = random.rotation();
    std::vector<billow_transform> joints;
    for (const billow_transform& j : rest) joints.push_back(moved(j, shift, rotation));
    ASSERT_EQ(billow_body_pose(body.get(), joints.data(), 3, 1), BILLOW_OK);
    for (size_t i = 0; i < points.size(); ++i) {
      // Ellipsoids amplify rounding inside, near their centre plane.
      if (before[i] < -0.03f) continue;
      ASSERT_NEAR(testing::query(body, shift + testing::rotate(rotation, points[i])).distance, before[i],
                  1e-5);
    }
  }
}

TEST(Body, TwoJointsBlendByWeight) {
  billow_collider c = testing::capsule({}, {{0.3, 0, 0}}, 0.1);
  c.joint[1] = 1;
  c.weight[0] = 1;
  c.weight[1] = 3;
  // An unused entry may hold anything.
  c.joint[2] = 99;
  const BodyHandle body = testing::make_body({c}, {testing::at({}), testing::at({})});
  billow_transform joints[2] = {testing::at({}), testing::at({{1, 2, 0}})};
  ASSERT_EQ(billow_body_pose(body.get(), joints, 2, 1), BILLOW_OK);
  EXPECT_NEAR(testing::query(body, {{0.75, 1.5, 0}}).distance, -0.1, 1e-6);

  // Rotations by 0 and by 90 degrees with equal weights give 45.
  c.weight[1] = 1;
  const BodyHandle equal = testing::make_body({c}, {testing::at({}), testing::at({})});
  joints[1] = testing::at({}, testing::about_y(1.5707963267948966));
  ASSERT_EQ(billow_body_pose(equal.get(), joints, 2, 1), BILLOW_OK);
  const double s = std::sqrt(0.5);
  EXPECT_NEAR(testing::query(equal, {{0.5 * s, 0, -0.5 * s}}).distance, 0.1, 1e-6);

  // The same rotation written with the other sign is the same rotation.
  for (float& q : joints[1].rotation) q = -q;
  ASSERT_EQ(billow_body_pose(equal.get(), joints, 2, 1), BILLOW_OK);
  EXPECT_NEAR(testing::query(equal, {{0.5 * s, 0, -0.5 * s}}).distance, 0.1, 1e-6);
}

TEST(Body, ScaleMultipliesAllLengths) {
  Random random(36);
  std::vector<billow_collider> colliders;
  for (int i = 0; i < 8; ++i) colliders.push_back(testing::random_collider(random, 0.7));
  colliders[5].blend_with = 2;
  colliders[5].blend_radius = 0.2f;
  const std::vector<billow_transform> rest = {testing::at({{0.1, 0.2, 0.3}}, random.rotation())};
  const BodyHandle one = testing::make_body(colliders, rest), scaled = testing::make_body(colliders, rest);
  for (const float scale : {0.25f, 2.0f, 8.0f}) {
    // A character scaled about its joint.
    billow_transform joint = testing::at({{1, 0, 0}}, random.rotation());
    ASSERT_EQ(billow_body_pose(one.get(), &joint, 1, 1), BILLOW_OK);
    for (float& x : joint.position) x *= scale;
    ASSERT_EQ(billow_body_pose(scaled.get(), &joint, 1, scale), BILLOW_OK);
    for (int i = 0; i < 500; ++i) {
      const Vector p = random.in_box(2);
      const auto small = testing::query(one, p),
                 large = testing::query(scaled, p * static_cast<double>(scale));
      ASSERT_NEAR(large.distance, small.distance * scale, 3e-6 * static_cast<double>(scale));
      ASSERT_EQ(large.collider, small.collider);
    }
  }
}

TEST(PoseCollider, BoundsContainTheCollider) {
  Random random(37);
  for (int round = 0; round < 300; ++round) {
    const BodyHandle body = testing::make_body({testing::random_collider(random, 0.5)});
    const Transform place{{random.uniform_float(-1, 1), 0, 0},
                          normalized({0.1f, 0.2f, random.uniform_float(-1, 1), 1})};
    const float scale = random.uniform_float(0.5, 2);
    const PosedCollider c = pose_collider(body->body.colliders[0], scale, place, place);
    for (int i = 0; i < 50; ++i) {
      // No point is nearer to the collider than to the sphere around it.
      const Vector p = random.in_box(1.5);
      const V3 q{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
      ASSERT_GE(lane(distance_to(c, splat(q)).phi, 0), length(q - c.bound_centre) - c.bound_radius - 1e-5f);
    }
  }
}

TEST(Body, TheFirstPoseAndATeleportHaveNoMotion) {
  const BodyHandle handle = testing::make_body({testing::sphere({{0.1, 0, 0}}, 0.1)});
  const Body& body = handle->body;
  billow_transform joint = testing::at({{3, 0, 0}});
  ASSERT_EQ(billow_body_pose(handle.get(), &joint, 1, 1), BILLOW_OK);
  EXPECT_TRUE(same(body.before[0], body.now[0]));
  joint = testing::at({{4, 0, 0}});
  ASSERT_EQ(billow_body_pose(handle.get(), &joint, 1, 1), BILLOW_OK);
  EXPECT_FLOAT_EQ(body.before[0].position.x, 3.1f);
  EXPECT_FLOAT_EQ(body.now[0].position.x, 4.1f);
  joint = testing::at({{9, 0, 0}});
  ASSERT_EQ(billow_body_teleport(handle.get(), &joint, 1, 1), BILLOW_OK);
  EXPECT_TRUE(same(body.before[0], body.now[0]));
  EXPECT_FLOAT_EQ(body.now[0].position.x, 9.1f);
}

}  // namespace
}  // namespace billow::body_test
