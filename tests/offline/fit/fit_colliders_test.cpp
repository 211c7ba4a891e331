#include "fit/fit_colliders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "body/postures.h"
#include "body/surface.h"
#include "fit/fit_colliders_model.h"
#include "limb.h"
#include "support/meshes.h"

namespace billow::fit {
namespace {

using billow::testing::Limb;

float uniform(std::mt19937& engine, float low, float high) {
  return low + (high - low) * static_cast<float>(static_cast<double>(engine()) / 4294967296.0);
}
V3 random_point(std::mt19937& engine, float size) {
  const float x = uniform(engine, -size, size), y = uniform(engine, -size, size);
  return {x, y, uniform(engine, -size, size)};
}
Quat random_rotation(std::mt19937& engine) {
  const V3 axis = random_point(engine, 1);
  return body::rotation_about(axis, uniform(engine, -2, 2));
}

// Colliders of all shapes on three joints, each blended with the one before, and a pose.
struct Scene {
  body::Skeleton skeleton;
  std::vector<billow_collider> colliders;
  body::Pose pose;
  std::vector<Transform> joints, motions;
};
Scene random_scene(uint32_t seed) {
  std::mt19937 engine(seed);
  Scene scene;
  for (int j = 0; j < 3; ++j)
    scene.skeleton.joints.push_back(
        {std::string("j") + std::to_string(j), j - 1, {random_point(engine, 0.3f), random_rotation(engine)}});
  for (const billow_shape shape :
       {BILLOW_SHAPE_SPHERE, BILLOW_SHAPE_TAPERED_CAPSULE, BILLOW_SHAPE_ELLIPSOID, BILLOW_SHAPE_BOX}) {
    billow_collider c = billow_collider_default();
    c.shape = shape;
    for (float* v : {c.position, c.end})
      for (int k = 0; k < 3; ++k) v[k] = uniform(engine, -0.3f, 0.3f);
    const Quat q = random_rotation(engine);
    c.rotation[0] = q.x, c.rotation[1] = q.y, c.rotation[2] = q.z, c.rotation[3] = q.w;
    c.radius = uniform(engine, 0.05f, 0.06f), c.radius_end = uniform(engine, 0.06f, 0.07f);
    for (float& h : c.half_extents) h = uniform(engine, 0.07f, 0.2f);
    c.joint[0] = 1, c.joint[1] = 2, c.joint[2] = 0;
    c.weight[0] = 0.5f, c.weight[1] = 0.3f, c.weight[2] = 0.2f;
    if (!scene.colliders.empty()) {
      c.blend_with = static_cast<int32_t>(scene.colliders.size()) - 1;
      c.blend_radius = uniform(engine, 0.03f, 0.07f);
    }
    scene.colliders.push_back(c);
  }
  scene.pose = rest_pose(scene.skeleton);
  for (Quat& q : scene.pose.rotations) q = q * body::rotation_about(random_point(engine, 1), 0.7f);
  scene.joints = joint_transforms(scene.skeleton, scene.pose);
  const std::vector<Transform> rest = rest_transforms(scene.skeleton);
  for (size_t j = 0; j < 3; ++j) scene.motions.push_back(scene.joints[j] * inverse(rest[j]));
  return scene;
}

TEST(ColliderModel, HasTheDistancesOfTheApi) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const Scene scene = random_scene(seed);
    body::Surface surface(scene.skeleton, scene.colliders);
    surface.pose(scene.joints);
    const ColliderModel model(scene.colliders, std::vector<bool>(4, false), 1);
    std::mt19937 engine(seed);
    std::vector<V3> points;
    for (int i = 0; i < 500; ++i) points.push_back(random_point(engine, 0.8f));
    std::vector<float> expected(points.size()), found(points.size());
    surface.query(points, expected);
    model.distances(model.pose(scene.motions), points, found);
    for (size_t i = 0; i < points.size(); ++i) ASSERT_NEAR(found[i], expected[i], 3e-6f) << seed;
  }
}

