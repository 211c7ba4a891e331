// Garments and instances through the API: what they give, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <billow/billow.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/tiny_garment.h"

namespace billow::garment_test {
namespace {

using testing::kTinyJoints;
using testing::tiny_joints;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool said(const std::string& part) {
  return std::string(billow_last_error()).find(part) != std::string::npos;
}

// Of the whole cloth, and by patches.
class GarmentApi : public ::testing::TestWithParam<testing::Form> {
 protected:
  GarmentApi() {
    EXPECT_EQ(billow_instance_create(garment_, nullptr, &instance_), BILLOW_OK) << billow_last_error();
  }
  ~GarmentApi() override {
    billow_instance_destroy(instance_);
    billow_garment_destroy(garment_);
  }
  billow_frame frame(int k) {
    joints_ = tiny_joints(k);
    billow_frame f{};
    f.dt = 1.0f / 64;
    f.joints = joints_.data();
    f.joint_count = kTinyJoints;
    return f;
  }
  void play(int from, int to) {
    for (int k = from; k < to; ++k) {
      const billow_frame f = frame(k);
      ASSERT_EQ(billow_instance_step(instance_, &f), BILLOW_OK) << billow_last_error();
    }
  }
  bool finite() const {
    const float* p = billow_instance_position_data(instance_);
    for (uint32_t i = 0; i < 3 * billow_garment_vertex_count(garment_); ++i)
      if (!std::isfinite(p[i])) return false;
    return true;
  }
  float lowest_distance() const {
    const uint32_t n = billow_garment_vertex_count(garment_);
    std::vector<float> phi(n);
    EXPECT_EQ(billow_body_query(billow_instance_body(instance_), BILLOW_ALL_GROUPS,
                                billow_instance_position_data(instance_), n, BILLOW_NO_LIMIT, phi.data(),
                                nullptr, nullptr),
              BILLOW_OK);
    float low = 1;
    for (const float p : phi) low = std::min(low, p);
    return low;
  }

