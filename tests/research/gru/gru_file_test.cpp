// The GRU section: round trip, size limit, and reading of arbitrary bytes.
#include <gtest/gtest.h>

#include <cstring>

#include "offline/evaluate/small_set.h"
#include "research/gru/gru.h"

namespace billow::research {
namespace {

// Values between -1 and 1 from a fixed generator.
Matrix random_matrix(Eigen::Index rows, Eigen::Index columns, uint32_t seed) {
  Matrix m(rows, columns);
  for (float& x : m.reshaped()) {
    seed = seed * 1664525 + 1013904223;
    x = static_cast<float>(seed >> 8) * 0x1p-23f - 1;
  }
  return m;
}

Gru small_gru(Eigen::Index inputs = 5) {
  Gru gru;
  gru.mean = random_matrix(inputs, 1, 1).col(0), gru.scale = random_matrix(inputs, 1, 2).col(0);
  const auto layer = [](Eigen::Index rows, Eigen::Index columns, uint32_t seed) {
    return Layer{random_matrix(rows, columns, seed), random_matrix(rows, 1, seed + 1).col(0)};
  };
  gru.chains.push_back({{1, 2}, layer(9, inputs, 3), layer(9, 3, 5), layer(6, 3, 7)});
  gru.chains.push_back({{4}, layer(12, inputs, 9), layer(12, 4, 11), layer(3, 4, 13)});
  gru.chains[1].input.weights.row(2).setZero();
  return gru;
}

float max_weight_difference(const Gru& a, const Gru& b) {
  float largest = 0;
  for (size_t k = 0; k < a.chains.size(); ++k) {
    const GruChain &c = a.chains[k], &d = b.chains[k];
    for (const auto& [x, y] : {std::pair{&c.input, &d.input}, {&c.state, &d.state}, {&c.output, &d.output}})
      largest = std::max(largest, (x->weights - y->weights).cwiseAbs().maxCoeff());
  }
  return largest;
}

TEST(GruFile, RoundTripQuantisesWeights) {
  const Gru gru = small_gru();
  const std::string whole = gru_to_bytes(gru);
  const Gru back = gru_from_bytes(whole);
  ASSERT_EQ(back.chains.size(), 2u);
  EXPECT_EQ(back.mean, gru.mean);
  EXPECT_EQ(back.scale, gru.scale);
  EXPECT_EQ(back.chains[0].bones, gru.chains[0].bones);
  EXPECT_EQ(back.chains[1].output.bias, gru.chains[1].output.bias);
  EXPECT_LE(max_weight_difference(gru, back), 0.5f / 127 + 1e-6f);
  EXPECT_EQ(gru_to_bytes(back), whole) << "quantising again changes nothing";
}

TEST(GruFile, TakesFewerBitsToFitTheSizeLimit) {
  const Gru gru = small_gru();
  const size_t largest = gru_to_bytes(gru).size();
  float last_error = 0;
  size_t budget = largest;
  for (int bits = 8; bits >= 4; --bits) {
    const std::string bytes = gru_to_bytes(gru, budget);
    ASSERT_EQ(bytes[16], bits);
    EXPECT_LE(bytes.size(), budget);
    const float error = max_weight_difference(gru, gru_from_bytes(bytes));
    EXPECT_GT(error, last_error);
    last_error = error, budget = bytes.size() - 1;
  }
  EXPECT_THROW(gru_to_bytes(gru, budget), std::invalid_argument);
  EXPECT_EQ(max_gru_bytes(10), 1'000'000u);
  EXPECT_EQ(max_gru_bytes(26), 1'500'000u);
}

TEST(GruFile, RefusesBadBytes) {
  const std::string whole = gru_to_bytes(small_gru());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(gru_from_bytes(whole.substr(0, size)), std::runtime_error) << size;
  EXPECT_THROW(gru_from_bytes(whole + '\0'), std::runtime_error);
  const auto with = [&](size_t at, uint32_t value) {
    std::string bytes = whole;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
  };
  try {
    gru_from_bytes(with(16, 9));
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "recurrent units: bits at byte 16: expected 4 to 8, found 9");
  }
  // Sizes that would exhaust memory, and a NaN.
  for (const size_t at : {0u, 4u, 8u, 12u, 16u, 60u, 64u})
    EXPECT_THROW(gru_from_bytes(with(at, 0xffffffff)), std::runtime_error) << at;
  EXPECT_THROW(gru_from_bytes(with(20, 0x7fc00000)), std::runtime_error);
}

TEST(GruFile, AnyChangedByteIsRefusedOrFinite) {
  const std::string whole = gru_to_bytes(small_gru());
  size_t taken = 0;
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      try {
        const Gru gru = gru_from_bytes(bytes);
        ++taken;
        ASSERT_TRUE(gru.mean.allFinite());
        for (const GruChain& c : gru.chains)
          for (const Layer* l : {&c.input, &c.state, &c.output})
            ASSERT_TRUE(l->weights.allFinite() && l->bias.allFinite());
      } catch (const std::runtime_error&) {
      }
    }
  EXPECT_GT(taken, 0u);
}

TEST(GruFile, UnitsForAnotherBodyAreRefused) {
  const testing::SmallSet set({"tt"}, [](V3 p, size_t, size_t) { return p; });
  const Frames frames = set.frames();
  EXPECT_THROW(gru_bones(frames, small_gru()), std::invalid_argument);
  const Eigen::Index inputs = body_poses(frames, frames.clips()[0]).cols();
  Gru gru = small_gru(inputs);
  EXPECT_TRUE(gru_bones(frames, gru).allFinite());
  gru.chains[1].bones[0] = 17;
  EXPECT_THROW(gru_bones(frames, gru), std::invalid_argument);
}

}  // namespace
}  // namespace billow::research
