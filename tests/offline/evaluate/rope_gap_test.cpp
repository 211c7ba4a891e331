// The gap between rope bones and embedded ones.
#include "evaluate/rope_gap.h"

#include <gtest/gtest.h>

#include "offline/evaluate/small_set.h"

namespace billow::evaluate::rope_gap_test {
namespace {

using testing::SmallSet;

V3 waving(V3 p, size_t clip, size_t frame) {
  const float t = 0.2f * static_cast<float>(frame + 31 * clip), hang = 1.4f - p.y;
  return p + V3{0.1f * hang * std::sin(1.3f * t), 0, 0.3f * hang * std::sin(t + 2 * p.y + p.x)};
}

TEST(RopeGap, SplitsIntoPartsThatAddUp) {
  garment::Garment g;
  g.bones.resize(5);
  g.chains = {{0, 1}, {2, 3}};
  // Bone 1: bias 1, swings by +-2 together with bone 3, and by +-3 opposite to it. Bone 4 is in no chain.
  Matrix d = Matrix::Zero(4, 15);
  const float swing[] = {2, -2, 2, -2}, opposite[] = {3, 3, -3, -3}, lone[] = {4, -4, 4, -4};
  for (Eigen::Index f = 0; f < 4; ++f) {
    d(f, 3) = 1 + swing[f] + opposite[f];
    d(f, 9) = swing[f] - opposite[f];
    d(f, 14) = lone[f];
  }
  const RopeGap gap = split_gap(g, d / 1000);
  EXPECT_NEAR(gap.bias_mm, std::sqrt(1.0 / 5), 1e-4);
  EXPECT_NEAR(gap.swing_mm, std::sqrt(8.0 / 5), 1e-4);
  EXPECT_NEAR(gap.chain_to_chain_mm, std::sqrt((18 + 16) / 5.0), 1e-4);
  EXPECT_NEAR(gap.rms_mm, std::sqrt((1 + 8 + 18 + 16) / 5.0), 1e-4);
  EXPECT_NEAR(gap.tips_mm, std::sqrt((1 + 8 + 18) / 2.0), 1e-4);
}

TEST(RopeGap, AgainstTheChaosFloorOfUnseenClips) {
  const SmallSet set({"ttt", std::string(60, 'u')}, waving, [](V3 p, size_t c, size_t f) {
    // Differences before kSettled are ignored.
    return waving(p, c, f) + (f >= 45 ? V3{0, 0, 0.01f} : V3{1, 1, 1});
  });
  const Frames frames = set.frames();
  const RopeGap gap = rope_gap(frames, embedded_bones(frames), rope_bones(frames));
  EXPECT_EQ(gap.frames, 15u);
  EXPECT_NEAR(gap.rms_mm, 10, 1e-3);
  EXPECT_NEAR(gap.mean_mm, 10, 1e-3);
  EXPECT_NEAR(gap.bias_mm, 10, 1e-3);
  EXPECT_LT(gap.swing_mm + gap.chain_to_chain_mm, 1e-2);
  EXPECT_EQ(gap.chaos_floor_mm, 5);
  EXPECT_NEAR(gap.ratio, 2, 1e-3);
}

}  // namespace
}  // namespace billow::evaluate::rope_gap_test
