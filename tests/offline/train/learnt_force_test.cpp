// The force that chains lack is learnt from a reference that has it.
#include "train/learnt_force.h"

#include <gtest/gtest.h>

#include "character/rope_chains.h"
#include "offline/ropes/set_from_bones.h"
#include "ropes/fit_ropes.h"

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

TEST(LearntForce, NeedsClips) {
  const testing::SmallSet set({std::string(3, 't')}, [](V3 rest, size_t, size_t) { return rest; });
  ForceOptions options;
  options.device = Device::kCpu;
  EXPECT_THROW(train_force(set.frames(), {0}, {}, character::rope_settings(set.garment()), options),
               std::runtime_error);
}

}  // namespace
}  // namespace billow::train
