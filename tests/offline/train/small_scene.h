// A small cloth around a ball, for tests of training.
#pragma once

#include <Eigen/QR>
#include <random>

#include "body/skeleton.h"
#include "support/colliders.h"
#include "train/stage.h"

namespace billow::train {

inline Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  return Matrix::NullaryExpr(rows, cols, [&] { return normal(random); });
}

// Orthonormal rows.
inline Matrix random_modes(Eigen::Index components, Eigen::Index values, uint32_t seed) {
  const Eigen::MatrixXf m = random_matrix(values, components, seed);
  return (Eigen::HouseholderQR<Eigen::MatrixXf>(m).householderQ() *
          Eigen::MatrixXf::Identity(values, components))
      .transpose();
}

// A ball of radius 1 m that moves by `step` along x each frame, and a given true cloth, one row a frame.
class BallScene : public Scene {
 public:
  explicit BallScene(Matrix cloth = {}, float step = 0.01f) : truth_(std::move(cloth)), step_(step) {
    skeleton_.joints.push_back({"root", body::kNoJoint, {}});
    colliders_.push_back(testing::sphere({0, 0, 0}, 1));
  }
  body::Surface make_body() const override { return {skeleton_, colliders_}; }
  void pose(uint32_t frame, body::Surface& body) const override {
    const Transform joint{{step_ * static_cast<float>(frame), 0, 0}, {0, 0, 0, 1}};
    body.pose({&joint, 1});
  }
  V3 truth(uint32_t frame, uint32_t vertex) const override {
    const float* p = truth_.row(frame).data() + 3 * vertex;
    return {p[0], p[1], p[2]};
  }

 private:
  body::Skeleton skeleton_;
  std::vector<billow_collider> colliders_;
  Matrix truth_;
  float step_;
};

// Targets with a quadratic term, which no linear map can fit.
struct QuadraticTask {
  static constexpr Eigen::Index kSamples = 500, kInputs = 6, kOutputs = 8, kVertices = 40;
  StageTask task;

  QuadraticTask() {
    task.name = "quadratic";
    task.inputs = 0.1f * random_matrix(kSamples, kInputs, 1);
    const Matrix along = random_matrix(kInputs, kOutputs, 2);
    const Matrix t = task.inputs * along;
    task.truth = t.array() + 1.5f * t.array().square();
    task.pca_residual.setConstant(kSamples, 1e-4f);
    task.vertices = kVertices;
    for (uint32_t i = 0; i < kSamples; ++i) {
      task.frames.push_back(i);
      (i % 5 == 0 ? task.validation : task.train).data.push_back(i);
    }
    task.start.mean = Vector::Zero(kInputs);
    task.start.scale = Vector::Constant(kInputs, 10);
  }
};

}  // namespace billow::train
