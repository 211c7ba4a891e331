// Folds of a garment that meet do not pass through each other (settings.self_contact).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/hanging.h"

namespace billow::self_contact_test {
namespace {

using testing::kFrame;

constexpr int kRopes = 6, kBones = kRopes + 1, kColumns = 8;
constexpr float kRope = 0.08f, kSpacing = 0.1f, kApart = 0.08f;

Settings with_self_contact(float stiffness) {
  Settings settings = billow_settings_default();
  settings.mass.value = 0.002f;
  settings.lateral_stretch.value = 2;
  settings.damping.value = 1;
  settings.self_contact = stiffness;
  return settings;
}

// A curtain folded once: chains 0 to 3 hang along x, chains 4 to 7 come back in front of them.
testing::Sheet folded_curtain(float self_contact) {
  testing::Sheet sheet;
  std::vector<float> rest;
  for (int c = 0; c < kColumns; ++c) {
    const bool front = c >= kColumns / 2;
    const float x = kSpacing * static_cast<float>(front ? kColumns - 1 - c : c), z = front ? kApart : 0;
    for (int i = 0; i < kBones; ++i) rest.insert(rest.end(), {x, -kRope * static_cast<float>(i), z});
    sheet.roots.push_back(translation(x, 0, z));
  }
  sheet.chains = scenes::make_chains(std::vector<uint32_t>(kColumns, kBones), rest, true, false,
                                     with_self_contact(self_contact));
  return sheet;
}

float tip_z(const Chains& chains, int column) {
  return testing::positions_of(chains)[static_cast<size_t>(3 * ((column + 1) * kBones - 1) + 2)];
}

// Throws the front layer at the back one. Returns how far chain 6 stays in front of chain 1, at least.
float least_gap(testing::Sheet& sheet, int frames) {
  EXPECT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  std::vector<float> velocities(static_cast<size_t>(3 * kColumns * kBones), 0.0f);
  for (int c = kColumns / 2; c < kColumns; ++c)
    for (int i = 1; i < kBones; ++i)
      velocities[static_cast<size_t>(3 * (c * kBones + i) + 2)] = -0.3f * static_cast<float>(i);
  EXPECT_TRUE(sheet.chains.set_bones({}, velocities));
  float least = 1;
  for (int frame = 0; frame < frames; ++frame) {
    EXPECT_TRUE(sheet.chains.step(kFrame, sheet.roots));
    least = std::min(least, tip_z(sheet.chains, 6) - tip_z(sheet.chains, 1));
  }
  return least;
}

TEST(SelfContact, LayersStayOnTheirSides) {
  testing::Sheet free = folded_curtain(0), held = folded_curtain(200);
  EXPECT_LT(least_gap(free, 60), -0.1f);
  EXPECT_GT(least_gap(held, 60), -0.005f);  // at 1.8 m/s
  EXPECT_GT(tip_z(held.chains, 6) - tip_z(held.chains, 1), 0.02f);
}

// Carries the roots of the front layer through the back one, `by` metres.
void force_through(testing::Sheet& sheet, float by) {
  EXPECT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  for (int f = 0; f < 10; ++f) {
    for (size_t c = kColumns / 2; c < sheet.roots.size(); ++c) sheet.roots[c].position[2] -= 0.1f * by;
    EXPECT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  }
}

// How far chain 6 hangs in front of chain 1 two seconds after its roots are back in front.
float gap_after_return(testing::Sheet& sheet) {
  for (size_t c = kColumns / 2; c < sheet.roots.size(); ++c) sheet.roots[c].position[2] = 0.03f;
  for (int f = 0; f < 120; ++f) EXPECT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  return tip_z(sheet.chains, 6) - tip_z(sheet.chains, 1);
}

TEST(SelfContact, ClothThatWasForcedThroughReturns) {
  testing::Sheet sheet = folded_curtain(200);
  force_through(sheet, 0.22f);
  EXPECT_GT(gap_after_return(sheet), 0.02f);
}

// Bones that came through the cloth between two of their chain are not held there.
TEST(SelfContact, TanglesDissolve) {
  testing::Sheet sheet = folded_curtain(200);
  ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  std::vector<float> bones = testing::positions_of(sheet.chains);
  for (int c = kColumns / 2; c < kColumns; ++c)
    for (int i = kBones / 2; i < kBones; ++i)
      bones[static_cast<size_t>(3 * (c * kBones + i) + 2)] -= kApart + 0.03f;
  ASSERT_TRUE(sheet.chains.set_bones(bones, {}));
  ASSERT_LT(tip_z(sheet.chains, 6), tip_z(sheet.chains, 1));
  for (int f = 0; f < 300; ++f) ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  EXPECT_GT(tip_z(sheet.chains, 6) - tip_z(sheet.chains, 1), 0.02f);
}

TEST(SelfContact, FlatClothIsNotPushed) {
  testing::Sheet free = testing::hanging_sheet(kColumns, kRopes, kSpacing, kRope, with_self_contact(0)),
                 held = testing::hanging_sheet(kColumns, kRopes, kSpacing, kRope, with_self_contact(200));
  for (int f = 0; f < 60; ++f) {
    for (testing::Sheet* sheet : {&free, &held}) {
      for (Transform& root : sheet->roots) root.position[2] = 0.1f * std::sin(0.1f * static_cast<float>(f));
      ASSERT_TRUE(sheet->chains.step(kFrame, sheet->roots));
    }
    ASSERT_EQ(testing::positions_of(free.chains), testing::positions_of(held.chains)) << "frame " << f;
  }
}

// While layers are through each other, only the saved sides tell where they belong.
TEST(SelfContact, SidesAreSaved) {
  testing::Sheet original = folded_curtain(200), restored = folded_curtain(200);
  force_through(original, 0.22f);
  std::vector<std::byte> bytes(original.chains.state_size());
  ASSERT_TRUE(original.chains.save(bytes));
  ASSERT_TRUE(restored.chains.restore(bytes)) << billow_last_error();
  for (int f = 0; f < 40; ++f) {
    for (testing::Sheet* sheet : {&original, &restored})
      ASSERT_TRUE(sheet->chains.step(kFrame, original.roots));
    ASSERT_EQ(testing::positions_of(original.chains), testing::positions_of(restored.chains))
        << "frame " << f;
  }
}

// Sides from before a time without self-contact would draw layers through each other again.
TEST(SelfContact, SidesAreForgottenWhileItIsOff) {
  testing::Sheet sheet = folded_curtain(200);
  ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  ASSERT_TRUE(sheet.chains.set(with_self_contact(0)));
  force_through(sheet, kApart + 0.008f);
  for (int f = 0; f < 600; ++f) ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  const auto gap = [&] { return tip_z(sheet.chains, 6) - tip_z(sheet.chains, 1); };
  ASSERT_LT(gap(), -0.004f);
  ASSERT_TRUE(sheet.chains.set(with_self_contact(200)));
  for (int f = 0; f < 60; ++f) ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  EXPECT_LT(gap(), -0.004f);
}

// Rings of few chains have fewer panels than a bone may meet.
TEST(SelfContact, TangledRingsOfAnySizeStayWhole) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> place(-0.04f, 0.04f);
  for (const int columns : {3, 4, 5, 8, 9, 10, 11, 26}) {
    SCOPED_TRACE(columns);
    testing::Sheet ring = testing::hanging_ring(columns, kRopes, 0.05, kRope, with_self_contact(1000));
    ASSERT_TRUE(ring.chains.step(kFrame, ring.roots));
    std::vector<float> bones = testing::positions_of(ring.chains);
    for (float& x : bones) x += place(random);
    ASSERT_TRUE(ring.chains.set_bones(bones, {}));
    for (int f = 0; f < 60; ++f) ASSERT_TRUE(ring.chains.step(kFrame, ring.roots));
    const std::vector<float> after = testing::positions_of(ring.chains);
    ASSERT_TRUE(testing::all_finite(after));
    for (size_t b = 1; b < after.size() / 3; ++b) {
      if (b % kBones == 0) continue;
      EXPECT_LT(length(testing::vector_at(after.data(), b) - testing::vector_at(after.data(), b - 1)),
                1.001 * static_cast<double>(kRope));
    }
  }
}

}  // namespace
}  // namespace billow::self_contact_test