TEST(ColliderModel, HasTheSlopesOfItsDistances) {
  constexpr double kStep = 2e-3;
  size_t checked = 0;
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    const Scene scene = random_scene(seed);
    const ColliderModel model(scene.colliders, std::vector<bool>(4, false), 1);
    const auto n = static_cast<Eigen::Index>(model.parameters());
    ASSERT_EQ(n, 4 + 8 + 9 + 10 + 4 * 3 + 3);
    std::mt19937 engine(seed);
    std::vector<V3> points;
    for (int i = 0; i < 200; ++i) points.push_back(random_point(engine, 0.5f));
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(200, n);
    model.linearise(model.pose(scene.motions), points, [&](size_t i, const ColliderModel::Linearisation& at) {
      for (const ColliderModel::Derivative& d : at.derivatives)
        jacobian(static_cast<Eigen::Index>(i), d.parameter) += d.value;
    });
    for (Eigen::Index k = 0; k < n; ++k) {
      std::vector<float> sides[2];
      for (const int side : {0, 1}) {
        ColliderModel shifted = model;
        Eigen::VectorXd step = Eigen::VectorXd::Zero(n);
        step[k] = side == 0 ? -kStep : kStep;
        shifted.apply_step(step);
        sides[side].resize(points.size());
        shifted.distances(shifted.pose(scene.motions), points, sides[side]);
      }
      for (size_t i = 0; i < points.size(); ++i) {
        const double measured = static_cast<double>(sides[1][i] - sides[0][i]) / (2 * kStep);
        // The derivative jumps where another collider becomes the nearest, which is rare.
        if (std::fabs(measured - jacobian(static_cast<Eigen::Index>(i), k)) < 0.02) ++checked;
      }
    }
  }
  EXPECT_GT(static_cast<double>(checked), 0.98 * 8 * 200 * 46);
}

TEST(FitColliders, RecoversALimbOfKnownCapsules) {
  const Limb limb = billow::testing::make_limb();
  const body::Skin skin =
      body::make_skin(limb.skeleton, limb.shapes(), {.vertices = 3000, .spacing = 0.008f});
  const std::vector<body::Pose> none;
  const std::vector<NamedCollider> fitted =
      fit_colliders(limb.skeleton, skin, none, {.samples = 1500, .split = {}, .progress = {}});
  ASSERT_EQ(fitted.size(), 2u);
  const ColliderFitError error = measure_fit(limb.skeleton, skin, fitted, none, 2000);
  EXPECT_LT(error.rest.to_zero_set.mean, 0.0003);
  EXPECT_LT(error.rest.to_zero_set.max, 0.001);
  EXPECT_LT(error.rest.to_skin.max, 0.0015);
  for (const NamedCollider& c : fitted) {
    const billow_collider& expected = limb.colliders[c.name == "upper" ? 0 : 1].collider;
    EXPECT_EQ(c.collider.shape, BILLOW_SHAPE_TAPERED_CAPSULE) << c.name;
    // Either end may come first. The ends at the joint are inside the other capsule and not compared.
    const bool flipped =
        (c.collider.end[0] < c.collider.position[0]) != (expected.end[0] < expected.position[0]);
    const bool upper = c.name == "upper";
    const float* tip = flipped == upper ? c.collider.end : c.collider.position;
    const float radius = flipped == upper ? c.collider.radius_end : c.collider.radius;
    const float* expected_tip = upper ? expected.position : expected.end;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(tip[k], expected_tip[k], 0.001f) << c.name;
    EXPECT_NEAR(radius, upper ? expected.radius : expected.radius_end, 0.001f) << c.name;
  }
}

TEST(FitColliders, GivesTheSameBitsEachTime) {
  const Limb limb = billow::testing::make_limb();
  const body::Skin skin = body::make_skin(limb.skeleton, limb.shapes(), {.vertices = 1500});
  const std::vector<body::Pose> poses = billow::testing::bends(limb, {0.5f, -0.5f, 1});
  const auto text = [&] {
    std::string out;
    for (const NamedCollider& c :
         fit_colliders(limb.skeleton, skin, poses, {.samples = 800, .split = {}, .progress = {}}))
      out += c.name + std::string(reinterpret_cast<const char*>(&c.collider), sizeof(billow_collider));
    return out;
  };
  EXPECT_EQ(text(), text());
}

