// billow.hpp: handles, results and spans.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "support/hanging.h"

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
