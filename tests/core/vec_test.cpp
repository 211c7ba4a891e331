// Vectors, quaternions and transforms against double-precision matrices.
#include "core/vec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/random.h"

namespace billow {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;
using testing::Random;
using testing::Vector;

// A few roundings of values of about 10.
constexpr double kRounding = 1e-5;

Quat to_quat(const std::array<double, 4>& q) {
  return {static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2]),
          static_cast<float>(q[3])};
}
V3 to_v3(const Vector& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}
Matrix rotation_matrix(const std::array<double, 4>& q) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}
Vector multiply(const Matrix& m, const Vector& v) {
  Vector out{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
  return out;
}
Transform random_transform(Random& random) { return {to_v3(random.in_box(5)), to_quat(random.rotation())}; }

void expect_near(V3 found, const Vector& wanted, double tolerance = kRounding) {
  EXPECT_NEAR(found.x, wanted[0], tolerance);
  EXPECT_NEAR(found.y, wanted[1], tolerance);
  EXPECT_NEAR(found.z, wanted[2], tolerance);
}
void expect_near(V3 found, V3 wanted, double tolerance = kRounding) {
  expect_near(found, Vector{{wanted.x, wanted.y, wanted.z}}, tolerance);
}
// Equal as rotations: q and -q are the same.
void expect_same_rotation(Quat a, Quat b, double tolerance = 1e-6) {
  const float sign = dot(a, b) < 0 ? -1.0f : 1.0f;
  EXPECT_NEAR(a.x, sign * b.x, tolerance);
  EXPECT_NEAR(a.y, sign * b.y, tolerance);
  EXPECT_NEAR(a.z, sign * b.z, tolerance);
  EXPECT_NEAR(a.w, sign * b.w, tolerance);
}

TEST(Vec3, ProductsAreCorrect) {
  const V3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  expect_near(cross(x, y), z);
  expect_near(cross(y, z), x);
  expect_near(cross(z, x), y);
  const V3 a{1, -2, 3}, b{4, 5, -6};
  EXPECT_FLOAT_EQ(dot(a, b), 4 - 10 - 18);
  EXPECT_FLOAT_EQ(length(V3{2, 3, 6}), 7);
  expect_near(a + b, V3{5, 3, -3});
  expect_near(a - b, V3{-3, -7, 9});
  expect_near(-a * 2.0f, V3{-2, 4, -6});
}

TEST(Vec3, NormalisesOrFallsBackLaneByLane) {
  const float x[4] = {3, 0, 1e-13f, -5}, y[4] = {4, 0, 0, 0}, z[4] = {0, 0, 0, 0};
  const V3x4 n = normalized_or({load(x), load(y), load(z)}, splat(V3{0, 0, 1}));
  expect_near(lane(n, 0), V3{0.6f, 0.8f, 0});
  expect_near(lane(n, 1), V3{0, 0, 1});
  expect_near(lane(n, 2), V3{0, 0, 1});
  expect_near(lane(n, 3), V3{-1, 0, 0});
}

TEST(Quaternion, RotatesLikeItsMatrix) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const auto q = random.rotation();
    const Vector v = random.in_box(5);
    expect_near(rotate(to_quat(q), to_v3(v)), multiply(rotation_matrix(q), v));
  }
}

TEST(Quaternion, ProductRotatesByTheSecondThenTheFirst) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto a = random.rotation(), b = random.rotation();
    const Vector v = random.in_box(5);
    const Vector wanted = multiply(rotation_matrix(a), multiply(rotation_matrix(b), v));
    expect_near(rotate(to_quat(a) * to_quat(b), to_v3(v)), wanted);
    expect_near(rotate(conjugate(to_quat(a)), rotate(to_quat(a), to_v3(v))), v);
  }
}

TEST(Quaternion, NormalisedHasLengthOneAndZeroBecomesIdentity) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const Quat q{random.uniform_float(-9, 9), random.uniform_float(-9, 9), random.uniform_float(-9, 9),
                 random.uniform_float(-9, 9)};
    const Quat n = normalized(q);
    EXPECT_NEAR(dot(n, n), 1, 1e-6);
    EXPECT_NEAR(dot(n, q), std::sqrt(dot(q, q)), 1e-5);
  }
  const Quat nothing = normalized({0, 0, 0, 0});
  EXPECT_EQ(nothing.w, 1);
  EXPECT_EQ(nothing.x, 0);
}

TEST(Quaternion, BlendMeetsItsEndsAndTakesTheShortWay) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Quat a = to_quat(random.rotation()), b = to_quat(random.rotation());
    expect_same_rotation(nlerp(a, b, 0), a);
    expect_same_rotation(nlerp(a, b, 1), b);
    // The middle is equally far from both ends, and not farther than the ends from each other.
    const Quat half = nlerp(a, b, 0.5f);
    EXPECT_NEAR(std::fabs(dot(half, a)), std::fabs(dot(half, b)), 1e-5);
    EXPECT_GE(std::fabs(dot(half, a)), std::fabs(dot(a, b)) - 1e-5f);
  }
}

TEST(Quaternion, BlendFollowsTheAngleOfASlerpWithinAThousandth) {
  // Rotations within a frame: up to 30 degrees.
  for (float angle : {0.01f, 0.1f, 0.3f, 0.52f}) {
    const Quat end{0, std::sin(0.5f * angle), 0, std::cos(0.5f * angle)};
    for (int k = 0; k <= 20; ++k) {
      const float t = static_cast<float>(k) / 20;
      const Quat q = nlerp({0, 0, 0, 1}, end, t);
      EXPECT_NEAR(2 * std::atan2(q.y, q.w), t * angle, 1e-3);
    }
  }
}