TEST(FitColliders, KeepsWhatIsFixedAndFitsTheRest) {
  Limb limb = billow::testing::make_limb();
  const body::Skin skin = body::make_skin(limb.skeleton, limb.shapes(), {.vertices = 1500});
  // Perturb both; only one may change.
  std::vector<NamedCollider> perturbed = limb.colliders;
  perturbed[0].collider.radius = 0.0777f;
  perturbed[0].fixed = true;
  perturbed[1].collider.radius_end = 0.05f;
  perturbed[1].collider.end[1] += 0.04f;
  const std::vector<body::Pose> none;
  const double before = measure_fit(limb.skeleton, skin, perturbed, none, 1000).rest.to_zero_set.mean;
  const std::vector<NamedCollider> fitted =
      refit_colliders(limb.skeleton, skin, none, perturbed, {.samples = 800, .split = {}, .progress = {}});
  ASSERT_EQ(fitted.size(), 2u);
  EXPECT_EQ(std::memcmp(&fitted[0].collider, &perturbed[0].collider, sizeof(billow_collider)), 0);
  EXPECT_TRUE(fitted[0].fixed);
  EXPECT_NEAR(fitted[1].collider.radius_end, 0.03f, 0.0015f);
  EXPECT_LT(measure_fit(limb.skeleton, skin, fitted, none, 1000).rest.to_zero_set.mean, 0.3 * before);
}

TEST(FitColliders, SplitsByNameAndSaysWhichThereAre) {
  const Limb limb = billow::testing::make_limb();
  const body::Skin skin = body::make_skin(limb.skeleton, limb.shapes(), {.vertices = 1500});
  const std::vector<body::Pose> none;
  const std::vector<NamedCollider> fitted = refit_colliders(
      limb.skeleton, skin, none, limb.colliders, {.samples = 800, .split = {"upper"}, .progress = {}});
  ASSERT_EQ(fitted.size(), 3u);
  EXPECT_EQ(fitted[1].name, "upper_2");
  EXPECT_EQ(fitted[1].collider.blend_with, 0);
  EXPECT_LT(measure_fit(limb.skeleton, skin, fitted, none, 1000).rest.to_zero_set.p95, 0.003);
  try {
    refit_colliders(limb.skeleton, skin, none, limb.colliders,
                    {.samples = 100, .split = {"hand"}, .progress = {}});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "fit: there is no collider 'hand' to split; there are upper, lower");
  }
}

// A closed surface on one joint.
body::Skin skin_on_one_joint(const body::Mesh& mesh) {
  body::Skin skin;
  skin.mesh = mesh;
  skin.joints.assign(mesh.positions.size(), {0, 0, 0, 0});
  skin.weights.assign(mesh.positions.size(), {1, 0, 0, 0});
  skin.joint_rest = {{}};
  return skin;
}

TEST(FitColliders, LeavesOutWhatCannotBeSeen) {
  const body::Skeleton one{{{"root", body::kNoJoint, {}}}};
  body::Mesh mesh = billow::testing::ellipsoid_mesh({0.3f, 0.5f, 0.2f});
  const body::Mesh inner = billow::testing::ellipsoid_mesh({0.1f, 0.3f, 0.15f});
  const auto first = static_cast<uint32_t>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), inner.positions.begin(), inner.positions.end());
  for (const body::Triangle& t : inner.triangles)
    mesh.triangles.push_back({t[0] + first, t[2] + first, t[1] + first});
  // A hole in the outer surface changes nothing.
  mesh.triangles.erase(mesh.triangles.begin() + 100, mesh.triangles.begin() + 130);
  const body::Skin skin = skin_on_one_joint(mesh);
  const SkinSamples samples = sample_skin(skin, 500);
  EXPECT_GT(samples.hidden_area, 0.15 * samples.area);
  for (const uint32_t t : samples.triangles) EXPECT_LT(mesh.triangles[t][0], first);
  const std::vector<body::Pose> none;
  const std::vector<NamedCollider> fitted =
      fit_colliders(one, skin, none, {.samples = 800, .split = {}, .progress = {}});
  ASSERT_EQ(fitted.size(), 1u);
  EXPECT_EQ(fitted[0].collider.shape, BILLOW_SHAPE_ELLIPSOID);
  const ColliderFitError error = measure_fit(one, skin, fitted, none, 1000);
  EXPECT_LT(error.rest.to_zero_set.max, 0.002);
  EXPECT_GT(error.hidden_fraction, 0.1);
}

