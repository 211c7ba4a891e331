// The built-in person: human proportions, a valid skin, and colliders that agree with it.
#include "body/person.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "body/agreement.h"
#include "body/postures.h"
#include "body/skin.h"
#include "body/surface.h"

namespace billow::body {
namespace {

V3 at(const Person& person, const char* joint) {
  return rest_transforms(person.skeleton)[static_cast<size_t>(person.skeleton.at(joint))].position;
}

TEST(Person, HasHumanProportions) {
  const Person person = make_person({1.8f, 0});
  EXPECT_EQ(person.skeleton.size(), 22u);
  EXPECT_LE(person.colliders.size(), 32u);  // the default collider limit of chains
  EXPECT_EQ(person.colliders.size(), person.collider_names.size());
  // Winter's fractions of the height.
  EXPECT_NEAR(at(person, "left_calf").y, 0.285f * 1.8f, 0.02f);
  EXPECT_NEAR(at(person, "left_foot").y, 0.039f * 1.8f, 0.02f);
  EXPECT_NEAR(length(at(person, "left_forearm") - at(person, "left_upper_arm")), 0.186f * 1.8f, 0.01f);
  EXPECT_NEAR(length(at(person, "left_hand") - at(person, "left_forearm")), 0.146f * 1.8f, 0.01f);
  // Left is +x, the right side mirrors it, and the arms are 45 degrees down.
  const V3 arm = at(person, "left_hand") - at(person, "left_upper_arm");
  EXPECT_GT(arm.x, 0.3f);
  EXPECT_NEAR(arm.x, -arm.y, 0.01f);
  EXPECT_EQ(at(person, "right_hand").x, -at(person, "left_hand").x);
}

TEST(Person, StandsOnTheGroundAndHasTheGivenHeight) {
  for (const std::string& name : person_presets()) {
    SCOPED_TRACE(name);
    for (const float height : {1.5f, 1.75f, 2.0f}) {
      PersonShape shape = person_preset(name);
      shape.height = height;
      const Person person = make_person(shape);
      const Surface surface(person.skeleton, person.colliders);
      EXPECT_NEAR(surface.at({0, 3, 0}).distance, 3 - height, 0.01f);
      // The soles reach at most 3 mm below the ground.
      float lowest = 1;
      for (int x = -40; x <= 40; ++x)
        for (int z = -20; z <= 30; ++z)
          lowest = std::min(
              lowest,
              surface.at({0.01f * static_cast<float>(x), -0.05f, 0.01f * static_cast<float>(z)}).distance);
      EXPECT_NEAR(lowest, 0.05f, 0.003f);
    }
  }
}

TEST(Person, IsTheSameOnBothSides) {
  const Person person = make_person(person_preset("heavy"));
  const Surface surface(person.skeleton, person.colliders);
  for (int i = 0; i < 500; ++i) {
    const float t = static_cast<float>(i);
    const V3 p{0.5f * std::fabs(std::sin(1.3f * t)), 0.9f + 0.9f * std::sin(2.1f * t),
               0.3f * std::sin(3.7f * t)};
    EXPECT_NEAR(surface.at(p).distance, surface.at({-p.x, p.y, p.z}).distance, 1e-5f);
  }
}

TEST(Person, HeavierIsWider) {
  // Distance of the waist from a point in front of it.
  const auto distance_to_waist = [](const char* preset) {
    const Person person = make_person(person_preset(preset));
    return Surface(person.skeleton, person.colliders).at({0, 1.1f, 0.25f}).distance;
  };
  EXPECT_GT(distance_to_waist("slim"), distance_to_waist("average") + 0.01f);
  EXPECT_GT(distance_to_waist("average"), distance_to_waist("heavy") + 0.02f);
}

TEST(Person, RefusesShapesOutOfRange) {
  EXPECT_THROW(make_person({0.5f, 0}), std::invalid_argument);
  EXPECT_THROW(make_person({1.75f, 3}), std::invalid_argument);
  EXPECT_THROW(make_person({std::nanf(""), 0}), std::invalid_argument);
  EXPECT_THROW(person_preset("tiny"), std::invalid_argument);
}

TEST(Person, PosturesAreClampedToTheirRanges) {
  const Person person = make_person();
  EXPECT_THROW(posture(person.skeleton, {{"left_calf", "wag", 1}}), std::invalid_argument);
  EXPECT_THROW(posture(person.skeleton, {{"tail", "flex", 1}}), std::invalid_argument);
  // A knee bends back and no farther than 135 degrees.
  const Pose bent = posture(person.skeleton, {{"left_calf", "flex", 9}});
  const std::vector<Transform> joints = joint_transforms(person.skeleton, bent);
  const V3 knee = joints[static_cast<size_t>(person.skeleton.at("left_calf"))].position,
           foot = joints[static_cast<size_t>(person.skeleton.at("left_foot"))].position;
  EXPECT_LT(foot.z, knee.z - 0.2f);
  EXPECT_GT(foot.y, knee.y);
  // Mirrored angles give mirrored poses.
  const Pose both = posture(person.skeleton, {{"left_upper_arm", "raise", 0.7f},
                                              {"right_upper_arm", "raise", 0.7f},
                                              {"left_upper_arm", "forward", 0.4f},
                                              {"right_upper_arm", "forward", 0.4f},
                                              {"left_forearm", "flex", 1.0f},
                                              {"right_forearm", "flex", 1.0f}});
  const std::vector<Transform> arms = joint_transforms(person.skeleton, both);
  const V3 left = arms[static_cast<size_t>(person.skeleton.at("left_hand"))].position,
           right = arms[static_cast<size_t>(person.skeleton.at("right_hand"))].position;
  EXPECT_NEAR(left.x, -right.x, 1e-5f);
  EXPECT_NEAR(left.y, right.y, 1e-5f);
  EXPECT_NEAR(left.z, right.z, 1e-5f);
  EXPECT_GT(left.z, 0.2f);
}

TEST(Person, RandomPosesAreSeeded) {
  const Person person = make_person();
  const Pose a = random_pose(person, 7), b = random_pose(person, 7), c = random_pose(person, 8);
  EXPECT_EQ(dot(a.rotations[9], b.rotations[9]), dot(a.rotations[9], a.rotations[9]));
  EXPECT_LT(std::fabs(dot(a.rotations[9], c.rotations[9])), 0.9999f);
}

// Finite differences of the distance at a point.
struct Slopes {
  V3 middle;          // central differences
  float uncertainty;  // half the difference of forward and backward differences: large only at kinks
};
Slopes slopes_at(const Surface& surface, V3 p) {
  constexpr float kStep = 0.0005f;  // m
  const float here = surface.at(p).distance;
  float middle[3], uncertainty = 0;
  for (int k = 0; k < 3; ++k) {
    const V3 step{k == 0 ? kStep : 0, k == 1 ? kStep : 0, k == 2 ? kStep : 0};
    const float after = surface.at(p + step).distance - here, before = here - surface.at(p - step).distance;
    middle[k] = (after + before) / (2 * kStep);
    uncertainty += std::fabs(after - before) / (2 * kStep);
  }
  return {{middle[0], middle[1], middle[2]}, uncertainty};
}

TEST(Person, GradientsAreThoseOfTheDistance) {
  const Person person = make_person();
  Surface surface(person.skeleton, person.colliders);
  std::mt19937 engine(1);
  const auto uniform = [&] { return static_cast<float>(static_cast<double>(engine()) / 2147483648.0 - 1); };
  int points = 0, smooth = 0;
  for (uint32_t pose = 0; pose < 40; ++pose) {
    const std::vector<Transform> joints = joint_transforms(person.skeleton, random_pose(person, 7000 + pose));
    surface.pose(joints);
    for (int k = 0; k < 250; ++k) {
      const V3 p = joints[engine() % joints.size()].position + V3{uniform(), uniform(), uniform()} * 0.2f;
      const Surface::Sample at = surface.at(p);
      if (std::fabs(at.distance) > 0.1f) continue;
      ++points;
      EXPECT_NEAR(length(at.gradient), 1, 1e-5f);
      // The slope of a smooth union is below 1 where two colliders merge, never above: compare directions.
      const Slopes slopes = slopes_at(surface, p);
      const float steepness = length(slopes.middle);
      EXPECT_LE(steepness, 1.002f);
      EXPECT_LE(length(slopes.middle - at.gradient * steepness), 0.003f + 2 * slopes.uncertainty);
      smooth += slopes.uncertainty < 0.02f;
    }
  }
  EXPECT_GT(points, 4000);
  EXPECT_GT(smooth, points * 95 / 100);
}

// Invariants of every person's skin.
void check_skin(const Person& person, const Skin& skin) {
  const Topology t = topology_of(skin.mesh);
  EXPECT_TRUE(t.closed);
  EXPECT_TRUE(t.manifold);
  EXPECT_EQ(t.components, 1);
  EXPECT_EQ(t.euler, 2);
  EXPECT_GT(t.volume, 0.03);  // m3; positive, so wound outward
  EXPECT_LT(t.volume, 0.12);
  EXPECT_GT(t.smallest_angle, 0.17f);  // 10 degrees
  EXPECT_GE(skin.mesh.positions.size(), 5000u);
  EXPECT_LE(skin.mesh.positions.size(), 10000u);

  const RestAgreement rest = rest_agreement(skin, person.skeleton, person.colliders);
  EXPECT_LE(rest.vertices, 0.0002f);
  EXPECT_LE(rest.edges, 0.002f);
  EXPECT_LE(rest.faces, 0.002f);

  ASSERT_EQ(skin.weights.size(), skin.mesh.positions.size());
  for (size_t v = 0; v < skin.weights.size(); ++v) {
    float sum = 0;
    for (size_t k = 0; k < kJointsPerVertex; ++k) {
      ASSERT_GE(skin.weights[v][k], 0);
      ASSERT_LT(skin.joints[v][k], person.skeleton.size());
      sum += skin.weights[v][k];
    }
    ASSERT_NEAR(sum, 1, 1e-5f);
  }
  // Weights change gradually from vertex to vertex.
  for (const Edge& e : edges_of(skin.mesh)) {
    float change = 0;
    for (uint32_t joint = 0; joint < person.skeleton.size(); ++joint) {
      const auto of = [&](uint32_t v) {
        float w = 0;
        for (size_t k = 0; k < kJointsPerVertex; ++k)
          if (skin.joints[v][k] == joint) w += skin.weights[v][k];
        return w;
      };
      change = std::max(change, std::fabs(of(e.a) - of(e.b)));
    }
    ASSERT_LE(change, 0.9f);
  }
  // Skinning with the rest pose is the identity.
  std::vector<V3> out(skin.mesh.positions.size());
  skin_vertices(skin, skin.joint_rest, out);
  for (size_t v = 0; v < out.size(); ++v) ASSERT_LT(length(out[v] - skin.mesh.positions[v]), 1e-5f);
}

// Compares colliders and skin in poses that neither weights nor colliders were fitted to.
void check_poses(const Person& person, const Skin& skin, uint32_t poses) {
  constexpr uint32_t kFirstSeed = 900000;
  constexpr size_t kPoints = 10000;
  std::vector<PosedAgreement> parts;
  for (uint32_t k = 0; k < poses; ++k)
    parts.push_back(
        posed_agreement(person, skin, random_pose(person, kFirstSeed + k), kPoints, kFirstSeed + k));
  const PosedAgreement all = combine(parts);
  EXPECT_EQ(all.points, poses * kPoints);
  EXPECT_LE(all.mean, 0.004);
  EXPECT_LE(all.p95, 0.012);
  EXPECT_LE(all.max_wrong_depth, 0.015)
      << "near " << all.deepest_wrong.x << ' ' << all.deepest_wrong.y << ' ' << all.deepest_wrong.z;
  for (const auto& [name, value] :
       {std::pair{"mean_mm", all.mean}, {"p95_mm", all.p95}, {"wrong_sign_mm", all.max_wrong_depth}})
    ::testing::Test::RecordProperty(name, std::to_string(1000 * value));
}

class PersonSkinSlow : public ::testing::TestWithParam<std::pair<const char*, uint32_t>> {};

TEST_P(PersonSkinSlow, IsSoundAndAgreesWithTheColliders) {
  const auto [preset, poses] = GetParam();
  const Person person = make_person(person_preset(preset));
  const Skin skin = make_skin(person);
  check_skin(person, skin);
  check_poses(person, skin, poses);
}

INSTANTIATE_TEST_SUITE_P(Presets, PersonSkinSlow,
                         ::testing::Values(std::pair{"slim", 30u}, std::pair{"average", 200u},
                                           std::pair{"heavy", 30u}),
                         [](const auto& of) { return std::string(of.param.first); });

}  // namespace
}  // namespace billow::body
