// Shifts of the origin: cloth, colliders and gusts go on as if nothing had happened.
#include <gtest/gtest.h>

#include <array>
#include <billow/billow.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "support/colliders.h"
#include "support/hanging.h"
#include "support/shipped_garment.h"
#include "support/tiny_garment.h"

namespace billow::origin_test {
namespace {

using Offset = std::array<float, 3>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Offset kNowhere = {0, 0, 0};

// A cape on a character that walks in circles somewhere in the world.
class Walker {
 public:
  explicit Walker(Offset place) : garment_(testing::load_shipped("cape")), place_(place) {
    instance_ = Instance::create(garment_).value();
    rest_.resize(garment_.joint_count());
    EXPECT_TRUE(garment_.joint_rest(rest_));
  }
  void step() {
    ++frame_;
    const std::array<double, 3> at = path();
    const double turn = frame_ / 60.0, s = std::sin(turn), c = std::cos(turn);
    const std::array<double, 4> q = testing::about_y(turn);
    std::vector<Transform> joints = rest_;
    for (Transform& j : joints) {
      const double x = static_cast<double>(j.position[0]), z = static_cast<double>(j.position[2]);
      const double moved[3] = {c * x + s * z, static_cast<double>(j.position[1]), c * z - s * x};
      for (size_t k = 0; k < 3; ++k)
        j.position[k] = static_cast<float>(moved[k] + at[k] + static_cast<double>(place_[k]));
      const float y = static_cast<float>(q[1]), w = static_cast<float>(q[3]), *r = j.rotation;
      const float turned[4] = {w * r[0] + y * r[2], w * r[1] + y * r[3], w * r[2] - y * r[0],
                               w * r[3] - y * r[1]};
      std::copy_n(turned, 4, j.rotation);
    }
    ASSERT_TRUE(instance_.step(1.0f / 60, joints)) << billow_last_error();
  }
  void steps(int count) {
    for (int k = 0; k < count; ++k) step();
  }
  void shift(Offset offset) {
    ASSERT_TRUE(instance_.shift_origin(offset)) << billow_last_error();
    for (size_t k = 0; k < 3; ++k) place_[k] += offset[k];
  }
  // The mesh relative to the character.
  std::vector<double> mesh() const {
    const std::array<double, 3> at = path();
    std::vector<double> out;
    for (const float x : instance_.positions()) {
      const size_t k = out.size() % 3;
      out.push_back(static_cast<double>(x) - static_cast<double>(place_[k]) - at[k]);
    }
    return out;
  }
  Instance& instance() { return instance_; }

 private:
  std::array<double, 3> path() const {
    const double t = frame_ / 60.0;
    return {{1.5 * std::sin(t), 0.03 * std::sin(9 * t), 1.5 * std::cos(t)}};
  }

