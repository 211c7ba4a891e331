// The force that chains lack is learnt from a reference that has it.
#include "train/learnt_force.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/rope_chains.h"
#include "offline/ropes/set_from_bones.h"
#include "ropes/fit_ropes.h"
#include "train/force_rollouts.h"

namespace billow::train {
namespace {

TEST(LearntForce, MakesChainsMoveAsTheReference) {
  const std::vector<std::string> splits(6, std::string(60, 't'));
  const testing::SmallSet still(splits, [](V3 rest, size_t, size_t) { return rest; });
  const billow_settings settings = character::rope_settings(still.garment());
  // What the reference has and the chains do not: wind from the side, as it were, and thicker air.
  billow_settings reference = settings;
  reference.gravity[2] = 3;
  reference.global_damping = 4;
  const testing::SmallSet set =
      set_from_bones(still, ropes::simulate_ropes(still.frames(), reference), splits);
  const learn::Frames frames = set.frames();
  const ropes::ClipParts parts = ropes::clip_parts(frames);  // holds out every fifth clip
  ForceOptions options;
  options.rounds = 24;
  options.batch = 64;  // there are few frames
  options.longest = 1;
  options.device = Device::kCpu;
  int rounds = 0;
  options.report = [&](const ForceOptions::Round& round, const learn::Network&) { rounds = round.number; };
  const learn::Network force = train_force(frames, parts.train, parts.validation, settings, options);
  EXPECT_EQ(rounds, 24);
  const double before = ropes::measure_ropes(frames, settings).validation.gap.rms_mm,
               after = ropes::measure_ropes(frames, {settings, force}).validation.gap.rms_mm;
  EXPECT_GT(before, 10) << "mm";
  EXPECT_LT(after, 0.5 * before);

  // The same seed gives the same network.
  options.rounds = 2;
  options.report = {};
  const auto again = [&] {
    return train_force(frames, parts.train, {}, settings, options).layers[0].weights;
  };
  EXPECT_EQ(again(), again());
}

// Mean square of what chains are asked for that follow `move`, with a share of it asked of the chains beside them.
double asked(const testing::SmallSet::Move& move, float spread) {
  const testing::SmallSet set({std::string(30, 't')}, move);
  const learn::Frames frames = set.frames();
  ForceTarget target;
  target.spread = spread;
  target.limit = 1000;
  const ForceRollouts rollouts(frames, {0}, character::rope_settings(set.garment()));
  const ForceSamples samples = rollouts.run({}, 2, 1, target, 1);
  double sum = 0;
  for (const float a : samples.targets) sum += static_cast<double>(a) * static_cast<double>(a);
  return sum / static_cast<double>(samples.targets.size());
}

TEST(LearntForce, SpreadAsksForMotionAndNotForFolds) {
  const auto swing = [](V3 rest, size_t, size_t frame) {
    const float t = static_cast<float>(frame) / 30;
    return rest + V3{0, 0, 6 * t * t * (1.4f - rest.y)};
  };
  const auto fold = [&](V3 rest, size_t clip, size_t frame) {
    const V3 moved = swing(rest, clip, frame) - rest;
    return rest + moved * (std::abs(rest.x) < 0.1f ? -1.0f : 1.0f);  // the middle one of three chains
  };
  EXPECT_NEAR(asked(swing, 0.5f), asked(swing, 0), 0.1 * asked(swing, 0));
  EXPECT_LT(asked(fold, 0.5f), 0.5 * asked(fold, 0));
}

TEST(LearntForce, NeedsClips) {
  const testing::SmallSet set({std::string(3, 't')}, [](V3 rest, size_t, size_t) { return rest; });
  ForceOptions options;
  options.device = Device::kCpu;
  EXPECT_THROW(train_force(set.frames(), {0}, {}, character::rope_settings(set.garment()), options),
               std::runtime_error);
}

}  // namespace
}  // namespace billow::train
