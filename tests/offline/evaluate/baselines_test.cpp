// Baselines: skinning, the nearest frame, projections; and the rope gap.
#include "evaluate/baselines.h"

#include <gtest/gtest.h>

#include "evaluate/measure.h"
#include "evaluate/rope_gap.h"
#include "learn/pca.h"
#include "offline/evaluate/small_set.h"

namespace billow::evaluate::baselines_test {
namespace {

using testing::SmallSet;

Transform some_motion(size_t frame) {
  testing::Random random(static_cast<uint32_t>(frame) + 5);
  const auto q = random.rotation();
  const auto f = [](double x) { return static_cast<float>(x); };
  return {{f(random.uniform(-1, 1)), f(random.uniform(-1, 1)), f(random.uniform(-1, 1))},
          {f(q[0]), f(q[1]), f(q[2]), f(q[3])}};
}

V3 rigidly(V3 p, size_t clip, size_t frame) { return apply(some_motion(100 * clip + frame), p); }

V3 waving(V3 p, size_t clip, size_t frame) {
  const float t = 0.2f * static_cast<float>(frame + 31 * clip), hang = 1.4f - p.y;
  return p + V3{0.1f * hang * std::sin(1.3f * t), 0, 0.3f * hang * std::sin(t + 2 * p.y + p.x)};
}

double error(const Frames& frames, const Predictor& p, size_t set) {
  return measure(frames, {&p, 1}, {.everything = false})[0].sets[set].rmse_mm;
}

TEST(BoneMotion, OfARigidBody) {
  const SmallSet set({"tttttttt"}, rigidly);
  const Frames frames = set.frames();
  const BoneMotion motion(frames.garment());
  const BoneSource source = embedded_bones(frames);
  for (uint32_t f = 0; f < frames.size(); ++f) {
    const auto motions = motion.from({source.bones.row(f).data(), frames.bone_values()});
    ASSERT_EQ(motions.size(), 17u);
    for (const Transform& m : motions)
      for (const V3 p : {V3{0, 0, 0}, V3{1, 0, 0}, V3{0, 1, 0}, V3{0, 0, 1}})
        EXPECT_LT(length(apply(m, p) - rigidly(p, 0, f)), 2e-4f);
  }
}

TEST(BoneMotion, StaysFiniteWhereThereIsNoFrame) {
  const SmallSet set({"t"}, rigidly);
  const Frames frames = set.frames();
  const BoneMotion motion(frames.garment());
  // All bones at one point, and all on one line.
  std::vector<float> point, line;
  for (size_t b = 0; b < motion.rest().size(); ++b) {
    const V3 p = motion.rest()[b];
    for (const float x : {-p.x, -p.y, -p.z}) point.push_back(x);
    for (const float x : {-p.x, 0.1f * static_cast<float>(b) - p.y, -p.z}) line.push_back(x);
  }
  for (const auto& d : {point, line})
    for (const Transform& m : motion.from(d)) {
      EXPECT_NEAR(dot(m.rotation, m.rotation), 1, 1e-4);
      EXPECT_TRUE(std::isfinite(length(m.position)));
    }
}

TEST(Skinning, IsExactOnRigidMotions) {
  const SmallSet set({"tttttttttt", "uuuu"}, rigidly);
  const Frames frames = set.frames();
  const BoneMotion motion(frames.garment());
  const auto weights = fit_weights(frames, motion, {});
  const BoneSource source = embedded_bones(frames);
  for (const Skinning method : {Skinning::kLinearBlend, Skinning::kDualQuaternion})
    EXPECT_LT(error(frames, skinned("", frames, source, motion, weights, method), 3), 0.3);
}

TEST(Skinning, FitsWeights) {
  const SmallSet set({std::string(60, 't'), std::string(20, 'u')}, waving);
  const Frames frames = set.frames();
  const BoneMotion motion(frames.garment());
  const auto weights = fit_weights(frames, motion, {});
  ASSERT_EQ(weights.size(), frames.rest().size());
  for (const BlendWeights& w : weights) {
    float sum = 0;
    for (const float x : w.weights) {
      EXPECT_GE(x, 0);
      sum += x;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  // Far better than the rest shape.
  const BoneSource source = embedded_bones(frames);
  const Predictor lbs = skinned("", frames, source, motion, weights, Skinning::kLinearBlend);
  Predictor still{"", [](std::span<const uint32_t>, Eigen::Ref<Matrix> out) { out.setZero(); }};
  EXPECT_LT(error(frames, lbs, 3), 0.2 * error(frames, still, 3));
}

// With two bones of equal weight linear blending collapses; dual quaternions keep the distance to the axis.
TEST(Skinning, LinearBlendCollapsesAndDualQuaternionsDoNot) {
  const std::vector<Transform> motions{{}, {{0, 0, 0}, {0, 1, 0, 0}}};  // 180 degrees about y
  const BlendWeights half[] = {{{0, 1, 0, 0}, {0.5f, 0.5f, 0, 0}}};
  const V3 rest[] = {{1, 0, 0}};
  EXPECT_LT(length(linear_blend(half, motions, rest)[0]), 1e-6f);
  const V3 kept = dual_quaternion(half, motions, rest)[0];
  EXPECT_NEAR(length(kept), 1, 1e-6);
  EXPECT_NEAR(std::fabs(kept.z), 1, 1e-6);
}

TEST(Baselines, NearestFrameFindsItself) {
  const SmallSet set({std::string(30, 't') + "vhv", "uuuu"}, waving);
  const Frames frames = set.frames();
  const BoneSource source = embedded_bones(frames);
  const Predictor nearest = nearest_frame("", frames, source);
  EXPECT_EQ(error(frames, nearest, 0), 0);
  EXPECT_GT(error(frames, nearest, 1), 0);
}

TEST(Baselines, ProjectionIsTheLeastError) {
  const SmallSet set({std::string(40, 't'), "uuuu"}, waving);
  const Frames frames = set.frames();
  const auto rows = learn::cloth_rows(frames, frames.of(dataset::Part::kTrain));
  const learn::Basis basis = learn::principal_components(rows, {.components = 2}).basis;
  const Predictor floor = projection("", frames, basis);
  Predictor shifted{"", [&](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
                      Matrix cloth(out.rows(), out.cols());
                      truth(frames).predict(which, cloth);
                      Matrix c = basis.project(cloth);
                      c.col(0).array() += 0.05f;
                      out = basis.expand(c);
                    }};
  const double at_floor = error(frames, floor, 3), above = error(frames, shifted, 3);
  EXPECT_GT(at_floor, 0.1);
  // The basis is orthonormal, so squares add up.
  const double vertices = static_cast<double>(frames.rest().size());
  EXPECT_NEAR(above * above, at_floor * at_floor + 50.0 * 50 / vertices, 0.01);
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
}  // namespace billow::evaluate::baselines_test
