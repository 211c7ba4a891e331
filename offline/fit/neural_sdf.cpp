#include "fit/neural_sdf.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "body/mesh_distance.h"
#include "fit/neural_gradient.h"

namespace billow::fit {
namespace {

constexpr float kUnit = 0.1f;        // m, of lengths while training: inputs and outputs are about one then
constexpr float kFirstRate = 0.01f;  // falls to 0 in a straight line
constexpr size_t kBatch = 128;       // the more steps the better, rather than points a step

// Uniform random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  float uniform() { return static_cast<float>(static_cast<double>(engine_()) / 4294967296.0); }
  float between(float low, float high) { return low + (high - low) * uniform(); }
  // Nearly normal, of variance 1.
  float normal() {
    float sum = -6;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum;
  }
  size_t below(size_t n) { return engine_() % n; }

 private:
  std::mt19937 engine_;
};

// Points as rows, with the exact distance and how much it counts.
struct Samples {
  std::vector<float> x, y, z, distance, weight;
  size_t size() const { return x.size(); }
};

void add(Samples& samples, const body::MeshDistance& exact, V3 p, V3 half) {
  if (std::fabs(p.x) > half.x || std::fabs(p.y) > half.y || std::fabs(p.z) > half.z) return;
  const float d = exact.at(p);
  samples.x.push_back(p.x / kUnit), samples.y.push_back(p.y / kUnit), samples.z.push_back(p.z / kUnit);
  samples.distance.push_back(d / kUnit);
  // Count most what is near the surface.
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
    // Near the surface: half of them within millimetres, half within centimetres.
    const size_t t = static_cast<size_t>(std::lower_bound(area.begin(), area.end(), random.uniform() * sum) -
                                         area.begin());
    const auto& c = mesh.triangles[std::min(t, area.size() - 1)];
    float u = random.uniform(), v = random.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const V3 a = mesh.positions[c[0]], b = mesh.positions[c[1]], d = mesh.positions[c[2]];
    const float off = samples.size() % 2 ? 0.004f : 0.02f;
    add(samples, exact,
        a + (b - a) * u + (d - a) * v + V3{random.normal(), random.normal(), random.normal()} * off, half);
  }
  return samples;
}

std::vector<float> draw_weights(size_t width, V3 half, Random& random) {
  const NetworkLayout at{width};
  std::vector<float> w(at.count(), 0.0f);
  const V3 box = half * (1 / kUnit);
  for (size_t j = 0; j < width; ++j) {
    // A plane through the box, in any direction.
    const V3 n{random.normal(), random.normal(), random.normal()};
    const float slope = 1.5f / length(n);
    const V3 p{random.between(-box.x, box.x), random.between(-box.y, box.y), random.between(-box.z, box.z)};
    float* row = &w[at.first(j)];
    row[0] = n.x * slope, row[1] = n.y * slope, row[2] = n.z * slope;
    row[3] = -(row[0] * p.x + row[1] * p.y + row[2] * p.z);
  }
  const float scale = std::sqrt(2.0f / static_cast<float>(width));
  for (size_t i = 0; i < width; ++i) {
    float* row = &w[at.second(i)];
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

// From decimetres to metres.
void to_metres(std::vector<float>& w, size_t width) {
  const NetworkLayout at{width};
  for (size_t j = 0; j < width; ++j)
    for (size_t k = 0; k < 3; ++k) w[at.first(j) + k] /= kUnit;
  for (size_t i = 0; i < width; ++i) w[at.second(i) + 1 + width] *= kUnit;
  w[at.last()] *= kUnit;
}

}  // namespace

NeuralSdf train_network(const body::Mesh& mesh, const TrainOptions& options) {
  if (options.width < 4 || options.width > kMaxUnits || options.width % 4 != 0)
    throw std::invalid_argument("network: expected a width that is a multiple of 4 up to " +
                                std::to_string(kMaxUnits) + ", found " + std::to_string(options.width));
  if (options.points < kBatch || options.steps < 1 || !(options.margin > 0))
    throw std::invalid_argument("network: expected at least " + std::to_string(kBatch) +
                                " points, a step and a margin of more than 0");
  edges_of(mesh);  // closed, or it throws
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
      // Runs of four samples, which were drawn at random.
      const size_t i = random.below(samples.size() - kLanes + 1);
      loss.add(out.weights, {load(&samples.x[i]), load(&samples.y[i]), load(&samples.z[i])},
               load(&samples.distance[i]), load(&samples.weight[i]), options.eikonal);
    }
    const float left = 1 - static_cast<float>(step) / static_cast<float>(options.steps);
    adam.step(out.weights, loss, 1.0f / kBatch, kFirstRate * left);
    if (options.progress && step % 256 == 0)
      options.progress(static_cast<double>(step) / static_cast<double>(options.steps));
  }
  to_metres(out.weights, options.width);
  return out;
}

}  // namespace billow::fit
