// Geodesic distances against analytic ones.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "cloths.h"
#include "garment/cloth_mesh.h"
#include "support/meshes.h"

namespace billow::garment {
namespace {

using billow::testing::GridOptions;
using billow::testing::make_sheet;
using billow::testing::make_tube;

struct Error {
  double mean = 0, largest = 0;  // relative
};

// Error relative to the exact distance, or to `min_distance` within a few edges of the source.
Error error_of(const GarmentMesh& mesh, const std::vector<uint32_t>& sources, double min_distance,
               const std::function<double(V3)>& exact) {
  const std::vector<float> found = geodesic_distances(mesh.positions, mesh.triangles, sources);
  Error error;
  for (size_t v = 0; v < found.size(); ++v) {
    const double expected = exact(mesh.positions[v]);
    const double e = std::fabs(static_cast<double>(found[v]) - expected) / std::max(expected, min_distance);
    error.mean += e / static_cast<double>(found.size());
    error.largest = std::max(error.largest, e);
  }
  return error;
}

std::vector<uint32_t> vertices_where(const GarmentMesh& mesh, const std::function<bool(V3)>& chosen) {
  std::vector<uint32_t> out;
  for (uint32_t v = 0; v < mesh.positions.size(); ++v)
    if (chosen(mesh.positions[v])) out.push_back(v);
  return out;
}

void expect_within(const Error& error, double limit, const std::string& what) {
  EXPECT_LT(error.largest, limit) << what;
  ::testing::Test::RecordProperty("error", std::to_string(error.largest));
  std::printf("%-44s mean %.2f %%, largest %.2f %%\n", what.c_str(), 100 * error.mean, 100 * error.largest);
}

TEST(Geodesic, FromOneVertexOfASheet) {
  for (const bool mess : {false, true}) {
    const GarmentMesh sheet = make_sheet(1, 1, {.columns = 40, .rows = 40, .mess = mess});
    for (const V3 corner : {V3{0, 1, 0}, V3{0.5f, 1, 0}, V3{0.5f, 1, 0.5f}}) {
      uint32_t source = 0;
      for (uint32_t v = 0; v < sheet.positions.size(); ++v)
        if (length(sheet.positions[v] - corner) < length(sheet.positions[source] - corner)) source = v;
      const V3 from = sheet.positions[source];
      expect_within(
          error_of(sheet, {source}, 0.025, [&](V3 p) { return static_cast<double>(length(p - from)); }), 0.01,
          std::string("sheet, from a vertex") + (mess ? ", irregular" : ""));
    }
  }
}

TEST(Geodesic, FromAnEdgeOfASheet) {
  for (const bool mess : {false, true}) {
    const GarmentMesh sheet = make_sheet(1, 1, {.columns = 30, .rows = 30, .mess = mess});
    const auto sources = vertices_where(sheet, [](V3 p) { return p.z == 0; });
    expect_within(error_of(sheet, sources, 0.03, [](V3 p) { return static_cast<double>(p.z); }), 0.01,
                  std::string("sheet, from an edge") + (mess ? ", irregular" : ""));
  }
}

TEST(Geodesic, RoundACylinder) {
  const double radius = 0.2;
  for (const bool mess : {false, true}) {
    const GarmentMesh tube = make_tube(
        {.columns = 80, .rows = 60, .mess = mess}, [&](double, double) { return radius; },
        [](double, double v) { return 1 - v; });
    const auto top = vertices_where(tube, [](V3 p) { return p.y == 1; });
    const std::string note = mess ? ", irregular" : "";
    expect_within(error_of(tube, top, 0.02, [](V3 p) { return 1 - static_cast<double>(p.y); }), 0.01,
                  "cylinder, from its rim" + note);
    const V3 from = tube.positions[top[0]];
    const auto angle = [](V3 p) { return std::atan2(static_cast<double>(p.x), static_cast<double>(p.z)); };
    expect_within(error_of(tube, {top[0]}, 0.02,
                           [&](V3 p) {
                             double turn = std::fabs(angle(p) - angle(from));
                             turn = std::min(turn, 2 * std::numbers::pi - turn);
                             return std::hypot(radius * turn, 1 - static_cast<double>(p.y));
                           }),
                  0.01, "cylinder, from a vertex" + note);
  }
}

TEST(Geodesic, OverASphere) {
  const body::Mesh ball = billow::testing::ellipsoid_mesh({1, 1, 1}, 40, 60);
  const GarmentMesh mesh{ball.positions, ball.triangles, {}, {}, {}, {}};
  expect_within(error_of(mesh, {0}, 0.08,
                         [](V3 p) { return std::acos(std::clamp(static_cast<double>(p.y), -1.0, 1.0)); }),
                0.01, "sphere, from its pole");
  const V3 from = mesh.positions[900];
  expect_within(
      error_of(mesh, {900}, 0.08,
               [&](V3 p) { return std::acos(std::clamp(static_cast<double>(dot(p, from)), -1.0, 1.0)); }),
      0.03, "sphere, from its side");
}

TEST(Geodesic, GoesRoundASlit) {
  // Cut the sheet from z = 0 to 0.8 along x = 0.5: the path from one side to the other leads round the end.
  GarmentMesh sheet = make_sheet(1, 1, {.columns = 40, .rows = 40});
  std::erase_if(sheet.triangles, [&](const Triangle& t) {
    const V3 c = (sheet.positions[t[0]] + sheet.positions[t[1]] + sheet.positions[t[2]]) * (1.0f / 3);
    return std::fabs(c.x - 0.5f) < 0.03f && c.z < 0.8f;
  });
  const std::vector<float> found =
      geodesic_distances(sheet.positions, sheet.triangles, std::vector<uint32_t>{10});  // x = 0.25, z = 0
  const double exact = 2 * std::hypot(0.225, 0.8) + 0.05;
  EXPECT_NEAR(found[30], exact, 0.02 * exact);
}

TEST(Geodesic, IsInfiniteBeyondItsReachAndInOtherPieces) {
  GarmentMesh sheet = make_sheet(1, 1, {.columns = 10, .rows = 10});
  const std::vector<float> near =
      geodesic_distances(sheet.positions, sheet.triangles, std::vector<uint32_t>{0}, 0.35f);
  EXPECT_NEAR(near[3], 0.3, 1e-5);
  EXPECT_TRUE(std::isinf(near[5]));
  sheet.positions.push_back({5, 5, 5});
  EXPECT_TRUE(
      std::isinf(geodesic_distances(sheet.positions, sheet.triangles, std::vector<uint32_t>{0}).back()));
}

TEST(Geodesic, RefusesBadSources) {
  const GarmentMesh sheet = make_sheet(1, 1, {.columns = 3, .rows = 3});
  EXPECT_THROW(geodesic_distances(sheet.positions, sheet.triangles, {}), std::invalid_argument);
  EXPECT_THROW(geodesic_distances(sheet.positions, sheet.triangles, std::vector<uint32_t>{16}),
               std::invalid_argument);
}

}  // namespace
}  // namespace billow::garment
