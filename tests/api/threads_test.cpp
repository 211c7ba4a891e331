// Threads: what is stepped where does not change a bit. Run it with the tsan preset too.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "scenes.h"
#include "support/hanging.h"
#include "support/tiny_garment.h"

namespace billow::threads_test {
namespace {

constexpr int kFrames = 40;

// Runs `job(i)` for i in [0, count) on so many threads, each taking the next that is free.
template <class Job> void run_on(int threads, int count, Job job) {
  std::atomic<int> next{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&] {
      for (int i = next++; i < count; i = next++) job(i);
    });
  for (std::thread& w : workers) w.join();
}

// Hashes of all frames of all scenes.
std::vector<uint64_t> hashes_on(int threads) {
  const std::vector<std::string> names = scenes::names();
  std::vector<uint64_t> hashes(names.size() * kFrames);
  run_on(threads, static_cast<int>(names.size()), [&](int i) {
    const size_t s = static_cast<size_t>(i);
    scenes::Scene scene = scenes::make(names[s]);
    for (size_t frame = 0; frame < kFrames; ++frame) {
      scene.step(1.0 / 60);
      hashes[s * kFrames + frame] = scene.chains.hash();
    }
  });
  return hashes;
}

TEST(Threads, ScenesGiveTheSameBitsOnAnyNumberOfThreads) {
  const std::vector<uint64_t> alone = hashes_on(1);
  for (int threads : {2, 4}) EXPECT_EQ(hashes_on(threads), alone) << threads << " threads";
}

// The frames of one scene, each stepped by another thread.
TEST(Threads, ChainsMayMoveFromThreadToThread) {
  scenes::Scene here = scenes::make("skirt_kicking"), anywhere = scenes::make("skirt_kicking");
  for (int frame = 0; frame < kFrames; ++frame) {
    here.step(1.0 / 60);
    std::thread([&] { anywhere.step(1.0 / 60); }).join();
    ASSERT_EQ(anywhere.chains.hash(), here.chains.hash()) << "frame " << frame;
  }
}

TEST(Threads, ManyChainsMayReadOneBodyAtATime) {
  constexpr int kSets = 8;
  const auto run = [](int threads) {
    Collider sphere = billow_collider_default();
    sphere.radius = 0.3f;
    sphere.position[1] = -0.5f;
    Body body = Body::create(std::span(&sphere, 1)).value();
    std::vector<testing::Sheet> sets;
    for (int i = 0; i < kSets; ++i)
      sets.push_back(testing::hanging_sheet(5 + i, 6, 0.1f, 0.1f, billow_settings_cape()));
    std::atomic<uint32_t> contacts{0};
    for (int frame = 0; frame < kFrames; ++frame) {
      const Transform joint = translation(0.2f, 0, -0.4f + 0.02f * static_cast<float>(frame));
      EXPECT_TRUE(body.pose({&joint, 1}));
      run_on(threads, kSets, [&](int i) {
        testing::Sheet& s = sets[static_cast<size_t>(i)];
        EXPECT_TRUE(s.chains.step(testing::kFrame, s.roots, &body));
        contacts += s.chains.report().contacts;
        // And queries at the same time.
        const float point[3] = {0, 0, 0};
        float distance = 0;
        EXPECT_TRUE(body.query(point, {&distance, 1}));
      });
    }
    EXPECT_GT(contacts, 0u) << "the body is meant to be touched";
    std::vector<uint64_t> hashes;
    for (const testing::Sheet& s : sets) hashes.push_back(s.chains.hash());
    return hashes;
  };
  const std::vector<uint64_t> alone = run(1);
  for (int threads : {2, 4}) EXPECT_EQ(run(threads), alone) << threads << " threads";
}

TEST(Threads, ManyWearOneGarment) {
  const std::unique_ptr<billow_garment, void (*)(billow_garment*)> garment(testing::make_tiny_garment(),
                                                                           billow_garment_destroy);
  const auto run = [&](int threads) {
    std::vector<uint64_t> hashes(8);
    run_on(threads, 8, [&](int i) {
      billow_instance* instance = nullptr;
      ASSERT_EQ(billow_instance_create(garment.get(), nullptr, &instance), BILLOW_OK);
      for (int k = 0; k < kFrames; ++k) {
        const auto joints = testing::tiny_joints(k + 5 * i);
        billow_frame frame{};
        frame.dt = 1.0f / 60;
        frame.joints = joints.data();
        frame.joint_count = testing::kTinyJoints;
        ASSERT_EQ(billow_instance_step(instance, &frame), BILLOW_OK);
      }
      hashes[static_cast<size_t>(i)] = billow_instance_hash(instance);
      billow_instance_destroy(instance);
    });
    return hashes;
  };
  const std::vector<uint64_t> alone = run(1);
  for (int threads : {2, 4}) EXPECT_EQ(run(threads), alone) << threads << " threads";
}

TEST(Threads, EachHasItsOwnErrorMessage) {
  run_on(4, 4, [](int i) {
    for (int k = 0; k < 200; ++k) {
      if (i % 2) {
        EXPECT_EQ(billow_body_query(nullptr, BILLOW_ALL_GROUPS, nullptr, 0, BILLOW_NO_LIMIT, nullptr, nullptr,
                                    nullptr),
                  BILLOW_ERROR_INVALID_ARGUMENT);
        EXPECT_NE(std::string(billow_last_error()).find("body"), std::string::npos);
      } else {
        EXPECT_EQ(billow_chains_step(nullptr, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
        EXPECT_NE(std::string(billow_last_error()).find("chains"), std::string::npos);
      }
    }
  });
}

}  // namespace
}  // namespace billow::threads_test
