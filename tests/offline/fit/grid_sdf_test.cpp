// Level sets, grids of meshes, and body parts. All need OpenVDB.
#include "fit/grid_sdf.h"

#include <gtest/gtest.h>

#include "body/agreement.h"
#include "body/mesh_distance.h"
#include "body/surface.h"
#include "fit/body_parts.h"
#include "fit/sdf_body.h"
#include "support/colliders.h"
#include "support/meshes.h"
#include "support/random.h"

namespace billow::fit {
namespace {

using testing::Random;

class LevelSetSlow : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_level_sets()) GTEST_SKIP() << "needs OpenVDB";
  }
};
using GridSdfSlow = LevelSetSlow;
using BodyPartsSlow = LevelSetSlow;

TEST_F(LevelSetSlow, LatticeHoldsItsBox) {
  const Lattice lattice = make_lattice({-0.1f, -0.2f, 0}, {0.1f, 0.25f, 0.01f}, 0.03f, 4);
  for (const int n : lattice.size) EXPECT_EQ((n - 1) % 4, 0);
  const V3 first = lattice.point(0, 0, 0),
           last = lattice.point(lattice.size[0] - 1, lattice.size[1] - 1, lattice.size[2] - 1);
  EXPECT_LE(first.x, -0.1f);
  EXPECT_GE(last.x, 0.1f);
  EXPECT_LE(first.y, -0.2f);
  EXPECT_GE(last.y, 0.25f);
  EXPECT_GE(last.z, 0.01f);
}

TEST_F(LevelSetSlow, ZeroSetOfASphereIsClosedAndFacesOutward) {
  constexpr float kRadius = 0.1f;
  Lattice lattice = make_lattice({-0.12f, -0.12f, -0.12f}, {0.12f, 0.12f, 0.12f}, 0.008f);
  for (int k = 0; k < lattice.size[2]; ++k)
    for (int j = 0; j < lattice.size[1]; ++j)
      for (int i = 0; i < lattice.size[0]; ++i)
        lattice.values[lattice.index(i, j, k)] = length(lattice.point(i, j, k)) - kRadius;
  const body::Mesh mesh = zero_set(lattice);
  const body::Topology topology = topology_of(mesh);
  EXPECT_TRUE(topology.closed);
  EXPECT_EQ(topology.components, 1);
  EXPECT_EQ(topology.euler, 2);
  EXPECT_NEAR(topology.volume, 4.18879 * 0.001, 0.05 * 0.00418879);
  for (const V3& p : mesh.positions) EXPECT_NEAR(length(p), kRadius, 0.0006f);
}

TEST_F(LevelSetSlow, DistancesNearTheMeshAreExact) {
  const body::Mesh mesh = testing::ellipsoid_mesh({0.05f, 0.12f, 0.07f});
  const body::MeshDistance exact(mesh);
  Lattice lattice = make_lattice({-0.1f, -0.17f, -0.12f}, {0.1f, 0.17f, 0.12f}, 0.01f);
  fill_with_distances(lattice, mesh);
  for (int k = 0; k < lattice.size[2]; ++k)
    for (int j = 0; j < lattice.size[1]; ++j)
      for (int i = 0; i < lattice.size[0]; ++i) {
        const float d = exact.at(lattice.point(i, j, k));
        const float found = lattice.values[lattice.index(i, j, k)];
        // OpenVDB takes the sign from the nearest triangle alone, which is wrong near some edges.
        if (std::fabs(d) < 0.02f * lattice.spacing) {
          ASSERT_NEAR(std::fabs(found), std::fabs(d), 1e-6f);
          continue;
        }
        ASSERT_EQ(found < 0, d < 0);
        ASSERT_LE(std::fabs(found), kLevelSetBand * lattice.spacing + 1e-6f);
        if (std::fabs(d) < lattice.spacing) {
          ASSERT_NEAR(found, d, 1e-6f);
        }
      }
}

TEST_F(GridSdfSlow, ComesNearerTheFinerItIs) {
  const body::Mesh mesh = testing::ellipsoid_mesh({0.05f, 0.12f, 0.07f});
  const body::MeshDistance exact(mesh);
  float before = 1;
  for (const float spacing : {0.02f, 0.01f, 0.005f}) {
    const std::vector<BodyPart> parts{{"egg", 0, {}, mesh}};
    const SdfBody body = make_grids(parts, {.spacing = spacing, .margin = 0.02f});
    const SdfColliders colliders(body);
    body::Skeleton skeleton;
    skeleton.joints.push_back({"root", body::kNoJoint, {}});
    const body::Surface surface(skeleton, colliders.colliders());
    Random random(1);
    float largest = 0;
    for (int i = 0; i < 2000; ++i) {
      // A point near the surface, where the distance is smooth.
      const testing::Vector d = random.direction();
      const float r = random.uniform_float(0.9, 1.15);
      const V3 p{static_cast<float>(d[0]) * 0.05f * r, static_cast<float>(d[1]) * 0.12f * r,
                 static_cast<float>(d[2]) * 0.07f * r};
      largest = std::max(largest, std::fabs(surface.at(p).distance - exact.at(p)));
    }
    // The error is quadratic in the spacing; the curvature is largest at the tips: 1 / (2 cm).
    EXPECT_LT(largest, spacing * spacing / 8 * 2 / 0.015f) << spacing;
    EXPECT_LT(largest, 0.5f * before) << spacing;
    before = largest;
  }
}

