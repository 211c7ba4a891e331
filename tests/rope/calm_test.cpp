// A chain that sways gently does not tremble, however large substep_angle is: docs/findings.md 26.
#include <gtest/gtest.h>

#include <billow/billow.hpp>
#include <cmath>
#include <vector>

namespace billow::calm_test {
namespace {

constexpr uint32_t kBones = 25;
constexpr float kRope = 0.05f;

struct Motion {
  double jerk = 0;  // RMS change of acceleration from frame to frame, mm per frame cubed
  double substeps = 0;
};

// The root oscillates by 5 cm, once per second.
Motion sway(float hz, uint32_t min_substeps) {
  std::vector<float> rest;
  for (uint32_t k = 0; k < kBones; ++k) rest.insert(rest.end(), {0, -kRope * static_cast<float>(k), 0});
  billow_chains_desc desc{};
  desc.chain_count = 1, desc.bone_counts = &kBones, desc.rest_positions = rest.data();
  billow_chains* chains = nullptr;
  EXPECT_EQ(billow_chains_create(&desc, &chains), BILLOW_OK) << billow_last_error();
  billow_settings s = billow_settings_default();
  s.mass.value = 0.006f, s.solver.substep_angle = 0.4f, s.solver.min_substeps = min_substeps;
  EXPECT_EQ(billow_chains_set_settings(chains, &s), BILLOW_OK) << billow_last_error();
  std::vector<std::vector<float>> x;
  Motion m;
  const int frames = static_cast<int>(6 * hz);
  for (int f = 0; f < frames; ++f) {
    const float t = static_cast<float>(f) / hz;
    const billow_transform root{{0.05f * std::sin(6.2832f * t), 0, 0}, {0, 0, 0, 1}};
    const billow_step step{1 / hz, &root, 1, nullptr, nullptr, nullptr, 0};
    EXPECT_EQ(billow_chains_step(chains, &step), BILLOW_OK) << billow_last_error();
    billow_chains_report report;
    billow_chains_get_report(chains, &report);
    m.substeps += static_cast<double>(report.substeps) / frames;
    x.emplace_back(3 * kBones);
    EXPECT_EQ(billow_chains_get_positions(chains, x.back().data(), kBones), BILLOW_OK);
  }
  billow_chains_destroy(chains);
  size_t count = 0;
  for (size_t f = static_cast<size_t>(hz); f + 3 < x.size(); ++f)
    for (size_t k = 0; k < x[f].size(); ++k, ++count) {
      const double j = 1000.0 * (x[f + 3][k] - 3 * x[f + 2][k] + 3 * x[f + 1][k] - x[f][k]);
      m.jerk += j * j;
    }
  m.jerk = std::sqrt(3 * m.jerk / static_cast<double>(count));
  return m;
}

TEST(Calm, LongStepsDoNotExciteTautRopes) {
  const Motion fine = sway(60, 8), chosen = sway(60, 1);
  std::printf("  jerk %.3f with 8 sub-steps, %.3f with %.2f\n", fine.jerk, chosen.jerk, chosen.substeps);
  EXPECT_LT(chosen.jerk, 1.3 * fine.jerk);
  EXPECT_LT(chosen.substeps, 3);
}

TEST(Calm, SubstepLengthDoesNotDependOnFrameRate) {
  EXPECT_NEAR(sway(120, 1).substeps, 1, 0.01);
  EXPECT_NEAR(sway(30, 1).substeps, 3, 0.5);
}

}  // namespace
}  // namespace billow::calm_test
