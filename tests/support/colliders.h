// Colliders, transforms and bodies for tests, on the C API alone.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <vector>

#include "support/random.h"

namespace billow::testing {

inline void copy(const Vector& from, float* to) {
  for (size_t k = 0; k < 3; ++k) to[k] = static_cast<float>(from[k]);
}
inline void copy(const std::array<double, 4>& from, float* to) {
  for (size_t k = 0; k < 4; ++k) to[k] = static_cast<float>(from[k]);
}

inline billow_transform at(const Vector& position, const std::array<double, 4>& rotation = {0, 0, 0, 1}) {
  billow_transform t;
  copy(position, t.position);
  copy(rotation, t.rotation);
  return t;
}
// Rotation about the y axis.
inline std::array<double, 4> about_y(double angle) {
  return {0, std::sin(0.5 * angle), 0, std::cos(0.5 * angle)};
}
inline std::array<double, 4> about_x(double angle) {
  return {std::sin(0.5 * angle), 0, 0, std::cos(0.5 * angle)};
}

inline billow_collider sphere(const Vector& centre, double radius) {
  billow_collider c = billow_collider_default();
  copy(centre, c.position);
  c.radius = static_cast<float>(radius);
  return c;
}
inline billow_collider tapered_capsule(const Vector& from, const Vector& to, double radius,
                                       double radius_end) {
  billow_collider c = sphere(from, radius);
  c.shape = BILLOW_SHAPE_TAPERED_CAPSULE;
  copy(to, c.end);
  c.radius_end = static_cast<float>(radius_end);
  return c;
}
inline billow_collider capsule(const Vector& from, const Vector& to, double radius) {
  billow_collider c = tapered_capsule(from, to, radius, radius);
  c.shape = BILLOW_SHAPE_CAPSULE;
  return c;
}
inline billow_collider box(const Vector& centre, const Vector& half, double radius = 0) {
  billow_collider c = sphere(centre, radius);
  c.shape = BILLOW_SHAPE_BOX;
  copy(half, c.half_extents);
  return c;
}
inline billow_collider ellipsoid(const Vector& centre, const Vector& half) {
  billow_collider c = box(centre, half);
  c.shape = BILLOW_SHAPE_ELLIPSOID;
  return c;
}
inline billow_collider half_space(const Vector& point, const std::array<double, 4>& rotation = {0, 0, 0, 1}) {
  billow_collider c = sphere(point, 1);
  c.shape = BILLOW_SHAPE_HALF_SPACE;
  copy(rotation, c.rotation);
  return c;
}

// A random solid shape of 0.05 to 0.3 m within `spread` of the origin.
inline billow_collider random_collider(Random& random, double spread) {
  const auto size = [&] { return random.uniform(0.05, 0.3); };
  const Vector centre = random.in_box(spread), far_end = centre + random.direction() * (0.2 + size());
  billow_collider c;
  switch (random.bits() % 5) {
    case 0:
      c = sphere(centre, size());
      break;
    case 1:
      c = capsule(centre, far_end, size());
      break;
    case 2:
      c = tapered_capsule(centre, far_end, size(), size());
      break;
    case 3:
      c = box(centre, {{size(), size(), size()}}, 0.04);
      break;
    default:
      c = ellipsoid(centre, {{size(), size(), size()}});
      break;
  }
  copy(random.rotation(), c.rotation);
  return c;
}

struct DestroyBody {
  void operator()(billow_body* body) const { billow_body_destroy(body); }
};
using BodyHandle = std::unique_ptr<billow_body, DestroyBody>;

// Null if the colliders are refused; billow_last_error() has the reason.
inline BodyHandle make_body(const std::vector<billow_collider>& colliders,
                            const std::vector<billow_transform>& joint_rest = {at({})}) {
  billow_body_desc desc{};
  desc.colliders = colliders.data();
  desc.collider_count = static_cast<uint32_t>(colliders.size());
  desc.joint_rest = joint_rest.data();
  desc.joint_count = static_cast<uint32_t>(joint_rest.size());
  billow_body* body = nullptr;
  billow_body_create(&desc, &body);
  return BodyHandle(body);
}

struct QueryResult {
  float distance;
  Vector gradient;
  int32_t collider;
};
inline QueryResult query(const BodyHandle& body, const Vector& p) {
  float point[3], gradient[3];
  copy(p, point);
  QueryResult out{};
  billow_body_query(body.get(), BILLOW_ALL_GROUPS, point, 1, BILLOW_NO_LIMIT, &out.distance, gradient,
                    &out.collider);
  out.gradient = vector_at(gradient, 0);
  return out;
}

}  // namespace billow::testing
