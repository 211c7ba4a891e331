// Long motions out of short ones: no jumps, stops in which nothing moves, and the same motion at both ends.
#include "motion/join.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "motion/motions.h"

namespace billow::motion::join_test {
namespace {

constexpr float kRate = 30;

const body::Person& person() {
  static const body::Person average = body::make_person();
  return average;
}

// The middle of a walk: it starts and ends in a stride.
Clip stride(uint32_t seed) {
  Clip clip = make_motion(person(), {"walk", seed, 6, 30, 1.4});
  clip.frames.erase(clip.frames.begin(), clip.frames.begin() + 60);
  return clip;
}

// How far the fastest joint goes from a frame to the next, m.
float step_of(const Clip& clip, size_t frame) {
  const auto before = body::joint_transforms(person().skeleton, clip.frames[frame - 1]),
             now = body::joint_transforms(person().skeleton, clip.frames[frame]);
  float farthest = 0;
  for (size_t j = 0; j < now.size(); ++j)
    farthest = std::max(farthest, length(now[j].position - before[j].position));
  return farthest;
}
float longest_step(const Clip& clip) {
  float longest = 0;
  for (size_t k = 1; k < clip.frames.size(); ++k) longest = std::max(longest, step_of(clip, k));
  return longest;
}

TEST(JoinMotions, StandsStillBetweenWalksWithoutAJump) {
  const std::vector<Clip> walks{stride(1), stride(2), stride(3)};
  const Pose standing = make_motion(person(), {"walk", 1, 1, 30, 0}).frames[0];
  const Clip joined = join(walks, standing, 60);
  validate(person().skeleton, joined);
  EXPECT_NEAR(static_cast<double>(joined.frames.size()), 60 * 30, 3);
  float fastest = 0;
  for (const Clip& walk : walks) fastest = std::max(fastest, longest_step(walk));
  // Blended limbs are at two places in half a second.
  EXPECT_LT(longest_step(joined), 1.5f * fastest + 0.02f);

  std::vector<size_t> stops;
  for (size_t k = 1, still = 0; k < joined.frames.size(); ++k) {
    const bool stands = step_of(joined, k) < 1e-4f;
    if (stands) ++still;
    if (!stands && still > 30) stops.push_back(still);
    if (!stands) still = 0;
  }
  ASSERT_EQ(stops.size(), 2u);
  for (const size_t frames : stops) EXPECT_NEAR(static_cast<double>(frames), 6 * 30, 3);
}

TEST(JoinMotions, EndsAsItBegins) {
  const std::vector<Clip> walks{stride(4), stride(5)};
  const Clip joined = join(walks, make_motion(person(), {"walk", 1, 1, 30, 0}).frames[0], 45);
  const size_t n = joined.frames.size(), stretch = 10 * 30;
  const GroundTransform move = ground_transform(joined.frames[0], joined.frames[n - stretch]);
  for (size_t k = 0; k < stretch; ++k) {
    const Pose expected = move(joined.frames[k]), &found = joined.frames[n - stretch + k];
    EXPECT_LT(length(expected.root_position - found.root_position), 1e-3f) << k;
    for (size_t j = 0; j < found.rotations.size(); ++j)
      EXPECT_LT(angle_between(expected.rotations[j], found.rotations[j]), 3e-3f) << k;
  }
}

TEST(JoinMotions, RefusesWhatCannotBeJoined) {
  const std::vector<Clip> walks{stride(1)};
  const Pose standing = walks[0].frames[0];
  EXPECT_THROW(join({}, standing, 60), std::invalid_argument);
  EXPECT_THROW(join(walks, standing, 26), std::invalid_argument);
  EXPECT_NEAR(join(walks, standing, 27).duration(), 27, 0.1f);
  const std::vector<Clip> rates{stride(1), resample(stride(2), 60)};
  EXPECT_THROW(join(rates, standing, 60), std::invalid_argument);
  std::vector<Clip> brief{stride(1)};
  brief[0].frames.resize(30);
  EXPECT_THROW(join(brief, standing, 60), std::invalid_argument) << "it would never fill ten seconds";
}

TEST(ThereAndBack, GoesOnWithoutAJump) {
  const Clip walk = stride(1), both = there_and_back(walk, 30);
  validate(person().skeleton, both);
  EXPECT_NEAR(both.duration(), 30, 1e-3f);
  EXPECT_EQ(both.frames_per_second, kRate);
  EXPECT_LT(longest_step(both), longest_step(walk) * 1.01f + 1e-4f);
  // The first pass is the clip, but for its end.
  for (size_t k = 0; k + 16 < walk.frames.size(); ++k)
    EXPECT_LT(length(both.frames[k].root_position - walk.frames[k].root_position), 1e-4f) << k;
  // Both ends are reached, to within the distance on which it turns.
  const float way = length(walk.frames.back().root_position - walk.frames[0].root_position);
  float farthest = 0, nearest = way;
  for (size_t k = 20; k < both.frames.size(); ++k) {
    const float at = length(both.frames[k].root_position - walk.frames[0].root_position);
    farthest = std::max(farthest, at), nearest = std::min(nearest, at);
  }
  EXPECT_GT(farthest, way - 0.5f);
  EXPECT_LT(nearest, 0.5f);
  // It slows down before it turns back.
  const size_t turn = walk.frames.size() - 1;
  EXPECT_LT(length(both.frames[turn + 1].root_position - both.frames[turn].root_position), 0.005f);
}

}  // namespace
}  // namespace billow::motion::join_test
