// float16: every value round-trips, and values between two halves round to nearest, ties to even.
#include "decode/to_half.h"

#include <gtest/gtest.h>

#include <cmath>

#include "net/half.h"
#include "support/random.h"

namespace billow {
namespace {

constexpr uint16_t kLargest = 0x7bff, kSign = 0x8000;

TEST(ToHalf, EveryHalfRoundTrips) {
  for (uint16_t h = 0; h <= kLargest; ++h) {
    ASSERT_EQ(to_half(from_half(h)), h);
    ASSERT_EQ(to_half(-from_half(h)), h | kSign);
  }
}

TEST(ToHalf, RoundsToNearestTiesToEven) {
  for (uint16_t h = 0; h < kLargest; ++h) {
    const float low = from_half(h), high = from_half(static_cast<uint16_t>(h + 1)), middle = (low + high) / 2;
    ASSERT_EQ(to_half(middle), h % 2 == 0 ? h : h + 1) << h;
    ASSERT_EQ(to_half(std::nextafter(middle, low)), h);
    ASSERT_EQ(to_half(std::nextafter(middle, high)), h + 1);
  }
}

TEST(ToHalf, LargeValuesSaturate) {
  EXPECT_EQ(to_half(65504), kLargest);
  EXPECT_EQ(to_half(65519.99f), kLargest);
  EXPECT_EQ(to_half(1e30f), kLargest);
  EXPECT_EQ(to_half(-1e30f), kLargest | kSign);
}

TEST(ToHalf, FourAtATimeGiveTheSame) {
  testing::Random random(3);
  for (int k = 0; k < 100'000; ++k) {
    float values[kLanes];
    uint16_t found[kLanes];
    for (float& v : values)
      v = static_cast<float>(random.uniform(-1, 1) * std::pow(10, random.uniform(-9, 6)));
    store_half(found, load(values));
    for (int i = 0; i < kLanes; ++i) ASSERT_EQ(found[i], to_half(values[i])) << values[i];
  }
}

}  // namespace
}  // namespace billow
