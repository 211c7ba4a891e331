#include "motion/separate_limbs.h"

#include <gtest/gtest.h>

#include <cstring>

#include "body/postures.h"

namespace billow::motion {
namespace {

// A second in which the knees pass through each other, or do not.
Clip knees(const body::Person& person, float turn) {
  Clip clip;
  clip.frames_per_second = 30;
  for (int f = 0; f < 30; ++f) {
    body::Pose pose = body::rest_pose(person.skeleton);
    const float angle = turn * std::sin(3.14159265f * static_cast<float>(f) / 29);
    for (const auto& [joint, sign] : {std::pair{"left_thigh", -1.0f}, {"right_thigh", 1.0f}})
      pose.rotations[static_cast<size_t>(person.skeleton.at(joint))] =
          body::rotation_about({0, 0, 1}, sign * angle);
    clip.frames.push_back(pose);
  }
  return clip;
}

TEST(SeparateLimbs, KneesThatOverlapAreMovedApart) {
  const body::Person person = body::make_person();
  Clip clip = knees(person, 0.2f);
  const float before = separate_limbs(person, clip);
  EXPECT_GT(before, 0.02f);
  Clip again = clip;
  const float after = separate_limbs(person, again);
  EXPECT_LT(after, -0.008f);
  // The motion stays smooth: no frame turns a thigh by more than twice what its neighbours do.
  for (size_t f = 1; f < clip.frames.size(); ++f)
    for (const char* joint : {"left_thigh", "right_thigh"}) {
      const auto j = static_cast<size_t>(person.skeleton.at(joint));
      EXPECT_LT(angle_between(clip.frames[f].rotations[j], clip.frames[f - 1].rotations[j]), 0.05f) << f;
    }
}

TEST(SeparateLimbs, LimbsWithRoomStayAsTheyAre) {
  const body::Person person = body::make_person();
  Clip clip = knees(person, -0.1f);
  const Clip before = clip;
  EXPECT_LE(separate_limbs(person, clip), -0.015f);
  for (size_t f = 0; f < clip.frames.size(); ++f)
    EXPECT_EQ(std::memcmp(clip.frames[f].rotations.data(), before.frames[f].rotations.data(),
                          sizeof(Quat) * clip.frames[f].rotations.size()),
              0);
}

}  // namespace
}  // namespace billow::motion
