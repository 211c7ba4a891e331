// Layers: the outside of a garment as a body. What is refused, and that a layer goes where its garment goes.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/colliders.h"
#include "support/tiny_garment.h"

namespace billow::layers_api_test {
namespace {

using namespace billow::testing;

struct Destroy {
  void operator()(billow_garment* g) const { billow_garment_destroy(g); }
  void operator()(billow_instance* i) const { billow_instance_destroy(i); }
};
struct Place {
  float x = 0, y = 0, z = 0;
};
using GarmentHandle = std::unique_ptr<billow_garment, Destroy>;
using InstanceHandle = std::unique_ptr<billow_instance, Destroy>;

void expect_refused(billow_status status, const char* why) {
  EXPECT_EQ(status, BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(billow_last_error()).find(why), std::string::npos) << billow_last_error();
}

InstanceHandle wear(billow_garment* garment) {
  billow_instance* instance = nullptr;
  EXPECT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK) << billow_last_error();
  return InstanceHandle(instance);
}
BodyHandle layer_of(const billow_instance* inner) {
  billow_body* layer = nullptr;
  EXPECT_EQ(billow_body_create_layer(inner, nullptr, &layer), BILLOW_OK) << billow_last_error();
  return BodyHandle(layer);
}

class Layers : public ::testing::Test {
 protected:
  GarmentHandle garment_{make_tiny_garment()};
  InstanceHandle inner_ = wear(garment_.get());

