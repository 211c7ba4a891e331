// Crowds: many who wear one garment, stepped together, are to the bit what each would be alone. Run it with the tsan preset too.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/tiny_garment.h"

namespace billow {
namespace {

using testing::Form;
constexpr int kFrames = 30;
constexpr uint32_t kMany = 19;  // two whole groups, and some

// Threads that each take the next job.
struct Threads {
  int count;

  static void run(void* user, billow_job job, void* data, uint32_t jobs) {
    std::atomic<uint32_t> next{0};
    std::vector<std::thread> workers;
    for (int t = 0; t < static_cast<Threads*>(user)->count; ++t)
      workers.emplace_back([&] {
        for (uint32_t k = next++; k < jobs; k = next++) job(data, k);
      });
    for (std::thread& w : workers) w.join();
  }
};

class Crowd : public ::testing::TestWithParam<Form> {
 protected:
  void SetUp() override {
    garment_ = testing::make_tiny_garment(2, GetParam());
    for (uint32_t i = 0; i < kMany; ++i) instances_.push_back(wear(i));
  }
  void TearDown() override {
    for (billow_instance* i : instances_) billow_instance_destroy(i);
    billow_garment_destroy(garment_);
  }
  // Not all want the same.
  billow_instance* wear(uint32_t i) const {
    billow_instance* made = nullptr;
    EXPECT_EQ(billow_instance_create(garment_, nullptr, &made), BILLOW_OK);
    billow_instance_options options = billow_instance_options_default();
    options.shape = i % 5 != 1, options.networks = i % 7 != 3, options.push_out = i % 3 != 2;
    options.linear_blend = i % 6 == 4;
    options.interval = 1 + i % 4, options.stagger = i % 3;
    EXPECT_EQ(billow_instance_set_options(made, &options), BILLOW_OK);
    return made;
  }
  // Each with a motion, size and place of its own; some are not seen now and then.
  billow_frame frame_of(uint32_t i, int k) {
    joints_[i] = testing::tiny_joints(k + 5 * static_cast<int>(i));
    for (billow_transform& j : joints_[i]) j.position[0] += static_cast<float>(i);
    billow_frame frame{};
    frame.dt = 1.0f / 60;
    frame.joints = joints_[i].data(), frame.joint_count = testing::kTinyJoints;
    frame.scale = 1 + 0.01f * static_cast<float>(i);
    frame.skip_mesh = (i + static_cast<uint32_t>(k)) % 11 == 0;
    return frame;
  }
  std::vector<uint64_t> hashes() const {
    std::vector<uint64_t> out;
    for (const billow_instance* i : instances_) out.push_back(billow_instance_hash(i));
    return out;
  }

  billow_garment* garment_ = nullptr;
  std::vector<billow_instance*> instances_;
  decltype(testing::tiny_joints(0)) joints_[kMany];
};

TEST_P(Crowd, IsWhatEachWouldBeAlone) {
  std::vector<uint64_t> alone;
  for (uint32_t i = 0; i < kMany; ++i) {
    billow_instance* one = wear(i);
    for (int k = 0; k < kFrames; ++k) {
      const billow_frame frame = frame_of(i, k);
      ASSERT_EQ(billow_instance_step(one, &frame), BILLOW_OK);
    }
    alone.push_back(billow_instance_hash(one));
    billow_instance_destroy(one);
  }
  for (const int threads : {0, 1, 3}) {
    for (billow_instance*& i : instances_) billow_instance_destroy(i);
    for (uint32_t i = 0; i < kMany; ++i) instances_[i] = wear(i);
    Threads pool{threads};
    const billow_jobs jobs{Threads::run, &pool};
    for (int k = 0; k < kFrames; ++k) {
      std::vector<billow_frame> frames;
      for (uint32_t i = 0; i < kMany; ++i) frames.push_back(frame_of(i, k));
      ASSERT_EQ(billow_crowd_step(instances_.data(), frames.data(), kMany, threads > 0 ? &jobs : nullptr),
                BILLOW_OK);
    }
    EXPECT_EQ(hashes(), alone) << threads << " threads";
  }
}

TEST_P(Crowd, ChangesNothingWhereSomethingIsWrong) {
  std::vector<billow_frame> frames;
  for (uint32_t i = 0; i < kMany; ++i) frames.push_back(frame_of(i, 1));
  ASSERT_EQ(billow_crowd_step(instances_.data(), frames.data(), kMany, nullptr), BILLOW_OK);
  const std::vector<uint64_t> before = hashes();
  const auto refused = [&](const char* why) {
    EXPECT_EQ(billow_crowd_step(instances_.data(), frames.data(), kMany, nullptr),
              BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(std::string(billow_last_error()).find(why), std::string::npos) << billow_last_error();
    EXPECT_EQ(hashes(), before);
  };
  frames[17].dt = -1;
  refused("frame.dt: expected 0 or more");
  frames[17] = frames[16];
  std::swap(instances_[4], instances_[5]);
  billow_instance* const kept = instances_[4];
  instances_[4] = instances_[12];
  EXPECT_EQ(billow_crowd_step(instances_.data(), frames.data(), kMany, nullptr),
            BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(billow_last_error()).find("found number 12 again"), std::string::npos);
  instances_[4] = kept;
  std::swap(instances_[4], instances_[5]);
  EXPECT_EQ(hashes(), before);

  billow_garment* other = testing::make_tiny_garment(2, GetParam());
  billow_instance* stranger = nullptr;
  ASSERT_EQ(billow_instance_create(other, nullptr, &stranger), BILLOW_OK);
  std::swap(stranger, instances_[9]);
  EXPECT_EQ(billow_crowd_step(instances_.data(), frames.data(), kMany, nullptr),
            BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(billow_last_error()).find("found number 9 of another"), std::string::npos);
  std::swap(stranger, instances_[9]);
  billow_instance_destroy(stranger);
  billow_garment_destroy(other);

  EXPECT_EQ(billow_crowd_step(nullptr, frames.data(), 1, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_crowd_step(instances_.data(), nullptr, 1, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_crowd_step(nullptr, nullptr, 0, nullptr), BILLOW_OK);
  const billow_jobs none{nullptr, nullptr};
  EXPECT_EQ(billow_crowd_step(instances_.data(), frames.data(), kMany, &none), BILLOW_ERROR_INVALID_ARGUMENT);
  // And still usable.
  EXPECT_EQ(billow_crowd_step(instances_.data(), frames.data(), kMany, nullptr), BILLOW_OK);
  EXPECT_NE(hashes(), before);
}

INSTANTIATE_TEST_SUITE_P(Forms, Crowd, ::testing::Values(Form::kWhole, Form::kPatches));

}  // namespace
}  // namespace billow
