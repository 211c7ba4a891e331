// Forward kinematics, and validation of skeletons and poses.
#include "body/skeleton.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>

namespace billow::body {
namespace {

constexpr float kQuarterTurn = 1.57079633f;

// The elbow is 1 m above the root and rotated at rest; the hand is 1 m along the elbow's x axis.
Skeleton arm() {
  return {{{"root", kNoJoint, {{0, 1, 0}, {0, 0, 0, 1}}},
           {"elbow", 0, {{0, 1, 0}, rotation_about({0, 0, 1}, kQuarterTurn)}},
           {"hand", 1, {{1, 0, 0}, {0, 0, 0, 1}}}}};
}

void expect_near(V3 found, V3 expected, float tolerance = 1e-6f) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}

TEST(Skeleton, RestTransformsAddUpAlongTheTree) {
  const std::vector<Transform> rest = rest_transforms(arm());
  ASSERT_EQ(rest.size(), 3u);
  expect_near(rest[0].position, {0, 1, 0});
  expect_near(rest[1].position, {0, 2, 0});
  expect_near(rest[2].position, {0, 3, 0});  // the elbow's rotation maps x to y
}

TEST(Skeleton, APoseReplacesTheRestRotationsAndMovesTheRoot) {
  const Skeleton skeleton = arm();
  Pose pose = rest_pose(skeleton);
  pose.root_position = {5, 0, 0};
  pose.rotations[0] = rotation_about({0, 1, 0}, kQuarterTurn);  // x to -z
  pose.rotations[1] = {0, 0, 0, 1};
  const std::vector<Transform> joints = joint_transforms(skeleton, pose);
  expect_near(joints[1].position, {5, 1, 0});
  expect_near(joints[2].position, {5, 1, -1});
}

TEST(Skeleton, RotationsAreNormalised) {
  const Skeleton skeleton = arm();
  Pose pose = rest_pose(skeleton);
  for (Quat& q : pose.rotations) q = {3 * q.x, 3 * q.y, 3 * q.z, 3 * q.w};
  expect_near(joint_transforms(skeleton, pose)[2].position, {0, 3, 0});
}

TEST(Skeleton, JointsAreFoundByName) {
  const Skeleton skeleton = arm();
  EXPECT_EQ(skeleton.find("elbow"), 1);
  EXPECT_EQ(skeleton.find("knee"), kNoJoint);
  EXPECT_EQ(skeleton.at("hand"), 2);
  EXPECT_THROW(skeleton.at("knee"), std::invalid_argument);
}

TEST(Skeleton, InvalidSkeletonsAreRefusedWithTheJointsName) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const struct {
    const char* what;
    std::function<void(Skeleton&)> corrupt;
    const char* expected;
  } cases[] = {
      {"none", [](Skeleton& s) { s.joints.clear(); }, "at least one joint"},
      {"no root", [](Skeleton& s) { s.joints[0].parent = 1; }, "'root': expected the root"},
      {"two roots", [](Skeleton& s) { s.joints[2].parent = kNoJoint; }, "'hand': expected an earlier joint"},
      {"own parent", [](Skeleton& s) { s.joints[2].parent = 2; }, "found 2"},
      {"later parent", [](Skeleton& s) { s.joints[1].parent = 2; }, "'elbow': expected an earlier joint"},
      {"no name", [](Skeleton& s) { s.joints[1].name.clear(); }, "expected a name"},
      {"same name", [](Skeleton& s) { s.joints[2].name = "elbow"; }, "expected a unique name"},
      {"not finite", [nan](Skeleton& s) { s.joints[1].rest.position.y = nan; }, "'elbow': expected a finite"},
      {"no rotation",
       [](Skeleton& s) {
         s.joints[1].rest.rotation = {0, 0, 0, 0};
       },
       "expected a rotation"},
  };
  EXPECT_NO_THROW(validate(arm()));
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    Skeleton skeleton = arm();
    c.corrupt(skeleton);
    try {
      validate(skeleton);
      ADD_FAILURE() << "nothing was refused";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(c.expected), std::string::npos) << e.what();
    }
  }
}

TEST(Skeleton, InvalidPosesAreRefused) {
  const Skeleton skeleton = arm();
  Pose pose = rest_pose(skeleton);
  pose.rotations.pop_back();
  EXPECT_THROW(joint_transforms(skeleton, pose), std::invalid_argument);
  pose = rest_pose(skeleton);
  pose.rotations[1].x = std::numeric_limits<float>::infinity();
  EXPECT_THROW(joint_transforms(skeleton, pose), std::invalid_argument);
  pose = rest_pose(skeleton);
  pose.rotations[1] = {0, 0, 0, 0};
  EXPECT_THROW(joint_transforms(skeleton, pose), std::invalid_argument);
}

}  // namespace
}  // namespace billow::body
