// Clips that go on for ever: no jump where they begin again.
#include "motion/loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "motion/motions.h"

namespace billow::motion {
namespace {

float distance(V3 a, V3 b) { return length(a - b); }

TEST(MotionLoop, GoesOnWhereItEnded) {
  const body::Person person = body::make_person();
  for (const char* kind : {"run", "dance"}) {
    const Clip clip = make_motion(person, {kind, 1, 12, 30, 0});
    const Loop loop = make_loop(clip, 2, 4);
    ASSERT_GE(loop.first, 60u);
    ASSERT_GE(loop.clip.frames.size(), loop.first + 121);
    const Pose& last = loop.clip.frames.back();
    const GroundMove move = ground_move(loop.clip.frames[loop.first], last);
    // The last frame is the first one of the loop, and the next ones are no further away than frames are anyway.
    const auto before = body::joint_transforms(person.skeleton, last);
    const auto same = body::joint_transforms(person.skeleton, move(loop.clip.frames[loop.first]));
    const auto next = body::joint_transforms(person.skeleton, move(loop.clip.frames[loop.first + 1]));
    float most = 0;
    for (size_t k = 1; k < loop.clip.frames.size(); ++k) {
      const auto a = body::joint_transforms(person.skeleton, loop.clip.frames[k - 1]);
      const auto b = body::joint_transforms(person.skeleton, loop.clip.frames[k]);
      for (size_t j = 0; j < a.size(); ++j) most = std::max(most, distance(a[j].position, b[j].position));
    }
    for (size_t j = 0; j < before.size(); ++j) {
      EXPECT_LT(distance(before[j].position, same[j].position), 1e-4f) << kind << ", joint " << j;
      EXPECT_LT(distance(before[j].position, next[j].position), 1.05f * most) << kind << ", joint " << j;
    }
  }
}

TEST(MotionLoop, NeedsAClipThatIsLongEnough) {
  const Clip clip = make_motion(body::make_person(), {"walk", 1, 3, 30, 0});
  EXPECT_THROW(make_loop(clip, 2, 4), std::invalid_argument);
}

}  // namespace
}  // namespace billow::motion
