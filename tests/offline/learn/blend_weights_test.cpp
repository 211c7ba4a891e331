// Motions of bones, and the weights of linear blend skinning that are fitted to them.
#include "learn/blend_weights.h"

#include <gtest/gtest.h>

#include "evaluate/rope_gap.h"
#include "offline/evaluate/small_set.h"

namespace billow::learn::blend_weights_test {
namespace {

using evaluate::BoneSource;
using evaluate::embedded_bones;
using testing::SmallSet;

Transform some_motion(size_t frame) {
  testing::Random random(static_cast<uint32_t>(frame) + 5);
  const auto q = random.rotation();
  const auto f = [](double x) { return static_cast<float>(x); };
  return {{f(random.uniform(-1, 1)), f(random.uniform(-1, 1)), f(random.uniform(-1, 1))},
          {f(q[0]), f(q[1]), f(q[2]), f(q[3])}};
}

V3 rigidly(V3 p, size_t clip, size_t frame) { return apply(some_motion(100 * clip + frame), p); }

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

TEST(BlendWeights, AreExactOnRigidMotions) {
  const SmallSet set({"tttttttttt", "uuuu"}, rigidly);
  const Frames frames = set.frames();
  const BoneMotion motion(frames.garment());
  const std::vector<BlendWeights> weights = fit_weights(frames, motion, {});
  ASSERT_EQ(weights.size(), frames.rest().size());
  const BoneSource source = embedded_bones(frames);
  std::vector<float> cloth(frames.cloth_values());
  for (uint32_t f = 0; f < frames.size(); ++f) {
    const auto motions = motion.from({source.bones.row(f).data(), frames.bone_values()});
    const std::vector<V3> found = linear_blend(weights, motions, frames.rest());
    frames.cloth(f, cloth);
    for (size_t v = 0; v < found.size(); ++v)
      EXPECT_LT(length(found[v] - frames.rest()[v] - V3{cloth[3 * v], cloth[3 * v + 1], cloth[3 * v + 2]}),
                1e-3f);
    for (const float w : weights[f % weights.size()].weights) EXPECT_GE(w, 0);
  }
}

}  // namespace
}  // namespace billow::learn::blend_weights_test