TEST(Transform, ComposesAsItIsApplied) {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const Transform a = random_transform(random), b = random_transform(random);
    const V3 v = to_v3(random.in_box(5));
    expect_near(apply(a * b, v), apply(a, apply(b, v)), 2 * kRounding);
  }
}

TEST(Transform, InverseUndoesItFromBothSides) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Transform t = random_transform(random);
    const V3 v = to_v3(random.in_box(5));
    expect_near(apply(inverse(t), apply(t, v)), v, 2 * kRounding);
    expect_near(apply(t, apply(inverse(t), v)), v, 2 * kRounding);
    const Transform none = t * inverse(t);
    expect_near(none.position, V3{0, 0, 0});
    expect_same_rotation(none.rotation, {0, 0, 0, 1});
  }
}

TEST(Transform, BlendMeetsItsEndPoints) {
  Random random(8);
  for (int i = 0; i < 1000; ++i) {
    const Transform a = random_transform(random), b = random_transform(random);
    const Transform start = blend(a, b, 0), end = blend(a, b, 1), half = blend(a, b, 0.5f);
    expect_near(start.position, a.position, 0);
    expect_near(end.position, b.position, 0);
    expect_same_rotation(start.rotation, a.rotation);
    expect_same_rotation(end.rotation, b.rotation);
    expect_near(half.position, (a.position + b.position) * 0.5f);
  }
}

TEST(Transform, BlendOfEqualTransformsIsThatTransformToTheBit) {
  Random random(9);
  for (int i = 0; i < 1000; ++i) {
    const Transform t = random_transform(random);
    EXPECT_TRUE(same(t, blend(t, t, random.uniform_float(0, 1))));
  }
}

TEST(Transform, SameComparesEveryComponent) {
  const Transform t{{1, 2, 3}, {0.5f, 0.5f, 0.5f, 0.5f}};
  EXPECT_TRUE(same(t, t));
  for (int k = 0; k < 7; ++k) {
    Transform other = t;
    float* parts[] = {&other.position.x, &other.position.y, &other.position.z, &other.rotation.x,
                      &other.rotation.y, &other.rotation.z, &other.rotation.w};
    *parts[k] = std::nextafter(*parts[k], 9.0f);
    EXPECT_FALSE(same(t, other)) << "component " << k;
  }
}

TEST(RigidMatrix, MovesFourPointsLikeTheTransform) {
  Random random(10);
  for (int i = 0; i < 500; ++i) {
    const Transform t = random_transform(random);
    const RigidMatrix m = to_matrix(t);
    float x[4], y[4], z[4];
    for (int k = 0; k < 4; ++k) {
      const V3 v = to_v3(random.in_box(5));
      x[k] = v.x, y[k] = v.y, z[k] = v.z;
    }
    const V3x4 points{load(x), load(y), load(z)};
    const V3x4 moved = apply(m, points), back = apply_transposed(m, points);
    for (int k = 0; k < 4; ++k) {
      expect_near(lane(moved, k), apply(t, {x[k], y[k], z[k]}));
      expect_near(lane(back, k), rotate(conjugate(t.rotation), {x[k], y[k], z[k]}));
    }
  }
}

TEST(SinCos, AgreesWithTheStandardLibraryFromZeroToPi) {
  constexpr int kSamples = 100000;
  constexpr float kPi = 3.14159265f;
  double worst = 0;
  for (int i = 0; i < kSamples; i += 4) {
    float angle[4];
    for (int k = 0; k < 4; ++k) angle[k] = kPi * static_cast<float>(i + k) / static_cast<float>(kSamples - 1);
    F4 s, c;
    sin_cos(load(angle), s, c);
    for (int k = 0; k < 4; ++k) {
      const double exact = static_cast<double>(angle[k]);
      worst = std::max(worst, std::fabs(lane(s, k) - std::sin(exact)));
      worst = std::max(worst, std::fabs(lane(c, k) - std::cos(exact)));
    }
  }
  EXPECT_LE(worst, 2e-7);
}

TEST(SinCos, IsExactAtZero) {
  F4 s, c;
  sin_cos(zero(), s, c);
  EXPECT_EQ(lane(s, 0), 0);
  EXPECT_EQ(lane(c, 0), 1);
}

TEST(Rows3, ElementsAndGroupsAreTheSameMemory) {
  std::array<float, 8> x{}, y{}, z{};
  const Rows3 rows{x.data(), y.data(), z.data()};
  for (size_t i = 0; i < 8; ++i) {
    const float f = static_cast<float>(i);
    set(rows, i, {f, 10 + f, 20 + f});
  }
  const V3x4 middle = load(rows, 3);
  for (int k = 0; k < 4; ++k) {
    const float f = static_cast<float>(k + 3);
    expect_near(lane(middle, k), V3{f, 10 + f, 20 + f}, 0);
  }
  store(rows, 1, middle);
  expect_near(get(rows, 1), V3{3, 13, 23}, 0);
  expect_near(get(rows, 4), V3{6, 16, 26}, 0);
  expect_near(get(rows, 5), V3{5, 15, 25}, 0);
}

}  // namespace
}  // namespace billow
