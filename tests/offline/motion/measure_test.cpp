// Quality measures detect sliding, penetration, jumps and joint limits.
#include "motion/measure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "body/postures.h"
#include "motion/motions.h"

namespace billow::motion {
namespace {

Clip standing(const body::Person& person, size_t frames) {
  return make_motion(person, {"stand", 1, static_cast<double>(frames) / 120, 120, 0});
}

TEST(MotionMeasure, AValidClipHasNoDefects) {
  const body::Person person = body::make_person();
  const MotionMeasures f = measure(person, standing(person, 240));
  EXPECT_EQ(f.frames, 240u);
  EXPECT_NEAR(f.seconds, 239.0 / 120, 1e-5);
  EXPECT_GT(f.limit_margin, 0);
  EXPECT_LT(f.slide.value, 0.001);
  EXPECT_LT(f.ground_penetration.value, 0.001);
  EXPECT_LT(f.floating.value, 0.001);
  EXPECT_EQ(f.self_penetration.value, 0);
}

TEST(MotionMeasure, DetectsFeetThatSlideSinkAndFloat) {
  const body::Person person = body::make_person();
  Clip sliding = standing(person, 120), sunk = sliding, floating = sliding;
  for (size_t k = 0; k < sliding.frames.size(); ++k)
    sliding.frames[k].root_position.z += 0.001f * static_cast<float>(k);
  EXPECT_NEAR(measure(person, sliding).slide.value, 0.119, 0.01);
  for (body::Pose& pose : sunk.frames) pose.root_position.y -= 0.02f;
  EXPECT_NEAR(measure(person, sunk).ground_penetration.value, 0.02, 0.002);
  for (body::Pose& pose : floating.frames) pose.root_position.y += 0.05f;
  EXPECT_NEAR(measure(person, floating).floating.value, 0.05, 0.002);
}

TEST(MotionMeasure, DetectsJumpsOfOneFrame) {
  const body::Person person = body::make_person();
  Clip clip = standing(person, 120);
  const size_t knee = static_cast<size_t>(person.skeleton.at("left_calf"));
  clip.frames[60].rotations[knee] = body::rotation_about({1, 0, 0}, 0.5f);
  const MotionMeasures f = measure(person, clip);
  EXPECT_EQ(f.joint_speed.where, "left_calf");
  EXPECT_GT(f.joint_speed.value, 0.3 * 120);
  EXPECT_GT(f.joint_acceleration.value, HumanLimits{}.joint_acceleration);
  EXPECT_GT(f.foot_acceleration.value, HumanLimits{}.foot_acceleration);
  EXPECT_NEAR(f.joint_speed.seconds, 0.5, 0.02);
}

TEST(MotionMeasure, DetectsLimbsInsideTheBody) {
  const body::Person person = body::make_person();
  Clip clip = standing(person, 2);
  // A hand that penetrates the belly.
  clip.frames[1] = body::posture(
      person.skeleton,
      {{"left_upper_arm", "raise", -0.6f}, {"left_upper_arm", "turn", 1.0f}, {"left_forearm", "flex", 1.9f}});
  const MotionMeasures f = measure(person, clip);
  EXPECT_GT(f.self_penetration.value, 0.02);
  EXPECT_EQ(f.self_penetration.where.rfind("left_", 0), 0u) << f.self_penetration.where;
}

TEST(MotionLimits, MarginsAreThoseOfTheJoints) {
  const body::Person person = body::make_person();
  const auto margin = [&](const char* joint, V3 axis, float radians) {
    body::Pose pose = body::rest_pose(person.skeleton);
    pose.rotations[static_cast<size_t>(person.skeleton.at(joint))] = body::rotation_about(axis, radians);
    return limit_margin(person.skeleton, pose);
  };
  EXPECT_GE(limit_margin(person.skeleton, body::rest_pose(person.skeleton)).radians, -1e-6);
  EXPECT_NEAR(margin("left_calf", {1, 0, 0}, 2.5f).radians, 135 * 3.14159265 / 180 - 2.5, 1e-4);
  EXPECT_EQ(margin("left_calf", {1, 0, 0}, -0.2f).angle, "left_calf flex");
  EXPECT_LT(margin("left_calf", {1, 0, 0}, -0.2f).radians, -0.19);
  EXPECT_LT(margin("right_calf", {0, 0, 1}, 0.3f).radians, -0.2);  // knees are hinges
  EXPECT_LT(margin("right_thigh", {1, 0, 0}, -2.3f).radians, -0.1);
  EXPECT_GT(margin("right_thigh", {1, 0, 0}, -1.0f).radians, -1e-6);
  EXPECT_LT(margin("spine_upper", {0, 1, 0}, 0.5f).radians, -0.2);
  EXPECT_LT(margin("left_forearm", {0.7071f, 0.7071f, 0}, 0.4f).radians, -0.3);  // elbows bend one way
  EXPECT_LT(margin("left_upper_arm", {0, 1, 0}, 2.6f).radians, 0);  // arms do not reach far behind
}

}  // namespace
}  // namespace billow::motion
