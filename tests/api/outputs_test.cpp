// The mesh into buffers of all kinds: half floats, some of the vertices, tangents, attributes beside each other.
#include <gtest/gtest.h>

#include <billow/billow.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "net/half.h"
#include "support/tiny_garment.h"

namespace billow {
namespace {

constexpr uint32_t kVertices = testing::kTinyAcross * testing::kTinyDown;

class Outputs : public ::testing::Test {
 protected:
  Outputs() {
    EXPECT_EQ(billow_instance_create(garment_, nullptr, &instance_), BILLOW_OK) << billow_last_error();
    for (int k = 0; k < 20; ++k) {
      const auto joints = testing::tiny_joints(k);
      billow_frame frame{};
      frame.dt = 1.0f / 64;
      frame.joints = joints.data(), frame.joint_count = testing::kTinyJoints;
      EXPECT_EQ(billow_instance_step(instance_, &frame), BILLOW_OK) << billow_last_error();
    }
    positions_ = billow_instance_position_data(instance_);
    normals_ = billow_instance_normal_data(instance_);
  }
  ~Outputs() override {
    billow_instance_destroy(instance_);
    billow_garment_destroy(garment_);
  }
  static billow_output output(billow_attribute attribute, void* out, uint32_t capacity = kVertices) {
    billow_output o{};
    o.attribute = attribute;
    o.out = out, o.capacity = capacity;
    return o;
  }
  billow_status write(const billow_output& o) const { return billow_instance_write(instance_, &o, 1); }