  Garment garment_;
  Instance instance_;
  std::vector<Transform> rest_;
  Offset place_;
  int frame_ = 0;
};

double square_of(double x) { return x * x; }

// RMS over the vertices, m.
double rms(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += square_of(a[i] - b[i]);
  return std::sqrt(3 * sum / static_cast<double>(a.size()));
}

// The largest RMS between two walkers in the next second, m.
double apart_in_next_second(Walker& a, Walker& b) {
  double worst = 0;
  for (int k = 0; k < 60; ++k) {
    a.step(), b.step();
    worst = std::max(worst, rms(a.mesh(), b.mesh()));
  }
  return worst;
}

Offset along(float distance) { return {0.8f * distance, 0, -0.6f * distance}; }
Offset operator-(Offset o) { return {-o[0], -o[1], -o[2]}; }

// What a shift changes is what floats change: positions far away are rounded in every sub-step, which shakes roots and cloth. So a
// shift to the character is exact, and the run goes on as finely as near the origin; the one that stays far away is the rough one.
TEST(ShiftOriginSlow, ToTheCharacterLeavesTheCapeWhereItIs) {
  for (const float distance : {64.0f, 10000.0f}) {
    Walker far(along(distance)), shifted(along(distance));
    far.steps(120), shifted.steps(120);
    shifted.shift(-along(distance));
    EXPECT_LT(rms(shifted.mesh(), far.mesh()), 1e-6) << "coordinates near the origin hold those far away";
    // From 10 km the cape falls from where it was shaken to.
    EXPECT_LT(apart_in_next_second(shifted, far), distance < 100 ? 0.006 : 0.25) << distance;
  }
}

TEST(ShiftOriginSlow, AwayFromTheCharacterCostsWhatFloatsCostThere) {
  Walker here(kNowhere), shifted(kNowhere);
  here.steps(120), shifted.steps(120);
  shifted.shift(along(64));
  EXPECT_LT(apart_in_next_second(here, shifted), 0.005);
}

// Nearby it costs no more than staying there.
TEST(ShiftOriginSlow, ByAFewMetresCannotBeSeen) {
  Walker here(kNowhere), again(kNowhere), shifted(along(8)), staying(along(8));
  for (Walker* walker : {&here, &again, &shifted, &staying}) walker->steps(120);
  shifted.shift(-along(8));
  EXPECT_LT(apart_in_next_second(here, shifted), apart_in_next_second(again, staying) + 0.0005);
}

// Chains in gusty wind that meet a moving ball, somewhere in the world.
class Scene {
 public:
  Scene() : sheet_(testing::hanging_sheet(4, 6, 0.1f, 0.1f, settings())) {
    EXPECT_TRUE(sheet_.chains.set(Wind{{3, 0, 1}, 0.9f, 0.7f, 5, nullptr, nullptr}));
    const Collider ball = testing::sphere({}, 0.15);
    body_ = Body::create(std::span(&ball, 1)).value();
  }
  void step() {
    ++frame_;
    std::vector<Transform> roots = sheet_.roots;
    const float t = static_cast<float>(frame_) / 60;
    Transform joint = translation(0.4f * std::sin(4 * t), -0.45f, 0), space = translation(0, 0, 0);
    for (Transform* x : {&joint, &space}) place(*x);
    for (Transform& x : roots) place(x);
    ASSERT_TRUE(body_.pose({&joint, 1}));
    ASSERT_TRUE(sheet_.chains.step(1.0f / 60, roots, &body_, &space));
    touched_ += sheet_.chains.report().contacts;
  }
  void shift(Offset offset) {
    ASSERT_TRUE(sheet_.chains.shift_origin(offset));
    ASSERT_TRUE(body_.shift_origin(offset));
    for (size_t k = 0; k < 3; ++k) place_[k] += offset[k];
  }
  std::vector<float> bones() const {
    std::vector<float> x = testing::positions_of(sheet_.chains);
    for (size_t i = 0; i < x.size(); ++i) x[i] -= place_[i % 3];
    return x;
  }
  Chains& chains() { return sheet_.chains; }
  uint32_t touched() const { return touched_; }

 private:
  static Settings settings() {
    Settings s = billow_settings_default();
    s.drag.value = 0.02f;
    s.translation_inertia = 0.5f;
    s.lateral_stretch.value = 1;
    return s;
  }
  void place(Transform& t) const {
    for (size_t k = 0; k < 3; ++k) t.position[k] += place_[k];
  }