  billow_garment* garment_ = testing::make_tiny_garment(1, GetParam());
  billow_instance* instance_ = nullptr;
  std::vector<billow_transform> joints_;
};

INSTANTIATE_TEST_SUITE_P(Forms, GarmentApi,
                         ::testing::Values(testing::Form::kWhole, testing::Form::kPatches));

TEST_P(GarmentApi, TellsWhatItIs) {
  char name[8];
  EXPECT_EQ(billow_garment_vertex_count(garment_), 99u);
  EXPECT_EQ(billow_garment_triangle_count(garment_), 160u);
  EXPECT_EQ(billow_garment_bone_count(garment_), 13u);
  EXPECT_EQ(billow_garment_joint_count(garment_), 2u);
  EXPECT_EQ(billow_garment_key_joint(garment_), 1u);
  EXPECT_EQ(billow_garment_get_name(garment_, name, sizeof name), BILLOW_OK);
  EXPECT_STREQ(name, "tiny");
  EXPECT_EQ(billow_garment_get_joint_name(garment_, 1, name, 4), BILLOW_OK);
  EXPECT_STREQ(name, "top");
  EXPECT_EQ(billow_garment_get_joint_name(garment_, 1, name, 3), BILLOW_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(billow_garment_get_joint_name(garment_, 2, name, 3), BILLOW_ERROR_INVALID_ARGUMENT);
  billow_transform rest[2];
  EXPECT_EQ(billow_garment_get_joint_rest(garment_, rest, 2), BILLOW_OK);
  EXPECT_FLOAT_EQ(rest[1].position[1], 1);
  EXPECT_EQ(billow_garment_get_joint_rest(garment_, rest, 1), BILLOW_ERROR_BUFFER_TOO_SMALL);
  std::vector<uint32_t> triangles(3 * 160);
  EXPECT_EQ(billow_garment_get_triangles(garment_, triangles.data(), 160), BILLOW_OK);
  EXPECT_EQ(triangles[2], 1u);
  std::vector<float> uvs(2 * 99);
  EXPECT_EQ(billow_garment_get_uvs(garment_, uvs.data(), 99), BILLOW_OK);
  EXPECT_EQ(uvs[2], 1.0f / 16);
  billow_settings settings;
  EXPECT_EQ(billow_garment_get_settings(garment_, &settings), BILLOW_OK);
  EXPECT_FLOAT_EQ(settings.gravity[1], -9.81f);
  const void* bytes;
  size_t size;
  EXPECT_EQ(billow_garment_get_section(garment_, "training", &bytes, &size), BILLOW_OK);
  EXPECT_EQ(std::string(static_cast<const char*>(bytes), size), "{\"frames\": 0}");
  EXPECT_EQ(billow_garment_get_section(garment_, "extra.gru", &bytes, &size), BILLOW_OK);
  EXPECT_EQ(bytes, nullptr);
}

TEST_P(GarmentApi, NoVertexIsEverInside) {
  for (int k = 0; k < 200; ++k) {
    play(k, k + 1);
    ASSERT_GE(lowest_distance(), 0) << "frame " << k;
  }
  billow_instance_report report;
  EXPECT_EQ(billow_instance_get_report(instance_, &report), BILLOW_OK);
  EXPECT_EQ(report.inside, 0u);
}

TEST_P(GarmentApi, OptionsDoWhatTheySay) {
  play(0, 20);
  const auto with = [&](auto change) {
    billow_instance_options o = billow_instance_options_default();
    change(o);
    EXPECT_EQ(billow_instance_set_options(instance_, &o), BILLOW_OK);
    const billow_frame f = [&] {
      billow_frame still = frame(19);
      still.dt = 0;
      return still;
    }();
    EXPECT_EQ(billow_instance_step(instance_, &f), BILLOW_OK);
    const float* p = billow_instance_position_data(instance_);
    return std::vector<float>(p, p + 3 * 99);
  };
  const auto usual = with([](auto&) {}), plain = with([](auto&o) { o.shape = 0; }),
             pushed = with([](auto&o) { o.push_out = 0; }),
             decoded = with([](auto&o) { o.lengths = BILLOW_LENGTHS_OFF; }),
             rigid = with([](auto&o) { o.networks = 0; });
  EXPECT_EQ(usual, with([](auto&) {}));
  EXPECT_NE(usual, plain);
  EXPECT_NE(usual, pushed);
  EXPECT_NE(usual, decoded);
  // Rigid: distances between vertices are those of the rest.
  EXPECT_NEAR(std::hypot(rigid[3] - rigid[0], rigid[4] - rigid[1], rigid[5] - rigid[2]), 1.0f / 16, 1e-5f);
  const uint64_t before = billow_instance_hash(instance_);
  billow_frame unseen = frame(20);
  unseen.skip_mesh = 1;
  EXPECT_EQ(billow_instance_step(instance_, &unseen), BILLOW_OK);
  EXPECT_EQ(billow_instance_hash(instance_), before);
}

TEST_P(GarmentApi, BlendsInPlaceOfNetworksWhereThereAreWeights) {
  billow_instance_options options = billow_instance_options_default();
  options.linear_blend = 1, options.profile = 1;
  ASSERT_EQ(billow_instance_set_options(instance_, &options), BILLOW_OK) << billow_last_error();
  for (int k = 0; k < 100; ++k) {
    play(k, k + 1);
    ASSERT_GE(lowest_distance(), 0) << "frame " << k;
  }
  EXPECT_TRUE(finite());
  const uint64_t blended = billow_instance_hash(instance_);
  billow_instance_report report;
  EXPECT_EQ(billow_instance_get_report(instance_, &report), BILLOW_OK);
  EXPECT_GT(report.stage_seconds[BILLOW_FRAME_STAGE_EXPAND], 0);
  EXPECT_EQ(report.stage_seconds[BILLOW_FRAME_STAGE_INFER], 0);
  // Whether networks are on makes no difference then; without it, all.
  billow_frame still = frame(99);
  still.dt = 0;
  options.networks = 0;
  EXPECT_EQ(billow_instance_set_options(instance_, &options), BILLOW_OK);
  EXPECT_EQ(billow_instance_step(instance_, &still), BILLOW_OK);
  EXPECT_EQ(billow_instance_hash(instance_), blended);
  options.linear_blend = 0;
  EXPECT_EQ(billow_instance_set_options(instance_, &options), BILLOW_OK);
  EXPECT_EQ(billow_instance_step(instance_, &still), BILLOW_OK);
  EXPECT_NE(billow_instance_hash(instance_), blended);

  billow_garment* without = testing::make_tiny_garment(1, GetParam(), false);
  billow_instance* plain = nullptr;
  ASSERT_EQ(billow_instance_create(without, nullptr, &plain), BILLOW_OK) << billow_last_error();
  options.linear_blend = 1;
  EXPECT_EQ(billow_instance_set_options(plain, &options), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(said("expected a garment with weights for it")) << billow_last_error();
  EXPECT_EQ(billow_instance_get_options(plain, &options), BILLOW_OK);
  EXPECT_EQ(options.linear_blend, 0) << "nothing has changed";
  billow_instance_destroy(plain);
  billow_garment_destroy(without);
}

TEST_P(GarmentApi, ScalesTheWholeCharacter) {
  play(0, 30);
  const float* p = billow_instance_position_data(instance_);
  const std::vector<float> usual(p, p + 3 * 99);
  billow_instance* large = nullptr;
  ASSERT_EQ(billow_instance_create(garment_, nullptr, &large), BILLOW_OK);
  // Twice as large in a gravity twice as strong it moves alike, but for what is measured in metres.
  billow_settings settings;
  billow_chains_get_settings(billow_instance_chains(large), &settings);
  for (float& g : settings.gravity) g *= 2;
  settings.rest_speed *= 2;
  EXPECT_EQ(billow_chains_set_settings(billow_instance_chains(large), &settings), BILLOW_OK);
  billow_instance_options options = billow_instance_options_default();
  options.clearance *= 2, options.softness *= 2;
  EXPECT_EQ(billow_instance_set_options(large, &options), BILLOW_OK);
  for (int k = 0; k < 30; ++k) {
    billow_frame f = frame(k);
    f.scale = 2;
    for (auto& j : joints_)
      for (float& x : j.position) x *= 2;
    ASSERT_EQ(billow_instance_step(large, &f), BILLOW_OK);
  }
  const float* q = billow_instance_position_data(large);
  float worst = 0;
  for (size_t i = 0; i < usual.size(); ++i) worst = std::max(worst, std::fabs(q[i] - 2 * usual[i]));
  EXPECT_LT(worst, 0.05f);
  billow_instance_destroy(large);
}

TEST_P(GarmentApi, WritesIntoVertexBuffers) {
  play(0, 5);
  struct Vertex {
    float position[3], normal[3], uv[2];
  };
  std::vector<Vertex> buffer(99);
  EXPECT_EQ(billow_instance_get_positions(instance_, buffer[0].position, sizeof(Vertex), 99), BILLOW_OK);
  EXPECT_EQ(billow_instance_get_normals(instance_, buffer[0].normal, sizeof(Vertex), 99), BILLOW_OK);
  const float *p = billow_instance_position_data(instance_), *n = billow_instance_normal_data(instance_);
  EXPECT_EQ(buffer[98].position[2], p[3 * 98 + 2]);
  EXPECT_EQ(buffer[98].normal[0], n[3 * 98]);
  EXPECT_NEAR(std::hypot(buffer[50].normal[0], buffer[50].normal[1], buffer[50].normal[2]), 1, 1e-5f);
  EXPECT_EQ(billow_instance_get_positions(instance_, buffer.data(), 10, 99), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_get_positions(instance_, buffer.data(), 0, 98), BILLOW_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(billow_instance_get_positions(instance_, nullptr, 0, 99), BILLOW_ERROR_INVALID_ARGUMENT);
  std::vector<float> bones(3 * 13);
  EXPECT_EQ(billow_instance_get_bones(instance_, bones.data(), 13), BILLOW_OK);
  EXPECT_EQ(billow_instance_get_bones(instance_, bones.data(), 12), BILLOW_ERROR_BUFFER_TOO_SMALL);
  const float* in_place = billow_instance_bone_data(instance_);
  EXPECT_TRUE(std::equal(bones.begin(), bones.end(), in_place));
}

TEST_P(GarmentApi, BonesAreAtRestBeforeTheFirstFrame) {
  std::vector<float> before(3 * 13), after(3 * 13);
  ASSERT_EQ(billow_instance_get_bones(instance_, before.data(), 13), BILLOW_OK);
  billow_transform rest[testing::kTinyJoints];
  ASSERT_EQ(billow_garment_get_joint_rest(garment_, rest, testing::kTinyJoints), BILLOW_OK);
  billow_frame still = frame(0);
  still.dt = 0, still.joints = rest;
  ASSERT_EQ(billow_instance_step(instance_, &still), BILLOW_OK);
  ASSERT_EQ(billow_instance_get_bones(instance_, after.data(), 13), BILLOW_OK);
  for (size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(before[k], after[k], 1e-4f) << k;
}

TEST_P(GarmentApi, BadFramesChangeNothing) {
  play(0, 10);
  const uint64_t hash = billow_instance_hash(instance_),
                 chains = billow_chains_hash(billow_instance_chains(instance_));
  const auto refused = [&](auto change, const char* why) {
    billow_frame f = frame(10);
    change(f);
    EXPECT_EQ(billow_instance_step(instance_, &f), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(said(why)) << billow_last_error();
    EXPECT_EQ(billow_instance_hash(instance_), hash);
    EXPECT_EQ(billow_chains_hash(billow_instance_chains(instance_)), chains);
  };
  refused([](auto& f) { f.joints = nullptr; }, "joints");
  refused([](auto& f) { f.joint_count = 1; }, "expected 2, found 1");
  refused([](auto& f) { f.dt = -1; }, "dt");
  refused([](auto& f) { f.dt = kNan; }, "dt");
  refused([](auto& f) { f.scale = -1; }, "scale");
  refused([](auto& f) { f.scale = kNan; }, "scale");
  refused([](auto& f) { f.teleport = static_cast<billow_teleport>(3); }, "teleport");
  refused([](auto& f) { f.body = reinterpret_cast<const billow_body*>(&f); }, "body");
  refused([&](auto&) { joints_[1].rotation[2] = kNan; }, "frame.joints[1].rotation[2]");
  refused([&](auto&) { joints_[0].position[0] = std::numeric_limits<float>::infinity(); }, "position[0]");
  // And it goes on.
  play(10, 30);
  EXPECT_TRUE(finite());
}

TEST_P(GarmentApi, OddStepsLeaveItFinite) {
  for (const float dt : {0.0f, 1e-9f, 0.1f, 5.0f, 1e30f}) {
    billow_frame f = frame(3);
    f.dt = dt;
    EXPECT_EQ(billow_instance_step(instance_, &f), BILLOW_OK);
    EXPECT_TRUE(finite());
  }
  // Far away and back, with and without a word of warning.
  for (const auto mode :
       {BILLOW_TELEPORT_NONE, BILLOW_TELEPORT_KEEP, BILLOW_TELEPORT_RESET, BILLOW_TELEPORT_NONE}) {
    billow_frame f = frame(4);
    for (auto& j : joints_) j.position[0] += mode == BILLOW_TELEPORT_KEEP ? 0.0f : 900.0f;
    f.teleport = mode;
    EXPECT_EQ(billow_instance_step(instance_, &f), BILLOW_OK);
    EXPECT_TRUE(finite());
  }
  const billow_frame f = frame(5);
  EXPECT_EQ(billow_instance_settle(instance_, &f, 2), BILLOW_OK);
  EXPECT_EQ(billow_instance_settle(instance_, &f, kNan), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(finite());
}

TEST_P(GarmentApi, TakesRotationsOfAnyLength) {
  const auto with_length = [&](float length) {
    billow_frame f = frame(0);
    for (auto& j : joints_)
      for (float& q : j.rotation) q = length;
    EXPECT_EQ(billow_instance_step(instance_, &f), BILLOW_OK) << length;
    EXPECT_TRUE(finite()) << length;
    billow_frame again = frame(0);
    again.teleport = BILLOW_TELEPORT_RESET;
    for (auto& j : joints_)
      for (float& q : j.rotation) q = length;
    EXPECT_EQ(billow_instance_step(instance_, &again), BILLOW_OK) << length;
    return billow_instance_hash(instance_);
  };
  const uint64_t usual = with_length(0.5f);
  for (const float length : {1e-20f, 1e-38f, 1e-39f, 1e-42f, 1e-45f, 1e15f})
    EXPECT_EQ(with_length(length), usual) << length;
}

TEST_P(GarmentApi, SurvivesNullAndWrongHandles) {
  uint64_t other[64] = {};
  auto* wrong_garment = reinterpret_cast<billow_garment*>(other);
  auto* wrong_instance = reinterpret_cast<billow_instance*>(other);
  billow_instance* made = instance_;
  char text[4];
  for (billow_garment* g : {static_cast<billow_garment*>(nullptr), wrong_garment}) {
    EXPECT_EQ(billow_garment_vertex_count(g), 0u);
    EXPECT_EQ(billow_garment_get_name(g, text, 4), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_instance_create(g, nullptr, &made), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(made, nullptr);
    billow_garment_destroy(g);
  }
  EXPECT_EQ(billow_garment_get_name(garment_, nullptr, 4), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_garment_get_name(garment_, text, 0), BILLOW_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(billow_garment_get_section(garment_, nullptr, nullptr, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_create(garment_, nullptr, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  const billow_frame f = frame(0);
  for (billow_instance* i : {static_cast<billow_instance*>(nullptr), wrong_instance}) {
    EXPECT_EQ(billow_instance_step(i, &f), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_instance_settle(i, &f, 1), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_instance_chains(i), nullptr);
    EXPECT_EQ(billow_instance_body(i), nullptr);
    EXPECT_EQ(billow_instance_position_data(i), nullptr);
    EXPECT_EQ(billow_instance_bone_data(i), nullptr);
    EXPECT_EQ(billow_instance_hash(i), 0u);
    EXPECT_EQ(billow_instance_get_report(i, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
    billow_instance_destroy(i);
  }
  EXPECT_EQ(billow_instance_step(instance_, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_set_options(instance_, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  billow_instance_options o = billow_instance_options_default();
  o.clearance = kNan;
  EXPECT_EQ(billow_instance_set_options(instance_, &o), BILLOW_ERROR_INVALID_ARGUMENT);
  o = billow_instance_options_default();
  const int32_t unknown = 3;
  std::memcpy(&o.lengths, &unknown, sizeof unknown);
  EXPECT_EQ(billow_instance_set_options(instance_, &o), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(said("options.lengths: expected a billow_lengths, found 3"));
  EXPECT_STREQ(billow_frame_stage_name(BILLOW_FRAME_STAGE_PUSH_OUT), "push_out");
  EXPECT_STREQ(billow_frame_stage_name(static_cast<billow_frame_stage>(8)), "?");
}

TEST(GarmentFiles, AreRefusedWithAReason) {
  billow_garment* garment = nullptr;
  std::string bytes = testing::tiny_garment_bytes();
  const auto create = [&](int keep) {
    const billow_garment_desc desc{bytes.data(), bytes.size(), keep, nullptr};
    return billow_garment_create(&desc, &garment);
  };
  bytes[bytes.size() / 2] ^= 4;
  EXPECT_EQ(create(0), BILLOW_ERROR_BAD_DATA);
  EXPECT_TRUE(said("damaged")) << billow_last_error();
  EXPECT_EQ(garment, nullptr);
  EXPECT_EQ(billow_garment_load("/nowhere/at/all.billow", nullptr, &garment), BILLOW_ERROR_CANNOT_READ);
  EXPECT_EQ(billow_garment_load(nullptr, nullptr, &garment), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_garment_create(nullptr, &garment), BILLOW_ERROR_INVALID_ARGUMENT);
  const billow_garment_desc none{nullptr, 10, 0, nullptr}, empty{"", 0, 0, nullptr};
  EXPECT_EQ(billow_garment_create(&none, &garment), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_garment_create(&empty, &garment), BILLOW_ERROR_BAD_DATA);
}

TEST(GarmentFiles, AreKeptOrCopiedOrLoaded) {
  const std::string bytes = testing::tiny_garment_bytes();
  std::vector<char> scratch(bytes.size() + 128);
  char* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
  std::copy(bytes.begin(), bytes.end(), aligned);
  billow_garment* garment = nullptr;
  const billow_garment_desc kept{aligned, bytes.size(), 1, nullptr},
      crooked{aligned + 4, bytes.size(), 1, nullptr};
  EXPECT_EQ(billow_garment_create(&kept, &garment), BILLOW_OK) << billow_last_error();
  billow_garment_destroy(garment);
  EXPECT_EQ(billow_garment_create(&crooked, &garment), BILLOW_ERROR_INVALID_ARGUMENT);
  const std::string path = ::testing::TempDir() + "billow_tiny.billow";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  EXPECT_EQ(billow_garment_load(path.c_str(), nullptr, &garment), BILLOW_OK) << billow_last_error();
  EXPECT_EQ(billow_garment_vertex_count(garment), 99u);
  billow_garment_destroy(garment);
  std::remove(path.c_str());
}

TEST(GarmentWrapper, PlaysAFrame) {
  const std::string bytes = testing::tiny_garment_bytes();
  auto garment = Garment::create(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(garment) << garment.message();
  auto instance = Instance::create(garment.value());
  ASSERT_TRUE(instance) << instance.message();
  const auto joints = tiny_joints(1);
  EXPECT_TRUE(instance.value().step(1.0f / 60, joints));
  EXPECT_EQ(instance.value().positions().size(), 3 * 99u);
  EXPECT_EQ(instance.value().normals().size(), 3 * 99u);
  EXPECT_EQ(garment.value().joint_name(1), "top");
  EXPECT_FALSE(instance.value().step(1.0f / 60, {}));
}

}  // namespace
}  // namespace billow::garment_test