TEST_F(GridSdfSlow, IsExactAtItsPoints) {
  const body::Mesh mesh = testing::ellipsoid_mesh({0.05f, 0.12f, 0.07f});
  const body::MeshDistance exact(mesh);
  const GridSdf grid = make_grid(mesh, {.spacing = 0.015f, .margin = 0.03f});
  const int16_t* value = grid.values.data();
  for (uint32_t k = 0; k < grid.size[2]; ++k)
    for (uint32_t j = 0; j < grid.size[1]; ++j)
      for (uint32_t i = 0; i < grid.size[0]; ++i) {
        const auto at = [&](uint32_t n, uint32_t size) {
          return (static_cast<float>(n) - 0.5f * static_cast<float>(size - 1)) * grid.spacing;
        };
        const V3 p{at(i, grid.size[0]), at(j, grid.size[1]), at(k, grid.size[2])};
        const float distance = exact.at(p), found = *value++ * grid.unit;
        // OpenVDB may give the wrong sign very close to the surface.
        const bool may_flip = std::fabs(distance) < 0.02f * grid.spacing;
        ASSERT_NEAR(found, distance, grid.unit + 1e-6f + (may_flip ? 2 * std::fabs(distance) : 0));
      }
  EXPECT_LT(grid.unit, 1e-5f);
}

TEST_F(GridSdfSlow, RefusesWhatItCannotDo) {
  body::Mesh open = testing::ellipsoid_mesh({0.05f, 0.12f, 0.07f});
  EXPECT_THROW(make_grid(open, {.spacing = 1e-4f}), std::invalid_argument);
  EXPECT_THROW(make_grid(open, {.spacing = 0}), std::invalid_argument);
  open.triangles.pop_back();
  EXPECT_THROW(make_grid(open), std::runtime_error);
}

// An arm of two capsules with a hinge.
struct Arm {
  body::Skeleton skeleton;
  std::vector<billow_collider> colliders;
  body::Skin skin;
  body::Pose bent(float radians) const {
    body::Pose pose = rest_pose(skeleton);
    pose.rotations[1] = body::rotation_about({0, 0, 1}, radians);
    return pose;
  }
};
Arm make_arm() {
  Arm arm;
  arm.skeleton.joints.push_back({"upper", body::kNoJoint, {}});
  arm.skeleton.joints.push_back({"lower", 0, {{0.25f, 0, 0}, {0, 0, 0, 1}}});
  arm.colliders = {testing::capsule({{0, 0, 0}}, {{0.25, 0, 0}}, 0.05),
                   testing::capsule({{0.25, 0, 0}}, {{0.5, 0, 0}}, 0.04)};
  arm.colliders[1].joint[0] = 1;
  arm.skin = make_skin(arm.skeleton, arm.colliders, {.vertices = 1200});
  return arm;
}

TEST_F(BodyPartsSlow, UnionIsTheBentArm) {
  const Arm arm = make_arm();
  std::vector<body::Pose> poses;
  for (const float bend : {0.0f, 0.4f, 0.8f, 1.2f, 1.57f}) poses.push_back(arm.bent(bend));
  BodyPartOptions options;
  options.spacing = 0.008f;
  const std::vector<BodyPart> parts = find_body_parts(arm.skeleton, arm.skin, poses, options);
  ASSERT_EQ(parts.size(), 2u);
  for (const BodyPart& part : parts) {
    const body::Topology topology = topology_of(part.surface);
    EXPECT_TRUE(topology.closed);
    EXPECT_GT(topology.volume, 0);
  }
  EXPECT_EQ(parts[0].name, "upper");
  EXPECT_EQ(parts[1].joint, 1u);

  const SdfBody grids = make_grids(parts, {.spacing = 0.01f});
  const SdfColliders colliders(grids);
  body::Surface surface(arm.skeleton, colliders.colliders());
  for (const float bend : {0.0f, 0.6f, 1.4f}) {
    const body::PointsNearSkin near = points_near_skin(arm.skeleton, arm.skin, arm.bent(bend), 1500, 3);
    surface.pose(near.joints);
    std::vector<float> distances(near.points.size());
    surface.query(near.points, distances);
    const body::PosedAgreement agreement = agreement_of(arm.skin, near, distances);
    EXPECT_LT(agreement.mean, 0.002) << bend;
    EXPECT_LT(agreement.p95, 0.006) << bend;
    EXPECT_LT(agreement.max_wrong_depth, 0.012) << bend;
  }
}

TEST_F(BodyPartsSlow, AreTheSameEachTime) {
  const Arm arm = make_arm();
  const std::vector<body::Pose> poses{arm.bent(0), arm.bent(1)};
  BodyPartOptions options;
  options.spacing = 0.015f;
  std::vector<unsigned char> first;
  for (int k = 0; k < 3; ++k) {
    const std::vector<unsigned char> bytes =
        sdf_to_bytes(make_grids(find_body_parts(arm.skeleton, arm.skin, poses, options), {.spacing = 0.02f}));
    if (k == 0) first = bytes;
    EXPECT_TRUE(bytes == first);
  }
}

TEST_F(BodyPartsSlow, RefuseWhatMakesNoSense) {
  const Arm arm = make_arm();
  EXPECT_THROW(find_body_parts(arm.skeleton, arm.skin, {}), std::invalid_argument);
  EXPECT_THROW(find_body_parts(arm.skeleton, body::Skin{}, std::vector{arm.bent(0)}), std::invalid_argument);
  body::Pose wrong = arm.bent(0);
  wrong.rotations.pop_back();
  EXPECT_THROW(find_body_parts(arm.skeleton, arm.skin, std::vector{wrong}), std::invalid_argument);
}

}  // namespace
}  // namespace billow::fit
