// Saved states: they continue bit for bit, and bytes that are not one are refused and change nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "scenes.h"
#include "support/hanging.h"
#include "support/random.h"

namespace billow {
namespace {

using Bytes = std::vector<std::byte>;

Bytes saved(const Chains& chains) {
  Bytes bytes(chains.state_size());
  EXPECT_TRUE(chains.save(bytes));
  return bytes;
}

Wind gusty_wind() { return {{3, 0, 1}, 0.8f, 0.7f, 12, nullptr, nullptr}; }

// A scene in wind, in the middle of its motion.
scenes::Scene moving_scene(const std::string& name, int frames) {
  scenes::Scene scene = scenes::make(name);
  Settings settings = scene.chains.settings();
  settings.drag.value = 0.002f;
  settings.solver.tension.warm_start = settings.solver.impulse.warm_start = 1;
  settings.solver.tension.method = settings.solver.impulse.method = BILLOW_SOLVER_TOLERANCE;
  EXPECT_TRUE(scene.chains.set(settings));
  EXPECT_TRUE(scene.chains.set(gusty_wind()));
  for (int i = 0; i < frames; ++i) scene.step(1.0 / 60);
  return scene;
}

TEST(SavedState, ContinuesBitForBitWithCollidersAndWind) {
  for (const std::string& name : scenes::names()) {
    SCOPED_TRACE(name);
    scenes::Scene original = moving_scene(name, 50);
    const Bytes state = saved(original.chains);

    // Into chains that have done something else in between, and into ones that have never moved.
    scenes::Scene busy = moving_scene(name, 13), fresh = moving_scene(name, 0);
    for (scenes::Scene* other : {&busy, &fresh}) {
      ASSERT_TRUE(other->chains.restore(state)) << billow_last_error();
      EXPECT_EQ(other->chains.hash(), original.chains.hash());
      // The body is the caller's to bring where it was.
      other->time = original.time;
      other->place();
      ASSERT_TRUE(other->body.teleport(other->joints));
    }
    for (int frame = 0; frame < 40; ++frame) {
      original.step(1.0 / 60);
      busy.step(1.0 / 60);
      fresh.step(1.0 / 60);
      ASSERT_EQ(busy.chains.hash(), original.chains.hash()) << "frame " << frame;
      ASSERT_EQ(fresh.chains.hash(), original.chains.hash()) << "frame " << frame;
      ASSERT_EQ(busy.positions(), original.positions());
    }
  }
}

TEST(SavedState, KeepsPausesAndSpaces) {
  Settings settings = billow_settings_default();
  settings.translation_inertia = 0.3f;
  Chains a = testing::hanging_chain(6, 0.1f, settings), b = testing::hanging_chain(6, 0.1f, settings);
  const auto advance = [](Chains& chains, int frame) {
    const float x = 0.02f * static_cast<float>(frame);
    const Transform root = translation(x, 0, 0), space = translation(x, 0, 0);
    ASSERT_TRUE(chains.step(testing::kFrame, {&root, 1}, nullptr, &space));
  };
  for (int frame = 0; frame < 10; ++frame) advance(a, frame);
  ASSERT_TRUE(b.restore(saved(a)));
  for (int frame = 10; frame < 20; ++frame) {
    advance(a, frame), advance(b, frame);
    ASSERT_EQ(a.hash(), b.hash()) << "frame " << frame;
  }
  ASSERT_TRUE(a.set_paused(true));
  ASSERT_TRUE(b.restore(saved(a)));
  for (int frame = 20; frame < 30; ++frame) {
    advance(a, frame), advance(b, frame);
    ASSERT_EQ(a.hash(), b.hash()) << "frame " << frame;
  }
}

TEST(SavedState, DoesNotTouchSettings) {
  Settings strong = billow_settings_default();
  strong.gravity[1] = -20;
  Chains a = testing::hanging_chain(3, 0.1f), b = testing::hanging_chain(3, 0.1f, strong);
  const Transform root = translation(0, 0, 0);
  ASSERT_TRUE(a.step(testing::kFrame, {&root, 1}));
  ASSERT_TRUE(b.restore(saved(a)));
  EXPECT_EQ(b.settings().gravity[1], -20);
}

TEST(SavedState, OfAnotherScaleIsResized) {
  Settings large = billow_settings_default();
  large.scale = 2;
  Chains a = testing::hanging_chain(4, 0.1f), b = testing::hanging_chain(4, 0.1f, large);
  const Transform root = translation(0, 0, 0);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(a.step(testing::kFrame, {&root, 1}));
  ASSERT_TRUE(b.restore(saved(a)));
  EXPECT_NEAR(testing::tip_of(b)[1], 2 * testing::tip_of(a)[1], 1e-5);
}

// Chains of two lengths in mid-swing, whose state is to survive all attacks.
class BadState : public ::testing::Test {
 protected:
  void SetUp() override {
    chains_ = make({3, 5});
    good_ = saved(chains_);
    // Move on, so that accepting the good bytes would show.
    ASSERT_TRUE(chains_.step(testing::kFrame, roots_));
    hash_ = chains_.hash();
  }
  Chains make(std::vector<uint32_t> bones) {
    std::vector<float> rest;
    for (uint32_t n : bones)
      for (uint32_t i = 0; i < n; ++i) rest.insert(rest.end(), {0.1f * static_cast<float>(i), 0.0f, 0.0f});
    Chains chains = scenes::make_chains(bones, rest, false, false, billow_settings_default());
    const std::vector<Transform> roots(bones.size(), translation(0, 0, 0));
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(chains.step(testing::kFrame, roots));
    return chains;
  }
  void expect_refused(const Bytes& bytes, const std::string& what) {
    const Status status = chains_.restore(bytes);
    EXPECT_EQ(status.code(), BILLOW_ERROR_BAD_DATA) << what;
    EXPECT_STRNE(status.message(), "");
    EXPECT_EQ(chains_.hash(), hash_) << what << " was refused, but the chains changed";
  }

