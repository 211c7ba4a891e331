// Points near a skinned body follow its skin.
#include "fit/skin_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "api/handles.h"
#include "body/postures.h"
#include "body/surface.h"
#include "sdf/query.h"
#include "support/random.h"

namespace billow::fit {
namespace {

// A tube along y, its lower half on joint 0 and its upper half on joint 1, with blended weights in between.
body::Skin make_tube() {
  body::Skin skin;
  constexpr uint32_t kRings = 21, kAround = 16;
  for (uint32_t r = 0; r < kRings; ++r)
    for (uint32_t a = 0; a < kAround; ++a) {
      const float height = static_cast<float>(r) / (kRings - 1),
                  angle = 6.2831853f * static_cast<float>(a) / kAround;
      skin.mesh.positions.push_back({0.1f * std::cos(angle), height, 0.1f * std::sin(angle)});
      const float upper = std::clamp((height - 0.35f) / 0.3f, 0.0f, 1.0f);
      skin.joints.push_back({0, 1, 0, 0});
      skin.weights.push_back({1 - upper, upper, 0, 0});
      const uint32_t here = r * kAround + a, next = r * kAround + (a + 1) % kAround;
      if (r + 1 == kRings) continue;
      skin.mesh.triangles.push_back({here, here + kAround, next});
      skin.mesh.triangles.push_back({next, here + kAround, next + kAround});
    }
  skin.joint_rest = {{{0, 0, 0}, {0, 0, 0, 1}}, {{0, 0.5f, 0}, {0, 0, 0, 1}}};
  return skin;
}

std::vector<Transform> bend(float angle, V3 shift) {
  const Transform root{shift, body::rotation_about({1, 2, 3}, 0.4f)};
  return {root, root * Transform{{0, 0.5f, 0}, body::rotation_about({1, 0, 0}, angle)}};
}

TEST(SkinMotion, ARigidMotionCarriesEverythingRigidly) {
  const body::Skin skin = make_tube();
  const std::vector<Transform> before = bend(0.5f, {0, 0, 0});
  const Transform motion{{0.3f, -0.1f, 0.2f}, body::rotation_about({0, 1, 1}, 0.3f)};
  std::vector<Transform> now;
  for (const Transform& t : before) now.push_back(motion * t);
  const SkinMotion moves(skin, before, now);
  testing::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const auto at = random.in_box(0.6);
    const V3 p{static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2])};
    EXPECT_LT(length(moves.carried(p) - apply(motion, p)), 2e-5f);
    EXPECT_LT(length(moves.velocity(apply(motion, p), 0.1f) - (apply(motion, p) - p) * 10.0f), 3e-4f);
  }
}

TEST(SkinMotion, TheSkinItselfGoesWhereItIsSkinned) {
  const body::Skin skin = make_tube();
  const auto before = bend(0.2f, {0, 0, 0}), now = bend(0.9f, {0.1f, 0, 0});
  std::vector<V3> a(skin.mesh.positions.size()), b(a.size());
  body::skin_vertices(skin, before, a);
  body::skin_vertices(skin, now, b);
  const SkinMotion moves(skin, before, now);
  for (size_t v = 0; v < a.size(); ++v) {
    EXPECT_LT(length(moves.carried(a[v]) - b[v]), 2e-5f) << "vertex " << v;
    EXPECT_LT(length(moves.velocity(b[v], 0.1f) - (b[v] - a[v]) * 10.0f), 3e-4f) << "vertex " << v;
  }
}

// Compares the runtime's blended colliders with the skin's motion, near the skin of the person.
TEST(SkinMotionSlow, CollidersCarryPointsNearlyAsTheSkinDoes) {
  const body::Person person = body::make_person();
  const body::Skin skin = body::make_skin(person);
  body::Surface surface(person.skeleton, person.colliders);
  testing::Random random(5);
  double differences = 0, speeds = 0;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    const body::Pose from = body::random_pose(person, 300 + seed, 0.5f),
                     to = body::random_pose(person, 400 + seed, 0.5f);
    // One fortieth of the way between two poses is one frame of a fast motion.
    body::Pose near = from;
    for (size_t j = 0; j < near.rotations.size(); ++j)
      near.rotations[j] = nlerp(from.rotations[j], to.rotations[j], 0.025f);
    const auto before = body::joint_transforms(person.skeleton, from),
               now = body::joint_transforms(person.skeleton, near);
    const SkinMotion moves(skin, before, now);
    surface.pose(before);
    const auto posed_now = body::to_api(now);
    ASSERT_EQ(billow_body_pose(surface.get(), posed_now.data(), static_cast<uint32_t>(posed_now.size()), 1),
              BILLOW_OK);
    const Body& b = surface.get()->body;
    std::vector<PosedCollider> posed;
    for (int i = 0; i < b.collider_count; ++i)
      posed.push_back(pose_collider(b.colliders[i], b.scale, b.before[i], b.now[i]));
    std::vector<V3> vertices(skin.mesh.positions.size());
    body::skin_vertices(skin, now, vertices);
    for (int i = 0; i < 400; ++i) {
      const auto offset = random.in_box(0.03);
      const V3 p =
          vertices[static_cast<size_t>(i) * vertices.size() / 400] +
          V3{static_cast<float>(offset[0]), static_cast<float>(offset[1]), static_cast<float>(offset[2])};
      const Nearest4 nearest =
          nearest_surface(all_of(posed.data(), b.collider_count), splat(p), splat(kFarAway));
      const V3 found = lane(body_velocity(posed.data(), nearest, splat(p), 30), 0);
      const V3 expected = moves.velocity(p, 1.0f / 30);
      differences += static_cast<double>(length(found - expected));
      speeds += static_cast<double>(length(expected));
    }
  }
  RecordProperty("mean_difference_per_mille", static_cast<int>(1000 * differences / speeds));
  EXPECT_LT(differences, 0.25 * speeds);
}

}  // namespace
}  // namespace billow::fit
