// Bodies: what is refused is named and changes nothing.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "support/colliders.h"

namespace billow::body_arguments_test {
namespace {

using testing::BodyHandle;
using testing::Vector;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_message(const char* field) {
  EXPECT_NE(std::string(billow_last_error()).find(field), std::string::npos)
      << "expected the message to name " << field << ", found: " << billow_last_error();
}

// Creates a body of two spheres and the collider given.
void expect_collider_refused(const billow_collider& collider, const char* field) {
  const billow_collider colliders[3] = {testing::sphere({}, 1), testing::sphere({}, 1), collider};
  billow_body_desc d{};
  d.colliders = colliders;
  d.collider_count = 3;
  d.joint_count = 2;
  billow_body* body = nullptr;
  EXPECT_EQ(billow_body_create(&d, &body), BILLOW_ERROR_INVALID_ARGUMENT) << field;
  EXPECT_EQ(body, nullptr);
  expect_message((std::string("colliders[2].") + field).c_str());
}

TEST(BodyCreateArguments, EveryFloatThatIsNotFiniteIsNamed) {
  for (int shape = BILLOW_SHAPE_SPHERE; shape <= BILLOW_SHAPE_HALF_SPACE; ++shape) {
    for (float bad : {kNan, kInfinity, -kInfinity, 1e20f}) {
      billow_collider c = testing::capsule({}, {{0, 1, 0}}, 0.1);
      c.shape = static_cast<billow_shape>(shape);
      struct {
        const char* name;
        float* values;
        size_t count;
      } fields[] = {{"position", c.position, 3},
                    {"rotation", c.rotation, 4},
                    {"end", c.end, 3},
                    {"radius", &c.radius, 1},
                    {"radius_end", &c.radius_end, 1},
                    {"half_extents", c.half_extents, 3},
                    {"weight", c.weight, 4},
                    {"blend_radius", &c.blend_radius, 1}};
      for (auto& f : fields) {
        for (size_t k = 0; k < f.count; ++k) {
          const float good = f.values[k];
          f.values[k] = bad;
          expect_collider_refused(c, f.name);
          f.values[k] = good;
        }
      }
    }
  }
}

TEST(BodyCreateArguments, EveryValueOutOfRangeIsNamed) {
  const struct {
    const char* field;
    billow_shape shape;
    std::function<void(billow_collider&)> spoil;
  } cases[] = {
      {"radius", BILLOW_SHAPE_SPHERE, [](auto& c) { c.radius = 0; }},
      {"radius", BILLOW_SHAPE_SPHERE, [](auto& c) { c.radius = -1; }},
      {"radius", BILLOW_SHAPE_CAPSULE, [](auto& c) { c.radius = 0; }},
      {"radius", BILLOW_SHAPE_TAPERED_CAPSULE, [](auto& c) { c.radius = 0; }},
      {"radius_end", BILLOW_SHAPE_TAPERED_CAPSULE, [](auto& c) { c.radius_end = -0.1f; }},
      {"half_extents", BILLOW_SHAPE_ELLIPSOID, [](auto& c) { c.half_extents[1] = 0; }},
      {"half_extents", BILLOW_SHAPE_BOX, [](auto& c) { c.half_extents[2] = -1; }},
      {"radius", BILLOW_SHAPE_BOX, [](auto& c) { c.radius = -0.1f; }},
      {"radius", BILLOW_SHAPE_BOX, [](auto& c) { c.radius = 0.11f; }},
      {"sdf", BILLOW_SHAPE_CUSTOM, [](auto&) {}},
      {"weight", BILLOW_SHAPE_SPHERE, [](auto& c) { c.weight[3] = -0.1f; }},
      {"weight", BILLOW_SHAPE_SPHERE, [](auto& c) { c.weight[0] = 0; }},
      {"joint", BILLOW_SHAPE_SPHERE, [](auto& c) { c.joint[0] = 2; }},
      {"joint", BILLOW_SHAPE_SPHERE, [](auto& c) { c.joint[0] = 0xffffffffu; }},
      {"blend_with", BILLOW_SHAPE_SPHERE, [](auto& c) { c.blend_with = 2; }},
      {"blend_with", BILLOW_SHAPE_SPHERE, [](auto& c) { c.blend_with = 7; }},
      {"blend_with", BILLOW_SHAPE_SPHERE, [](auto& c) { c.blend_with = -2; }},
      {"blend_radius", BILLOW_SHAPE_SPHERE, [](auto& c) { c.blend_with = 0; }},
      {"blend_radius", BILLOW_SHAPE_SPHERE, [](auto& c) { c.blend_with = 0, c.blend_radius = -0.1f; }},
  };
  for (const auto& a : cases) {
    billow_collider c = billow_collider_default();
    c.shape = a.shape;
    a.spoil(c);
    expect_collider_refused(c, a.field);
  }
}

TEST(BodyCreateArguments, AnUnknownShapeIsRefused) {
  for (int32_t shape : {9, 99, -1, 0x7fffffff}) {
    billow_collider c = billow_collider_default();
    std::memcpy(&c.shape, &shape, sizeof shape);  // as a C program can
    expect_collider_refused(c, "shape");
  }
}

TEST(BodyCreateArguments, EveryCountOutOfRangeIsNamed) {
  const std::vector<billow_collider> many(BILLOW_MAX_COLLIDERS + 1, billow_collider_default());
  const billow_transform rest = testing::at({});
  const billow_allocator half{[](void*, size_t, size_t) -> void* { return nullptr; }, nullptr, nullptr};
  const struct {
    const char* field;
    std::function<void(billow_body_desc&)> spoil;
  } cases[] = {{"joint_count", [](auto& d) { d.joint_count = 0; }},
               {"joint_count", [](auto& d) { d.joint_count = 0xffffffffu; }},
               {"collider_count", [](auto& d) { d.collider_count = BILLOW_MAX_COLLIDERS + 1; }},
               {"collider_count", [](auto& d) { d.collider_count = 0xffffffffu; }},
               {"colliders", [](auto& d) { d.colliders = nullptr; }},
               {"allocator", [&](auto& d) { d.allocator = &half; }}};
  for (const auto& c : cases) {
    billow_body_desc d{many.data(), 1, &rest, 1, nullptr};
    c.spoil(d);
    billow_body* body = nullptr;
    EXPECT_EQ(billow_body_create(&d, &body), BILLOW_ERROR_INVALID_ARGUMENT) << c.field;
    EXPECT_EQ(body, nullptr);
    expect_message(c.field);
  }
  // At the limit it is fine.
  billow_body_desc d{many.data(), BILLOW_MAX_COLLIDERS, &rest, 1, nullptr};
  billow_body* body = nullptr;
  EXPECT_EQ(billow_body_create(&d, &body), BILLOW_OK);
  EXPECT_EQ(billow_body_collider_count(body), static_cast<uint32_t>(BILLOW_MAX_COLLIDERS));
  billow_body_destroy(body);
  EXPECT_EQ(billow_body_create(nullptr, &body), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_body_create(&d, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
}

// Spoils each of the seven numbers of a transform in turn.
void with_each_number_bad(billow_transform& t, const std::function<void(const char* part)>& check) {
  for (float bad : {kNan, kInfinity, -kInfinity, 1e30f}) {
    for (size_t k = 0; k < 7; ++k) {
      float& value = k < 3 ? t.position[k] : t.rotation[k - 3];
      const float good = value;
      value = bad;
      check(k < 3 ? "position" : "rotation");
      value = good;
    }
  }
}

TEST(BodyCreateArguments, RestJointsThatAreNotFiniteAreNamed) {
  billow_transform rest[2] = {testing::at({}), testing::at({{1, 0, 0}})};
  with_each_number_bad(rest[1], [&](const char* part) {
    EXPECT_FALSE(testing::make_body({testing::sphere({}, 1)}, {rest[0], rest[1]}));
    expect_message((std::string("joint_rest[1].") + part).c_str());
  });
}

// A posed body whose distances tell whether anything has changed.
class BodyArguments : public ::testing::Test {
 protected:
  void SetUp() override {
    body_ = testing::make_body({testing::sphere({}, 0.5), testing::box({{1, 0, 0}}, {{0.1, 0.2, 0.3}})});
    ASSERT_TRUE(body_);
    ASSERT_EQ(billow_body_pose(body_.get(), &joint_, 1, 1), BILLOW_OK);
    before_ = distance();
  }
  // It still works afterwards.
  void TearDown() override {
    billow_transform next = testing::at({{0, 1, 0}});
    EXPECT_EQ(billow_body_pose(body_.get(), &next, 1, 2), BILLOW_OK);
    EXPECT_NE(distance(), before_);
  }
  float distance() { return testing::query(body_, {{0.3, 0.9, -0.4}}).distance; }
  void expect_refused(billow_status status, const char* field) {
    EXPECT_EQ(status, BILLOW_ERROR_INVALID_ARGUMENT) << field;
    expect_message(field);
    EXPECT_EQ(distance(), before_) << field << " was refused, but the body moved";
  }

  BodyHandle body_;
  billow_transform joint_ = testing::at({{0.1, 0.2, 0.3}}, testing::about_y(0.4));
  float before_ = 0;
};

TEST_F(BodyArguments, PosesThatMakeNoSenseAreRefused) {
  for (auto* pose : {billow_body_pose, billow_body_teleport}) {
    expect_refused(pose(nullptr, &joint_, 1, 1), "body");
    expect_refused(pose(body_.get(), nullptr, 1, 1), "joints");
    for (uint32_t count : {0u, 2u, 0xffffffffu})
      expect_refused(pose(body_.get(), &joint_, count, 1), "joint_count");
    for (float scale : {0.0f, -1.0f, kNan, kInfinity, 1e-9f, 1e9f})
      expect_refused(pose(body_.get(), &joint_, 1, scale), "scale");
    with_each_number_bad(joint_, [&](const char* part) {
      expect_refused(pose(body_.get(), &joint_, 1, 1), (std::string("joints[0].") + part).c_str());
    });
  }
}

TEST_F(BodyArguments, QueriesThatMakeNoSenseAreRefusedAndWriteNothing) {
  float point[6] = {}, distances[2] = {-7, -7};
  expect_refused(
      billow_body_query(nullptr, BILLOW_ALL_GROUPS, point, 2, BILLOW_NO_LIMIT, distances, nullptr, nullptr),
      "body");
  expect_refused(billow_body_query(body_.get(), BILLOW_ALL_GROUPS, nullptr, 2, BILLOW_NO_LIMIT, distances,
                                   nullptr, nullptr),
                 "points");
  expect_refused(
      billow_body_query(body_.get(), BILLOW_ALL_GROUPS, point, 2, BILLOW_NO_LIMIT, nullptr, nullptr, nullptr),
      "distances");
  for (float bad : {kNan, kInfinity, -kInfinity}) {
    for (float& x : point) {
      x = bad;
      expect_refused(billow_body_query(body_.get(), BILLOW_ALL_GROUPS, point, 2, BILLOW_NO_LIMIT, distances,
                                       nullptr, nullptr),
                     "points");
      x = 0;
    }
  }
  EXPECT_EQ(distances[0], -7);
  EXPECT_EQ(distances[1], -7);
  // No points are no points, wherever they are.
  EXPECT_EQ(billow_body_query(body_.get(), BILLOW_ALL_GROUPS, nullptr, 0, BILLOW_NO_LIMIT, nullptr, nullptr,
                              nullptr),
            BILLOW_OK);
}

TEST_F(BodyArguments, ChainsAreNoBody) {
  const uint32_t bones = 2;
  const float rest[6] = {0, 0, 0, 0, -1, 0};
  billow_chains_desc d{};
  d.chain_count = 1;
  d.bone_counts = &bones;
  d.rest_positions = rest;
  billow_chains* chains = nullptr;
  ASSERT_EQ(billow_chains_create(&d, &chains), BILLOW_OK);
  auto* wrong = reinterpret_cast<billow_body*>(chains);
  float point[3] = {}, distance_found = 0;
  expect_refused(billow_body_pose(wrong, &joint_, 1, 1), "body");
  expect_refused(billow_body_teleport(wrong, &joint_, 1, 1), "body");
  expect_refused(billow_body_query(wrong, BILLOW_ALL_GROUPS, point, 1, BILLOW_NO_LIMIT, &distance_found,
                                   nullptr, nullptr),
                 "body");
  EXPECT_EQ(billow_body_collider_count(wrong), 0u);
  billow_body_destroy(wrong);  // does nothing
  EXPECT_EQ(billow_chains_bone_count(chains), 2u);
  billow_chains_destroy(chains);
}

TEST_F(BodyArguments, NoBodyHasNoCollidersAndIsFineToDestroy) {
  EXPECT_EQ(billow_body_collider_count(nullptr), 0u);
  billow_body_destroy(nullptr);
}

TEST_F(BodyArguments, RotationsAreNormalisedAndZeroIsIdentity) {
  billow_transform plain = joint_, large = joint_, small = joint_, nothing = testing::at({{0.1, 0.2, 0.3}});
  for (float& q : large.rotation) q *= 1e14f;
  for (float& q : small.rotation) q *= 1e-20f;
  ASSERT_EQ(billow_body_pose(body_.get(), &plain, 1, 1), BILLOW_OK);
  const float wanted = distance();
  for (const billow_transform* t : {&large, &small}) {
    ASSERT_EQ(billow_body_pose(body_.get(), t, 1, 1), BILLOW_OK);
    EXPECT_NEAR(distance(), wanted, 1e-6);
  }
  ASSERT_EQ(billow_body_pose(body_.get(), &nothing, 1, 1), BILLOW_OK);
  const float identity = distance();
  nothing.rotation[3] = 0;
  ASSERT_EQ(billow_body_pose(body_.get(), &nothing, 1, 1), BILLOW_OK);
  EXPECT_EQ(distance(), identity);
}

}  // namespace
}  // namespace billow::body_arguments_test
