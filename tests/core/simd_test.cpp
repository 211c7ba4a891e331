// Every lane operation against plain C++ on the same floats. They have to agree to the bit, except for the
// payload of a NaN, which depends on the processor.
#include "core/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "support/random.h"

namespace billow {
namespace {

using Lanes = std::array<float, 4>;

F4 pack(const Lanes& a) { return load(a.data()); }
Lanes unpack(F4 a) {
  Lanes out;
  store(out.data(), a);
  return out;
}

bool same_value(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

// Special values, ordinary numbers, and arbitrary bit patterns.
std::vector<float> interesting_values() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.0f,
                               0.5f,
                               -3.25f,
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::quiet_NaN(),
                               Limits::denorm_min(),
                               -Limits::denorm_min(),
                               0.5f * Limits::min(),
                               Limits::min(),
                               -Limits::min(),
                               Limits::max(),
                               Limits::lowest(),
                               16777216.0f,
                               1e-24f};
  testing::Random random(1);
  for (int i = 0; i < 24; ++i) values.push_back(random.uniform_float(-1e3, 1e3));
  while (values.size() < 64) {
    // NaNs are left out: the results for signalling ones are unspecified.
    const float any = std::bit_cast<float>(random.bits());
    if (!std::isnan(any)) values.push_back(any);
  }
  return values;
}

// Calls check(a, b) for all pairs of values, four pairs at a time.
template <class Check> void for_all_pairs(Check check) {
  const std::vector<float> values = interesting_values();
  ASSERT_EQ(values.size() % 4, 0u);
  for (size_t i = 0; i < values.size(); i += 4) {
    const Lanes a = {values[i], values[i + 1], values[i + 2], values[i + 3]};
    for (size_t shift = 0; shift < values.size(); ++shift) {
      Lanes b;
      for (size_t k = 0; k < 4; ++k) b[k] = values[(i + k + shift) % values.size()];
      check(a, b);
    }
  }
}

struct BinaryCase {
  const char* name;
  F4 (*four)(F4, F4);
  float (*one)(float, float);
};
const BinaryCase kBinary[] = {
    {"add", [](F4 a, F4 b) { return a + b; }, [](float a, float b) { return a + b; }},
    {"subtract", [](F4 a, F4 b) { return a - b; }, [](float a, float b) { return a - b; }},
    {"multiply", [](F4 a, F4 b) { return a * b; }, [](float a, float b) { return a * b; }},
    {"divide", [](F4 a, F4 b) { return a / b; }, [](float a, float b) { return a / b; }},
    {"min", [](F4 a, F4 b) { return min(a, b); }, [](float a, float b) { return a < b ? a : b; }},
    {"max", [](F4 a, F4 b) { return max(a, b); }, [](float a, float b) { return b < a ? a : b; }},
    {"negate", [](F4 a, F4) { return -a; }, [](float a, float) { return -a; }},
    {"abs", [](F4 a, F4) { return abs(a); }, [](float a, float) { return std::fabs(a); }},
    {"sqrt", [](F4 a, F4) { return sqrt(a); }, [](float a, float) { return std::sqrt(a); }},
    {"add in place", [](F4 a, F4 b) { return a += b; }, [](float a, float b) { return a + b; }},
    {"subtract in place", [](F4 a, F4 b) { return a -= b; }, [](float a, float b) { return a - b; }},
    {"multiply in place", [](F4 a, F4 b) { return a *= b; }, [](float a, float b) { return a * b; }},
    {"clamp", [](F4 a, F4) { return clamp(a, -2.0f, 0.75f); },
     [](float a, float) {
       const float low = -2.0f < a ? a : -2.0f;
       return low < 0.75f ? low : 0.75f;
     }},
    {"clamp at zero", [](F4 a, F4) { return clamp(a, 0.0f, 1.0f); },
     [](float a, float) {
       const float low = 0.0f < a ? a : 0.0f;
       return low < 1.0f ? low : 1.0f;
     }},
    {"max of zero", [](F4 a, F4) { return max(a, 0.0f); },
     [](float a, float) { return 0.0f < a ? a : 0.0f; }},
    {"zero", [](F4, F4) { return zero(); }, [](float, float) { return 0.0f; }},
};

struct CompareCase {
  const char* name;
  M4 (*four)(F4, F4);
  bool (*one)(float, float);
};
const CompareCase kCompare[] = {
    {"<", [](F4 a, F4 b) { return a < b; }, [](float a, float b) { return a < b; }},
    {"<=", [](F4 a, F4 b) { return a <= b; }, [](float a, float b) { return a <= b; }},
    {">", [](F4 a, F4 b) { return a > b; }, [](float a, float b) { return a > b; }},
    {">=", [](F4 a, F4 b) { return a >= b; }, [](float a, float b) { return a >= b; }},
    {"==", [](F4 a, F4 b) { return a == b; }, [](float a, float b) { return a == b; }},
    {"none", [](F4, F4) { return none(); }, [](float, float) { return false; }},
};

TEST(Simd, ArithmeticMatchesPlainFloats) {
  for (const BinaryCase& c : kBinary) {
    SCOPED_TRACE(c.name);
    for_all_pairs([&](const Lanes& a, const Lanes& b) {
      const Lanes found = unpack(c.four(pack(a), pack(b)));
      for (size_t k = 0; k < 4; ++k)
        ASSERT_TRUE(same_value(found[k], c.one(a[k], b[k]))) << a[k] << ", " << b[k] << " gave " << found[k];
    });
  }
}

TEST(Simd, ComparisonsMatchPlainFloats) {
  for (const CompareCase& c : kCompare) {
    SCOPED_TRACE(c.name);
    for_all_pairs([&](const Lanes& a, const Lanes& b) {
      int expected = 0;
      for (int k = 0; k < 4; ++k)
        expected |= static_cast<int>(c.one(a[static_cast<size_t>(k)], b[static_cast<size_t>(k)])) << k;
      ASSERT_EQ(bits(c.four(pack(a), pack(b))), expected) << "at " << a[0] << ", " << b[0];
    });
  }
}

TEST(Simd, OneOperandMayBeASingleFloat) {
  for_all_pairs([](const Lanes& lanes, const Lanes& others) {
    const F4 a = pack(lanes);
    const float s = others[0];
    const auto expect = [&](F4 found, F4 wanted) {
      for (int k = 0; k < 4; ++k) ASSERT_TRUE(same_value(lane(found, k), lane(wanted, k))) << "with " << s;
    };
    expect(a + s, a + splat(s));
    expect(s + a, splat(s) + a);
    expect(a - s, a - splat(s));
    expect(s - a, splat(s) - a);
    expect(a * s, a * splat(s));
    expect(s * a, splat(s) * a);
    EXPECT_EQ(bits(a < s), bits(a < splat(s)));
    EXPECT_EQ(bits(a <= s), bits(a <= splat(s)));
    EXPECT_EQ(bits(a > s), bits(a > splat(s)));
    EXPECT_EQ(bits(a >= s), bits(a >= splat(s)));
  });
}

// A mask with the given bits set.
M4 mask(int wanted) {
  Lanes a;
  for (int k = 0; k < 4; ++k) a[static_cast<size_t>(k)] = wanted >> k & 1 ? 1.0f : 0.0f;
  return pack(a) > 0.0f;
}

TEST(Simd, MasksCombineLaneByLane) {
  for (int a = 0; a < 16; ++a) {
    EXPECT_EQ(bits(mask(a)), a);
    EXPECT_EQ(bits(~mask(a)), ~a & 15);
    EXPECT_EQ(any(mask(a)), a != 0);
    EXPECT_EQ(all(mask(a)), a == 15);
    for (int b = 0; b < 16; ++b) {
      EXPECT_EQ(bits(mask(a) & mask(b)), a & b);
      EXPECT_EQ(bits(mask(a) | mask(b)), a | b);
    }
  }
}

TEST(Simd, SelectTakesEachLaneUnchanged) {
  for_all_pairs([](const Lanes& a, const Lanes& b) {
    for (int m = 0; m < 16; ++m) {
      const Lanes found = unpack(select(mask(m), pack(a), pack(b)));
      for (size_t k = 0; k < 4; ++k) {
        // Even the sign and payload of a NaN have to survive.
        const float wanted = m >> k & 1 ? a[k] : b[k];
        ASSERT_EQ(std::bit_cast<uint32_t>(found[k]), std::bit_cast<uint32_t>(wanted));
      }
    }
  });
}

TEST(Simd, LoadAndStoreNeedNoAlignment) {
  const std::array<float, 7> from = {1, 2, 3, 4, 5, 6, 7};
  for (size_t at = 0; at < 4; ++at) {
    std::array<float, 10> to;
    to.fill(-1);
    store(to.data() + at + 1, load(from.data() + at));
    for (size_t k = 0; k < 4; ++k) EXPECT_EQ(to[at + 1 + k], from[at + k]);
    EXPECT_EQ(to[at], -1);
    EXPECT_EQ(to[at + 5], -1);
  }
}

TEST(Simd, LanesCanBeReadAndReplacedOneByOne) {
  const F4 a = pack({1, 2, 3, 4});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(lane(a, i), static_cast<float>(i + 1));
    EXPECT_EQ(lane(splat(-7.5f), i), -7.5f);
    const Lanes replaced = unpack(with_lane(a, i, 9));
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(replaced[static_cast<size_t>(k)], k == i ? 9.0f : static_cast<float>(k + 1));
  }
}

