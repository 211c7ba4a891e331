// SDF grids and networks for tests.
#pragma once

#include <billow/billow.h>

#include <cmath>
#include <vector>

#include "support/random.h"

namespace billow::testing {

// A grid sampled from a function of a point in its frame.
struct TestGrid {
  std::vector<int16_t> values;
  billow_sdf_grid grid{};
};
template <class F>
TestGrid make_grid(uint32_t nx, uint32_t ny, uint32_t nz, double spacing, double unit, F f) {
  TestGrid out;
  const auto at = [spacing](uint32_t i, uint32_t n) { return (i - 0.5 * (n - 1)) * spacing; };
  for (uint32_t k = 0; k < nz; ++k)
    for (uint32_t j = 0; j < ny; ++j)
      for (uint32_t i = 0; i < nx; ++i)
        out.values.push_back(
            static_cast<int16_t>(std::lround(f(Vector{{at(i, nx), at(j, ny), at(k, nz)}}) / unit)));
  out.grid = {out.values.data(), {nx, ny, nz}, static_cast<float>(spacing), static_cast<float>(unit)};
  return out;
}
inline TestGrid sphere_grid(double radius, double spacing = 0.01, double margin = 0.03) {
  const auto n = static_cast<uint32_t>(std::lround(2 * (radius + margin) / spacing)) + 1;
  return make_grid(n, n, n, spacing, 1e-5, [=](const Vector& p) { return length(p) - radius; });
}

// A network that approximates the distance to the plane y = `height`, plus a random perturbation.
struct TestNetwork {
  std::vector<float> weights;
  billow_neural_sdf network{};
};
inline TestNetwork wavy_network(uint32_t width, double height, double wiggle, uint32_t seed) {
  Random random(seed);
  TestNetwork out;
  for (uint32_t j = 0; j < width; ++j)
    for (const double w :
         {random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-1, 1)})
      out.weights.push_back(static_cast<float>(w));
  // The first unit passes y + 2 through both layers, where the activation is the identity.
  const float passed[4] = {0, 1, 0, 2};
  for (size_t k = 0; k < 4; ++k) out.weights[k] = passed[k];
  for (uint32_t i = 0; i < width; ++i) {
    out.weights.push_back(i == 0 ? 0.0f : random.uniform_float(-1, 1));
    for (uint32_t j = 0; j < width; ++j)
      out.weights.push_back(i == 0 ? (j == 0 ? 1.0f : 0.0f) : random.uniform_float(-0.3, 0.3));
    out.weights.push_back(i == 0 ? 1.0f : random.uniform_float(-wiggle, wiggle));
  }
  out.weights.push_back(static_cast<float>(-2 - height));
  out.network = {out.weights.data(), width, {0.3f, 0.4f, 0.5f}, 0.05f};
  return out;
}

inline billow_collider field_collider(const billow_sdf_grid& grid) {
  billow_collider c = billow_collider_default();
  c.shape = BILLOW_SHAPE_GRID;
  c.grid = &grid;
  return c;
}
inline billow_collider field_collider(const billow_neural_sdf& network) {
  billow_collider c = billow_collider_default();
  c.shape = BILLOW_SHAPE_NEURAL;
  c.neural = &network;
  return c;
}

}  // namespace billow::testing
