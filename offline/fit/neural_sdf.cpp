#include "fit/neural_sdf.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "body/mesh_distance.h"

namespace billow::fit {
namespace {

constexpr float kUnit = 0.1f;  // m, unit of lengths in training, so that inputs and outputs are about 1
constexpr float kInitialRate = 0.01f;  // learning rate; decays linearly to 0
constexpr size_t kBatch = 128;         // points per step: more steps pay off more than larger batches

// Random numbers that do not depend on the standard library.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  float uniform() { return static_cast<float>(static_cast<double>(engine_()) / 4294967296.0); }
  float between(float low, float high) { return low + (high - low) * uniform(); }
  // Approximately normal with variance 1: a sum of twelve uniform numbers.
  float normal() {
    float sum = -6;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum;
  }
  size_t below(size_t n) { return engine_() % n; }

 private:
  std::mt19937 engine_;
};

// Points with their exact distance and weight.
struct Samples {
  std::vector<float> x, y, z, distance, weight;
  size_t size() const { return x.size(); }
};

void add(Samples& samples, const body::MeshDistance& exact, V3 p, V3 half) {
  if (std::fabs(p.x) > half.x || std::fabs(p.y) > half.y || std::fabs(p.z) > half.z) return;
  const float d = exact.at(p);
  samples.x.push_back(p.x / kUnit), samples.y.push_back(p.y / kUnit), samples.z.push_back(p.z / kUnit);
  samples.distance.push_back(d / kUnit);
  // Weight points near the surface more.
  samples.weight.push_back(0.02f / (0.02f + std::fabs(d)));
}

Samples draw_samples(const body::MeshDistance& exact, V3 half, size_t count, Random& random) {
  const body::Mesh& mesh = exact.mesh();
  std::vector<float> area(mesh.triangles.size());
  float sum = 0;
  for (size_t t = 0; t < area.size(); ++t)
    area[t] = sum += length(body::area_normal(mesh.positions, mesh.triangles[t]));
  Samples samples;
  while (samples.size() < count) {
    if (samples.size() % 4 == 3) {
      add(samples, exact,
          {random.between(-half.x, half.x), random.between(-half.y, half.y), random.between(-half.z, half.z)},
          half);
      continue;
    }
    // Draw points near the surface: half of them with offsets of millimetres, half of centimetres.
    const size_t t = static_cast<size_t>(std::lower_bound(area.begin(), area.end(), random.uniform() * sum) -
                                         area.begin());
    const auto& c = mesh.triangles[std::min(t, area.size() - 1)];
    float u = random.uniform(), v = random.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const V3 a = mesh.positions[c[0]], b = mesh.positions[c[1]], d = mesh.positions[c[2]];
    const float spread = samples.size() % 2 ? 0.004f : 0.02f;
    add(samples, exact,
        a + (b - a) * u + (d - a) * v + V3{random.normal(), random.normal(), random.normal()} * spread, half);
  }
  return samples;
}

std::vector<float> draw_weights(size_t width, V3 half, Random& random) {
  const NetworkLayout layout{width};
  std::vector<float> w(layout.count(), 0.0f);
  const V3 box = half * (1 / kUnit);
  for (size_t j = 0; j < width; ++j) {
    // Each unit starts as a random plane through the box.
    const V3 n{random.normal(), random.normal(), random.normal()};
    const float slope = 1.5f / length(n);
    const V3 p{random.between(-box.x, box.x), random.between(-box.y, box.y), random.between(-box.z, box.z)};
    float* row = &w[layout.first(j)];
    row[0] = n.x * slope, row[1] = n.y * slope, row[2] = n.z * slope;
    row[3] = -(row[0] * p.x + row[1] * p.y + row[2] * p.z);
  }
  const float scale = std::sqrt(2.0f / static_cast<float>(width));
  for (size_t i = 0; i < width; ++i) {
    float* row = &w[layout.second(i)];
    for (size_t j = 0; j < width; ++j) row[1 + j] = scale * random.normal();
    row[1 + width] = scale * random.normal();
  }
  return w;
}

// Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015).
class Adam {
 public:
  explicit Adam(size_t count) : mean_(count, 0), square_(count, 0) {}
  void step(std::vector<float>& w, const LossGradient& loss, float scale, float rate) {
    constexpr float kMean = 0.9f, kSquare = 0.999f;
    mean_power_ *= kMean, square_power_ *= kSquare;
    for (size_t i = 0; i < w.size(); ++i) {
      const float g = scale * loss.sum(i);
      mean_[i] = kMean * mean_[i] + (1 - kMean) * g;
      square_[i] = kSquare * square_[i] + (1 - kSquare) * g * g;
      w[i] -= rate * (mean_[i] / (1 - mean_power_)) / (std::sqrt(square_[i] / (1 - square_power_)) + 1e-8f);
    }
  }

