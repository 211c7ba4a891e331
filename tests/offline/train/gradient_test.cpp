// Hand-written gradients and kernels against torch's.
#include <gtest/gtest.h>

#include "offline/train/small_scene.h"
#include "train/mlp.h"

namespace billow::train::gradient_test {
namespace {

constexpr int kFrames = 4, kInputs = 9, kComponents = 5, kVertices = 60;

class TrainGradient : public ::testing::Test {
 protected:
  TrainGradient() {
    StageOptions options;
    options.hidden = 16;
    learn::Network start;
    start.mean = Vector::Zero(kInputs), start.scale = Vector::Ones(kInputs);
    torch::manual_seed(3);
    mlp_ = std::make_unique<Mlp>(start, kComponents, 2.0, options);
    mlp_->to(torch::kCPU);
  }
  std::vector<torch::Tensor> gradients(const torch::Tensor& loss) {
    for (auto& p : mlp_->parameters())
      if (p.grad().defined()) p.mutable_grad() = torch::Tensor();
    loss.backward();
    std::vector<torch::Tensor> all;
    for (const auto& p : mlp_->parameters()) all.push_back(p.grad().clone());
    return all;
  }
  torch::Tensor forward() { return mlp_->forward(to_tensor(inputs_), true); }

  std::unique_ptr<Mlp> mlp_;
  Matrix inputs_ = random_matrix(kFrames, kInputs, 7);
  Matrix modes_ = random_modes(kComponents, 3 * kVertices, 8);
  Vector base_ = 0.7f * random_matrix(3 * kVertices, 1, 9).col(0);
};

TEST(FastGelu, MatchesTorch) {
  // Not a multiple of the SIMD width, and not contiguous.
  const torch::Tensor values =
      torch::cat({torch::linspace(-8, 8, 4001), torch::tensor({0.0f, -0.0f, 1e-4f, -1e-4f})});
  const torch::Tensor strided = torch::stack({values, values}, 1);
  torch::Tensor a = strided.clone().requires_grad_(), b = strided.clone().requires_grad_();
  const torch::Tensor found = fast_gelu(a.select(1, 0)), expected = torch::gelu(b.select(1, 0));
  EXPECT_LT((found - expected).abs().max().item<float>(), 3e-6f);
  const torch::Tensor weights = torch::linspace(-1, 2, values.numel());
  (found * weights).sum().backward();
  (expected * weights).sum().backward();
  EXPECT_LT((a.grad() - b.grad()).abs().max().item<float>(), 2e-4f);
  EXPECT_GT(b.grad().abs().max().item<float>(), 1);
}

TEST_F(TrainGradient, OfTheCollisionLossMatchesAutograd) {
  const BallScene scene(2 * random_matrix(kFrames, 3 * kVertices, 10));
  CollisionOptions options;
  options.buffer = 0.01f;
  const Expansion expansion(base_, modes_);
  CollisionTerm term(scene, options, expansion);
  const std::vector<uint32_t> frames{0, 1, 2, 3};

  torch::Tensor c = forward();
  Matrix gradient;
  const CollisionTerm::Sum sum = term(frames, to_matrix(c), {}, gradient);
  const auto by_hand = gradients((c * to_tensor(gradient)).sum());

  c = forward();
  const torch::Tensor x = torch::matmul(c, to_tensor(modes_)) + to_tensor(base_);
  const Matrix positions = to_matrix(x);
  Matrix targets = positions;
  body::Surface body = scene.make_body();
  for (uint32_t f = 0; f < kFrames; ++f) {
    scene.pose(f, body);
    for (uint32_t v = 0; v < kVertices; ++v) {
      const float* p = positions.row(f).data() + 3 * v;
      const float phi = body.at({p[0], p[1], p[2]}).distance;
      if (phi >= options.buffer) continue;
      const V3 t = collision_target(body, {p[0], p[1], p[2]}, phi, scene.truth(f, v), options);
      targets.row(f).segment<3>(3 * v) << t.x, t.y, t.z;
    }
  }
  const torch::Tensor loss = (x - to_tensor(targets)).square().sum();
  EXPECT_GT(sum.near, 10u);
  EXPECT_NEAR(loss.item<double>(), sum.loss, 1e-4 * sum.loss);
  const auto by_torch = gradients(loss);
  for (size_t i = 0; i < by_torch.size(); ++i)
    EXPECT_TRUE(torch::allclose(by_hand[i], by_torch[i], 1e-3, 1e-4)) << i;
}

// |B^T c + mean - truth|^2 = |c - c*|^2 + the PCA residual.
TEST_F(TrainGradient, OfTheDataTermMatchesThatOfTheVertices) {
  const learn::Basis basis{base_, modes_, {}};
  const Matrix truth = random_matrix(kFrames, 3 * kVertices, 11);
  const Matrix expected_c = basis.project(truth);
  const float pca_residual = (truth - basis.expand(expected_c)).squaredNorm();

  torch::Tensor c = forward();
  const torch::Tensor coefficient_loss = (c - to_tensor(expected_c)).square().sum();
  const auto in_coefficients = gradients(coefficient_loss);
  c = forward();
  const torch::Tensor vertex_loss =
      (torch::matmul(c, to_tensor(modes_)) + to_tensor(base_) - to_tensor(truth)).square().sum();
  EXPECT_NEAR(vertex_loss.item<float>(), coefficient_loss.item<float>() + pca_residual,
              1e-4f * vertex_loss.item<float>());
  const auto in_vertices = gradients(vertex_loss);
  for (size_t i = 0; i < in_vertices.size(); ++i)
    EXPECT_TRUE(torch::allclose(in_coefficients[i], in_vertices[i], 1e-3, 1e-4)) << i;
}

TEST_F(TrainGradient, ExtractedNetworkMatchesTheMlp) {
  for (const learn::Activation activation :
       {learn::Activation::kRelu, learn::Activation::kTanh, learn::Activation::kGelu}) {
    StageOptions options;
    options.hidden = 16, options.activation = activation, options.tune_linear = true;
    learn::Network start;
    start.mean = random_matrix(kInputs, 1, 12).col(0), start.scale = Vector::Constant(kInputs, 0.5f);
    start.linear = random_matrix(kComponents, kInputs, 13),
    start.bias = random_matrix(kComponents, 1, 14).col(0);
    Mlp mlp(start, kComponents, 3.0, options);
    mlp.weights.back().uniform_(-1, 1);
    mlp.to(torch::kCPU);
    const torch::Tensor z = (to_tensor(inputs_) - to_tensor(start.mean)) * to_tensor(start.scale);
    const Matrix expected = to_matrix(mlp.forward(z, false)), found = mlp.network(start)(inputs_);
    EXPECT_LT((expected - found).norm(), 1e-5f * expected.norm()) << learn::name_of(activation);
  }
}

}  // namespace
}  // namespace billow::train::gradient_test
