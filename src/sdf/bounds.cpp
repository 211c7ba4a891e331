#include "sdf/bounds.h"

#include <algorithm>
#include <cmath>

namespace billow {
namespace {

constexpr float kNowhere = 1e5f * kFarAway;  // beyond any limit of a query

struct Capsule {
  V3 start, axis{0, 1, 0};
  float length = 0, radius = 0, inner = 0;
};

// A capsule about the longest half-axis a, with the second longest b as radius. It contains the ellipsoid,
// because its cap has the ellipse's largest radius of curvature beyond a - b. Of the spheres inside the
// ellipsoid that are centred on the capsule's axis, those at its ends are smallest.
Capsule capsule_around_ellipsoid(const PosedCollider& c) {
  const float half[3] = {c.collider->half.x * c.scale, c.collider->half.y * c.scale,
                         c.collider->half.z * c.scale};
  int order[3] = {0, 1, 2};
  std::sort(order, order + 3, [&](int i, int j) { return half[i] > half[j]; });
  const float a = half[order[0]], b = half[order[1]], shortest = half[order[2]], half_length = a - b;
  V3 unit{0, 0, 0};
  (order[0] == 0 ? unit.x : order[0] == 1 ? unit.y : unit.z) = 1;
  Capsule out;
  out.axis = rotate(c.transform.rotation, unit);
  out.start = c.transform.position - out.axis * half_length;
  out.length = 2 * half_length;
  out.radius = b;
  out.inner = half_length > 0
                  ? shortest * std::sqrt(1 - half_length * half_length / ((a - shortest) * (a + shortest)))
                  : shortest;
  return out;
}

Capsule capsule_around(const PosedCollider& c) {
  switch (c.collider->shape) {
    case Shape::kEllipsoid:
      return capsule_around_ellipsoid(c);
    case Shape::kSphere:
    case Shape::kCapsule:
    case Shape::kTaperedCapsule: {
      const float length = c.collider->length * c.scale;
      return {c.transform.position, c.axis, length, c.bound_radius - 0.5f * length, c.half_thickness};
    }
    case Shape::kBox:
      return {c.bound_centre, c.axis, 0, c.bound_radius, c.half_thickness};
    case Shape::kHalfSpace:
      return {c.bound_centre, c.axis, 0, c.bound_radius, 0};
    case Shape::kGrid:
    case Shape::kNeural: {
      const V3 half = c.collider->half * c.scale;
      return {c.transform.position - c.axis * half.y, c.axis, 2 * half.y,
              std::sqrt(half.x * half.x + half.z * half.z), -c.collider->max_axis_distance * c.scale};
    }
    default:  // custom: may be hollow, and counts as far away beyond its bound
      return {c.bound_centre, c.axis, 0, c.bound_radius, -kFarAway};
  }
}

bool has_slab(const PosedCollider& c) {
  return c.collider->shape == Shape::kHalfSpace || c.collider->shape == Shape::kBox;
}

// Sets the slab of collider i; of a box the one across its shortest side.
void set_slab(ColliderBounds& b, int i, const PosedCollider* c) {
  b.nx[i] = b.ny[i] = b.nz[i] = 0;
  b.bottom[i] = -kFarAway, b.top[i] = kFarAway;
  if (!c) return;
  V3 unit{0, 1, 0};
  float half = 0;
  if (c->collider->shape == Shape::kBox) {
    const V3 h = c->collider->half * c->scale;
    half = std::min(h.x, std::min(h.y, h.z));
    unit = half == h.y ? V3{0, 1, 0} : half == h.x ? V3{1, 0, 0} : V3{0, 0, 1};
  }
  const V3 n = rotate(c->transform.rotation, unit), at = c->transform.position;
  const float height = dot(n, at);
  // Far from the origin heights are rounded.
  const float margin =
      c->collider->reach * c->scale + 1e-4f + 1e-6f * (std::abs(at.x) + std::abs(at.y) + std::abs(at.z));
  b.nx[i] = n.x, b.ny[i] = n.y, b.nz[i] = n.z;
  b.top[i] = height + half + margin;
  if (c->collider->shape == Shape::kBox) b.bottom[i] = height - half - margin;
}

}  // namespace

float find_max_axis_distance(const Collider& c) {
  constexpr int kSteps = 16;
  const float step = 2 * c.half.y / kSteps;
  float max_distance = 0;
  for (int k = 0; k <= kSteps; ++k) {
    const V3x4 p = splat(V3{0, static_cast<float>(k) * step - c.half.y, 0});
    const Distance4 d = c.shape == Shape::kGrid ? grid_distance(c.grid, p) : network_distance(c.network, p);
    max_distance = std::max(max_distance, lane(d.phi, 0));
  }
  return max_distance + 0.5f * step;
}

void bound_colliders(ColliderBounds& b, const PosedCollider* colliders, int count, uint32_t groups) {
  const auto among = [&](int i) { return i < count && (groups >> colliders[i].collider->group & 1) != 0; };
  b.count = count;
  b.slabs = false;
  for (int i = 0; i < count; ++i) b.slabs |= among(i) && has_slab(colliders[i]);
  for (int i = 0; i < round_up_lanes(count); ++i) {
    Capsule c{{0, 0, 0}, {0, 1, 0}, 0, -kNowhere, -kNowhere};
    b.surface[i] = c.radius;
    b.travel[i] = 0;
    b.half_thickness[i] = kFarAway;
    if (among(i)) {
      c = capsule_around(colliders[i]);
      // Where two colliders blend, the surface is at most a quarter of the blend radius farther out.
      const float reach = colliders[i].collider->reach * colliders[i].scale;
      b.surface[i] = c.radius + 0.25f * reach;
      c.radius += reach;
      b.travel[i] = colliders[i].travel;
      b.half_thickness[i] = colliders[i].half_thickness;
    }
    if (b.slabs) set_slab(b, i, among(i) && has_slab(colliders[i]) ? &colliders[i] : nullptr);
    b.x[i] = c.start.x, b.y[i] = c.start.y, b.z[i] = c.start.z;
    b.ux[i] = c.axis.x, b.uy[i] = c.axis.y, b.uz[i] = c.axis.z;
    b.length[i] = c.length;
    b.radius[i] = c.radius;
    b.inner[i] = c.inner;
  }
}

}  // namespace billow