  Chains chains_;
  std::vector<Transform> roots_ = {translation(0, 0, 0), translation(0, 0, 0)};
  Bytes good_;
  uint64_t hash_ = 0;
};

TEST_F(BadState, EmptyIsRefused) {
  const std::byte one{};
  EXPECT_EQ(billow_chains_restore(chains_.get(), &one, 0), BILLOW_ERROR_BAD_DATA);
  EXPECT_EQ(chains_.hash(), hash_);
}

TEST_F(BadState, EveryTruncationIsRefused) {
  for (size_t size = 1; size < good_.size(); size += size < 64 ? 1 : 13)
    expect_refused(Bytes(good_.begin(), good_.begin() + static_cast<ptrdiff_t>(size)),
                   std::to_string(size) + " bytes");
  expect_refused(Bytes(good_.begin(), good_.end() - 1), "all but one byte");
}

TEST_F(BadState, EveryFlippedBitOfTheHeaderIsRefused) {
  // Magic, version, counts, size and checksum: the first 32 bytes.
  for (size_t at = 0; at < 32; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bytes = good_;
      bytes[at] ^= std::byte{1} << bit;
      expect_refused(bytes, "bit " + std::to_string(bit) + " of byte " + std::to_string(at));
    }
  }
}

TEST_F(BadState, DamagedContentIsRefused) {
  testing::Random random(51);
  for (int i = 0; i < 500; ++i) {
    Bytes bytes = good_;
    const size_t at = 32 + random.bits() % (bytes.size() - 32);
    bytes[at] ^= std::byte{static_cast<unsigned char>(1 + random.bits() % 255)};
    expect_refused(bytes, "byte " + std::to_string(at));
  }
}

TEST_F(BadState, NoiseIsRefused) {
  testing::Random random(52);
  for (int i = 0; i < 200; ++i) {
    Bytes bytes(random.bits() % 2000 + 1);
    for (std::byte& b : bytes) b = std::byte{static_cast<unsigned char>(random.bits())};
    expect_refused(bytes, "noise");
    if (bytes.size() > 8) std::copy_n(good_.begin(), 8, bytes.begin());
    expect_refused(bytes, "noise behind a good beginning");
  }
}

TEST_F(BadState, OtherChainsAreRefused) {
  expect_refused(saved(make({3})), "one chain less");
  expect_refused(saved(make({3, 6})), "a longer chain");
  expect_refused(saved(make({3, 5, 2})), "one chain more");
  // As many chains and as many bones in all, but other ones.
  expect_refused(saved(make({4, 4})), "bones elsewhere");
  expect_refused(saved(make({5, 3})), "chains in another order");
}

TEST_F(BadState, AnotherVersionIsRefused) {
  Bytes bytes = good_;
  uint32_t version;
  std::memcpy(&version, bytes.data() + 4, sizeof version);
  ++version;
  std::memcpy(bytes.data() + 4, &version, sizeof version);
  expect_refused(bytes, "the next version");
  EXPECT_NE(std::string(billow_last_error()).find("version"), std::string::npos);
}

TEST_F(BadState, TheGoodBytesAreStillGood) {
  expect_refused(Bytes(10), "zeroes");
  ASSERT_TRUE(chains_.restore(good_));
  EXPECT_NE(chains_.hash(), hash_);
  ASSERT_TRUE(chains_.step(testing::kFrame, roots_));
  EXPECT_EQ(chains_.hash(), hash_);
}

TEST(StateHash, IsEqualForEqualStatesOnly) {
  Chains a = testing::hanging_chain(5, 0.1f), b = testing::hanging_chain(5, 0.1f);
  EXPECT_EQ(a.hash(), b.hash());
  const Transform here = translation(0, 0, 0), there = translation(1e-3f, 0, 0);
  ASSERT_TRUE(a.step(testing::kFrame, {&here, 1}));
  EXPECT_NE(a.hash(), b.hash());
  ASSERT_TRUE(b.step(testing::kFrame, {&here, 1}));
  EXPECT_EQ(a.hash(), b.hash());
  ASSERT_TRUE(a.step(testing::kFrame, {&here, 1}));
  ASSERT_TRUE(b.step(testing::kFrame, {&there, 1}));
  EXPECT_NE(a.hash(), b.hash());
}

}  // namespace
}  // namespace billow