 private:
  std::vector<float> mean_, square_;
  float mean_power_ = 1, square_power_ = 1;
};

// Converts the network from decimetres to metres.
void to_metres(std::vector<float>& w, size_t width) {
  const NetworkLayout layout{width};
  for (size_t j = 0; j < width; ++j)
    for (size_t k = 0; k < 3; ++k) w[layout.first(j) + k] /= kUnit;
  for (size_t i = 0; i < width; ++i) w[layout.second(i) + 1 + width] *= kUnit;
  w[layout.last()] *= kUnit;
}

}  // namespace

NeuralSdf train_network(const body::Mesh& mesh, const TrainOptions& options) {
  if (options.width < 4 || options.width > kMaxUnits || options.width % 4 != 0)
    throw std::invalid_argument("network: expected a width that is a multiple of 4 up to " +
                                std::to_string(kMaxUnits) + ", found " + std::to_string(options.width));
  if (options.points < kBatch || options.steps < 1 || !(options.margin > 0))
    throw std::invalid_argument("network: expected at least " + std::to_string(kBatch) +
                                " points, a step and a margin of more than 0");
  edges_of(mesh);  // throws unless the mesh is closed
  NeuralSdf out;
  out.width = options.width;
  out.margin = options.margin;
  for (const V3& p : mesh.positions)
    out.half = {std::max(out.half.x, std::fabs(p.x)), std::max(out.half.y, std::fabs(p.y)),
                std::max(out.half.z, std::fabs(p.z))};
  out.half += V3{out.margin, out.margin, out.margin};

  Random random(options.seed);
  const Samples samples = draw_samples(body::MeshDistance(mesh), out.half, options.points, random);
  out.weights = draw_weights(options.width, out.half, random);
  Adam adam(out.weights.size());
  LossGradient loss(options.width);
  for (size_t step = 0; step < options.steps; ++step) {
    loss.clear();
    for (size_t k = 0; k < kBatch; k += kLanes) {
      // Take four consecutive samples; their order is random.
      const size_t i = random.below(samples.size() - kLanes + 1);
      loss.add(out.weights, {load(&samples.x[i]), load(&samples.y[i]), load(&samples.z[i])},
               load(&samples.distance[i]), load(&samples.weight[i]), options.eikonal);
    }
    const float remaining = 1 - static_cast<float>(step) / static_cast<float>(options.steps);
    adam.step(out.weights, loss, 1.0f / kBatch, kInitialRate * remaining);
    if (options.progress && step % 256 == 0)
      options.progress(static_cast<double>(step) / static_cast<double>(options.steps));
  }
  to_metres(out.weights, options.width);
  return out;
}

namespace {

// The second derivative of the activation as a function of its slope.
F4 second_derivative(F4 slope) { return select((slope > 0.0f) & (slope < 1.0f), splat(0.5f), zero()); }

}  // namespace

