// Saved states of instances: what is restored plays on with the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "support/shipped_garment.h"

namespace billow {
namespace {

using Bytes = std::vector<std::byte>;

class InstanceState : public ::testing::TestWithParam<const char*> {
 protected:
  // A walk in a circle, with a turning trunk.
  std::vector<Transform> joints(int frame) const {
    const float t = static_cast<float>(frame) / 60, angle = 1.5f * t;
    std::vector<Transform> joints(garment_.joint_count());
    EXPECT_EQ(billow_garment_get_joint_rest(garment_.get(), joints.data(), garment_.joint_count()),
              BILLOW_OK);
    for (Transform& j : joints) {
      const float x = j.position[0] + 2, z = j.position[2];
      j.position[0] = std::cos(angle) * x + std::sin(angle) * z;
      j.position[2] = -std::sin(angle) * x + std::cos(angle) * z;
      const float s = std::sin(angle / 2), c = std::cos(angle / 2);
      const auto [a, b, d, w] = j.rotation;
      const float turned[4] = {c * a + s * d, c * b + s * w, c * d - s * a, c * w - s * b};
      std::memcpy(j.rotation, turned, sizeof turned);
    }
    return joints;
  }
  void play(Instance& instance, int from, int to, float scale = 1) const {
    for (int k = from; k < to; ++k) {
      std::vector<Transform> now = joints(k);
      for (Transform& j : now)
        for (float& p : j.position) p *= scale;
      billow_frame frame{};
      frame.dt = 1.0f / 60, frame.scale = scale;
      frame.joints = now.data(), frame.joint_count = static_cast<uint32_t>(now.size());
      ASSERT_TRUE(instance.step(frame)) << billow_last_error();
    }
  }
  static Bytes saved(const Instance& instance) {
    Bytes bytes(instance.state_size());
    EXPECT_TRUE(instance.save(bytes)) << billow_last_error();
    return bytes;
  }

  const Garment garment_ = testing::load_shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Shipped, InstanceState, ::testing::Values("cape", "skirt"));

TEST_P(InstanceState, PlaysOnBitForBit) {
  for (const float scale : {1.0f, 1.25f}) {
    Instance original = Instance::create(garment_).value();
    play(original, 0, 30, scale);
    const Bytes state = saved(original);
    // The same instance after something else, another one that is busy elsewhere, and a fresh one.
    play(original, 30, 50, scale);
    const uint64_t expected = original.hash();
    play(original, 90, 95, scale);
    Instance busy = Instance::create(garment_).value(), fresh = Instance::create(garment_).value();
    play(busy, 70, 80);
    for (Instance* restored : {&original, &busy, &fresh}) {
      ASSERT_TRUE(restored->restore(state)) << billow_last_error();
      play(*restored, 30, 50, scale);
      EXPECT_EQ(restored->hash(), expected) << "scale " << scale;
    }
  }
}

TEST_P(InstanceState, RefusesWhatIsNone) {
  Instance instance = Instance::create(garment_).value();
  play(instance, 0, 3);
  Bytes state = saved(instance);
  const auto refused = [&](std::span<const std::byte> bytes, const char* why) {
    const Status status = instance.restore(bytes);
    EXPECT_EQ(status.code(), BILLOW_ERROR_BAD_DATA);
    EXPECT_NE(std::string(status.message()).find(why), std::string::npos) << status.message();
  };
  refused(std::span(state).first(10), "too short");
  refused(std::span(state).first(state.size() - 1), "truncated");
  Bytes chains(billow_chains_state_size(instance.chains()));
  ASSERT_EQ(billow_chains_save(instance.chains(), chains.data(), chains.size()), BILLOW_OK);
  refused(chains, "not a saved state of an instance");
  state[state.size() / 2] ^= std::byte{1};
  refused(state, "damaged");
  EXPECT_EQ(billow_instance_save(instance.get(), state.data(), state.size() - 1),
            BILLOW_ERROR_BUFFER_TOO_SMALL);
}

}  // namespace
}  // namespace billow
