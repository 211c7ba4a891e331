// Gradients through free roll-outs find the setting that a reference was made with.
#include "train/differentiable/rollouts.h"

#include <gtest/gtest.h>

#include "character/rope_chains.h"
#include "offline/ropes/set_from_bones.h"
#include "ropes/simulate_ropes.h"

namespace billow::train::differentiable {
namespace {

TEST(Rollouts, GradientFindsTheSettingOfTheReference) {
  torch::set_num_threads(1);
  const std::vector<std::string> splits(2, std::string(40, 't'));
  const testing::SmallSet still(splits, [](V3 rest, size_t, size_t) { return rest; });
  const billow_settings settings = character::rope_settings(still.garment());
  billow_settings reference = settings;
  reference.gravity[2] = 3;  // wind from the side, as it were
  const testing::SmallSet set =
      set_from_bones(still, ropes::simulate_ropes(still.frames(), reference), splits);
  ReferenceMotions motions = read_motions(set.frames(), {0, 1}, settings);
  const std::vector<Start> starts{{0, 1}, {0, 15}, {1, 25}};

  // The zero of the derivative by the secant method.
  const auto derivative = [&](double side) {
    motions.model.gravity = torch::tensor({0.0, -9.81, side}, torch::kFloat32).requires_grad_();
    rollout_loss(motions.model, motions.clips, starts, 4).backward();
    return motions.model.gravity.grad()[2].item<double>();
  };
  double before = 0, side = 1, slope_before = derivative(before);
  EXPECT_LT(slope_before, 0);
  for (int round = 0; round < 3; ++round) {
    const double slope = derivative(side), next = side - slope * (side - before) / (slope - slope_before);
    before = side, slope_before = slope, side = next;
  }
  EXPECT_NEAR(side, 3, 0.3);
}

}  // namespace
}  // namespace billow::train::differentiable
