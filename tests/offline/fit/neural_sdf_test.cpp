// Training of neural SDFs.
#include "fit/neural_sdf.h"

#include <gtest/gtest.h>

#include "body/mesh_distance.h"
#include "support/meshes.h"
#include "support/random.h"

namespace billow::fit {
namespace {

using testing::Random;

TrainOptions quick() {
  TrainOptions options;
  options.width = 8;
  options.points = 4000;
  options.steps = 4000;
  return options;
}

// Errors at random points of the box: of the distance, and the mean of | |gradient| - 1 |.
struct NetworkError {
  double mean = 0, max = 0, slope = 0;
};
NetworkError error_of(const NeuralSdf& net, const body::Mesh& mesh, double within) {
  const body::MeshDistance exact(mesh);
  const SdfNetwork network{net.weights.data(), static_cast<int>(net.width), net.half};
  Random random(77);
  NetworkError error;
  int count = 0;
  while (count < 1500) {
    const V3 p{random.uniform_float(-1, 1) * net.half.x, random.uniform_float(-1, 1) * net.half.y,
               random.uniform_float(-1, 1) * net.half.z};
    const double d = exact.at(p);
    if (std::fabs(d) > within) continue;
    const Distance4 found = network_distance(network, splat(p));
    const double e = std::fabs(lane(found.phi, 0) - d);
    error.mean += e;
    error.max = std::max(error.max, e);
    error.slope += std::fabs(static_cast<double>(length(lane(found.gradient, 0))) - 1);
    ++count;
  }
  error.mean /= count, error.slope /= count;
  return error;
}

TEST(LossGradient, MatchesDifferences) {
  constexpr size_t kWidth = 8;
  Random random(5);
  std::vector<float> weights(NetworkLayout{kWidth}.count());
  for (float& w : weights) w = random.uniform_float(-1, 1);
  float x[4], y[4], z[4], target[4], weight[4];
  for (int k = 0; k < 4; ++k) {
    x[k] = random.uniform_float(-1, 1), y[k] = random.uniform_float(-1, 1),
    z[k] = random.uniform_float(-1, 1);
    target[k] = random.uniform_float(-1, 1), weight[k] = random.uniform_float(0.5, 1);
  }
  LossGradient gradient(kWidth);
  const auto loss = [&] {
    float lanes[4];
    store(lanes, gradient.add(weights, {load(x), load(y), load(z)}, load(target), load(weight), 0.7f));
    return double{lanes[0]} + double{lanes[1]} + double{lanes[2]} + double{lanes[3]};
  };
  loss();
  std::vector<double> found;
  for (size_t i = 0; i < weights.size(); ++i) found.push_back(gradient.sum(i));
  double largest = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    constexpr float kStep = 1e-3f;
    const float was = weights[i];
    weights[i] = was + kStep;
    const double ahead = loss();
    weights[i] = was - kStep;
    const double behind = loss();
    weights[i] = was;
    EXPECT_NEAR(found[i], (ahead - behind) / (2 * double{kStep}), 5e-3) << i;
    largest = std::max(largest, std::fabs(found[i]));
  }
  EXPECT_GT(largest, 1);
}

TEST(NeuralSdf, LearnsASphere) {
  const body::Mesh sphere = testing::ellipsoid_mesh({0.08f, 0.08f, 0.08f}, 24, 36);
  const NeuralSdf net = train_network(sphere, quick());
  EXPECT_EQ(net.weights.size(), static_cast<size_t>(weight_count(8)));
  EXPECT_NEAR(net.half.x, 0.12f, 1e-3f);
  const NetworkError error = error_of(net, sphere, 0.03);
  EXPECT_LT(error.mean, 0.0015);
  EXPECT_LT(error.max, 0.008);
  EXPECT_LT(error.slope, 0.1);
}

TEST(NeuralSdf, LearnsMoreWithMoreUnits) {
  const body::Mesh pancake = testing::ellipsoid_mesh({0.03f, 0.1f, 0.06f}, 24, 36);
  TrainOptions options = quick();
  options.width = 4;
  const NetworkError few = error_of(train_network(pancake, options), pancake, 0.03);
  options.width = 16;
  const NetworkError many = error_of(train_network(pancake, options), pancake, 0.03);
  EXPECT_LT(many.mean, 0.7 * few.mean);
  EXPECT_LT(many.mean, 0.002);
}

TEST(NeuralSdf, HasASlopeNearerOneWithTheEikonalTerm) {
  const body::Mesh pancake = testing::ellipsoid_mesh({0.03f, 0.1f, 0.06f}, 24, 36);
  TrainOptions options = quick();
  options.eikonal = 0;
  const NetworkError without = error_of(train_network(pancake, options), pancake, 0.03);
  options.eikonal = 0.1f;
  const NetworkError with = error_of(train_network(pancake, options), pancake, 0.03);
  EXPECT_LT(with.slope, 0.9 * without.slope);
}

TEST(NeuralSdf, IsTheSameEachTime) {
  const body::Mesh sphere = testing::ellipsoid_mesh({0.08f, 0.08f, 0.08f}, 12, 18);
  TrainOptions options = quick();
  options.steps = 200;
  const NeuralSdf first = train_network(sphere, options), second = train_network(sphere, options);
  EXPECT_TRUE(first.weights == second.weights);
  options.seed = 2;
  EXPECT_FALSE(train_network(sphere, options).weights == first.weights);
}

TEST(NeuralSdf, RefusesWhatMakesNoSense) {
  body::Mesh mesh = testing::ellipsoid_mesh({0.08f, 0.08f, 0.08f}, 12, 18);
  for (const uint32_t width : {0u, 3u, 10u, 68u}) {
    TrainOptions options = quick();
    options.width = width;
    EXPECT_THROW(train_network(mesh, options), std::invalid_argument) << width;
  }
  TrainOptions options = quick();
  options.points = 2;
  EXPECT_THROW(train_network(mesh, options), std::invalid_argument);
  options = quick();
  options.margin = 0;
  EXPECT_THROW(train_network(mesh, options), std::invalid_argument);
  mesh.triangles.pop_back();
  EXPECT_THROW(train_network(mesh, quick()), std::runtime_error);
}

}  // namespace
}  // namespace billow::fit
