// Chains: what is refused is named and changes nothing, and the chains go on as if it had not been asked.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/colliders.h"

namespace billow::arguments_test {
namespace {

using testing::BodyHandle;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_message(const std::string& field) {
  EXPECT_NE(std::string(billow_last_error()).find(field), std::string::npos)
      << "expected the message to name " << field << ", found: " << billow_last_error();
}

// Two neighbouring chains of three and four bones.
constexpr uint32_t kBones[] = {3, 4};
constexpr uint32_t kBoneCount = 7;
constexpr float kRest[] = {0, 0, 0, 0, -1, 0, 0, -2, 0, 1, 0, 0, 1, -1, 0, 1, -2, 0, 1, -3, 0};
billow_chains_desc description() {
  billow_chains_desc d{};
  d.chain_count = 2;
  d.bone_counts = kBones;
  d.rest_positions = kRest;
  d.neighbours = 1;
  d.max_colliders = 2;
  return d;
}

// Chains that swing against a sphere, and a twin that is never asked for nonsense.
class Arguments : public ::testing::Test {
 protected:
  void SetUp() override {
    const billow_chains_desc d = description();
    billow_settings settings = billow_settings_default();
    settings.drag.value = 0.01f;
    for (billow_chains** c : {&chains_, &twin_}) {
      ASSERT_EQ(billow_chains_create(&d, c), BILLOW_OK);
      ASSERT_EQ(billow_chains_set_settings(*c, &settings), BILLOW_OK);
    }
    body_ = testing::make_body({testing::sphere({{0.3, -1.5, 0}}, 0.4)});
    step_ = {1.0f / 60, roots_, 2, nullptr, body_.get(), nullptr, 0};
    for (int i = 0; i < 5; ++i) advance();
    hash_ = billow_chains_hash(chains_);
  }
  void TearDown() override {
    for (int i = 0; i < 5; ++i) advance();
    EXPECT_EQ(billow_chains_hash(chains_), billow_chains_hash(twin_)) << "something refused had an effect";
    EXPECT_NE(billow_chains_hash(chains_), hash_);
    billow_chains_destroy(chains_);
    billow_chains_destroy(twin_);
  }
  void advance() {
    roots_[0].position[0] += 0.02f;
    roots_[1].position[0] += 0.02f;
    EXPECT_EQ(billow_chains_step(chains_, &step_), BILLOW_OK) << billow_last_error();
    EXPECT_EQ(billow_chains_step(twin_, &step_), BILLOW_OK);
  }
  void expect_refused(billow_status found, const std::string& field,
                      billow_status wanted = BILLOW_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(found, wanted) << field;
    expect_message(field);
    EXPECT_EQ(billow_chains_hash(chains_), hash_) << field << " was refused, but the chains changed";
  }
  std::vector<float> positions() {
    std::vector<float> out(3 * kBoneCount);
    EXPECT_EQ(billow_chains_get_positions(chains_, out.data(), kBoneCount), BILLOW_OK);
    return out;
  }

