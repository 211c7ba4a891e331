// billow_settings: every field out of its range is refused and named, and the defaults are what the manual
// says.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace billow {
namespace {

struct FloatField {
  const char* name;
  size_t offset;
  std::vector<float> bad, good;
};
struct CountField {
  const char* name;
  size_t offset;
  std::vector<uint32_t> bad, good;
};
struct CurveField {
  const char* name;
  size_t offset;
  float bad;   // a value that is out of range
  float good;  // one that is not
};

#define FIELD(name) #name, offsetof(billow_settings, name)
const FloatField kFloats[] = {
    {FIELD(gravity[0]), {-2e4f, 2e4f}, {-100, 0, 100}},
    {FIELD(gravity[1]), {-2e4f, 2e4f}, {-100, 0, 100}},
    {FIELD(gravity[2]), {-2e4f, 2e4f}, {-100, 0, 100}},
    {FIELD(global_damping), {-0.1f}, {0, 10}},
    {FIELD(panel_drag), {-0.1f}, {0, 2}},
    {FIELD(panel_lift), {-0.1f}, {0, 2}},
    {FIELD(panel_folds), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(air_density), {-0.1f}, {0, 1000}},
    {FIELD(solver.tension.tolerance), {-1e-6f, 2}, {0, 1}},
    {FIELD(solver.impulse.tolerance), {-1e-6f, 2}, {0, 1}},
    {FIELD(solver.tautness), {-1e-6f, 1}, {0, 0.1f}},
    {FIELD(solver.gap_return), {-1e-6f, 1.5f}, {0, 1}},
    {FIELD(solver.substep_angle), {0, -1}, {0.01f, 3}},
    {FIELD(learnt_force), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(self_contact), {-1, 1e10f}, {0, 200}},
    {FIELD(rest_speed), {-0.1f}, {0, 1}},
    {FIELD(sleep_after), {-0.1f}, {0, 5}},
    {FIELD(solver.push_extra), {-1e-6f}, {0, 0.1f}},
    {FIELD(friction), {-0.1f}, {0, 1}},
    {FIELD(softness[0]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(softness[1]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(softness[2]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(softness[3]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(softness[4]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(softness[5]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(softness[6]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(softness[7]), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(translation_inertia), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(rotation_inertia), {-0.1f, 1.1f}, {0, 1}},
    {FIELD(teleport_distance), {-0.1f}, {0, 1e30f}},
    {FIELD(teleport_angle), {-0.1f}, {0, 1e30f}},
    {FIELD(scale), {0, -1, 1e4f}, {0.01f, 100}},
};
const CurveField kCurves[] = {
    {FIELD(mass), 0, 1},           {FIELD(drag), -1, 0},
    {FIELD(damping), -1, 0},       {FIELD(lateral_stretch), -1, 0},
    {FIELD(lateral_shear), -1, 0}, {FIELD(lateral_compression), -1, 0},
    {FIELD(rest_angle), -1, 0},    {FIELD(shrink), -1, 0},
    {FIELD(radius), -1e-3f, 0},
};
const CountField kCounts[] = {
    {FIELD(solver.tension.method), {3, 0xffffffffu}, {0, 1, 2}},
    {FIELD(solver.impulse.method), {3, 0xffffffffu}, {0, 1, 2}},
    {FIELD(solver.tension.sweeps), {0, 10001}, {1, 10000}},
    {FIELD(solver.impulse.sweeps), {0, 10001}, {1, 10000}},
    {FIELD(solver.impulses), {16, 0xffffffffu}, {0, 15}},
    {FIELD(solver.min_substeps), {0, BILLOW_MAX_SUBSTEPS + 1}, {1, 8}},
    {FIELD(solver.max_substeps), {0, BILLOW_MAX_SUBSTEPS + 1}, {1, BILLOW_MAX_SUBSTEPS}},
    {FIELD(solver.push_direction), {2, 0xffffffffu}, {0, 1}},
    {FIELD(solver.velocity_direction), {2, 0xffffffffu}, {0, 1}},
    {FIELD(solver.push_method), {2, 0xffffffffu}, {0, 1}},
    {FIELD(solver.push_iterations), {0, 1000000}, {1, 10}},
    {FIELD(solver.alternations), {0, 1000000}, {1, 10}},
    {FIELD(solver.rope_samples), {1000000}, {0, 4}},
    {FIELD(solver.lateral_samples), {1000000}, {0, 4}},
    {FIELD(teleport), {3, 0xffffffffu}, {0, 1, 2}},
    {FIELD(collider_groups), {256, 0xffffffffu}, {0, 255}},
    {FIELD(yielding_groups), {256, 0xffffffffu}, {0, 8, 255}},
};
// Any number is a yes or a no.
const struct {
  const char* name;
  size_t offset;
} kSwitches[] = {{FIELD(solver.tension.warm_start)},
                 {FIELD(solver.impulse.warm_start)},
                 {FIELD(solver.energy_guard)},
                 {FIELD(solver.move_with_parent)},
                 {FIELD(solver.swept)},
                 {FIELD(profile)}};
#undef FIELD

template <class T> void put(billow_settings& s, size_t offset, T value) {
  std::memcpy(reinterpret_cast<char*>(&s) + offset, &value, sizeof value);
}

// Two chains whose settings were changed once, to tell "unchanged" from "back to the default".
class SettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const uint32_t bones[] = {3, 3};
    const float rest[] = {0, 0, 0, 0, -1, 0, 0, -2, 0, 1, 0, 0, 1, -1, 0, 1, -2, 0};
    billow_chains_desc d{};
    d.chain_count = 2;
    d.bone_counts = bones;
    d.rest_positions = rest;
    ASSERT_EQ(billow_chains_create(&d, &chains_), BILLOW_OK);
    before_ = billow_settings_default();
    before_.friction = 0.7f;
    ASSERT_EQ(billow_chains_set_settings(chains_, &before_), BILLOW_OK);
    const billow_transform roots[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{1, 0, 0}, {0, 0, 0, 1}}};
    const billow_step step{1.0f / 60, roots, 2, nullptr, nullptr, nullptr, 0};
    ASSERT_EQ(billow_chains_step(chains_, &step), BILLOW_OK);
    hash_ = billow_chains_hash(chains_);
  }
  void TearDown() override { billow_chains_destroy(chains_); }

  void expect_refused(const billow_settings& settings, const std::string& field) {
    EXPECT_EQ(billow_chains_set_settings(chains_, &settings), BILLOW_ERROR_INVALID_ARGUMENT) << field;
    EXPECT_NE(std::string(billow_last_error()).find("settings." + field), std::string::npos)
        << "expected the message to name " << field << ", found: " << billow_last_error();
    billow_settings now;
    ASSERT_EQ(billow_chains_get_settings(chains_, &now), BILLOW_OK);
    EXPECT_EQ(std::memcmp(&now, &before_, sizeof now), 0) << field << " was refused, but settings changed";
    EXPECT_EQ(billow_chains_hash(chains_), hash_) << field << " was refused, but the chains changed";
  }
  void expect_accepted(const billow_settings& settings, const char* field) {
    EXPECT_EQ(billow_chains_set_settings(chains_, &settings), BILLOW_OK)
        << field << ": " << billow_last_error();
    billow_settings now;
    ASSERT_EQ(billow_chains_get_settings(chains_, &now), BILLOW_OK);
    EXPECT_EQ(std::memcmp(&now, &settings, sizeof now), 0)
        << field << " was accepted but is not what is in force";
    ASSERT_EQ(billow_chains_set_settings(chains_, &before_), BILLOW_OK);
  }

  billow_chains* chains_ = nullptr;
  billow_settings before_;
  uint64_t hash_ = 0;
};

const float kNotNumbers[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity()};

TEST_F(SettingsTest, EveryFloatOutOfRangeIsRefusedAndNamed) {
  for (const FloatField& f : kFloats) {
    std::vector<float> bad = f.bad;
    bad.insert(bad.end(), std::begin(kNotNumbers), std::end(kNotNumbers));
    for (float value : bad) {
      billow_settings s = before_;
      put(s, f.offset, value);
      expect_refused(s, f.name);
    }
    for (float value : f.good) {
      billow_settings s = before_;
      put(s, f.offset, value);
      expect_accepted(s, f.name);
    }
  }
}

TEST_F(SettingsTest, EveryCountOutOfRangeIsRefusedAndNamed) {
  for (const CountField& f : kCounts) {
    for (uint32_t value : f.bad) {
      billow_settings s = before_;
      put(s, f.offset, value);
      expect_refused(s, f.name);
    }
    for (uint32_t value : f.good) {
      billow_settings s = before_;
      put(s, f.offset, value);
      expect_accepted(s, f.name);
    }
  }
}

TEST_F(SettingsTest, EveryCurveOutOfRangeIsRefusedAndNamed) {
  for (const CurveField& f : kCurves) {
    std::vector<float> bad(std::begin(kNotNumbers), std::end(kNotNumbers));
    bad.push_back(f.bad);
    bad.push_back(2e38f);
    for (float value : bad) {
      // As the constant, and as one point of a curve.
      billow_settings s = before_;
      put(s, f.offset, billow_curve{value, 0, {}});
      expect_refused(s, f.name);
      for (size_t at = 0; at < 3; ++at) {
        billow_curve curve{1, 3, {f.good, f.good, f.good}};
        curve.points[at] = value;
        put(s, f.offset, curve);
        expect_refused(s, f.name);
      }
    }
    billow_settings s = before_;
    put(s, f.offset, billow_curve{f.good, BILLOW_CURVE_POINTS + 1, {1, 1, 1, 1, 1, 1, 1, 1}});
    expect_refused(s, std::string(f.name) + ".point_count");
    put(s, f.offset, billow_curve{f.good, 0xffffffffu, {}});
    expect_refused(s, std::string(f.name) + ".point_count");

    for (uint32_t count = 0; count <= BILLOW_CURVE_POINTS; ++count) {
      // Points behind the last one that counts may hold anything.
      billow_curve curve{f.good, count, {1, 1, 1, 1, 1, 1, 1, 1}};
      if (count < BILLOW_CURVE_POINTS) curve.points[count] = kNotNumbers[0];
      put(s, f.offset, curve);
      expect_accepted(s, f.name);
    }
  }
}

TEST_F(SettingsTest, SwitchesTakeAnyNumber) {
  for (const auto& f : kSwitches)
    for (int32_t value : {0, 1, -1, 77}) {
      billow_settings s = before_;
      put(s, f.offset, value);
      expect_accepted(s, f.name);
    }
}

TEST_F(SettingsTest, MoreLeastThanMostSubstepsAreRefused) {
  billow_settings s = before_;
  s.solver.min_substeps = 5;
  s.solver.max_substeps = 4;
  expect_refused(s, "solver.min_substeps");
}

// So that a new setting cannot be forgotten here.
TEST(SettingsFields, AllAreTestedAbove) {
  std::vector<bool> covered(sizeof(billow_settings));
  const auto cover = [&](size_t offset, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      EXPECT_FALSE(covered[offset + i]) << "two tests for byte " << offset + i;
      covered[offset + i] = true;
    }
  };
  for (const FloatField& f : kFloats) cover(f.offset, sizeof(float));
  for (const CountField& f : kCounts) cover(f.offset, sizeof(uint32_t));
  for (const CurveField& f : kCurves) cover(f.offset, sizeof(billow_curve));
  for (const auto& f : kSwitches) cover(f.offset, sizeof(int32_t));
  for (size_t i = 0; i < covered.size(); ++i)
    EXPECT_TRUE(covered[i]) << "no test for the setting at byte " << i;
}

TEST(SettingsDefaults, AreThoseOfTheManual) {
  const billow_settings s = billow_settings_default();
  EXPECT_EQ(s.gravity[0], 0);
  EXPECT_EQ(s.gravity[1], -9.81f);
  EXPECT_EQ(s.gravity[2], 0);
  EXPECT_EQ(s.mass.value, 0.02f);
  EXPECT_EQ(s.mass.point_count, 0u);
  for (const billow_curve* c : {&s.drag, &s.damping, &s.lateral_stretch, &s.lateral_compression,
                                &s.lateral_shear, &s.rest_angle, &s.shrink})
    EXPECT_EQ(c->value, 0);
  EXPECT_EQ(s.global_damping, 0);
  EXPECT_EQ(s.panel_drag, 0);
  EXPECT_EQ(s.panel_lift, 0);
  EXPECT_EQ(s.panel_folds, 0);
  EXPECT_EQ(s.air_density, 1.2f);
  EXPECT_EQ(s.solver.tension.method, BILLOW_SOLVER_DIRECT);
  EXPECT_EQ(s.solver.impulse.method, BILLOW_SOLVER_DIRECT);
  EXPECT_EQ(s.solver.impulses, static_cast<uint32_t>(BILLOW_IMPULSE_AFTER_SECOND_VELOCITY));
  EXPECT_EQ(s.solver.tautness, 0.01f);
  EXPECT_EQ(s.solver.gap_return, 0.2f);
  EXPECT_EQ(s.solver.min_substeps, 1u);
  EXPECT_EQ(s.solver.max_substeps, 8u);
  EXPECT_EQ(s.solver.substep_angle, 0.1f);
  EXPECT_EQ(s.solver.energy_guard, 1);
  EXPECT_EQ(s.solver.move_with_parent, 1);
  EXPECT_EQ(s.rest_speed, 0.01f);
  EXPECT_EQ(s.solver.push_direction, BILLOW_CONTACT_DIRECTION_HISTORY);
  EXPECT_EQ(s.solver.velocity_direction, BILLOW_CONTACT_DIRECTION_HISTORY);
  EXPECT_EQ(s.solver.push_method, BILLOW_PUSH_METHOD_DEPTH);
  EXPECT_EQ(s.solver.push_iterations, 2u);
  EXPECT_EQ(s.radius.value, 0.005f);
  EXPECT_EQ(s.solver.push_extra, 0);
  EXPECT_EQ(s.friction, 0.3f);
  EXPECT_EQ(s.collider_groups, BILLOW_ALL_GROUPS);
  EXPECT_EQ(s.yielding_groups, 0u);
  for (const float softness : s.softness) EXPECT_EQ(softness, 0);
  EXPECT_EQ(s.solver.alternations, 1u);
  EXPECT_EQ(s.solver.rope_samples, 1u);
  EXPECT_EQ(s.solver.lateral_samples, 3u);
  EXPECT_EQ(s.solver.swept, 1);
  EXPECT_EQ(s.translation_inertia, 1);
  EXPECT_EQ(s.rotation_inertia, 1);
  EXPECT_EQ(s.teleport, BILLOW_TELEPORT_KEEP);
  EXPECT_EQ(s.teleport_distance, 1e30f);
  EXPECT_EQ(s.teleport_angle, 1e30f);
  EXPECT_EQ(s.scale, 1);
  EXPECT_EQ(s.profile, 0);
}

TEST_F(SettingsTest, PresetsAreAccepted) {
  expect_accepted(billow_settings_default(), "default");
  expect_accepted(billow_settings_cape(), "cape");
  expect_accepted(billow_settings_skirt(), "skirt");
}

}  // namespace
}  // namespace billow
