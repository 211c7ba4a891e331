// What colliders and joints are read back as: as described, as posed, and as the garment file has them.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/colliders.h"
#include "support/random.h"
#include "support/tiny_garment.h"

namespace billow::readers_test {
namespace {

using testing::BodyHandle;

billow_collider read(const BodyHandle& body, uint32_t index) {
  billow_collider c{};
  EXPECT_EQ(billow_body_get_collider(body.get(), index, &c), BILLOW_OK) << billow_last_error();
  return c;
}
billow_collider read_posed(const BodyHandle& body, uint32_t index) {
  billow_collider c{};
  EXPECT_EQ(billow_body_get_posed_collider(body.get(), index, &c), BILLOW_OK) << billow_last_error();
  return c;
}

// To the bit, but for pointers, before which there is padding.
bool alike(const billow_collider& a, const billow_collider& b) {
  return std::memcmp(&a, &b, offsetof(billow_collider, group) + sizeof a.group) == 0;
}

// A cube's distances, less than which no value may be.
struct Cube {
  std::vector<int16_t> values;
  billow_sdf_grid grid{};
  Cube() {
    for (int z = -2; z <= 2; ++z)
      for (int y = -2; y <= 2; ++y)
        for (int x = -2; x <= 2; ++x)
          values.push_back(static_cast<int16_t>(std::max({std::abs(x), std::abs(y), std::abs(z)}) * 2 - 3));
    grid = {values.data(), {5, 5, 5}, 0.1f, 0.02f};
  }
};

TEST(BodyReaders, GiveCollidersAsDescribed) {
  testing::Random random(81);
  std::vector<billow_collider> colliders;
  for (int k = 0; k < 20; ++k) colliders.push_back(testing::random_collider(random, 0.5));
  colliders[3].blend_with = 1, colliders[3].blend_radius = 0.05f, colliders[4].group = 3;
  BodyHandle body;
  Cube cube;
  {
    // What a description points to is read at creation.
    billow_sdf_grid passing = cube.grid;
    billow_collider grid = billow_collider_default();
    grid.shape = BILLOW_SHAPE_GRID, grid.grid = &passing;
    colliders.push_back(grid);
    body = testing::make_body(colliders);
    ASSERT_TRUE(body) << billow_last_error();
    passing = {};
  }
  for (uint32_t k = 0; k < 20; ++k) {
    const billow_collider c = read(body, k);
    EXPECT_TRUE(alike(c, colliders[k])) << k;
  }
  const billow_collider grid = read(body, 20);
  ASSERT_NE(grid.grid, nullptr);
  EXPECT_EQ(grid.grid->values, cube.values.data());
  EXPECT_EQ(grid.grid->size[2], 5u);
  EXPECT_EQ(grid.grid->spacing, 0.1f);
  EXPECT_EQ(grid.neural, nullptr);
}

TEST(BodyReaders, GiveCollidersWhereTheyAre) {
  testing::Random random(82);
  std::vector<billow_collider> colliders;
  for (int k = 0; k < 40; ++k) colliders.push_back(testing::random_collider(random, 0.5));
  // One end inside the other: a sphere.
  colliders.push_back(testing::tapered_capsule({}, {{0, 0.05, 0}}, 0.1, 0.3));
  colliders.push_back(testing::half_space({{0, -1, 0}}, testing::about_x(0.3)));
  const BodyHandle body = testing::make_body(colliders);
  ASSERT_TRUE(body) << billow_last_error();
  const billow_transform joint = testing::at({{1, 2, -3}}, {0.5, 0.5, -0.5, 0.5});
  ASSERT_EQ(billow_body_pose(body.get(), &joint, 1, 1.5f), BILLOW_OK);
  EXPECT_EQ(billow_body_scale(body.get()), 1.5f);
  // A body of what is read, on a joint that is nowhere, is where the first one is.
  std::vector<billow_collider> posed;
  for (uint32_t k = 0; k < colliders.size(); ++k) posed.push_back(read_posed(body, k));
  EXPECT_EQ(posed[40].shape, BILLOW_SHAPE_SPHERE);
  EXPECT_FLOAT_EQ(posed[40].radius, 0.45f);
  const BodyHandle copy = testing::make_body(posed);
  ASSERT_TRUE(copy) << billow_last_error();
  for (int k = 0; k < 500; ++k) {
    const testing::Vector p = testing::Vector{{1, 2, -3}} + random.in_box(1.5);
    const testing::QueryResult a = testing::query(body, p), b = testing::query(copy, p);
    EXPECT_NEAR(a.distance, b.distance, 2e-5);
  }
}

TEST(BodyReaders, RefuseWhatIsWrong) {
  const BodyHandle body = testing::make_body({testing::sphere({}, 1), testing::sphere({}, 2)});
  uint64_t other[64] = {};
  for (auto* get : {billow_body_get_collider, billow_body_get_posed_collider}) {
    billow_collider c = billow_collider_default();
    c.radius = 77;
    EXPECT_EQ(get(nullptr, 0, &c), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(get(reinterpret_cast<billow_body*>(other), 0, &c), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(get(body.get(), 0, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
    for (const uint32_t index : {2u, 128u, 0xffffffffu}) {
      EXPECT_EQ(get(body.get(), index, &c), BILLOW_ERROR_INVALID_ARGUMENT);
      EXPECT_NE(std::string(billow_last_error()).find("index: expected less than 2"), std::string::npos);
    }
    EXPECT_EQ(c.radius, 77);
  }
  EXPECT_EQ(billow_body_scale(nullptr), 0);
  EXPECT_EQ(billow_body_scale(reinterpret_cast<billow_body*>(other)), 0);
}

TEST(GarmentReaders, GiveParentsAndColliders) {
  billow_garment* garment = testing::make_tiny_garment();
  billow_instance* instance = nullptr;
  ASSERT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK);
  int32_t parents[2] = {7, 7};
  ASSERT_EQ(billow_garment_get_joint_parents(garment, parents, 2), BILLOW_OK);
  EXPECT_EQ(parents[0], BILLOW_NO_PARENT);
  EXPECT_EQ(parents[1], 0);
  ASSERT_EQ(billow_garment_collider_count(garment), 2u);
  char name[BILLOW_MAX_NAME];
  ASSERT_EQ(billow_garment_get_collider_name(garment, 1, name, sizeof name), BILLOW_OK);
  EXPECT_STREQ(name, "post");
  for (uint32_t k = 0; k < 2; ++k) {
    // They are those of its instances.
    billow_collider c{}, of_instance{};
    ASSERT_EQ(billow_garment_get_collider(garment, k, &c), BILLOW_OK);
    ASSERT_EQ(billow_body_get_collider(billow_instance_body(instance), k, &of_instance), BILLOW_OK);
    EXPECT_EQ(c.shape, k == 0 ? BILLOW_SHAPE_ELLIPSOID : BILLOW_SHAPE_CAPSULE);
    EXPECT_TRUE(alike(c, of_instance)) << k;
  }

  billow_collider c = billow_collider_default();
  uint64_t other[64] = {};
  for (billow_garment* g :
       {static_cast<billow_garment*>(nullptr), reinterpret_cast<billow_garment*>(other)}) {
    EXPECT_EQ(billow_garment_collider_count(g), 0u);
    EXPECT_EQ(billow_garment_get_collider(g, 0, &c), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_garment_get_collider_name(g, 0, name, sizeof name), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_garment_get_joint_parents(g, parents, 2), BILLOW_ERROR_INVALID_ARGUMENT);
  }
  for (const uint32_t index : {2u, 0xffffffffu}) {
    EXPECT_EQ(billow_garment_get_collider(garment, index, &c), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(billow_garment_get_collider_name(garment, index, name, sizeof name),
              BILLOW_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(billow_garment_get_collider(garment, 0, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_garment_get_collider_name(garment, 0, nullptr, 5), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_garment_get_collider_name(garment, 0, name, 4), BILLOW_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(billow_garment_get_joint_parents(garment, nullptr, 2), BILLOW_ERROR_INVALID_ARGUMENT);
  parents[0] = 7;
  EXPECT_EQ(billow_garment_get_joint_parents(garment, parents, 1), BILLOW_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(parents[0], 7);
  billow_instance_destroy(instance);
  billow_garment_destroy(garment);
}

}  // namespace
}  // namespace billow::readers_test