  testing::Sheet sheet_;
  Body body_;
  Offset place_ = kNowhere;
  uint32_t touched_ = 0;
  int frame_ = 0;
};

TEST(ShiftOrigin, LeavesVelocitiesContactsAndGustsAsTheyAre) {
  // The first is half a wave of the gusts off: the wind would blow otherwise there.
  for (const Offset offset : {Offset{2, 0, 1}, Offset{64, 0, -32}}) {
    Scene stays, shifted;
    for (int k = 0; k < 60; ++k) stays.step(), shifted.step();
    shifted.shift(offset);
    double worst = 0;
    for (int k = 0; k < 30; ++k) {
      stays.step(), shifted.step();
      worst = std::max(worst, testing::farthest_apart(stays.bones(), shifted.bones()));
    }
    EXPECT_GT(stays.touched(), 30u) << "the ball is meant to meet the chains";
    EXPECT_LT(worst, 0.002) << offset[0];
    // And back.
    shifted.shift(-offset);
    stays.step(), shifted.step();
    EXPECT_LT(testing::farthest_apart(stays.bones(), shifted.bones()), 0.003);
  }
}

TEST(ShiftOrigin, IsPartOfTheSavedState) {
  Scene a, b;
  for (int k = 0; k < 30; ++k) a.step(), b.step();
  a.shift({7, 0, 0.5f});
  a.step();
  std::vector<std::byte> state(a.chains().state_size());
  ASSERT_TRUE(a.chains().save(state));
  const uint64_t hash = a.chains().hash();
  a.step();
  const uint64_t next = a.chains().hash();
  // Into chains that were never shifted: gusts are where the others had them.
  b.shift({7, 0, 0.5f});
  b.step();
  ASSERT_TRUE(b.chains().shift_origin(Offset{100, 0, 0}));
  ASSERT_TRUE(b.chains().restore(state)) << billow_last_error();
  EXPECT_EQ(b.chains().hash(), hash);
  b.step();
  EXPECT_EQ(b.chains().hash(), next);
}

TEST(ShiftOrigin, BeforeTheFirstFrameChangesNothing) {
  Walker a({40, 0, 0}), b(kNowhere);
  b.shift({40, 0, 0});
  for (int k = 0; k < 5; ++k) {
    a.step(), b.step();
    EXPECT_EQ(a.instance().hash(), b.instance().hash());
  }
}

TEST(ShiftOrigin, MovesAllThatIsRead) {
  billow_garment* garment = testing::make_tiny_garment();
  billow_instance* instance = nullptr;
  ASSERT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK);
  const auto joints = testing::tiny_joints(5);
  billow_frame frame = billow_frame_default();
  frame.dt = 1.0f / 64, frame.joints = joints.data(), frame.joint_count = testing::kTinyJoints;
  ASSERT_EQ(billow_instance_step(instance, &frame), BILLOW_OK);
  struct Read {
    float mesh[3 * 99], bones[3 * 13], chains[3 * 12], normals[3 * 99];
    billow_bounds bounds;
    billow_collider collider;
  };
  const auto read = [&] {
    Read r{};
    EXPECT_EQ(billow_instance_get_positions(instance, r.mesh, 0, 99), BILLOW_OK);
    EXPECT_EQ(billow_instance_get_normals(instance, r.normals, 0, 99), BILLOW_OK);
    EXPECT_EQ(billow_instance_get_bones(instance, r.bones, 13), BILLOW_OK);
    EXPECT_EQ(billow_chains_get_positions(billow_instance_chains(instance), r.chains, 12), BILLOW_OK);
    EXPECT_EQ(billow_instance_get_bounds(instance, &r.bounds), BILLOW_OK);
    EXPECT_EQ(billow_body_get_posed_collider(billow_instance_body(instance), 1, &r.collider), BILLOW_OK);
    return r;
  };
  const Read before = read();
  const float offset[3] = {4, -8, 0.5f};
  ASSERT_EQ(billow_instance_shift_origin(instance, offset), BILLOW_OK);
  const Read after = read();
  for (size_t i = 0; i < 3 * 99; ++i) {
    EXPECT_NEAR(after.mesh[i], before.mesh[i] + offset[i % 3], 1e-6);
    EXPECT_EQ(after.normals[i], before.normals[i]);
  }
  for (size_t i = 0; i < 3 * 13; ++i) EXPECT_NEAR(after.bones[i], before.bones[i] + offset[i % 3], 1e-6);
  for (size_t i = 0; i < 3 * 12; ++i) EXPECT_NEAR(after.chains[i], before.chains[i] + offset[i % 3], 1e-6);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.bounds.low[k], before.bounds.low[k] + offset[k], 1e-6);
    EXPECT_NEAR(after.bounds.high[k], before.bounds.high[k] + offset[k], 1e-6);
    EXPECT_NEAR(after.collider.position[k], before.collider.position[k] + offset[k], 1e-6);
    EXPECT_NEAR(after.collider.end[k], before.collider.end[k] + offset[k], 1e-6);
  }
  billow_instance_destroy(instance);
  billow_garment_destroy(garment);
}

