// Baselines: skinning, the nearest frame, projections.
#include "research/comparison/baselines.h"

#include <gtest/gtest.h>

#include "learn/pca.h"
#include "offline/evaluate/small_set.h"
#include "research/comparison/measure.h"

namespace billow::research::baselines_test {
namespace {

using evaluate::embedded_bones;
using learn::fit_weights;
using learn::linear_blend;
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

}  // namespace
}  // namespace billow::research::baselines_test
