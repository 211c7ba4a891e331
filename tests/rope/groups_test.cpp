// Chains without springs between them move alike to the bit, whichever chains share their group of lanes.
#include <gtest/gtest.h>

#include <billow/billow.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace billow {
namespace {

constexpr uint32_t kSideBySide = 4, kBonesEach = 14;

// The bones of chain 0, which hangs beside others that `seed` places, while a capsule beats all of them.
std::vector<float> first_chain(uint64_t motion, uint64_t seed) {
  std::mt19937_64 of_motion(motion), of_places(seed);
  const auto uniform = [](std::mt19937_64& random, float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  const std::vector<uint32_t> counts(kSideBySide, kBonesEach);
  std::vector<float> rest;
  for (uint32_t c = 0; c < kSideBySide; ++c) {
    const float x = c == 0 ? 0.1f : uniform(of_places, -0.3f, 0.3f),
                z = c == 0 ? 0 : uniform(of_places, -0.3f, 0.3f);
    for (uint32_t i = 0; i < kBonesEach; ++i) rest.insert(rest.end(), {x, -0.08f * static_cast<float>(i), z});
  }
  billow_chains_desc d{};
  d.chain_count = kSideBySide, d.bone_counts = counts.data(), d.rest_positions = rest.data();
  Chains chains = Chains::create(d).value();
  Settings settings = billow_settings_default();
  settings.friction = 0.6f;
  settings.solver.push_direction = settings.solver.velocity_direction = BILLOW_CONTACT_DIRECTION_GRADIENT;
  settings.solver.min_substeps = settings.solver.max_substeps = 4;
  EXPECT_TRUE(chains.set(settings)) << billow_last_error();
  Collider limb = billow_collider_default();
  limb.shape = BILLOW_SHAPE_CAPSULE, limb.radius = 0.12f, limb.end[0] = 0.5f;
  Body body = Body::create(std::vector<Collider>{limb}, 1).value();

  const float swing = uniform(of_motion, 4, 14), shake = uniform(of_motion, 2, 12);
  std::vector<Transform> roots(kSideBySide);
  for (int k = 0; k < 60; ++k) {
    const float t = static_cast<float>(k) / 60;
    for (uint32_t c = 0; c < kSideBySide; ++c)
      roots[c] = translation(rest[3 * c * kBonesEach] + 0.3f * std::sin(shake * t),
                             0.1f * std::sin(2 * shake * t), rest[3 * c * kBonesEach + 2]);
    const Transform joint =
        translation(-0.3f, -0.5f + 0.2f * std::cos(swing * t), 0.4f * std::sin(swing * t));
    EXPECT_TRUE(body.pose(std::vector<Transform>{joint}));
    EXPECT_TRUE(chains.step(1.0f / 60, roots, &body)) << billow_last_error();
  }
  std::vector<float> x(3 * kSideBySide * kBonesEach);
  EXPECT_TRUE(chains.positions(x));
  x.resize(3 * kBonesEach);
  return x;
}

TEST(Groups, ChainsDoNotDependOnThoseBesideThem) {
  for (uint64_t motion = 1; motion <= 60; ++motion)
    EXPECT_EQ(first_chain(motion, 1), first_chain(motion, 2)) << "motion " << motion;
}

}  // namespace
}  // namespace billow
