// Soft colliders move chains and never hold them; yielding ones hold them in free air only; groups that a garment does not meet are as if they were not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "support/colliders.h"

namespace billow::soft_contacts_test {
namespace {

using namespace testing;

constexpr uint32_t kArm = BILLOW_COLLIDER_GROUP_FOREARM, kBones = 9;
constexpr float kRope = 0.1f;

struct Contact {
  uint32_t groups = BILLOW_ALL_GROUPS;
  float softness = 0;
  bool yields = false, frictionless = false;
};

// The bones, x y z each, per frame, of a chain of 0.8 m beside colliders that move by `joint`, a function of time.
using Path = std::function<Vector(double)>;
std::vector<std::vector<float>> simulate(const Contact& contact,
                                         const std::vector<billow_collider>& colliders, bool horizontal,
                                         double seconds, const Path& joint) {
  std::vector<float> rest;
  for (uint32_t b = 0; b < kBones; ++b) {
    const float along = kRope * static_cast<float>(b);
    rest.insert(rest.end(), {horizontal ? along : 0, horizontal ? 0 : -along, 0});
  }
  billow_chains_desc desc{};
  desc.chain_count = 1, desc.bone_counts = &kBones, desc.rest_positions = rest.data();
  billow_chains* created = nullptr;
  EXPECT_EQ(billow_chains_create(&desc, &created), BILLOW_OK);
  const std::unique_ptr<billow_chains, void (*)(billow_chains*)> chains(created, billow_chains_destroy);
  billow_settings settings = billow_settings_default();
  settings.collider_groups = contact.groups;
  settings.softness[kArm] = contact.softness;
  settings.yielding_groups = contact.yields ? 1u << kArm : 0;
  settings.damping.value = 1;
  if (contact.frictionless) {
    settings.friction = 0;
    settings.solver.push_direction = settings.solver.velocity_direction = BILLOW_CONTACT_DIRECTION_GRADIENT;
  }
  EXPECT_EQ(billow_chains_set_settings(created, &settings), BILLOW_OK);
  const BodyHandle body = make_body(colliders);
  std::vector<std::vector<float>> frames;
  for (int f = 0; f < static_cast<int>(60 * seconds); ++f) {
    const billow_transform now = at(joint(f / 60.0)), root = at({});
    EXPECT_EQ(billow_body_pose(body.get(), &now, 1, 1), BILLOW_OK);
    const billow_step step{1.0f / 60, &root, 1, nullptr, body.get(), nullptr, 0};
    EXPECT_EQ(billow_chains_step(created, &step), BILLOW_OK);
    frames.emplace_back(3 * kBones);
    billow_chains_get_positions(created, frames.back().data(), kBones);
  }
  return frames;
}

float tip(const std::vector<float>& bones, size_t axis) { return bones[3 * (kBones - 1) + axis]; }

billow_collider arm(const Vector& from, const Vector& to) {
  billow_collider c = capsule(from, to, 0.04);
  c.group = kArm;
  return c;
}
Vector still(double) { return {}; }

// A chain that starts level over an arm falls on it.
TEST(SoftContacts, ChainsSinkThroughASoftArmAndHangOverARigidOne) {
  const std::vector<billow_collider> bar{arm({0.3, -0.1, -0.5}, {0.3, -0.1, 0.5})};
  const auto lowest_after = [&](const Contact& contact) {
    return tip(simulate(contact, bar, true, 3, still).back(), 1);
  };
  // Free, the chain ends near its length below the root.
  EXPECT_GT(lowest_after({}), -0.62f);
  EXPECT_LT(lowest_after({BILLOW_ALL_GROUPS, 0.5f}), -0.75f);
  EXPECT_LT(lowest_after({BILLOW_ALL_GROUPS & ~(1u << kArm), 0}), -0.75f);
}

TEST(SoftContacts, IgnoredGroupsChangeNothing) {
  const std::vector<billow_collider> bar{arm({0.3, -0.1, -0.5}, {0.3, -0.1, 0.5})};
  const auto free = simulate({}, {}, true, 1, still);
  for (const Contact& contact :
       {Contact{BILLOW_ALL_GROUPS & ~(1u << kArm), 0}, Contact{BILLOW_ALL_GROUPS, 1}}) {
    const auto ignored = simulate(contact, bar, true, 1, still);
    float difference = 0;
    for (size_t f = 0; f < free.size(); ++f)
      for (size_t i = 0; i < free[f].size(); ++i)
        difference = std::max(difference, std::fabs(free[f][i] - ignored[f][i]));
    EXPECT_LT(difference, 1e-4f);
  }
}

TEST(SoftContacts, ASoftArmSweepsAHangingChainAsideAndLetsItReturn) {
  const std::vector<billow_collider> hand{arm({-0.3, -0.6, -0.5}, {-0.3, -0.6, 0.5})};
  // It moves through the chain at 0.2 m/s.
  const auto frames = simulate({BILLOW_ALL_GROUPS, 0.5f}, hand, false, 10, [](double t) {
    return Vector{std::min(0.2 * t, 0.8), 0, 0};
  });
  float farthest = 0;
  for (const auto& f : frames) farthest = std::max(farthest, tip(f, 0));
  EXPECT_GT(farthest, 0.02f);
  EXPECT_LT(farthest, 0.3f);
  EXPECT_NEAR(tip(frames.back(), 0), 0, 0.05f);  // it still swings
}

TEST(SoftContacts, ASoftHandDoesNotDragAChainAlong) {
  const std::vector<billow_collider> hand{arm({-0.035, -0.6, -0.5}, {-0.035, -0.6, 0.5})};
  for (const auto& f : simulate({BILLOW_ALL_GROUPS, 0.5f}, hand, false, 2, [](double t) {
         return Vector{0, std::min(0.3 * t, 0.4), 0};
       }))
    EXPECT_LT(tip(f, 1), -0.75f);
}

// So a chain that has fallen on it slips off in time.
TEST(YieldingContacts, AYieldingArmInFreeAirIsARigidOneWithoutFriction) {
  const std::vector<billow_collider> bar{arm({0.3, -0.1, -0.5}, {0.3, -0.1, 0.5})};
  const auto yielding = simulate({BILLOW_ALL_GROUPS, 0, true}, bar, true, 3, still);
  EXPECT_EQ(yielding, simulate({BILLOW_ALL_GROUPS, 0, false, true}, bar, true, 3, still));
  EXPECT_GT(tip(yielding[30], 1), -0.62f);
  EXPECT_LT(tip(yielding.back(), 1), -0.75f);
}

// A hand presses a hanging chain against the hip and moves up: the chain keeps hanging.
TEST(YieldingContacts, AYieldingHandDoesNotDragAChainOverTheHip) {
  const std::vector<billow_collider> hand_on_hip{capsule({0.105, 0.2, 0}, {0.105, -1, 0}, 0.1),
                                                 arm({-0.035, -0.6, -0.5}, {-0.035, -0.6, 0.5})};
  const auto highest_tip = [&](const Contact& contact) {
    float highest = -1;
    // The joint carries both; the hip has the same shape all along the chain.
    for (const auto& f : simulate(contact, hand_on_hip, false, 2, [](double t) {
           return Vector{0, std::min(0.3 * t, 0.4), 0};
         }))
      highest = std::max(highest, tip(f, 1));
    return highest;
  };
  EXPECT_GT(highest_tip({}), -0.7f);
  EXPECT_LT(highest_tip({BILLOW_ALL_GROUPS, 0, true}), -0.75f);
}

TEST(ColliderGroups, QueriesSeeTheGroupsThatAreAskedFor) {
  billow_collider hand = sphere({1, 0, 0}, 0.1);
  hand.group = kArm;
  const BodyHandle body = make_body({sphere({0, 0, 0}, 0.1), hand});
  const float point[3] = {0.8f, 0, 0};
  const auto query_groups = [&](uint32_t groups) {
    float distance = 0;
    int32_t collider = 7;
    EXPECT_EQ(billow_body_query(body.get(), groups, point, 1, BILLOW_NO_LIMIT, &distance, nullptr, &collider),
              BILLOW_OK);
    return std::pair(distance, collider);
  };
  EXPECT_EQ(query_groups(BILLOW_ALL_GROUPS).second, 1);
  EXPECT_NEAR(query_groups(BILLOW_ALL_GROUPS).first, 0.1f, 1e-5f);
  EXPECT_EQ(query_groups(1).second, 0);
  EXPECT_NEAR(query_groups(1).first, 0.7f, 1e-5f);
  EXPECT_EQ(query_groups(0).second, -1);
}

TEST(ColliderGroups, WrongGroupsAndSoftnessAreRefused) {
  billow_collider c = sphere({}, 0.1);
  c.group = BILLOW_COLLIDER_GROUPS;
  EXPECT_FALSE(make_body({c}));
  EXPECT_NE(std::string(billow_last_error()).find("colliders[0].group: expected 0 to 7, found 8"),
            std::string::npos);
}

}  // namespace
}  // namespace billow::soft_contacts_test
