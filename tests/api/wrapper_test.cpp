// billow.hpp: handles, results and spans.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "support/hanging.h"
#include "support/tiny_garment.h"

namespace billow::wrapper_test {
namespace {

const std::vector<uint32_t> kBones = {3, 3};
const std::vector<float> kRest = {0, 0, 0, 0, -1, 0, 0, -2, 0, 1, 0, 0, 1, -1, 0, 1, -2, 0};

billow_chains_desc description() {
  billow_chains_desc d{};
  d.chain_count = 2;
  d.bone_counts = kBones.data();
  d.rest_positions = kRest.data();
  return d;
}
const std::vector<Transform> kRoots = {translation(0, 0, 0), translation(1, 0, 0)};

static_assert(!std::is_copy_constructible_v<Chains> && !std::is_copy_assignable_v<Chains>);
static_assert(!std::is_copy_constructible_v<Body> && !std::is_copy_assignable_v<Body>);
static_assert(std::is_nothrow_move_constructible_v<Chains> && std::is_nothrow_move_assignable_v<Chains>);
static_assert(std::is_nothrow_move_constructible_v<Body> && std::is_nothrow_move_assignable_v<Body>);
static_assert(sizeof(Chains) == sizeof(void*) && sizeof(Body) == sizeof(void*));

TEST(WrapperHandles, MoveAndLeaveNothingBehind) {
  Chains a = Chains::create(description()).value();
  const billow_chains* handle = a.get();
  Chains b = std::move(a);
  EXPECT_EQ(b.get(), handle);
  EXPECT_EQ(a.get(), nullptr);  // NOLINT: what is left is part of the contract
  EXPECT_EQ(b.bone_count(), 6u);

  // What was moved from refuses politely.
  EXPECT_EQ(a.bone_count(), 0u);
  EXPECT_EQ(a.step(testing::kFrame, kRoots).code(), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(a.state_size(), 0u);

  Chains c = Chains::create(description()).value();
  c = std::move(b);  // frees what it had
  EXPECT_EQ(c.get(), handle);
  Body empty;
  EXPECT_EQ(empty.get(), nullptr);
  EXPECT_EQ(empty.pose(kRoots).code(), BILLOW_ERROR_INVALID_ARGUMENT);
}

TEST(WrapperResult, HoldsAValueOrAReason) {
  Result<Chains> good = Chains::create(description());
  ASSERT_TRUE(good);
  EXPECT_TRUE(good.status());
  EXPECT_STREQ(good.message(), "");
  EXPECT_EQ(good.value().chain_count(), 2u);
  const Chains taken = std::move(good).value();
  EXPECT_EQ(taken.chain_count(), 2u);

  billow_chains_desc bad = description();
  bad.chain_count = 0;
  const Result<Chains> refused = Chains::create(bad);
  EXPECT_FALSE(refused);
  EXPECT_EQ(refused.status().code(), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(refused.message()).find("chain_count"), std::string::npos);

  Collider wrong = billow_collider_default();
  wrong.radius = -1;
  const Result<Body> no_body = Body::create(std::span(&wrong, 1));
  EXPECT_FALSE(no_body);
  EXPECT_NE(std::string(no_body.message()).find("radius"), std::string::npos);
}

TEST(WrapperStatus, IsTrueWhenItWentWell) {
  EXPECT_TRUE(Status());
  EXPECT_TRUE(Status(BILLOW_OK));
  EXPECT_STREQ(Status(BILLOW_OK).message(), "");
  EXPECT_FALSE(Status(BILLOW_ERROR_BAD_DATA));
  EXPECT_EQ(Status(BILLOW_ERROR_BAD_DATA).code(), BILLOW_ERROR_BAD_DATA);
}

TEST(WrapperSpans, ReachTheCFunctions) {
  Chains chains = Chains::create(description()).value();
  Settings settings = billow_settings_default();
  settings.friction = 0.9f;
  ASSERT_TRUE(chains.set(settings));
  EXPECT_EQ(chains.settings().friction, 0.9f);
  ASSERT_TRUE(chains.set(Wind{}));

  Collider sphere = billow_collider_default();
  sphere.position[1] = -1.5f;
  sphere.radius = 0.6f;
  Body body = Body::create(std::span(&sphere, 1)).value();
  const Transform joint = translation(0, 0, 0);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(body.pose({&joint, 1}));
    ASSERT_TRUE(chains.step(testing::kFrame, kRoots, &body));
  }
  std::vector<float> x(18), v(18), tension(6), from_c(18);
  ASSERT_TRUE(chains.positions(x));
  ASSERT_TRUE(chains.velocities(v));
  ASSERT_TRUE(chains.tensions(tension));
  ASSERT_EQ(billow_chains_get_positions(chains.get(), from_c.data(), 6), BILLOW_OK);
  EXPECT_EQ(x, from_c);
  ASSERT_GT(chains.report().contacts, 0u);
  std::vector<Contact> contacts(chains.report().contacts);
  EXPECT_TRUE(chains.contacts(contacts)) << billow_last_error();
  EXPECT_FALSE(chains.contacts({}));

  const float points[6] = {0, -1.5f, 0, 0, 0, 0};
  float distances[2], gradients[6];
  ASSERT_TRUE(body.query(points, distances, gradients));
  EXPECT_FLOAT_EQ(distances[0], -0.6f);
  EXPECT_FLOAT_EQ(distances[1], 0.9f);
  EXPECT_FLOAT_EQ(gradients[4], 1);
  ASSERT_TRUE(body.query(points, distances));

  std::vector<std::byte> state(chains.state_size());
  ASSERT_TRUE(chains.save(state));
  const uint64_t hash = chains.hash();
  ASSERT_TRUE(chains.step(testing::kFrame, kRoots));
  EXPECT_NE(chains.hash(), hash);
  ASSERT_TRUE(chains.restore(state));
  EXPECT_EQ(chains.hash(), hash);

  ASSERT_TRUE(chains.set_bones(x, {}));
  ASSERT_TRUE(chains.set_bones({}, v));
  ASSERT_TRUE(chains.teleport(BILLOW_TELEPORT_KEEP, kRoots));
  ASSERT_TRUE(chains.set_paused(true));
  ASSERT_TRUE(chains.set_paused(false));
  ASSERT_TRUE(chains.settle(0.1f, kRoots, &body));
  ASSERT_TRUE(body.teleport({&joint, 1}, 2));
}

TEST(WrapperSpans, ThatAreTooSmallAreRefusedWithAReason) {
  Chains chains = Chains::create(description()).value();
  ASSERT_TRUE(chains.step(testing::kFrame, kRoots));
  std::vector<float> short_by_one(17);
  EXPECT_EQ(chains.positions(short_by_one).code(), BILLOW_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(chains.step(testing::kFrame, std::span(kRoots).first(1)).code(), BILLOW_ERROR_INVALID_ARGUMENT);

  const Collider sphere = billow_collider_default();
  const Body body = Body::create(std::span(&sphere, 1)).value();
  const float points[6] = {};
  float distances[2], gradients[6];
  // Each refusal has to speak for itself, not repeat what failed before it.
  const auto expect_own_message = [&](auto call, billow_status wanted) {
    EXPECT_FALSE(Chains().step(0, {}));
    const std::string before = billow_last_error();
    const Status status = call();
    EXPECT_EQ(status.code(), wanted);
    EXPECT_NE(status.message(), before) << "the message is that of an earlier failure";
  };
  expect_own_message([&] { return body.query(points, std::span(distances).first(1)); },
                     BILLOW_ERROR_BUFFER_TOO_SMALL);
  expect_own_message([&] { return body.query(points, distances, std::span(gradients).first(5)); },
                     BILLOW_ERROR_BUFFER_TOO_SMALL);
  expect_own_message([&] { return chains.set_bones(std::vector<float>(18), std::vector<float>(15)); },
                     BILLOW_ERROR_INVALID_ARGUMENT);
}

TEST(WrapperBodies, AreReadAndShifted) {
  Collider sphere = collider_default();
  sphere.position[1] = 1;
  Body body = Body::create(std::span(&sphere, 1)).value();
  const Transform joint = translation(2, 0, 0);
  ASSERT_TRUE(body.pose({&joint, 1}, 2));
  EXPECT_EQ(body.collider_count(), 1u);
  EXPECT_EQ(body.scale(), 2);
  EXPECT_EQ(body.collider(0).value().position[1], 1);
  EXPECT_EQ(body.posed_collider(0).value().position[1], 2);
  EXPECT_FALSE(body.collider(1));
  EXPECT_FALSE(body.posed_collider(1));
  const float offset[3] = {-2, 1, 0};
  ASSERT_TRUE(body.shift_origin(offset));
  EXPECT_EQ(body.posed_collider(0).value().position[0], 0);
  int lines = 0;
  billow_debug_draw draw{};
  draw.line = [](void* user, const float*, const float*, uint32_t) { ++*static_cast<int*>(user); };
  draw.user = &lines;
  EXPECT_TRUE(body.debug_draw(BILLOW_DEBUG_COLLIDERS, draw));
  EXPECT_GT(lines, 0);

  Chains chains = Chains::create(description()).value();
  billow_step step = step_default();
  step.roots = kRoots.data(), step.root_count = 2;
  ASSERT_TRUE(chains.step(step));
  ASSERT_TRUE(chains.shift_origin(offset));
  std::vector<float> x(18);
  ASSERT_TRUE(chains.positions(x));
  EXPECT_EQ(x[0], -2);
  lines = 0;
  EXPECT_TRUE(chains.debug_draw(BILLOW_DEBUG_ROPES, draw));
  EXPECT_EQ(lines, 4);
}

TEST(WrapperGarments, AreReadAndPlayed) {
  const std::string bytes = testing::tiny_garment_bytes();
  const Garment garment = Garment::create(std::as_bytes(std::span(bytes))).value();
  EXPECT_EQ(garment.name(), "tiny");
  EXPECT_EQ(garment.collider_count(), 2u);
  EXPECT_EQ(garment.collider_name(1), "post");
  EXPECT_EQ(garment.collider(1).value().shape, BILLOW_SHAPE_CAPSULE);
  EXPECT_FALSE(garment.collider(2));
  std::vector<Transform> rest(2);
  std::vector<int32_t> parents(2);
  std::vector<float> uvs(2 * 99), bones(3 * 13), buffer(3 * 99);
  EXPECT_TRUE(garment.joint_rest(rest));
  EXPECT_TRUE(garment.joint_parents(parents));
  EXPECT_EQ(parents[1], 0);
  EXPECT_TRUE(garment.uvs(uvs));
  EXPECT_EQ(garment.settings().scale, 1);
  EXPECT_EQ(garment.section("training").size(), 13u);
  EXPECT_TRUE(garment.section("none").empty());

  Instance instance = Instance::create(garment).value(), other = Instance::create(garment).value();
  billow_instance_options options = options_default();
  options.profile = 1;
  ASSERT_TRUE(instance.set(options));
  EXPECT_EQ(instance.options().profile, 1);
  const auto joints = testing::tiny_joints(3);
  billow_frame frame = frame_default();
  frame.joints = joints.data(), frame.joint_count = testing::kTinyJoints;
  ASSERT_TRUE(instance.settle(frame, 0.5f));
  frame.dt = testing::kFrame;
  billow_instance* both[] = {instance.get(), other.get()};
  const billow_frame frames[] = {frame, frame};
  ASSERT_TRUE(step_crowd(both, frames));
  EXPECT_FALSE(step_crowd(both, std::span(frames).first(1)));
  EXPECT_TRUE(instance.bones(bones));
  EXPECT_TRUE(std::ranges::equal(bones, instance.bones()));
  EXPECT_TRUE(instance.write_positions(buffer.data(), 0, 99));
  EXPECT_EQ(buffer[5], instance.positions()[5]);
  EXPECT_TRUE(instance.write_normals(buffer.data(), 0, 99));
  EXPECT_EQ(buffer[5], instance.normals()[5]);
  EXPECT_EQ(billow_body_collider_count(instance.body()), 2u);
  const float high = instance.bounds().high[1], offset[3] = {0, 8, 0};
  ASSERT_TRUE(instance.shift_origin(offset));
  EXPECT_NEAR(instance.bounds().high[1], high + 8, 1e-5f);
  EXPECT_TRUE(instance.debug_draw(BILLOW_DEBUG_ALL, billow_debug_draw{}));

  const float height = other.bounds().high[1] + 0.1f;
  const Body ground = Body::ground(height).value();
  const billow_body* const others[] = {ground.get()};
  ASSERT_TRUE(other.step(testing::kFrame, joints, others));
  EXPECT_GE(other.bounds().low[1], height);
}

TEST(WrapperShortcuts, AreThoseOfTheCApi) {
  EXPECT_STREQ(version(), billow_version());
  EXPECT_EQ(settings_default().friction, billow_settings_default().friction);
  EXPECT_EQ(settings_cape().mass.value, billow_settings_cape().mass.value);
  EXPECT_EQ(settings_skirt().mass.value, billow_settings_skirt().mass.value);
  EXPECT_EQ(wind_default().gust_frequency, 0.5f);
  EXPECT_EQ(body_desc_default().joint_count, 1u);
  EXPECT_EQ(garment_desc_default().keep, 0);
  EXPECT_EQ(output_default().stride, 0u);
  EXPECT_STREQ(stage_name(BILLOW_CHAIN_STAGE_FORCES), "forces");
  EXPECT_STREQ(stage_name(BILLOW_FRAME_STAGE_GATHER), "gather");
  EXPECT_TRUE(set_log(nullptr));
}

TEST(WrapperShortcuts, SayWhatTheyAre) {
  const Transform t = translation(1, 2, 3);
  EXPECT_EQ(t.position[2], 3);
  EXPECT_EQ(t.rotation[3], 1);
  EXPECT_EQ(constant(5).value, 5);
  EXPECT_EQ(constant(5).point_count, 0u);
  const billow_curve r = ramp(2, 3);
  EXPECT_EQ(r.value * r.points[0], 2);
  EXPECT_EQ(r.value * r.points[1], 3);
  EXPECT_EQ(r.point_count, 2u);
}

}  // namespace
}  // namespace billow::wrapper_test