TEST(Simd, HorizontalMaxFindsTheLargestLane) {
  Lanes a = {-4, -3, -2, -1};
  for (int turn = 0; turn < 4; ++turn) {
    EXPECT_EQ(horizontal_max(pack(a)), -1);
    std::rotate(a.begin(), a.begin() + 1, a.end());
  }
  EXPECT_EQ(horizontal_max(splat(2.5f)), 2.5f);
}

TEST(Simd, EightLanesAreTwiceFour) {
  const float a[8] = {1, -2, 3.5f, 0, 9, -4, 0.25f, 7}, b[8] = {2, -2, 1, 5, -3, 8, 0.5f, 7};
  const F8 x = load_as<F8>(a), y = load_as<F8>(b);
  float sum[8], smaller[8], root[8], mixed[8];
  store(sum, x * y + 2.0f);
  store(smaller, min(x, y));
  store(root, sqrt(abs(x)) / y);
  store(mixed, select((x < y) | (x == y), -x, 1.0f - y));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(sum[i], a[i] * b[i] + 2);
    EXPECT_EQ(smaller[i], std::min(a[i], b[i]));
    EXPECT_EQ(root[i], std::sqrt(std::fabs(a[i])) / b[i]);
    EXPECT_EQ(mixed[i], a[i] <= b[i] ? -a[i] : 1 - b[i]);
    EXPECT_EQ(bits(x < y) >> i & 1, a[i] < b[i]);
  }
  EXPECT_TRUE(any(x < y));
  EXPECT_FALSE(all(x < y));
}

TEST(Simd, PointsConvertToRowsAndBack) {
  float points[12], back[12], x[4], y[4], z[4];
  for (int i = 0; i < 12; ++i) points[i] = static_cast<float>(i);
  F4 rx, ry, rz;
  load_points(points, rx, ry, rz);
  store(x, rx), store(y, ry), store(z, rz);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(x[i], points[3 * i]);
    EXPECT_EQ(y[i], points[3 * i + 1]);
    EXPECT_EQ(z[i], points[3 * i + 2]);
  }
  store_points(back, rx, ry, rz);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(back[i], points[i]);
}

TEST(Simd, CountsRoundUpToWholeGroups) {
  const int expected[] = {0, 4, 4, 4, 4, 8, 8, 8, 8, 12};
  for (int n = 0; n < 10; ++n) EXPECT_EQ(round_up_lanes(n), expected[n]);
}

}  // namespace
}  // namespace billow