TEST(ShiftOrigin, RefusesWhatIsNoOffset) {
  Scene scene;
  for (int k = 0; k < 5; ++k) scene.step();
  billow_garment* garment = testing::make_tiny_garment();
  billow_instance* instance = nullptr;
  ASSERT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK);
  const testing::BodyHandle body = testing::make_body({testing::sphere({}, 1)});
  billow_chains* chains = scene.chains().get();
  const uint64_t hash = billow_chains_hash(chains), mesh = billow_instance_hash(instance);
  const float distance = testing::query(body, {{2, 0, 0}}).distance;
  const auto refused = [&](const float* offset, const char* field) {
    for (const billow_status status :
         {billow_chains_shift_origin(chains, offset), billow_body_shift_origin(body.get(), offset),
          billow_instance_shift_origin(instance, offset)}) {
      EXPECT_EQ(status, BILLOW_ERROR_INVALID_ARGUMENT);
      EXPECT_NE(std::string(billow_last_error()).find(field), std::string::npos) << billow_last_error();
    }
    EXPECT_EQ(billow_chains_hash(chains), hash);
    EXPECT_EQ(billow_instance_hash(instance), mesh);
    EXPECT_EQ(testing::query(body, {{2, 0, 0}}).distance, distance);
  };
  refused(nullptr, "offset");
  for (const float bad : {kNan, kInfinity, -kInfinity, 1e16f, -3e38f})
    for (size_t k = 0; k < 3; ++k) {
      float offset[3] = {1, 1, 1};
      offset[k] = bad;
      refused(offset, "offset");
    }
  // No offset is none, and so is one that floats do not feel.
  const float corner = billow_instance_position_data(instance)[0];
  for (const float small : {0.0f, -0.0f, 1e-45f}) {
    const float offset[3] = {small, small, small};
    EXPECT_EQ(billow_instance_shift_origin(instance, offset), BILLOW_OK);
    EXPECT_EQ(billow_instance_position_data(instance)[0], corner);
  }
  // Other objects and none.
  const float one[3] = {1, 1, 1};
  EXPECT_EQ(billow_chains_shift_origin(nullptr, one), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_chains_shift_origin(reinterpret_cast<billow_chains*>(body.get()), one),
            BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_body_shift_origin(nullptr, one), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_body_shift_origin(reinterpret_cast<billow_body*>(chains), one),
            BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_shift_origin(nullptr, one), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_instance_shift_origin(reinterpret_cast<billow_instance*>(chains), one),
            BILLOW_ERROR_INVALID_ARGUMENT);
  // As far as it goes: what is computed there is of no use, but finite.
  const float far[3] = {1e15f, -1e15f, 1e15f};
  EXPECT_EQ(billow_instance_shift_origin(instance, far), BILLOW_OK);
  const auto joints = testing::tiny_joints(1);
  billow_frame frame = billow_frame_default();
  frame.dt = 1.0f / 64, frame.joints = joints.data(), frame.joint_count = testing::kTinyJoints;
  for (int k = 0; k < 3; ++k) EXPECT_EQ(billow_instance_step(instance, &frame), BILLOW_OK);
  const float* p = billow_instance_position_data(instance);
  for (size_t i = 0; i < 3 * 99; ++i) ASSERT_TRUE(std::isfinite(p[i])) << i;
  billow_instance_destroy(instance);
  billow_garment_destroy(garment);
}

}  // namespace
}  // namespace billow::origin_test