TEST(FitColliders, RefusesASkinWithoutAnOutside) {
  const body::Skeleton one{{{"root", body::kNoJoint, {}}}};
  body::Mesh degenerate;
  degenerate.positions.assign(3, {1, 1, 1});
  degenerate.triangles = {{0, 1, 2}};
  const std::vector<body::Pose> none;
  EXPECT_THROW(fit_colliders(one, skin_on_one_joint({}), none), std::invalid_argument);
  EXPECT_THROW(fit_colliders(one, skin_on_one_joint(degenerate), none), std::invalid_argument);
  EXPECT_THROW(measure_fit(one, skin_on_one_joint(billow::testing::ellipsoid_mesh({1, 1, 1})), {}, none),
               std::invalid_argument);
}

TEST(FitColliders, FitsEvenASingleTriangle) {
  const body::Skeleton one{{{"root", body::kNoJoint, {}}}};
  body::Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  const std::vector<body::Pose> none;
  const body::Skin skin = skin_on_one_joint(mesh);
  const std::vector<NamedCollider> fitted =
      fit_colliders(one, skin, none, {.samples = 200, .split = {}, .progress = {}});
  EXPECT_GE(fitted.size(), 1u);
  EXPECT_LT(measure_fit(one, skin, fitted, none, 200).rest.to_zero_set.mean, 0.2);
}

TEST(FitColliders, WarnsWhereTheFitIsPoor) {
  const Limb limb = billow::testing::make_limb();
  const body::Skin skin = body::make_skin(limb.skeleton, limb.shapes(), {.vertices = 1500});
  const std::vector<body::Pose> poses = billow::testing::bends(limb, {0.4f});
  EXPECT_TRUE(poor_fits(measure_fit(limb.skeleton, skin, limb.colliders, poses, 1000)).empty());
  std::vector<NamedCollider> bad = limb.colliders;
  bad[1].collider.radius_end = 0.07f;
  const std::vector<std::string> warnings = poor_fits(measure_fit(limb.skeleton, skin, bad, poses, 1000));
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* part : {"lower (joint lower)", "p95", "mm", "--split lower", "body.json"})
    EXPECT_NE(warnings[0].find(part), std::string::npos) << warnings[0];
}

TEST(FitColliders, MirrorsJointsByWhereTheyRest) {
  const body::Person person = body::make_person();
  const std::vector<uint32_t> mirror = mirrored_joints(person.skeleton, 1.75f);
  for (size_t j = 0; j < mirror.size(); ++j) {
    std::string expected = person.skeleton.joints[j].name;
    if (expected.rfind("left_", 0) == 0)
      expected = "right_" + expected.substr(5);
    else if (expected.rfind("right_", 0) == 0)
      expected = "left_" + expected.substr(6);
    EXPECT_EQ(person.skeleton.joints[mirror[j]].name, expected);
  }
}

TEST(FitCollidersSlow, FitsTheBuiltInPerson) {
  const body::Person person = body::make_person();
  const body::Skin skin = body::make_skin(person);
  std::vector<body::Pose> poses, others;
  for (uint32_t k = 0; k < 6; ++k) poses.push_back(body::random_pose(person, 1 + k));
  for (uint32_t k = 0; k < 6; ++k) others.push_back(body::random_pose(person, 101 + k));
  double reported = 0;
  const std::vector<NamedCollider> fitted = fit_colliders(
      person.skeleton, skin, poses,
      {.split = {}, .progress = [&](double fraction) { reported = std::max(reported, fraction); }});
  EXPECT_GE(fitted.size(), 15u);
  EXPECT_LE(fitted.size(), 24u);
  EXPECT_GT(reported, 0.5);
  EXPECT_LE(reported, 1);
  const ColliderFitError error = measure_fit(person.skeleton, skin, fitted, others);
  EXPECT_LT(error.rest.to_zero_set.mean, 0.002);
  EXPECT_LT(error.rest.to_zero_set.p95, 0.007);
  EXPECT_LT(error.rest.to_skin.mean, 0.0025);
  EXPECT_LT(error.posed.to_zero_set.mean, 0.0025);
  EXPECT_LT(error.posed.to_zero_set.p95, 0.009);
  EXPECT_LT(error.posed.to_skin.mean, 0.003);
  EXPECT_EQ(error.vertex_distances.size(), skin.mesh.positions.size());
  EXPECT_TRUE(poor_fits(error).empty());
}

}  // namespace
}  // namespace billow::fit
