// Seamless loops: no jump where they restart.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "motion/clip.h"
#include "motion/motions.h"

namespace billow::motion {
namespace {

float distance(V3 a, V3 b) { return length(a - b); }

TEST(MotionLoop, ContinuesWithoutAJump) {
  const body::Person person = body::make_person();
  for (const char* kind : {"run", "dance"}) {
    const Clip clip = make_motion(person, {kind, 1, 12, 30, 0});
    const Loop loop = make_loop(clip, 2, 4);
    ASSERT_GE(loop.first, 60u);
    ASSERT_GE(loop.clip.frames.size(), loop.first + 121);
    const Pose& last = loop.clip.frames.back();
    const GroundTransform move = ground_transform(loop.clip.frames[loop.first], last);
    // The last frame equals the first of the loop, and the next step is no larger than other steps of the
    // clip.
    const auto before = body::joint_transforms(person.skeleton, last);
    const auto same = body::joint_transforms(person.skeleton, move(loop.clip.frames[loop.first]));
    const auto next = body::joint_transforms(person.skeleton, move(loop.clip.frames[loop.first + 1]));
    float max_step = 0;
    for (size_t k = 1; k < loop.clip.frames.size(); ++k) {
      const auto a = body::joint_transforms(person.skeleton, loop.clip.frames[k - 1]);
      const auto b = body::joint_transforms(person.skeleton, loop.clip.frames[k]);
      for (size_t j = 0; j < a.size(); ++j)
        max_step = std::max(max_step, distance(a[j].position, b[j].position));
    }
    for (size_t j = 0; j < before.size(); ++j) {
      EXPECT_LT(distance(before[j].position, same[j].position), 1e-4f) << kind << ", joint " << j;
      EXPECT_LT(distance(before[j].position, next[j].position), 1.05f * max_step) << kind << ", joint " << j;
    }
  }
}

TEST(MotionLoop, NeedsAClipThatIsLongEnough) {
  const Clip clip = make_motion(body::make_person(), {"walk", 1, 3, 30, 0});
  EXPECT_THROW(make_loop(clip, 2, 4), std::invalid_argument);
}

}  // namespace
}  // namespace billow::motion
