// Garments on a character that stands still: chains and mesh sleep, and nothing shows that they do.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/shipped_garment.h"

namespace billow::instance_sleep_test {
namespace {

constexpr float kFrame = 1.0f / 60;

class InstanceSleep : public ::testing::TestWithParam<const char*> {
 protected:
  // A character in its rest pose.
  struct Standing {
    billow_instance* instance = nullptr;
    std::vector<billow_transform> joints;

    explicit Standing(const billow_garment* garment) {
      EXPECT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK);
      joints.resize(billow_garment_joint_count(garment));
      EXPECT_EQ(billow_garment_get_joint_rest(garment, joints.data(), static_cast<uint32_t>(joints.size())),
                BILLOW_OK);
    }
    Standing(const Standing&) = delete;
    ~Standing() { billow_instance_destroy(instance); }
    void move(float x) {
      for (billow_transform& j : joints) j.position[0] += x;
    }
    billow_frame frame(bool mesh = true) const {
      billow_frame f = billow_frame_default();
      f.dt = kFrame, f.skip_mesh = !mesh;
      f.joints = joints.data(), f.joint_count = static_cast<uint32_t>(joints.size());
      return f;
    }
    void step(bool mesh = true) {
      const billow_frame f = frame(mesh);
      ASSERT_EQ(billow_instance_step(instance, &f), BILLOW_OK) << billow_last_error();
    }
    bool asleep() const {
      billow_instance_report report;
      billow_instance_get_report(instance, &report);
      return report.asleep;
    }
    uint64_t hash() const { return billow_instance_hash(instance); }
    // Frames until it sleeps.
    int fall_asleep() {
      int k = 1;
      for (step(); !asleep() && k < 1200; ++k) step();
      EXPECT_TRUE(asleep());
      return k;
    }
    std::vector<std::byte> save() const {
      std::vector<std::byte> state(billow_instance_state_size(instance));
      EXPECT_EQ(billow_instance_save(instance, state.data(), state.size()), BILLOW_OK);
      return state;
    }
    void restore(const std::vector<std::byte>& state) {
      ASSERT_EQ(billow_instance_restore(instance, state.data(), state.size()), BILLOW_OK);
    }
  };
  Garment garment_ = testing::load_shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Shipped, InstanceSleep, ::testing::Values("cape", "skirt"));

TEST_P(InstanceSleep, KeepsTheMesh) {
  Standing one(garment_.get());
  one.fall_asleep();
  const uint64_t hash = one.hash();
  for (int k = 0; k < 30; ++k) {
    one.step(k % 3 > 0);
    ASSERT_TRUE(one.asleep());
    ASSERT_EQ(one.hash(), hash);
  }
}

TEST_P(InstanceSleep, ShowsAMeshThatWasSkippedWhileFallingAsleep) {
  Standing one(garment_.get()), seen(garment_.get());
  const int frames = one.fall_asleep();
  for (int k = 0; k < frames + 30; ++k) seen.step(k < frames - 1);
  ASSERT_TRUE(seen.asleep());
  EXPECT_NE(seen.hash(), one.hash());
  seen.step();
  EXPECT_EQ(seen.hash(), one.hash());
}

TEST_P(InstanceSleep, FollowsOptionsAndSmallMotionsOfJoints) {
  Standing one(garment_.get());
  one.fall_asleep();
  const uint64_t hash = one.hash();
  billow_instance_options options = billow_instance_options_default();
  options.shape = 0;
  ASSERT_EQ(billow_instance_set_options(one.instance, &options), BILLOW_OK);
  one.step();
  EXPECT_NE(one.hash(), hash);
  options.shape = 1;
  ASSERT_EQ(billow_instance_set_options(one.instance, &options), BILLOW_OK);
  one.step();
  EXPECT_EQ(one.hash(), hash);
  one.move(5e-6f);
  one.step();
  EXPECT_TRUE(one.asleep());
  EXPECT_NE(one.hash(), hash);
}

TEST_P(InstanceSleep, GoesOnFromASavedState) {
  Standing one(garment_.get()), fresh(garment_.get());
  one.fall_asleep();
  fresh.restore(one.save());
  for (int k = 0; k < 40; ++k) {
    if (k > 10) one.move(0.01f), fresh.move(0.01f);
    one.step(), fresh.step();
    ASSERT_EQ(one.asleep(), k <= 10);
    ASSERT_EQ(fresh.asleep(), k <= 10);
    ASSERT_EQ(fresh.hash(), one.hash()) << k;
  }
}

TEST_P(InstanceSleep, WakesWithoutAJump) {
  Standing one(garment_.get());
  one.fall_asleep();
  const float* mesh = billow_instance_position_data(one.instance);
  const size_t values = 3 * size_t{billow_garment_vertex_count(garment_.get())};
  for (int k = 0; k < 20; ++k) {
    const std::vector<float> before(mesh, mesh + values);
    one.move(0.001f);
    one.step();
    ASSERT_FALSE(one.asleep());
    float most = 0;
    for (size_t i = 0; i < values; ++i) most = std::max(most, std::abs(mesh[i] - before[i]));
    EXPECT_LT(most, 0.008f) << k;
  }
}

TEST_P(InstanceSleep, IsTheSameInACrowd) {
  std::vector<std::unique_ptr<Standing>> crowd, alone;
  for (int k = 0; k < 5; ++k)
    for (auto* group : {&crowd, &alone}) group->push_back(std::make_unique<Standing>(garment_.get()));
  Standing one(garment_.get());
  const int frames = one.fall_asleep() + 5;
  for (int k = 0; k < frames; ++k) {
    std::vector<billow_instance*> instances;
    std::vector<billow_frame> all;
    for (size_t i = 0; i < crowd.size(); ++i) {
      if (i % 2) crowd[i]->move(0.002f), alone[i]->move(0.002f);
      instances.push_back(crowd[i]->instance), all.push_back(crowd[i]->frame());
      alone[i]->step();
    }
    ASSERT_EQ(billow_crowd_step(instances.data(), all.data(), 5, nullptr), BILLOW_OK);
  }
  for (size_t i = 0; i < crowd.size(); ++i) {
    EXPECT_EQ(crowd[i]->asleep(), i % 2 == 0);
    EXPECT_EQ(crowd[i]->hash(), alone[i]->hash());
  }
}

}  // namespace
}  // namespace billow::instance_sleep_test
