#include "draw/mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace billow::draw {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

Vec3 load(std::span<const float> array, uint32_t i) {
  return {array[3 * i], array[3 * i + 1], array[3 * i + 2]};
}

void append(std::vector<float>& array, Vec3 v) { array.insert(array.end(), {v.x, v.y, v.z}); }

// A cross-section of a surface of revolution.
struct Ring {
  Vec3 centre;
  float radius;
  float normal_along, normal_out;  // components of the normal along the axis and away from it
};

Mesh revolve(std::span<const Ring> rings, Vec3 axis, int sides) {
  Mesh mesh;
  const Vec3 u = across(axis), v = cross(axis, u);
  const auto columns = static_cast<uint32_t>(sides);
  for (const Ring& ring : rings)
    for (uint32_t i = 0; i < columns; ++i) {
      const float angle = 2 * kPi * static_cast<float>(i) / static_cast<float>(sides);
      const Vec3 out = std::cos(angle) * u + std::sin(angle) * v;
      append(mesh.positions, ring.centre + ring.radius * out);
      append(mesh.normals, ring.normal_along * axis + ring.normal_out * out);
    }
  for (uint32_t r = 0; r + 1 < rings.size(); ++r)
    for (uint32_t i = 0; i < columns; ++i) {
      const uint32_t a = r * columns + i, b = r * columns + (i + 1) % columns;
      mesh.indices.insert(mesh.indices.end(), {a, b, a + columns, b, b + columns, a + columns});
    }
  return mesh;
}

}  // namespace

std::vector<float> smooth_normals(std::span<const float> positions, std::span<const uint32_t> indices) {
  std::vector<float> normals(positions.size(), 0.0f);
  // Sum the cross products, whose lengths weight by area.
  for (size_t t = 0; t + 2 < indices.size(); t += 3) {
    const Vec3 a = load(positions, indices[t]), b = load(positions, indices[t + 1]),
               c = load(positions, indices[t + 2]);
    const Vec3 n = cross(b - a, c - a);
    for (size_t k = 0; k < 3; ++k) {
      float* sum = normals.data() + 3 * indices[t + k];
      sum[0] += n.x, sum[1] += n.y, sum[2] += n.z;
    }
  }
  for (uint32_t i = 0; 3 * i < normals.size(); ++i) {
    const Vec3 n = normalised(load(normals, i));
    normals[3 * i] = n.x, normals[3 * i + 1] = n.y, normals[3 * i + 2] = n.z;
  }
  return normals;
}

Mesh sphere_mesh(Vec3 centre, float radius, int sides) {
  return capsule_mesh(centre, centre, radius, radius, sides);
}

Mesh capsule_mesh(Vec3 a, Vec3 b, float radius_a, float radius_b, int sides) {
  sides = std::max(3, sides);
  const float distance = length(b - a), difference = radius_b - radius_a;
  if (distance <= std::fabs(difference)) {
    // One sphere contains the other: keep the larger.
    (difference > 0 ? a : b) = difference > 0 ? b : a;
    radius_a = radius_b = std::max(radius_a, radius_b);
  }
  const Vec3 axis = length(b - a) > 0 ? normalised(b - a) : Vec3{0, 1, 0};
  // The cone between the caps is tangent to both spheres where the normal leans back by this angle.
  const float lean =
      length(b - a) > 0 ? std::asin(std::clamp((radius_b - radius_a) / distance, -1.0f, 1.0f)) : 0;
  const int half = std::max(2, sides / 4);
  std::vector<Ring> rings;
  const auto add_cap = [&](Vec3 centre, float radius, float from, float to) {
    for (int i = 0; i <= half; ++i) {
      const float angle = from + (to - from) * static_cast<float>(i) / static_cast<float>(half);
      const float along = std::sin(angle), out = std::cos(angle);
      rings.push_back({centre + radius * along * axis, radius * out, along, out});
    }
  };
  add_cap(a, radius_a, -kPi / 2, -lean);
  add_cap(b, radius_b, -lean, kPi / 2);
  return revolve(rings, axis, sides);
}

Mesh ellipsoid_mesh(Vec3 centre, const Vec3 axes[3], Vec3 half_extents, int sides) {
  Mesh mesh = sphere_mesh({}, 1, sides);
  for (uint32_t i = 0; 3 * i < mesh.positions.size(); ++i) {
    const Vec3 p = load(mesh.positions, i);
    const Vec3 moved = centre + (half_extents.x * p.x) * axes[0] + (half_extents.y * p.y) * axes[1] +
                       (half_extents.z * p.z) * axes[2];
    const Vec3 n = normalised((p.x / half_extents.x) * axes[0] + (p.y / half_extents.y) * axes[1] +
                              (p.z / half_extents.z) * axes[2]);
    float *position = mesh.positions.data() + 3 * i, *normal = mesh.normals.data() + 3 * i;
    position[0] = moved.x, position[1] = moved.y, position[2] = moved.z;
    normal[0] = n.x, normal[1] = n.y, normal[2] = n.z;
  }
  return mesh;
}

Mesh box_mesh(Vec3 centre, const Vec3 axes[3], Vec3 half_extents) {
  Mesh mesh;
  const Vec3 side[3] = {half_extents.x * axes[0], half_extents.y * axes[1], half_extents.z * axes[2]};
  for (int k = 0; k < 3; ++k)
    for (float sign : {-1.0f, 1.0f}) {
      const Vec3 out = sign * side[k], u = side[(k + 1) % 3], v = side[(k + 2) % 3];
      const auto first = static_cast<uint32_t>(mesh.positions.size() / 3);
      for (Vec3 corner : {out - u - v, out + u - v, out + u + v, out - u + v}) {
        append(mesh.positions, centre + corner);
        append(mesh.normals, normalised(out));
      }
      mesh.indices.insert(mesh.indices.end(), {first, first + 1, first + 2, first, first + 2, first + 3});
    }
  return mesh;
}

Mesh rounded_box_mesh(Vec3 centre, const Vec3 axes[3], Vec3 half_extents, float radius, int sides) {
  // Move the octants of a sphere apart; the triangles between two of them become edges and faces.
  Mesh mesh = sphere_mesh({}, 1, sides);
  const auto stretched = [radius](float direction, float half) {
    const float side = std::fabs(direction) < 1e-4f ? 0.0f : std::copysign(1.0f, direction);
    return side * (half - radius) + direction * radius;
  };
  for (uint32_t i = 0; 3 * i < mesh.positions.size(); ++i) {
    const Vec3 d = load(mesh.positions, i);
    const Vec3 p = centre + stretched(d.x, half_extents.x) * axes[0] +
                   stretched(d.y, half_extents.y) * axes[1] + stretched(d.z, half_extents.z) * axes[2];
    const Vec3 n = d.x * axes[0] + d.y * axes[1] + d.z * axes[2];
    float *position = mesh.positions.data() + 3 * i, *normal = mesh.normals.data() + 3 * i;
    position[0] = p.x, position[1] = p.y, position[2] = p.z;
    normal[0] = n.x, normal[1] = n.y, normal[2] = n.z;
  }
  return mesh;
}

}  // namespace billow::draw