  void step(billow_instance* instance, int frame, Place at = {}, float scale = 1,
            const billow_body* other = nullptr) {
    auto joints = tiny_joints(frame);
    for (billow_transform& j : joints) {
      j.position[0] = j.position[0] * scale + at.x;
      j.position[1] = j.position[1] * scale + at.y;
      j.position[2] = j.position[2] * scale + at.z;
    }
    billow_frame f = billow_frame_default();
    f.dt = 1.0f / 60, f.scale = scale;
    f.joints = joints.data(), f.joint_count = kTinyJoints;
    f.others = &other, f.other_count = other ? 1 : 0;
    ASSERT_EQ(billow_instance_step(instance, &f), BILLOW_OK) << billow_last_error();
  }
  // Distances of places around the instance's mesh, moved and scaled likewise.
  std::vector<float> around(const billow_body* layer, Place at = {}, float scale = 1) const {
    std::vector<float> points, distances;
    for (int k = 0; k < 300; ++k)
      for (const float x :
           {0.05f * static_cast<float>(k % 7) - 0.15f, 0.05f * static_cast<float>(k / 7 % 7) - 0.3f,
            0.05f * static_cast<float>(k / 49) - 0.15f})
        points.push_back(x * scale);
    for (size_t p = 0; p < points.size(); p += 3)
      points[p] += at.x, points[p + 1] += at.y, points[p + 2] += at.z;
    distances.resize(points.size() / 3);
    EXPECT_EQ(
        billow_body_query(layer, BILLOW_ALL_GROUPS, points.data(), static_cast<uint32_t>(distances.size()),
                          BILLOW_NO_LIMIT, distances.data(), nullptr, nullptr),
        BILLOW_OK)
        << billow_last_error();
    return distances;
  }
};

TEST_F(Layers, RefusesMisuse) {
  billow_body* layer = nullptr;
  expect_refused(billow_body_create_layer(inner_.get(), nullptr, nullptr), "out");
  expect_refused(billow_body_create_layer(nullptr, nullptr, &layer), "inner");
  const billow_allocator none{};
  expect_refused(billow_body_create_layer(inner_.get(), &none, &layer), "allocator");
  alignas(64) const char zeros[1024] = {};
  expect_refused(billow_body_create_layer(reinterpret_cast<const billow_instance*>(zeros), nullptr, &layer),
                 "inner");
  EXPECT_EQ(layer, nullptr);

  const BodyHandle good = layer_of(inner_.get()), ball = make_body({sphere({{0, 0, 0}}, 0.1)});
  expect_refused(billow_body_pose_layer(nullptr, inner_.get()), "body");
  expect_refused(billow_body_pose_layer(good.get(), nullptr), "inner");
  expect_refused(billow_body_pose_layer(ball.get(), inner_.get()),
                 "layer: expected a body of billow_body_create_layer");
  const GarmentHandle other(make_tiny_garment());
  const InstanceHandle worn = wear(other.get());
  expect_refused(billow_body_pose_layer(good.get(), worn.get()), "one of another");
  const billow_transform joint = at({});
  expect_refused(billow_body_pose(good.get(), &joint, 1, 1), "billow_body_pose_layer");
  expect_refused(billow_body_teleport(good.get(), &joint, 1, 1), "billow_body_pose_layer");

  billow_instance_options options = billow_instance_options_default();
  options.normals = 0;
  ASSERT_EQ(billow_instance_set_options(inner_.get(), &options), BILLOW_OK);
  expect_refused(billow_body_pose_layer(good.get(), inner_.get()), "normals");
  expect_refused(billow_body_create_layer(inner_.get(), nullptr, &layer), "normals");
  EXPECT_EQ(layer, nullptr);
}

TEST_F(Layers, AreNothingBeforeAMeshIsShown) {
  const BodyHandle layer = layer_of(inner_.get());
  EXPECT_EQ(billow_body_collider_count(layer.get()), 0u);
  for (const float d : around(layer.get())) EXPECT_EQ(d, BILLOW_NO_LIMIT);
  step(inner_.get(), 0);
  EXPECT_EQ(billow_body_collider_count(layer.get()), 0u) << "until it is posed";
  ASSERT_EQ(billow_body_pose_layer(layer.get(), inner_.get()), BILLOW_OK);
  EXPECT_EQ(billow_body_collider_count(layer.get()), 1u);
  billow_collider c;
  ASSERT_EQ(billow_body_get_collider(layer.get(), 0, &c), BILLOW_OK);
  EXPECT_EQ(c.shape, BILLOW_SHAPE_GRID);
  EXPECT_EQ(c.group, static_cast<uint32_t>(BILLOW_COLLIDER_GROUP_CLOTH));
  ASSERT_NE(c.grid, nullptr);
  EXPECT_GT(c.grid->size[0], 2u);
}

// The sheet has a side: behind it is inside, before it outside, and past its edges, too.
TEST_F(Layers, HaveTheCloths) {
  step(inner_.get(), 0);
  const BodyHandle layer = layer_of(inner_.get());
  const uint32_t vertices = billow_garment_vertex_count(garment_.get());
  const float *x = billow_instance_position_data(inner_.get()),
              *n = billow_instance_normal_data(inner_.get());
  float apart[2] = {};
  uint32_t sided = 0;
  for (uint32_t v = 0; v < vertices; ++v) {
    float points[6], d[2];
    for (int k = 0; k < 3; ++k) {
      points[k] = x[3 * v + static_cast<uint32_t>(k)] + 0.06f * n[3 * v + static_cast<uint32_t>(k)];
      points[3 + k] = x[3 * v + static_cast<uint32_t>(k)] - 0.06f * n[3 * v + static_cast<uint32_t>(k)];
    }
    ASSERT_EQ(
        billow_body_query(layer.get(), BILLOW_ALL_GROUPS, points, 2, BILLOW_NO_LIMIT, d, nullptr, nullptr),
        BILLOW_OK);
    apart[0] += d[0] / static_cast<float>(vertices), apart[1] += d[1] / static_cast<float>(vertices);
    sided += d[1] < d[0];
  }
  EXPECT_GT(apart[0], 0.01f);
  EXPECT_LT(apart[1], -0.01f);
  EXPECT_GT(sided, vertices * 9 / 10);
}

TEST_F(Layers, GoWithTheOriginAndScale) {
  const InstanceHandle away = wear(garment_.get());
  const Place far{16, 8, -32};
  step(inner_.get(), 0), step(away.get(), 0, far, 2);
  const BodyHandle layer = layer_of(inner_.get()), of_away = layer_of(away.get());
  const auto a = around(layer.get()), b = around(of_away.get(), far, 2);
  for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(2 * a[k], b[k], 2e-3f) << k;

  const float offset[3] = {-4, 2, 1};
  ASSERT_EQ(billow_body_shift_origin(layer.get(), offset), BILLOW_OK);
  const auto shifted = around(layer.get(), {-4, 2, 1});
  for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], shifted[k], 1e-5f) << k;
}

