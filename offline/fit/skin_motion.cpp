#include "fit/skin_motion.h"

#include <array>
#include <cmath>

namespace billow::fit {
namespace {

std::vector<Transform> relative_to_rest(const body::Skin& skin, std::span<const Transform> joints) {
  std::vector<Transform> motions;
  for (size_t j = 0; j < joints.size(); ++j) motions.push_back(joints[j] * inverse(skin.joint_rest[j]));
  return motions;
}

std::vector<V3> posed_vertices(const body::Skin& skin, std::span<const Transform> joints) {
  std::vector<V3> out(skin.mesh.positions.size());
  body::skin_vertices(skin, joints, out);
  return out;
}

std::array<float, 3> barycentric_coordinates(V3 p, V3 a, V3 b, V3 c) {
  const V3 n = cross(b - a, c - a);
  const float area2 = dot(n, n);
  if (!(area2 > 0)) return {1, 0, 0};
  const float u = dot(cross(c - b, p - b), n) / area2, v = dot(cross(a - c, p - c), n) / area2;
  return {u, v, 1 - u - v};
}

// An affine map, stored as the images of the axes and of the origin.
struct Affine {
  V3 x{0, 0, 0}, y{0, 0, 0}, z{0, 0, 0}, origin{0, 0, 0};

  void add(const Transform& t, float weight) {
    x += rotate(t.rotation, {1, 0, 0}) * weight;
    y += rotate(t.rotation, {0, 1, 0}) * weight;
    z += rotate(t.rotation, {0, 0, 1}) * weight;
    origin += t.position * weight;
  }
  V3 apply(V3 p) const { return x * p.x + y * p.y + z * p.z + origin; }
  V3 apply_inverse(V3 p) const {
    const V3 d = p - origin, yz = cross(y, z);
    const float volume = dot(x, yz);
    return V3{dot(d, yz), dot(d, cross(z, x)), dot(d, cross(x, y))} * (1 / volume);
  }
};

}  // namespace

SkinMotion::Pose::Pose(const body::Skin& skin, std::span<const Transform> joints)
    : motions(relative_to_rest(skin, joints)),
      vertices(posed_vertices(skin, joints)),
      tree(vertices, skin.mesh.triangles) {}

SkinMotion::SkinMotion(const body::Skin& skin, std::span<const Transform> before,
                       std::span<const Transform> now)
    : skin_(skin), before_(skin, before), now_(skin, now) {}

V3 SkinMotion::follow(const Pose& from, const Pose& to, V3 x) const {
  const body::TriangleTree::Nearest nearest = from.tree.nearest(x);
  const body::Triangle& t = skin_.mesh.triangles[nearest.triangle];
  const auto barycentric =
      barycentric_coordinates(nearest.point, from.vertices[t[0]], from.vertices[t[1]], from.vertices[t[2]]);
  Affine from_rest, to_next;
  for (size_t corner = 0; corner < 3; ++corner)
    for (size_t k = 0; k < body::kJointsPerVertex; ++k) {
      const float weight = barycentric[corner] * skin_.weights[t[corner]][k];
      if (weight == 0) continue;
      const uint32_t joint = skin_.joints[t[corner]][k];
      from_rest.add(from.motions[joint], weight);
      to_next.add(to.motions[joint], weight);
    }
  return to_next.apply(from_rest.apply_inverse(x));
}

V3 SkinMotion::carried(V3 x) const { return follow(before_, now_, x); }

V3 SkinMotion::velocity(V3 x, float dt) const { return (x - follow(now_, before_, x)) * (1 / dt); }

}  // namespace billow::fit
