// Cloth between neighbouring chains that is wider than their distance: air on folds, lateral slack, shear.
#include <gtest/gtest.h>

#include <billow/billow.hpp>
#include <memory>
#include <vector>

namespace billow::panels_test {
namespace {

constexpr uint32_t kBones = 6;
constexpr float kRope = 0.1f, kApart = 0.05f;

struct Owned {
  void operator()(billow_chains* chains) const { billow_chains_destroy(chains); }
};
using OwnedChains = std::unique_ptr<billow_chains, Owned>;

// Two chains side by side in x, with `width` of cloth between them.
OwnedChains two_chains(float width, const billow_settings& settings, float area = 0) {
  const uint32_t counts[] = {kBones, kBones};
  std::vector<float> rest, lateral(2 * kBones, width), areas(2 * kBones, area);
  for (int c = 0; c < 2; ++c)
    for (uint32_t k = 0; k < kBones; ++k)
      rest.insert(rest.end(), {kApart * static_cast<float>(c), -kRope * static_cast<float>(k), 0});
  billow_chains_desc desc{};
  desc.chain_count = 2, desc.bone_counts = counts, desc.rest_positions = rest.data();
  desc.neighbours = 1, desc.lateral_lengths = lateral.data(), desc.areas = areas.data();
  billow_chains* chains = nullptr;
  EXPECT_EQ(billow_chains_create(&desc, &chains), BILLOW_OK) << billow_last_error();
  EXPECT_EQ(billow_chains_set_settings(chains, &settings), BILLOW_OK) << billow_last_error();
  return OwnedChains(chains);
}

billow_settings light() {
  billow_settings s = billow_settings_default();
  s.mass.value = 0.001f;
  s.global_damping = 3;
  s.sleep_after = 0;  // until they hang still
  return s;
}

// Positions after some seconds, during which the second root moves aside.
std::vector<float> after(const OwnedChains& chains, float seconds, float aside, float wind_x = 0) {
  billow_wind wind{};
  wind.velocity[0] = wind_x;
  EXPECT_EQ(billow_chains_set_wind(chains.get(), &wind), BILLOW_OK);
  for (int frame = 0; static_cast<float>(frame) < 60 * seconds; ++frame) {
    const float x = kApart + aside * std::min(1.0f, static_cast<float>(frame) / 60);
    const billow_transform roots[] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{x, 0, 0}, {0, 0, 0, 1}}};
    const billow_step step{1.0f / 60, roots, 2, nullptr, nullptr, nullptr, 0};
    EXPECT_EQ(billow_chains_step(chains.get(), &step), BILLOW_OK) << billow_last_error();
  }
  std::vector<float> x(3 * 2 * kBones);
  EXPECT_EQ(billow_chains_get_positions(chains.get(), x.data(), 2 * kBones), BILLOW_OK);
  return x;
}
float tip(const std::vector<float>& x, size_t chain, size_t axis) {
  return x[3 * ((chain + 1) * kBones - 1) + axis];
}

TEST(LateralLengths, ClothPullsOnlyWhereItIsSpreadOut) {
  billow_settings s = light();
  s.lateral_stretch.value = 10;
  const auto apart = [&](float width) {
    const auto x = after(two_chains(width, s), 6, 0.1f);
    return tip(x, 1, 0) - tip(x, 0, 0);
  };
  EXPECT_NEAR(apart(0.2f), kApart + 0.1f, 1e-3f) << "0.15 m apart with 0.2 m of cloth: they hang straight";
  EXPECT_LT(apart(0.1f), 0.12f) << "0.1 m of cloth draws them together";
  EXPECT_NEAR(apart(0), apart(kApart), 1e-6f) << "less than the rest distance counts as the rest distance";
}

TEST(PanelFolds, AreMovedByAirAlongThePanel) {
  billow_settings s = light();
  s.panel_drag = 1;
  const auto swept = [&](float folds, float width, float area) {
    s.panel_folds = folds;
    return tip(after(two_chains(width, s, area), 4, 0, 2), 0, 0);
  };
  EXPECT_NEAR(swept(0, 0.2f, 0), 0, 1e-3f) << "a flat panel is not moved by air along it";
  EXPECT_NEAR(swept(1, kApart, 0), 0, 1e-3f) << "nor is cloth without folds";
  EXPECT_GT(swept(1, 0.2f, 0), 0.05f);
  EXPECT_GT(swept(1, kApart, 0.005f), 0.05f) << "cloth that is in no panel";
}

TEST(LateralShear, HoldsSpreadClothInShape) {
  constexpr float kAside = 0.5f;  // m/s2, too little to tip so narrow a strip over
  billow_settings s = light();
  s.solver.min_substeps = 8;          // short steps, which limit the stiffness of springs less
  s.gravity[0] = kAside;              // it hangs obliquely
  s.lateral_compression.value = 100;  // and cannot fold
  const auto slant = [&](float shear, float width) {
    s.lateral_shear.value = shear;
    const auto x = after(two_chains(width, s), 6, 0);
    return tip(x, 0, 0) / -tip(x, 0, 1);
  };
  EXPECT_NEAR(slant(0, kApart), kAside / 9.81f, 0.003f);
  EXPECT_LT(slant(100, kApart), 0.5f * kAside / 9.81f);
  EXPECT_NEAR(slant(100, 0.2f), kAside / 9.81f, 0.003f) << "folds shear freely";
}

}  // namespace
}  // namespace billow::panels_test
