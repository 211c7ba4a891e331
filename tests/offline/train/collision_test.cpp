// Targets of the collision loss for a ball against hand-computed ones, and its gradient against finite differences.
#include <gtest/gtest.h>

#include "offline/train/small_scene.h"
#include "train/vertex_losses.h"

namespace billow::train {
namespace {

void expect_near(V3 a, V3 b, float tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

class CollisionTarget : public ::testing::Test {
 protected:
  V3 target(Push push, V3 x, V3 truth, float buffer = 0.1f) {
    CollisionOptions options;
    options.push = push, options.buffer = buffer, options.iterations = 20;
    return collision_target(body_, x, body_.at(x).distance, truth, options);
  }
  body::Surface body_ = BallScene().make_body();
};

// 0.2 m deep, with a buffer of 0.1 m.
TEST_F(CollisionTarget, StepsByTheDepthTowardTheTruth) {
  expect_near(target(Push::kTruth, {0.8f, 0, 0}, {0.8f, 4, 0}), {0.8f, 0.3f, 0}, 1e-5f);
}

TEST_F(CollisionTarget, DoesNotOvershootTheTruth) {
  expect_near(target(Push::kTruth, {0.8f, 0, 0}, {0.9f, 0, 0}), {0.9f, 0, 0}, 1e-6f);
  expect_near(target(Push::kTruth, {0.8f, 0, 0}, {0.8f, 0, 0}), {0.8f, 0, 0}, 1e-6f);
}

TEST_F(CollisionTarget, IteratedStepsLeaveTheBody) {
  // The exit is at y with 0.8^2 + y^2 = 1.1^2.
  expect_near(target(Push::kTruthIterated, {0.8f, 0, 0}, {0.8f, 4, 0}), {0.8f, 0.755f, 0}, 2e-3f);
}

TEST_F(CollisionTarget, SearchFindsWhereTheSegmentLeavesTheBody) {
  expect_near(target(Push::kTruthSearch, {0.8f, 0, 0}, {0.8f, 4, 0}), {0.8f, 0.755f, 0}, 2e-3f);
  // A true position inside the body is the target.
  expect_near(target(Push::kTruthSearch, {0.8f, 0, 0}, {0.9f, 0, 0}), {0.9f, 0, 0}, 1e-6f);
}

TEST_F(CollisionTarget, GradientPushesAlongTheNormal) {
  for (const Push push : {Push::kGradient, Push::kGradientIterated})
    expect_near(target(push, {0, 0.8f, 0}, {4, 0, 0}), {0, 1.1f, 0}, 1e-5f);
}

// Two vertices, one of them inside in frame 0 and outside in frame 30, when the ball has moved on.
TEST(CollisionTerm, SumsOverVerticesInside) {
  Matrix truth = Matrix::Zero(31, 6);
  truth.rowwise() = Eigen::RowVectorXf{{-2, 0, 0, 5, 5, 5}};
  const BallScene scene(truth);
  Vector base(6);
  base << -0.9f, 0, 0, 5, 0, 0;
  Matrix modes = Matrix::Zero(2, 6);
  modes(0, 0) = 1, modes(1, 4) = 1;
  CollisionOptions options;
  options.buffer = 0.05f;
  const Expansion expansion(base, modes);
  CollisionTerm term(scene, options, expansion);
  Matrix gradient;
  // 0.1 m deep: the target is 0.15 m to the left. d/dc |x - t|^2 = 2 (x - t).
  CollisionTerm::Sum s = term(std::vector<uint32_t>{0}, Matrix::Zero(1, 2), {}, gradient);
  EXPECT_NEAR(s.loss, 0.15 * 0.15, 1e-6);
  EXPECT_EQ(s.near, 1u);
  EXPECT_EQ(s.inside, 1u);
  EXPECT_NEAR(gradient(0, 0), 2 * 0.15, 1e-5);
  EXPECT_EQ(gradient(0, 1), 0);
  s = term(std::vector<uint32_t>{30}, Matrix::Zero(1, 2), {}, gradient);
  EXPECT_EQ(s.loss, 0);
  EXPECT_EQ(s.near, 0u);
  EXPECT_EQ(gradient.norm(), 0);
}

// With targets held constant, against finite differences. More vertices than a block.
TEST(CollisionTerm, HasTheGradientOfItsSum) {
  constexpr Eigen::Index kVertices = 700, kValues = 3 * kVertices, kTrained = 6, kFrozen = 4, kFrames = 3;
  const Matrix truth = 1.5f * random_matrix(kFrames, kValues, 1);
  const BallScene scene(truth);
  const Vector base = 0.7f * random_matrix(kValues, 1, 2).col(0);
  const Matrix modes = random_modes(kTrained, kValues, 3), frozen_modes = random_modes(kFrozen, kValues, 4);
  const Matrix c = random_matrix(kFrames, kTrained, 5), frozen = random_matrix(kFrames, kFrozen, 6);
  CollisionOptions options;
  options.buffer = 0.02f;
  const Expansion expansion(base, modes, frozen_modes);
  CollisionTerm term(scene, options, expansion);
  Matrix gradient;
  const std::vector<uint32_t> frames{0, 1, 2};
  const CollisionTerm::Sum sum = term(frames, c, frozen, gradient);
  EXPECT_GT(sum.near, 100u);
  EXPECT_LT(sum.inside, sum.near);

  body::Surface body = scene.make_body();
  for (Eigen::Index f = 0; f < kFrames; ++f) {
    scene.pose(static_cast<uint32_t>(f), body);
    const auto decode = [&](const Eigen::VectorXd& trained) -> Eigen::VectorXd {
      return base.cast<double>() +
             frozen_modes.transpose().cast<double>() * frozen.row(f).transpose().cast<double>() +
             modes.transpose().cast<double>() * trained;
    };
    const Eigen::VectorXd c0 = c.row(f).transpose().cast<double>(), x0 = decode(c0);
    std::vector<std::pair<Eigen::Index, Eigen::Vector3d>> targets;
    for (Eigen::Index v = 0; v < kVertices; ++v) {
      const Eigen::Vector3f x = x0.segment<3>(3 * v).cast<float>();
      const float phi = body.at({x[0], x[1], x[2]}).distance;
      if (phi >= options.buffer) continue;
      const V3 t = collision_target(body, {x[0], x[1], x[2]}, phi,
                                    scene.truth(static_cast<uint32_t>(f), static_cast<uint32_t>(v)), options);
      targets.push_back({v, {static_cast<double>(t.x), static_cast<double>(t.y), static_cast<double>(t.z)}});
    }
    const auto loss = [&](const Eigen::VectorXd& trained) {
      const Eigen::VectorXd x = decode(trained);
      double l = 0;
      for (const auto& [v, t] : targets) l += (x.segment<3>(3 * v) - t).squaredNorm();
      return l;
    };
    for (Eigen::Index k = 0; k < kTrained; ++k) {
      const Eigen::VectorXd d = 1e-4 * Eigen::VectorXd::Unit(kTrained, k);
      const double expected = (loss(c0 + d) - loss(c0 - d)) / 2e-4;
      EXPECT_NEAR(static_cast<double>(gradient(f, k)), expected, 1e-3 * (1 + std::abs(expected)));
    }
  }
}

TEST(Expansion, RefusesSizesThatDoNotMatch) {
  EXPECT_THROW(Expansion(Vector::Zero(6), Matrix::Zero(2, 9)), std::invalid_argument);
  EXPECT_THROW(Expansion(Vector::Zero(6), Matrix::Zero(2, 6), Matrix::Zero(2, 5)), std::invalid_argument);
}

}  // namespace
}  // namespace billow::train
