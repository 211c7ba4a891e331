// The learnt force of chains, with a made-up network: what it sees and what becomes of what it returns.
#include "runtime/learnt_force.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "api/handles.h"

namespace billow {
namespace {

constexpr int kChains = 6, kBones = 5;

// Six chains along x, symmetric about x = 0, whose roots move; forces come from a function.
class Curtain {
 public:
  using Network = std::function<void(const float* inputs, float* acceleration)>;

  Curtain() {
    std::vector<float> rest;
    const std::vector<uint32_t> counts(kChains, kBones);
    for (int c = 0; c < kChains; ++c)
      for (int i = 0; i < kBones; ++i)
        rest.insert(rest.end(), {0.1f * (static_cast<float>(c) - 2.5f), -0.1f * static_cast<float>(i), 0});
    billow_chains_desc desc = billow_chains_desc_default();
    desc.chain_count = kChains;
    desc.bone_counts = counts.data();
    desc.rest_positions = rest.data();
    desc.neighbours = 1;
    billow_chains* chains = nullptr;
    EXPECT_EQ(billow_chains_create(&desc, &chains), BILLOW_OK) << billow_last_error();
    chains_.reset(chains);
  }
  void use(Network network) {
    network_->function = std::move(network);
    LearntForce& force = chains_->chains.force;
    force.infer = infer, force.user = network_.get();
    force.inputs = inputs_.data(), force.accelerations = accelerations_.data();
  }
  // The roots swing sideways and turn; `sign` -1: the mirror image; `turn`: the whole world turned about y.
  void step(float dt, float sign = 1, float turn = 0) {
    time_ += dt;
    const Quat heading{0, std::sin(turn / 2), 0, std::cos(turn / 2)};
    const float angle = sign * 0.6f * std::sin(5 * time_);
    const Quat own{0, std::sin(angle / 2), 0, std::cos(angle / 2)};
    std::vector<billow_transform> roots;
    for (int c = 0; c < kChains; ++c) {
      const V3 rest{0.1f * (static_cast<float>(c) - 2.5f), 0, 0};
      const V3 moved =
          rotate(own, rest) + V3{sign * 0.2f * std::sin(4 * time_), 0, 0.3f * std::sin(3 * time_)};
      const V3 p = rotate(heading, moved);
      const Quat q = heading * own;
      roots.push_back({{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}});
    }
    billow_step step = billow_step_default();
    step.dt = dt, step.roots = roots.data(), step.root_count = kChains;
    ASSERT_EQ(billow_chains_step(chains_.get(), &step), BILLOW_OK) << billow_last_error();
  }
  V3 bone(int c, int i) const { return get(chains_->chains.set.x, chains_->chains.set.layout.at(i, c)); }
  V3 force(int c, int i) const {
    return get(chains_->chains.set.learnt, chains_->chains.set.layout.at(i, c));
  }
  billow_chains* chains() const { return chains_.get(); }
  int evaluations() const { return network_->evaluations; }

