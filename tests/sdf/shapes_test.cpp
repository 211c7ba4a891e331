// Each shape in its own frame against an exact distance in double precision.
#include "sdf/shapes.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "support/exact_shapes.h"
#include "support/random.h"

namespace billow::shapes_test {
namespace {

Distance4 capsule(V3x4 p, V3 start, V3 axis, float length, float radius, float taper, float slope) {
  const CapsuleDistance<F4> d = capsule_distance(p, start, axis, length, radius, taper, slope);
  return {d.phi, capsule_gradient(d, p, start, axis)};
}

using testing::Random;
using testing::Vector;

struct ShapeCase {
  std::string name;
  double size;       // of its bounding sphere about the origin
  double tolerance;  // of distances near it
  std::function<Distance4(V3x4)> four;
  std::function<double(const Vector&)> exact;
};
void PrintTo(const ShapeCase& shape, std::ostream* out) { *out << shape.name; }

V3 to_v3(const Vector& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

// A formula of a few operations in single precision: a millionth of the size.
constexpr double kRounding = 1e-6;
// Newton's method is stopped early: a tenth of the contact margin (0.1 mm) on a shape of half a metre.
constexpr double kIteration = 2e-5;

ShapeCase round_shape(const char* name, double l, double a, double b) {
  // Oblique and off the origin, so that no coordinate is special.
  const Vector axis{{0.48, 0.6, 0.64}}, start = axis * (-0.5 * l);
  const double taper = l > 0 ? (a - b) / l : 0, slope = taper / std::sqrt(1 - taper * taper);
  const double size = 0.5 * l + std::max(a, b);
  return {name, size, kRounding * size,
          [=](V3x4 p) {
            return capsule(p, to_v3(start), to_v3(axis), static_cast<float>(l), static_cast<float>(a),
                           static_cast<float>(taper), static_cast<float>(slope));
          },
          [=](const Vector& p) {
            const double along = dot(p - start, axis);
            return testing::exact_tapered_capsule({{length(p - start - axis * along), along, 0}}, l, a, b);
          }};
}
ShapeCase box(const char* name, Vector half, double radius) {
  return {name, length(half), kRounding * length(half),
          [=](V3x4 p) { return rounded_box(p, to_v3(half), static_cast<float>(radius)); },
          [=](const Vector& p) { return testing::exact_rounded_box(p, half, radius); }};
}
ShapeCase ellipsoid_case(const char* name, Vector half) {
  const double size = std::max({half[0], half[1], half[2]});
  return {name, size, kIteration * size, [=](V3x4 p) { return ellipsoid(p, to_v3(half)); },
          [=](const Vector& p) { return testing::exact_ellipsoid(p, half); }};
}

std::vector<ShapeCase> all_shapes() {
  return {round_shape("Sphere", 0, 0.25, 0.25),
          round_shape("Capsule", 0.5, 0.125, 0.125),
          round_shape("ThinCapsule", 1, 0.03125, 0.03125),
          round_shape("TaperedCapsule", 0.5, 0.1875, 0.0625),
          round_shape("GrowingCapsule", 0.5, 0.0625, 0.1875),
          round_shape("NearlyOneSphere", 0.25, 0.375, 0.140625),
          box("Box", {{0.25, 0.125, 0.5}}, 0),
          box("RoundedBox", {{0.25, 0.125, 0.5}}, 0.0625),
          box("BoxRoundedToAPill", {{0.25, 0.125, 0.125}}, 0.125),
          ellipsoid_case("Ball", {{0.25, 0.25, 0.25}}),
          ellipsoid_case("Egg", {{0.25, 0.375, 0.3125}}),
          ellipsoid_case("Pancake", {{0.5, 0.1, 0.5}}),
          ellipsoid_case("Cigar", {{0.1, 0.5, 0.1}}),
          ellipsoid_case("Torso", {{0.5, 0.25, 0.1}})};
}

class Shapes : public ::testing::TestWithParam<ShapeCase> {};
INSTANTIATE_TEST_SUITE_P(All, Shapes, ::testing::ValuesIn(all_shapes()),
                         [](const auto& shape) { return shape.param.name; });

struct Found {
  double phi;
  Vector gradient;
};
Found evaluate(const ShapeCase& shape, const Vector& p) {
  const Distance4 d = shape.four(splat(to_v3(p)));
  const V3 g = lane(d.gradient, 2);
  return {lane(d.phi, 2), {{g.x, g.y, g.z}}};
}

// Test points, rounded to floats: everywhere; close to the shape; and close to (some exactly on) the planes,
// axes and centre of symmetry, where formulas tend to divide zero by zero.
std::vector<Vector> points_around(const ShapeCase& shape, uint32_t seed, int count) {
  Random random(seed);
  std::vector<Vector> points;
  for (int i = 0; i < count; ++i) {
    Vector p = random.in_box((i % 2 ? 1.0 : 3.0) * shape.size);
    for (double& x : p)
      if (i % 4 == 3 && random.uniform(0, 1) < 0.5) x *= std::pow(10.0, std::floor(random.uniform(-9, 0)));
    for (double& x : p)
      if (i % 8 == 7 && random.uniform(0, 1) < 0.3) x = 0;
    for (double& x : p) x = static_cast<float>(x);
    points.push_back(p);
  }
  return points;
}

TEST_P(Shapes, DistanceIsExactEverywhere) {
  for (const Vector& p : points_around(GetParam(), 11, 8000)) {
    const double exact = GetParam().exact(p), found = evaluate(GetParam(), p).phi;
    // Far away, the coordinates themselves are rounded more coarsely.
    ASSERT_NEAR(found, exact, GetParam().tolerance + 3e-7 * length(p))
        << "at " << p[0] << ' ' << p[1] << ' ' << p[2];
  }
}

TEST_P(Shapes, GradientHasUnitLengthEverywhere) {
  for (const Vector& p : points_around(GetParam(), 12, 8000)) {
    const Vector g = evaluate(GetParam(), p).gradient;
    ASSERT_NEAR(length(g), 1, 1e-6) << "at " << p[0] << ' ' << p[1] << ' ' << p[2];
  }
}

TEST_P(Shapes, GradientMatchesFiniteDifferencesAwayFromKinks) {
  const ShapeCase& shape = GetParam();
  const double h = 1e-5 * shape.size;
  // Where the level set has a radius of curvature below 5 % of the size, differences over h are not precise.
  constexpr double kGradientTolerance = 3e-4;
  int compared = 0;
  for (const Vector& p : points_around(shape, 13, 4000)) {
    const double here = shape.exact(p);
    Vector slope;
    bool kink = false;
    for (size_t k = 0; k < 3; ++k) {
      Vector step{};
      step[k] = h;
      const double ahead = shape.exact(p + step), behind = shape.exact(p - step);
      slope[k] = (ahead - behind) / (2 * h);
      kink |= std::fabs(ahead + behind - 2 * here) > 2e-4 * h;
    }
    if (kink || std::fabs(length(slope) - 1) > 1e-4) continue;
    ++compared;
    const Vector g = evaluate(shape, p).gradient;
    for (size_t k = 0; k < 3; ++k)
      ASSERT_NEAR(g[k], slope[k], kGradientTolerance)
          << "component " << k << " at " << p[0] << ' ' << p[1] << ' ' << p[2] << ", distance " << here;
  }
  EXPECT_GT(compared, 1000);
}

TEST_P(Shapes, AreOneLipschitz) {
  const ShapeCase& shape = GetParam();
  const std::vector<Vector> points = points_around(shape, 14, 4000);
  Random random(15);
  for (size_t i = 0; i < points.size(); ++i) {
    // Pairs far apart and close together.
    const double reach = shape.size * std::pow(10.0, random.uniform(-4, 0));
    Vector other = i % 2 ? points[(i + 1) % points.size()] : points[i] + random.direction() * reach;
    for (double& x : other) x = static_cast<float>(x);
    const double change = evaluate(shape, points[i]).phi - evaluate(shape, other).phi;
    ASSERT_LE(std::fabs(change), length(points[i] - other) + 2 * shape.tolerance + 2e-6 * shape.size)
        << "at " << points[i][0] << ' ' << points[i][1] << ' ' << points[i][2];
  }
}

TEST_P(Shapes, LanesAreIndependent) {
  const ShapeCase& shape = GetParam();
  const std::vector<Vector> points = points_around(shape, 16, 400);
  for (size_t i = 0; i < points.size(); i += 4) {
    float x[4], y[4], z[4];
    for (size_t k = 0; k < 4; ++k) {
      x[k] = static_cast<float>(points[i + k][0]);
      y[k] = static_cast<float>(points[i + k][1]);
      z[k] = static_cast<float>(points[i + k][2]);
    }
    const Distance4 d = shape.four({load(x), load(y), load(z)});
    for (size_t k = 0; k < 4; ++k) {
      const Found alone = evaluate(shape, points[i + k]);
      ASSERT_EQ(lane(d.phi, static_cast<int>(k)), static_cast<float>(alone.phi));
      ASSERT_EQ(lane(d.gradient.x, static_cast<int>(k)), static_cast<float>(alone.gradient[0]));
    }
  }
}

// The references themselves against points on the surface: none may be nearer than the distance, and the
// nearest not much farther.
TEST(ExactShapes, AgreeWithPointsOnTheSurface) {
  for (const ShapeCase& shape : all_shapes()) {
    SCOPED_TRACE(shape.name);
    Random random(17);
    std::vector<Vector> surface;
    for (int i = 0; i < 3000; ++i) {
      // Along a random ray from a point well inside, bisect for the surface.
      const Vector start, direction = random.direction();
      double low = 0, high = 2 * shape.size;
      for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (low + high);
        (shape.exact(start + direction * middle) < 0 ? low : high) = middle;
      }
      surface.push_back(start + direction * low);
    }
    for (int i = 0; i < 40; ++i) {
      const Vector p = random.in_box(1.5 * shape.size);
      double nearest = 1e300;
      for (const Vector& s : surface) nearest = std::min(nearest, length(s - p));
      EXPECT_LE(std::fabs(shape.exact(p)), nearest + 1e-9);
      EXPECT_GE(std::fabs(shape.exact(p)), nearest - 0.1 * shape.size);
    }
  }
}

}  // namespace
}  // namespace billow::shapes_test
