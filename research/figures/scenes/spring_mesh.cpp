#include "research/figures/scenes/spring_mesh.h"

#include <algorithm>
#include <cmath>

namespace billow::tool {

using draw::Vec3;

SpringMesh spring_grid(std::vector<Vec3> rest, uint32_t rows, uint32_t columns) {
  SpringMesh mesh;
  mesh.rest = std::move(rest);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < columns; ++c) {
      const uint32_t node = r * columns + c;
      mesh.pinned.push_back(c == 0);
      if (c + 1 < columns) mesh.springs.push_back({node, node + 1});
      if (r + 1 < rows) mesh.springs.push_back({node, node + columns});
      if (c + 1 < columns && r + 1 < rows) mesh.springs.push_back({node, node + columns + 1});
    }
  return mesh;
}

std::vector<Vec3> steady_state(const SpringMesh& mesh, double stiffness) {
  std::vector<Vec3> x = mesh.rest, v(x.size()), force(x.size());
  std::vector<float> length;
  float shortest = 1e30f;
  for (const auto& [a, b] : mesh.springs) {
    length.push_back(draw::length(mesh.rest[b] - mesh.rest[a]));
    shortest = std::min(shortest, length.back());
  }
  for (size_t i = 0; i < x.size(); ++i)
    if (!mesh.pinned[i]) x[i].z += 0.003f * std::sin(2.1f * static_cast<float>(i));

  // Symplectic Euler with a time step of 0.3/omega, where omega is the frequency of a node on eight of the shortest springs.
  // Velocities decay at 3/s: strongly enough to come to rest, not so strongly as to creep.
  const auto dt =
      static_cast<float>(0.3 / std::sqrt(8 * stiffness / static_cast<double>(shortest * mesh.mass)));
  const float damping_factor = std::exp(-3 * dt);
  const auto max_steps = static_cast<size_t>(30 / dt);
  for (size_t step = 0; step < max_steps; ++step) {
    std::fill(force.begin(), force.end(), Vec3{0, -9.81f * mesh.mass, 0});
    for (size_t s = 0; s < mesh.springs.size(); ++s) {
      const auto [a, b] = mesh.springs[s];
      const Vec3 along = x[b] - x[a];
      const float current_length = draw::length(along);
      const Vec3 pull =
          (static_cast<float>(stiffness) * (current_length / length[s] - 1) / current_length) * along;
      force[a] = force[a] + pull, force[b] = force[b] - pull;
    }
    float fastest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (mesh.pinned[i]) continue;
      v[i] = damping_factor * (v[i] + (dt / mesh.mass) * force[i]);
      x[i] = x[i] + dt * v[i];
      fastest = std::max(fastest, draw::length(v[i]));
    }
    if (step > max_steps / 10 && fastest < 1e-4f) break;
  }
  return x;
}

double most_stretch(const SpringMesh& mesh, const std::vector<Vec3>& positions) {
  double max_strain = 0;
  for (const auto& [a, b] : mesh.springs)
    max_strain = std::max(
        max_strain,
        double{draw::length(positions[b] - positions[a])} / draw::length(mesh.rest[b] - mesh.rest[a]) - 1);
  return max_strain;
}

}  // namespace billow::tool