// A teleport is no motion: what lies on the layer is not dragged along, nor swept away.
TEST_F(Layers, TakeTeleports) {
  const BodyHandle layer = layer_of(inner_.get());
  for (int k = 0; k < 3; ++k) {
    step(inner_.get(), k);
    ASSERT_EQ(billow_body_pose_layer(layer.get(), inner_.get()), BILLOW_OK);
  }
  auto joints = tiny_joints(3);
  for (billow_transform& j : joints) j.position[0] += 50;
  billow_frame f = billow_frame_default();
  f.dt = 1.0f / 60, f.teleport = BILLOW_TELEPORT_KEEP;
  f.joints = joints.data(), f.joint_count = kTinyJoints;
  ASSERT_EQ(billow_instance_step(inner_.get(), &f), BILLOW_OK);
  ASSERT_EQ(billow_body_pose_layer(layer.get(), inner_.get()), BILLOW_OK);
  const InstanceHandle outer = wear(garment_.get());
  const InstanceHandle alone = wear(garment_.get());
  step(outer.get(), 0, {}, 1, layer.get()), step(alone.get(), 0);
  EXPECT_EQ(billow_instance_hash(outer.get()), billow_instance_hash(alone.get())) << "it is 50 m away";
}

// The same bits from any instance in the same state, and the outer garment's do not depend on what is not near.
TEST_F(Layers, AreDeterministic) {
  const InstanceHandle twin = wear(garment_.get()), alone = wear(garment_.get()),
                       outer[2] = {wear(garment_.get()), wear(garment_.get())};
  const BodyHandle layers[2] = {layer_of(inner_.get()), layer_of(inner_.get())};
  for (int k = 0; k < 40; ++k) {
    step(inner_.get(), k);
    if (k == 20) {  // the twin goes on from a saved state
      std::vector<char> state(billow_instance_state_size(inner_.get()));
      ASSERT_EQ(billow_instance_save(inner_.get(), state.data(), state.size()), BILLOW_OK);
      ASSERT_EQ(billow_instance_restore(twin.get(), state.data(), state.size()), BILLOW_OK);
    }
    if (k > 20) step(twin.get(), k);
    const billow_instance* other = k > 20 ? twin.get() : inner_.get();
    ASSERT_EQ(billow_body_pose_layer(layers[0].get(), inner_.get()), BILLOW_OK);
    ASSERT_EQ(billow_body_pose_layer(layers[1].get(), other), BILLOW_OK);
    for (int o = 0; o < 2; ++o) step(outer[o].get(), k, {0.02f, 0, 0.02f}, 1, layers[o].get());
    step(alone.get(), k, {0.02f, 0, 0.02f});
    ASSERT_EQ(billow_instance_hash(outer[0].get()), billow_instance_hash(outer[1].get())) << "frame " << k;
  }
  EXPECT_NE(billow_instance_hash(outer[0].get()), billow_instance_hash(alone.get()))
      << "they are meant to meet";
}

// A layer has no state of its own: rollback restores the garments.
TEST_F(Layers, PlayAgainFromSavedStates) {
  const InstanceHandle outer = wear(garment_.get());
  const BodyHandle layer = layer_of(inner_.get());
  const auto save = [](const billow_instance* i) {
    std::vector<char> state(billow_instance_state_size(i));
    EXPECT_EQ(billow_instance_save(i, state.data(), state.size()), BILLOW_OK);
    return state;
  };
  const auto play = [&](int from, int to, int poses) {
    std::vector<uint64_t> hashes;
    for (int k = from; k < to; ++k) {
      step(inner_.get(), k);
      for (int pose = 0; pose < poses; ++pose)
        EXPECT_EQ(billow_body_pose_layer(layer.get(), inner_.get()), BILLOW_OK);
      step(outer.get(), k, {0.02f, 0, 0.02f}, 1, layer.get());
      hashes.push_back(billow_instance_hash(outer.get()));
    }
    return hashes;
  };
  play(0, 10, 1);
  const auto inner_state = save(inner_.get()), outer_state = save(outer.get());
  const auto first = play(10, 30, 1);
  ASSERT_EQ(billow_instance_restore(inner_.get(), inner_state.data(), inner_state.size()), BILLOW_OK);
  ASSERT_EQ(billow_instance_restore(outer.get(), outer_state.data(), outer_state.size()), BILLOW_OK);
  EXPECT_EQ(play(10, 30, 2), first) << "and it may be posed again";
}

}  // namespace
}  // namespace billow::layers_api_test