  billow_garment* garment_ = testing::make_tiny_garment();
  billow_instance* instance_ = nullptr;
  const float *positions_ = nullptr, *normals_ = nullptr;
};

TEST_F(Outputs, AllOfThemBesideEachOtherInOneBuffer) {
  struct Vertex {
    float position[3];
    uint16_t normal[3], tangent[4], other;
  };
  std::vector<Vertex> buffer(kVertices, Vertex{{}, {}, {}, 77});
  billow_output outputs[] = {output(BILLOW_ATTRIBUTE_POSITION, buffer[0].position),
                             output(BILLOW_ATTRIBUTE_NORMAL, buffer[0].normal),
                             output(BILLOW_ATTRIBUTE_TANGENT, buffer[0].tangent)};
  for (billow_output& o : outputs) o.stride = sizeof(Vertex);
  outputs[1].format = outputs[2].format = BILLOW_FORMAT_FLOAT16;
  ASSERT_EQ(billow_instance_write(instance_, outputs, 3), BILLOW_OK) << billow_last_error();
  for (uint32_t v = 0; v < kVertices; ++v) {
    ASSERT_EQ(std::memcmp(buffer[v].position, positions_ + 3 * v, 12), 0);
    ASSERT_EQ(buffer[v].other, 77);
    float n[3], t[3];
    for (int k = 0; k < 3; ++k) {
      n[k] = from_half(buffer[v].normal[k]), t[k] = from_half(buffer[v].tangent[k]);
      ASSERT_NEAR(n[k], normals_[3 * v + k], 5e-4);
    }
    ASSERT_NEAR(n[0] * t[0] + n[1] * t[1] + n[2] * t[2], 0, 3e-3);
    ASSERT_NEAR(std::hypot(t[0], t[1], t[2]), 1, 2e-3);
    ASSERT_EQ(std::fabs(from_half(buffer[v].tangent[3])), 1);
  }
}

TEST_F(Outputs, HalvesAreFinerNearTheOrigin) {
  std::vector<uint16_t> halves(3 * kVertices);
  billow_output o = output(BILLOW_ATTRIBUTE_POSITION, halves.data());
  o.format = BILLOW_FORMAT_FLOAT16;
  const auto worst = [&] {
    EXPECT_EQ(write(o), BILLOW_OK) << billow_last_error();
    float most = 0;
    for (uint32_t i = 0; i < 3 * kVertices; ++i)
      most = std::max(most, std::fabs(from_half(halves[i]) + o.origin[i % 3] - positions_[i]));
    return most;
  };
  EXPECT_LT(worst(), 5e-4f);
  for (int k = 0; k < 3; ++k) o.origin[k] = positions_[3 * 50 + k];
  EXPECT_LT(worst(), 2.5e-4f);
  for (int k = 0; k < 3; ++k) o.origin[k] += 100;
  EXPECT_GT(worst(), 5e-3f);
}

TEST_F(Outputs, SomeVerticesInAnyOrder) {
  const uint32_t some[] = {98, 3, 3, 41};
  std::vector<float> out(12, -1.0f);
  billow_output o = output(BILLOW_ATTRIBUTE_NORMAL, out.data(), 4);
  o.vertices = some, o.vertex_count = 4;
  ASSERT_EQ(write(o), BILLOW_OK) << billow_last_error();
  for (int k = 0; k < 4; ++k) EXPECT_EQ(std::memcmp(&out[3 * k], normals_ + 3 * some[k], 12), 0) << k;
  o.vertex_count = 0;
  o.capacity = 0;
  EXPECT_EQ(write(o), BILLOW_OK) << "none are some";
}

TEST_F(Outputs, TangentsFollowThePattern) {
  std::vector<float> tangents(4 * kVertices);
  ASSERT_EQ(write(output(BILLOW_ATTRIBUTE_TANGENT, tangents.data())), BILLOW_OK) << billow_last_error();
  // In the middle of the sheet u runs from each vertex toward the next.
  for (uint32_t r = 1; r + 1 < testing::kTinyDown; ++r)
    for (uint32_t c = 1; c + 1 < testing::kTinyAcross; ++c) {
      const uint32_t v = r * testing::kTinyAcross + c;
      float along = 0;
      for (uint32_t k = 0; k < 3; ++k)
        along += tangents[4 * v + k] * (positions_[3 * (v + 1) + k] - positions_[3 * (v - 1) + k]);
      EXPECT_GT(along, 0) << v;
    }
}

TEST_F(Outputs, WhatIsWrongIsRefusedAndNothingIsWritten) {
  std::vector<float> scratch(4 * kVertices, -1.0f), good(3 * kVertices, -1.0f);
  const auto refused = [&](billow_status status, const char* says, auto change) {
    billow_output both[2] = {output(BILLOW_ATTRIBUTE_POSITION, good.data()),
                             output(BILLOW_ATTRIBUTE_TANGENT, scratch.data())};
    change(both[1]);
    EXPECT_EQ(billow_instance_write(instance_, both, 2), status) << says;
    EXPECT_NE(std::string(billow_last_error()).find(says), std::string::npos) << billow_last_error();
    EXPECT_EQ(good, std::vector<float>(good.size(), -1.0f));
  };
  const uint32_t beyond[] = {0, kVertices};
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "found NULL", [](billow_output& o) { o.out = nullptr; });
  refused(BILLOW_ERROR_BUFFER_TOO_SMALL, "at least 99 vertices, found 98",
          [](billow_output& o) { o.capacity = 98; });
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "16 bytes or more", [](billow_output& o) { o.stride = 12; });
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "in steps of 2", [](billow_output& o) {
    o.format = BILLOW_FORMAT_FLOAT16;
    o.stride = 9;
  });
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "less than 99, found 99 as number 1", [&](billow_output& o) {
    o.vertices = beyond;
    o.vertex_count = 2;
  });
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "expected 2 of them, found NULL",
          [](billow_output& o) { o.vertex_count = 2; });
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "origin", [](billow_output& o) { o.origin[1] = NAN; });
  const auto put = [](auto& field, int32_t value) { std::memcpy(&field, &value, sizeof value); };
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "billow_attribute, found 3",
          [&](billow_output& o) { put(o.attribute, 3); });
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "billow_format, found -1",
          [&](billow_output& o) { put(o.format, -1); });
  billow_instance_options options = billow_instance_options_default();
  options.normals = 0;
  billow_instance_set_options(instance_, &options);
  refused(BILLOW_ERROR_INVALID_ARGUMENT, "the option normals on", [](billow_output&) {});
  EXPECT_EQ(billow_instance_write(instance_, nullptr, 1), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_write(nullptr, nullptr, 0), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_write(instance_, nullptr, 0), BILLOW_OK);
}

}  // namespace
}  // namespace billow