  billow_chains *chains_ = nullptr, *twin_ = nullptr;
  BodyHandle body_;
  billow_transform roots_[2] = {testing::at({}), testing::at({{1, 0, 0}})};
  billow_step step_{};
  uint64_t hash_ = 0;
};

TEST_F(Arguments, NothingAndOtherObjectsAreNoChains) {
  float buffer[3 * kBoneCount];
  billow_settings settings = billow_settings_default();
  billow_wind wind{};
  billow_chains_report report;
  billow_contact contact;
  uint32_t count = 0;
  unsigned char bytes[8];
  for (billow_chains* wrong :
       {static_cast<billow_chains*>(nullptr), reinterpret_cast<billow_chains*>(body_.get())}) {
    const char* field = "chains";
    expect_refused(billow_chains_set_settings(wrong, &settings), field);
    expect_refused(billow_chains_get_settings(wrong, &settings), field);
    expect_refused(billow_chains_set_wind(wrong, &wind), field);
    expect_refused(billow_chains_step(wrong, &step_), field);
    expect_refused(billow_chains_settle(wrong, &step_, 1), field);
    expect_refused(billow_chains_teleport(wrong, BILLOW_TELEPORT_KEEP, roots_, 2), field);
    expect_refused(billow_chains_set_paused(wrong, 1), field);
    expect_refused(billow_chains_wake(wrong), field);
    expect_refused(billow_chains_set_bones(wrong, buffer, nullptr, kBoneCount), field);
    expect_refused(billow_chains_get_positions(wrong, buffer, kBoneCount), field);
    expect_refused(billow_chains_get_velocities(wrong, buffer, kBoneCount), field);
    expect_refused(billow_chains_get_tensions(wrong, buffer, kBoneCount), field);
    expect_refused(billow_chains_get_contacts(wrong, &contact, 1, &count), field);
    expect_refused(billow_chains_get_report(wrong, &report), field);
    expect_refused(billow_chains_save(wrong, bytes, sizeof bytes), field);
    expect_refused(billow_chains_restore(wrong, bytes, sizeof bytes), field);
    EXPECT_EQ(billow_chains_chain_count(wrong), 0u);
    EXPECT_EQ(billow_chains_bone_count(wrong), 0u);
    EXPECT_EQ(billow_chains_state_size(wrong), 0u);
    EXPECT_EQ(billow_chains_hash(wrong), 0u);
    billow_chains_destroy(wrong);  // does nothing
  }
  EXPECT_EQ(billow_body_collider_count(body_.get()), 1u);
}

TEST_F(Arguments, MissingPointersAreNamed) {
  expect_refused(billow_chains_set_settings(chains_, nullptr), "settings");
  expect_refused(billow_chains_get_settings(chains_, nullptr), "out");
  expect_refused(billow_chains_set_wind(chains_, nullptr), "wind");
  expect_refused(billow_chains_step(chains_, nullptr), "step");
  expect_refused(billow_chains_settle(chains_, nullptr, 1), "step");
  expect_refused(billow_chains_teleport(chains_, BILLOW_TELEPORT_KEEP, nullptr, 2), "roots");
  expect_refused(billow_chains_get_positions(chains_, nullptr, kBoneCount), "out");
  expect_refused(billow_chains_get_velocities(chains_, nullptr, kBoneCount), "out");
  expect_refused(billow_chains_get_tensions(chains_, nullptr, kBoneCount), "out");
  expect_refused(billow_chains_get_contacts(chains_, nullptr, 1, nullptr), "count");
  expect_refused(billow_chains_get_report(chains_, nullptr), "out");
  expect_refused(billow_chains_save(chains_, nullptr, 1000), "out");
  expect_refused(billow_chains_restore(chains_, nullptr, 1000), "bytes");
  uint32_t count = 0;
  expect_refused(billow_chains_get_contacts(chains_, nullptr, 1, &count), "out");
  expect_refused(billow_chains_get_contacts(chains_, nullptr, 0, &count), "capacity",
                 BILLOW_ERROR_BUFFER_TOO_SMALL);
  billow_step rootless = step_;
  rootless.roots = nullptr;
  expect_refused(billow_chains_step(chains_, &rootless), "step.roots");
  EXPECT_EQ(billow_chains_set_bones(chains_, nullptr, nullptr, kBoneCount), BILLOW_OK);
}

TEST_F(Arguments, BuffersThatAreTooSmallAreNotTouched) {
  std::vector<float> buffer(3 * kBoneCount, -7);
  for (auto* read : {billow_chains_get_positions, billow_chains_get_velocities, billow_chains_get_tensions}) {
    for (uint32_t capacity : {0u, kBoneCount - 1}) {
      expect_refused(read(chains_, buffer.data(), capacity), "capacity", BILLOW_ERROR_BUFFER_TOO_SMALL);
      expect_message(std::to_string(kBoneCount));
    }
  }
  std::vector<unsigned char> bytes(billow_chains_state_size(chains_), 0xee);
  expect_refused(billow_chains_save(chains_, bytes.data(), bytes.size() - 1), "capacity",
                 BILLOW_ERROR_BUFFER_TOO_SMALL);
  expect_message(std::to_string(bytes.size()));
  expect_refused(billow_chains_save(chains_, bytes.data(), 0), "capacity", BILLOW_ERROR_BUFFER_TOO_SMALL);
  for (float x : buffer) EXPECT_EQ(x, -7);
  for (unsigned char b : bytes) EXPECT_EQ(b, 0xee);
}

TEST_F(Arguments, RoomForFewerContactsThanThereAreIsRefused) {
  uint32_t all = 0;
  expect_refused(billow_chains_get_contacts(chains_, nullptr, 0, &all), "capacity",
                 BILLOW_ERROR_BUFFER_TOO_SMALL);
  ASSERT_GE(all, 1u);
  expect_message(std::to_string(all));
  std::vector<billow_contact> found(all + 1, billow_contact{77, 77, 77, {0, 0, 0}});
  uint32_t count = 0;
  expect_refused(billow_chains_get_contacts(chains_, found.data(), all - 1, &count), "capacity",
                 BILLOW_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, all);
  EXPECT_EQ(found[0].chain, 77u);
  ASSERT_EQ(billow_chains_get_contacts(chains_, found.data(), all + 1, &count), BILLOW_OK);
  EXPECT_LT(found[all - 1].chain, 2u);
  EXPECT_EQ(found[all].chain, 77u);
}

TEST_F(Arguments, StepsThatMakeNoSenseAreRefused) {
  for (float dt : {-1.0f, -1e-30f, kNan, -kInfinity}) {
    billow_step s = step_;
    s.dt = dt;
    expect_refused(billow_chains_step(chains_, &s), "step.dt");
  }
  for (uint32_t count : {0u, 1u, 3u, 0xffffffffu}) {
    billow_step s = step_;
    s.root_count = count;
    expect_refused(billow_chains_step(chains_, &s), "step.root_count");
    expect_refused(billow_chains_settle(chains_, &s, 1), "step.root_count");
  }
  billow_step s = step_;
  s.body = reinterpret_cast<const billow_body*>(chains_);
  expect_refused(billow_chains_step(chains_, &s), "step.body");
  const BodyHandle crowded = testing::make_body(std::vector<billow_collider>(3, billow_collider_default()));
  s.body = crowded.get();
  expect_refused(billow_chains_step(chains_, &s), "max_colliders");
  for (float seconds : {-1.0f, kNan, kInfinity, 1e9f})
    expect_refused(billow_chains_settle(chains_, &step_, seconds), "seconds");
}

TEST_F(Arguments, TransformsThatAreNotFiniteAreNamed) {
  for (float bad : {kNan, kInfinity, -kInfinity, 1e30f}) {
    for (size_t k = 0; k < 7; ++k) {
      billow_transform roots[2] = {roots_[0], roots_[1]}, space = testing::at({});
      (k < 3 ? roots[1].position[k] : roots[1].rotation[k - 3]) = bad;
      (k < 3 ? space.position[k] : space.rotation[k - 3]) = bad;
      const std::string part = k < 3 ? "position" : "rotation";
      billow_step s = step_;
      s.roots = roots;
      expect_refused(billow_chains_step(chains_, &s), "step.roots[1]." + part);
      expect_refused(billow_chains_settle(chains_, &s, 1), "step.roots[1]." + part);
      expect_refused(billow_chains_teleport(chains_, BILLOW_TELEPORT_RESET, roots, 2), "roots[1]." + part);
      s = step_;
      s.space = &space;
      expect_refused(billow_chains_step(chains_, &s), "step.space[0]." + part);
    }
  }
}

TEST_F(Arguments, TeleportsNeedAModeAndAllRoots) {
  for (int32_t mode : {0, 3, 99, -1}) {
    billow_teleport m;
    std::memcpy(&m, &mode, sizeof m);  // as a C program can
    expect_refused(billow_chains_teleport(chains_, m, roots_, 2), "mode");
  }
  for (uint32_t count : {0u, 1u, 3u})
    expect_refused(billow_chains_teleport(chains_, BILLOW_TELEPORT_KEEP, roots_, count), "root_count");
}

TEST_F(Arguments, WindOutOfRangeIsNamed) {
  const auto refuse = [&](const char* field, const std::function<void(billow_wind&)>& spoil) {
    billow_wind w{{1, 2, 3}, 0.5f, 1, 7, nullptr, nullptr};
    spoil(w);
    expect_refused(billow_chains_set_wind(chains_, &w), field);
  };
  for (float bad : {kNan, kInfinity, -kInfinity, 1e9f}) {
    for (size_t k = 0; k < 3; ++k) refuse("wind.velocity", [=](auto& w) { w.velocity[k] = bad; });
    refuse("wind.gust", [=](auto& w) { w.gust = bad; });
    refuse("wind.gust_frequency", [=](auto& w) { w.gust_frequency = bad; });
  }
  refuse("wind.gust", [](auto& w) { w.gust = -0.1f; });
  refuse("wind.gust", [](auto& w) { w.gust = 1.1f; });
  refuse("wind.gust_frequency", [](auto& w) { w.gust_frequency = -1; });
}

TEST_F(Arguments, BonesToSetMustBeAllAndFinite) {
  std::vector<float> values(3 * kBoneCount);
  for (uint32_t count : {0u, kBoneCount - 1, kBoneCount + 1})
    expect_refused(billow_chains_set_bones(chains_, values.data(), values.data(), count), "count");
  for (float bad : {kNan, kInfinity}) {
    std::vector<float> spoilt = values;
    spoilt.back() = bad;
    expect_refused(billow_chains_set_bones(chains_, spoilt.data(), nullptr, kBoneCount), "positions");
    expect_refused(billow_chains_set_bones(chains_, values.data(), spoilt.data(), kBoneCount), "velocities");
  }
}

TEST_F(Arguments, NoTimeCarriesChainsWithTheirRoots) {
  const std::vector<float> before = positions();
  // Half a metre along x, from where the fixture's roots are.
  billow_transform elsewhere[2] = {testing::at({{0.6, 0, 0}}), testing::at({{1.6, 0, 0}})};
  for (float dt : {0.0f, 1e-9f, 1e-45f}) {
    for (const billow_transform* roots : {roots_, elsewhere}) {
      const billow_step s{dt, roots, 2, nullptr, body_.get(), nullptr, 0};
      EXPECT_EQ(billow_chains_step(chains_, &s), BILLOW_OK);
      EXPECT_EQ(billow_chains_step(twin_, &s), BILLOW_OK);
      const float shift = roots[0].position[0] - roots_[0].position[0];
      const std::vector<float> now = positions();
      for (size_t i = 0; i < now.size(); ++i)
        EXPECT_NEAR(now[i], before[i] + (i % 3 == 0 ? shift : 0.0f), 1e-6f) << "dt " << dt;
    }
  }
}

TEST_F(Arguments, ALongTimeCountsAsAQuarterOfASecond) {
  for (float dt : {0.26f, 10.0f, 1e30f}) {
    billow_step s = step_;
    s.dt = dt;
    EXPECT_EQ(billow_chains_step(chains_, &s), BILLOW_OK);
    s.dt = 0.25f;
    EXPECT_EQ(billow_chains_step(twin_, &s), BILLOW_OK);
    EXPECT_EQ(billow_chains_hash(chains_), billow_chains_hash(twin_)) << dt;
  }
}

// Creation: each case spoils one field of a good description.
TEST(ChainsCreateArguments, EveryFieldOutOfRangeIsNamed) {
  std::vector<uint32_t> bones(kBones, kBones + 2), many(BILLOW_MAX_CHAINS + 1, 2);
  std::vector<float> rest(kRest, kRest + 3 * kBoneCount), values(kBoneCount, 1);
  std::vector<billow_transform> roots(2, testing::at({}));
  const billow_allocator half{nullptr, [](void*, void*) {}, nullptr};
  const auto refuse = [&](const char* field, const std::function<void(billow_chains_desc&)>& spoil) {
    std::fill(values.begin(), values.end(), 1.0f);
    bones.assign(kBones, kBones + 2);
    rest.assign(kRest, kRest + 3 * kBoneCount);
    roots.assign(2, testing::at({}));
    billow_chains_desc d = description();
    d.bone_counts = bones.data();
    d.rest_positions = rest.data();
    spoil(d);
    billow_chains* chains = nullptr;
    EXPECT_EQ(billow_chains_create(&d, &chains), BILLOW_ERROR_INVALID_ARGUMENT) << field;
    EXPECT_EQ(chains, nullptr);
    expect_message(field);
  };
  for (uint32_t count : {0u, BILLOW_MAX_CHAINS + 1u, 0xffffffffu})
    refuse("chain_count", [&](auto& d) { d.chain_count = count, d.bone_counts = many.data(); });
  for (uint32_t count : {0u, 1u, BILLOW_MAX_BONES_PER_CHAIN + 1u, 0xffffffffu})
    refuse("bone_counts[1]", [&](auto&) { bones[1] = count; });
  refuse("bone_counts", [](auto& d) { d.bone_counts = nullptr; });
  refuse("rest_positions", [](auto& d) { d.rest_positions = nullptr; });
  refuse("chain_count", [](auto& d) { d.closed = 1; });
  refuse("max_colliders", [](auto& d) { d.max_colliders = BILLOW_MAX_COLLIDERS + 1; });
  refuse("allocator", [&](auto& d) { d.allocator = &half; });
  for (float bad : {kNan, kInfinity, -kInfinity, 1e20f}) {
    for (size_t k : {size_t{0}, size_t{4}, size_t{20}})
      refuse("rest_positions", [&](auto&) { rest[k] = bad; });
    refuse("mass_factors", [&](auto& d) { d.mass_factors = values.data(), values[6] = bad; });
    refuse("lateral_lengths", [&](auto& d) { d.lateral_lengths = values.data(), values[6] = bad; });
    refuse("areas", [&](auto& d) { d.areas = values.data(), values[6] = bad; });
    refuse("rope", [&](auto& d) { d.max_lengths = values.data(), values[6] = bad; });
    refuse("root_rest[1].position", [&](auto& d) { d.root_rest = roots.data(), roots[1].position[2] = bad; });
    refuse("root_rest[1].rotation", [&](auto& d) { d.root_rest = roots.data(), roots[1].rotation[0] = bad; });
  }
  for (float bad : {0.0f, -1.0f}) {
    refuse("mass_factors", [&](auto& d) { d.mass_factors = values.data(), values[6] = bad; });
    refuse("rope", [&](auto& d) { d.max_lengths = values.data(), values[6] = bad; });
  }
  refuse("rope", [&](auto&) { rest[4] = rest[1]; });  // two bones in one place
  billow_chains* chains = nullptr;
  const billow_chains_desc good = description();
  EXPECT_EQ(billow_chains_create(nullptr, &chains), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_chains_create(&good, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
}

TEST(ChainsCreateArguments, TheStatedLimitsAreWithinReach) {
  const std::vector<uint32_t> bones(BILLOW_MAX_CHAINS, 2), longest(1, BILLOW_MAX_BONES_PER_CHAIN);
  std::vector<float> rest(3 * 2 * BILLOW_MAX_CHAINS);
  for (size_t i = 0; i < rest.size() / 3; ++i) rest[3 * i + 1] = -0.1f * static_cast<float>(i);
  for (const auto& counts : {bones, longest}) {
    billow_chains_desc d{};
    d.chain_count = static_cast<uint32_t>(counts.size());
    d.bone_counts = counts.data();
    d.rest_positions = rest.data();
    d.max_colliders = BILLOW_MAX_COLLIDERS;
    billow_chains* chains = nullptr;
    ASSERT_EQ(billow_chains_create(&d, &chains), BILLOW_OK) << billow_last_error();
    const std::vector<billow_transform> roots(counts.size(), testing::at({}));
    const billow_step step{1.0f / 60, roots.data(), d.chain_count, nullptr, nullptr, nullptr, 0};
    EXPECT_EQ(billow_chains_step(chains, &step), BILLOW_OK);
    billow_chains_destroy(chains);
  }
}

TEST(LastError, IsEmptyBeforeAnyAndEachThreadsOwn) {
  EXPECT_EQ(billow_chains_get_report(nullptr, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  const std::string here = billow_last_error();
  EXPECT_NE(here, "");
  std::string there = "unset";
  std::thread([&] { there = billow_last_error(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_EQ(billow_last_error(), here);
}

TEST(StageName, CoversAllStagesAndNothingElse) {
  std::vector<std::string> names;
  for (int i = 0; i < BILLOW_CHAIN_STAGE_COUNT; ++i)
    names.push_back(billow_chain_stage_name(static_cast<billow_chain_stage>(i)));
  const std::vector<std::string> wanted = {"follow",  "forces",   "accelerate", "move",
                                           "collide", "impulses", "guard"};
  EXPECT_EQ(names, wanted);
  EXPECT_STREQ(billow_chain_stage_name(BILLOW_CHAIN_STAGE_COUNT), "?");
}

TEST(Version, IsThatOfTheHeader) {
  const std::string wanted = std::to_string(BILLOW_VERSION_MAJOR) + "." +
                             std::to_string(BILLOW_VERSION_MINOR) + "." +
                             std::to_string(BILLOW_VERSION_PATCH);
  EXPECT_EQ(billow_version(), wanted);
}

}  // namespace
}  // namespace billow::arguments_test