 private:
  struct Counted {
    Network function;
    int evaluations = 0;
  };
  static void infer(void* self, const float* inputs, uint32_t rows, float* accelerations) {
    auto& network = *static_cast<Counted*>(self);
    ++network.evaluations;
    EXPECT_EQ(rows, static_cast<uint32_t>(kChains * (kBones - 1)));
    for (uint32_t r = 0; r < rows; ++r)
      network.function(inputs + size_t{kForceInputs} * r, accelerations + size_t{kForceOutputs} * r);
  }
  struct Destroy {
    void operator()(billow_chains* chains) const { billow_chains_destroy(chains); }
  };
  std::unique_ptr<billow_chains, Destroy> chains_;
  std::unique_ptr<Counted> network_ = std::make_unique<Counted>();
  float time_ = 0;
  std::vector<float> inputs_ = std::vector<float>(kChains * kBones * kForceInputs),
                     accelerations_ = std::vector<float>(kChains * kBones * kForceOutputs);
};

// Every input counts, each in its own way.
void mix_all(const float* inputs, float* acceleration) {
  for (int k = 0; k < 3; ++k) {
    float sum = 0;
    for (uint32_t j = 0; j < kForceInputs; ++j)
      sum += inputs[j] * std::sin(static_cast<float>(7 * j + 3) + 2 * static_cast<float>(k));
    acceleration[k] = sum;
  }
}

TEST(LearntForce, MirrorImagesMoveAsMirrorImages) {
  Curtain left, right, without;
  left.use(mix_all), right.use(mix_all);
  float moved = 0;
  for (int k = 0; k < 30; ++k) {
    left.step(1.0f / 60), right.step(1.0f / 60, -1), without.step(1.0f / 60);
    for (int c = 0; c < kChains; ++c)
      for (int i = 0; i < kBones; ++i) {
        const V3 a = left.bone(c, i), b = right.bone(kChains - 1 - c, i);
        ASSERT_LT(length(V3{-b.x, b.y, b.z} - a), 1e-3f)
            << "frame " << k << ", chain " << c << ", bone " << i;
        moved = std::max(moved, length(a - without.bone(c, i)));
      }
  }
  EXPECT_GT(moved, 0.03f) << "the force moves the chains";
}

TEST(LearntForce, TurnsWithTheWorld) {
  Curtain as_is, turned;
  as_is.use(mix_all), turned.use(mix_all);
  constexpr float kTurn = 1.1f;
  const Quat q{0, std::sin(kTurn / 2), 0, std::cos(kTurn / 2)};
  for (int k = 0; k < 30; ++k) {
    as_is.step(1.0f / 60), turned.step(1.0f / 60, 1, kTurn);
    for (int c = 0; c < kChains; ++c)
      for (int i = 0; i < kBones; ++i)
        ASSERT_LT(length(turned.bone(c, i) - rotate(q, as_is.bone(c, i))), 1e-3f) << "frame " << k;
  }
}

TEST(LearntForce, IsBounded) {
  Curtain curtain;
  curtain.use([](const float*, float* a) { a[0] = 1e6f, a[1] = -1e6f, a[2] = 1e3f; });
  for (int k = 0; k < 10; ++k) {
    curtain.step(1.0f / 60);
    for (int c = 0; c < kChains; ++c)
      for (int i = 1; i < kBones; ++i) {
        EXPECT_LE(length(curtain.force(c, i)), 1.0001f * kMaxLearntForce);
        EXPECT_LT(length(curtain.bone(c, i) - curtain.bone(c, i - 1)), 0.1f + 1e-5f)
            << "ropes keep their length";
      }
  }
}

TEST(LearntForce, IsEvaluatedSixtyTimesASecondAtAnyFrameRate) {
  for (const int hz : {30, 60, 100, 144, 240}) {
    Curtain curtain;
    curtain.use(mix_all);
    for (int k = 0; k < hz; ++k) curtain.step(1 / static_cast<float>(hz));
    EXPECT_NEAR(curtain.evaluations(), 60, 2) << hz << " Hz";
  }
}

TEST(LearntForce, IsScaledAndSwitchedOff) {
  const auto play = [](float share, bool has_network) {
    Curtain curtain;
    if (has_network) curtain.use(mix_all);
    billow_settings settings = billow_settings_default();
    settings.learnt_force = share;
    EXPECT_EQ(billow_chains_set_settings(curtain.chains(), &settings), BILLOW_OK);
    for (int k = 0; k < 20; ++k) curtain.step(1.0f / 60);
    return curtain.bone(1, kBones - 1);
  };
  const V3 none = play(1, false), off = play(0, true), half = play(0.5f, true), all = play(1, true);
  EXPECT_EQ(length(off - none), 0) << "the same bits";
  EXPECT_GT(length(half - none), 1e-3f);
  EXPECT_GT(length(half - all), 1e-3f);
}

TEST(LearntForce, IsPartOfTheSavedState) {
  Curtain original, restored;
  original.use(mix_all), restored.use(mix_all);
  for (int k = 0; k < 33; ++k)
    original.step(1.0f / 240), restored.step(1.0f / 240, -1);  // between two evaluations
  std::vector<unsigned char> bytes(billow_chains_state_size(original.chains()));
  ASSERT_EQ(billow_chains_save(original.chains(), bytes.data(), bytes.size()), BILLOW_OK);
  ASSERT_EQ(billow_chains_restore(restored.chains(), bytes.data(), bytes.size()), BILLOW_OK);
  for (int k = 0; k < 20; ++k) {
    original.step(1.0f / 240), restored.step(1.0f / 240);
    for (int c = 0; c < kChains; ++c)
      ASSERT_EQ(length(original.bone(c, kBones - 1) - restored.bone(c, kBones - 1)), 0) << "frame " << k;
  }
}

}  // namespace
}  // namespace billow