void LossGradient::forward(std::span<const float> weights, V3x4 x) {
  const size_t n = layout_.width;
  for (size_t j = 0; j < n; ++j) {
    const float* row = &weights[layout_.first(j)];
    const auto a = activate(row[0] * x.x + row[1] * x.y + row[2] * x.z + row[3]);
    value1_[j] = a.value, slope1_[j] = a.slope, by_value1_[j] = zero();
  }
  f_ = splat(weights[layout_.last()]);
  for (size_t i = 0; i < n; ++i) {
    const float* row = &weights[layout_.second(i)];
    F4 z = splat(row[0]);
    for (size_t j = 0; j < n; ++j) z += row[1 + j] * value1_[j];
    const auto a = activate(z);
    value2_[i] = a.value, slope2_[i] = a.slope;
    f_ += row[1 + n] * a.value;
    const F4 by_z = row[1 + n] * a.slope;
    for (size_t j = 0; j < n; ++j) by_value1_[j] += row[1 + j] * by_z;
  }
  g_ = zero3();
  for (size_t j = 0; j < n; ++j) {
    const float* row = &weights[layout_.first(j)];
    const F4 by_z = slope1_[j] * by_value1_[j];
    g_ += V3x4{row[0] * by_z, row[1] * by_z, row[2] * by_z};
  }
}

// d loss = loss_by_f df + loss_by_g . dg. The second term is the differential of the directional derivative
// of f along loss_by_g. So propagate tangents along loss_by_g forward, then differentiate f and its tangent
// together in reverse.
void LossGradient::backward(std::span<const float> weights, V3x4 x, F4 loss_by_f, V3x4 loss_by_g) {
  const size_t n = layout_.width;
  F4 z_tangent1[kMaxUnits], tangent1[kMaxUnits];  // of pre-activations and activations of the first layer
  F4 adjoint1[kMaxUnits];                         // of activations of the first layer
  for (size_t j = 0; j < n; ++j) {
    const float* row = &weights[layout_.first(j)];
    z_tangent1[j] = row[0] * loss_by_g.x + row[1] * loss_by_g.y + row[2] * loss_by_g.z;
    tangent1[j] = slope1_[j] * z_tangent1[j];
    adjoint1[j] = zero();
  }
  sums_[layout_.last()] += loss_by_f;
  for (size_t i = 0; i < n; ++i) {
    const float* row = &weights[layout_.second(i)];
    F4* out = &sums_[layout_.second(i)];
    F4 tangent = zero();
    for (size_t j = 0; j < n; ++j) tangent += row[1 + j] * tangent1[j];
    const F4 by_tangent = row[1 + n] * slope2_[i];
    const F4 by_z = row[1 + n] * (slope2_[i] * loss_by_f + second_derivative(slope2_[i]) * tangent);
    out[0] += by_z;
    out[1 + n] += loss_by_f * value2_[i] + slope2_[i] * tangent;
    for (size_t j = 0; j < n; ++j) {
      out[1 + j] += by_z * value1_[j] + by_tangent * tangent1[j];
      adjoint1[j] += row[1 + j] * by_z;
    }
  }
  for (size_t j = 0; j < n; ++j) {
    F4* out = &sums_[layout_.first(j)];
    const F4 by_tangent = slope1_[j] * by_value1_[j];
    const F4 by_z = slope1_[j] * adjoint1[j] + second_derivative(slope1_[j]) * z_tangent1[j] * by_value1_[j];
    out[0] += by_z * x.x + by_tangent * loss_by_g.x;
    out[1] += by_z * x.y + by_tangent * loss_by_g.y;
    out[2] += by_z * x.z + by_tangent * loss_by_g.z;
    out[3] += by_z;
  }
}

F4 LossGradient::add(std::span<const float> weights, V3x4 x, F4 target, F4 weight, float eikonal) {
  forward(weights, x);
  const F4 error = f_ - target, slope = sqrt(dot(g_, g_) + 1e-12f), excess = slope - 1.0f;
  backward(weights, x, 2.0f * weight * error, g_ * (2.0f * eikonal * excess / slope));
  return weight * error * error + eikonal * excess * excess;
}

}  // namespace billow::fit
