#include "sdf/query_points.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace billow {
namespace {

constexpr int kWidth = kLanesOf<F8>;
constexpr size_t kBlock = kQueryGroups * kWidth;  // points
static_assert(kQueryGroups == kLanes, "one lane a group, below");

// A block of points as rows, and spheres round each group and round all of them.
struct Block {
  Vec3<F8> p[kQueryGroups];
  V3x4 centres;
  F4 radii;
  V3 centre{0, 0, 0};
  float reach = 0;
};

float horizontal_sum(F8 a) {
  float v[kLanes];
  store(v, a.low + a.high);
  return (v[0] + v[1]) + (v[2] + v[3]);
}

float horizontal_max(F8 a) { return horizontal_max(max(a.low, a.high)); }

Block load_block(const float* points) {
  Block b;
  float x[kQueryGroups], y[kQueryGroups], z[kQueryGroups], radius[kQueryGroups];
  for (size_t g = 0; g < kQueryGroups; ++g) {
    const float* from = points + 3 * kWidth * g;
    Vec3<F8>& p = b.p[g];
    load_points(from, p.x.low, p.y.low, p.z.low);
    load_points(from + 3 * kLanes, p.x.high, p.y.high, p.z.high);
    x[g] = horizontal_sum(b.p[g].x) * (1.0f / kWidth);
    y[g] = horizontal_sum(b.p[g].y) * (1.0f / kWidth);
    z[g] = horizontal_sum(b.p[g].z) * (1.0f / kWidth);
    b.centre += V3{x[g], y[g], z[g]} * (1.0f / kQueryGroups);
  }
  for (size_t g = 0; g < kQueryGroups; ++g) {
    const Vec3<F8> from_group = b.p[g] - lanes<F8>(V3{x[g], y[g], z[g]}),
                   from_all = b.p[g] - lanes<F8>(b.centre);
    radius[g] = horizontal_max(dot(from_group, from_group));
    b.reach = std::max(b.reach, horizontal_max(dot(from_all, from_all)));
  }
  b.centres = {load(x), load(y), load(z)};
  b.radii = sqrt(load(radius));
  b.reach = std::sqrt(b.reach);
  return b;
}

// A distance that no point within `radius` of a middle exceeds, if the middle is `within` of the surface; a
// little more, for rounding: of coordinates as well, however near the surface is, and of iterations.
F4 limit_of(F4 within, F4 radius) {
  const F4 limit = within + radius;
  return limit + (1e-5f * (abs(within) + radius) + 1e-4f);
}

// The colliders that can be nearest to a point of the block.
int find_candidates(const ColliderBounds& bounds, const Block& block, float limit, uint8_t* numbers) {
  float apart[kMaxColliders];
  F4 within = splat(kFarAway);
  for (int i = 0; i < bounds.count; i += kLanes) {
    const F4 from_axis = distance_from_axes(bounds, i, block.centre);
    within = min(within, from_axis - load(bounds.inner + i));
    store(apart + i, from_axis - load(bounds.radius + i));
  }
  const F4 most = min(limit_of(splat(-horizontal_max(-within)), splat(2 * block.reach)),
                      limit_of(splat(limit), splat(block.reach)));
  int count = 0;
  for (int i = 0; i < bounds.count; i += kLanes)
    for (unsigned wanted = static_cast<unsigned>(bits(load(apart + i) <= most)); wanted;
         wanted &= wanted - 1) {
      const int at = i + std::countr_zero(wanted);
      if (at < bounds.count) numbers[count++] = static_cast<uint8_t>(at);
    }
  return count;
}

// Of those, which can be nearest to which group, and a distance that no point of it exceeds.
void find_wanted(const ColliderBounds& bounds, const Block& block, const Obstacles& obstacles, float limit,
                 uint32_t* wanted, F8* limits) {
  F4 from_axis[kMaxColliders], within = splat(kFarAway);
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k];
    const V3x4 axis = splat(V3{bounds.ux[i], bounds.uy[i], bounds.uz[i]});
    const V3x4 w = block.centres - splat(V3{bounds.x[i], bounds.y[i], bounds.z[i]});
    const V3x4 d = w - axis * clamp(dot(w, axis), 0.0f, bounds.length[i]);
    from_axis[k] = sqrt(dot(d, d));
    within = min(within, from_axis[k] - bounds.inner[i]);
  }
  float own_limit[kQueryGroups];
  store(own_limit, min(limit_of(within, block.radii), splat(limit)));
  for (int g = 0; g < kQueryGroups; ++g) limits[g] = lanes<F8>(own_limit[g]);
  const F4 most = min(limit_of(within, 2.0f * block.radii), limit_of(splat(limit), block.radii));
  for (int k = 0; k < obstacles.count; ++k)
    wanted[k] = static_cast<uint32_t>(bits(from_axis[k] - bounds.radius[obstacles.numbers[k]] <= most));
}

// Nothing is wanted for groups that are beyond the limit of everything: most of those that come near enough to be asked about.
void drop_far_groups(const Block& block, const Obstacles& obstacles, float limit, uint32_t* wanted) {
  // Where two colliders merge, the surface is a quarter of their blend's radius nearer than either.
  uint32_t near = 0;
  for (int k = 0; k < obstacles.count; ++k) {
    const PosedCollider& c = obstacles.colliders[obstacles.numbers[k]];
    const float reach = limit + 0.25f * c.collider->reach * c.scale;
    for (uint32_t groups = wanted[k] & ~near; groups; groups &= groups - 1) {
      const int g = std::countr_zero(groups);
      if (any(least_distance_to(c, block.p[g]) < reach)) near |= 1u << g;
    }
  }
  for (int k = 0; k < obstacles.count; ++k) wanted[k] &= near;
}

// All of a block. The pointers are to results of the block's first point; `gradients` and `nearest` may be NULL.
void query_block(const PosedCollider* colliders, const ColliderBounds& bounds, const float* points,
                 float limit, float* distances, float* gradients, int32_t* nearest) {
  uint8_t numbers[kMaxColliders];
  uint32_t wanted[kMaxColliders];
  F8 limits[kQueryGroups];
  Nearest<F8> found[kQueryGroups];
  const Block block = load_block(points);
  const Obstacles obstacles{colliders, numbers, find_candidates(bounds, block, limit, numbers)};
  find_wanted(bounds, block, obstacles, limit, wanted, limits);
  drop_far_groups(block, obstacles, limit, wanted);
  nearest_surfaces(obstacles, wanted, block.p, limits, found);
  for (int g = 0; g < kQueryGroups; ++g) {
    const Nearest<F8>& near = found[g];
    store(distances + kWidth * g, near.phi);
    if (gradients) {
      const Vec3<F8>& n = near.gradient;
      store_points(gradients + 3 * kWidth * g, n.x.low, n.y.low, n.z.low);
      store_points(gradients + 3 * kWidth * g + 3 * kLanes, n.x.high, n.y.high, n.z.high);
    }
    if (nearest) {
      float names[kWidth];
      store(names, near.first);
      for (int k = 0; k < kWidth; ++k) nearest[kWidth * g + k] = static_cast<int32_t>(names[k]);
    }
  }
}

}  // namespace

void query_points(const PosedCollider* colliders, const ColliderBounds& bounds, const float* points,
                  size_t count, float limit, float* distances, float* gradients, int32_t* nearest) {
  size_t at = 0;
  for (; at + kBlock <= count; at += kBlock)
    query_block(colliders, bounds, points + 3 * at, limit, distances + at,
                gradients ? gradients + 3 * at : nullptr, nearest ? nearest + at : nullptr);
  if (at == count) return;
  // What is left, filled up with its last point.
  float some[3 * kBlock], phi[kBlock], gradient[3 * kBlock];
  int32_t names[kBlock];
  const size_t left = count - at;
  for (size_t i = 0; i < kBlock; ++i) std::copy_n(points + 3 * (at + std::min(i, left - 1)), 3, some + 3 * i);
  query_block(colliders, bounds, some, limit, phi, gradient, names);
  std::copy_n(phi, left, distances + at);
  if (gradients) std::copy_n(gradient, 3 * left, gradients + 3 * at);
  if (nearest) std::copy_n(names, left, nearest + at);
}

}  // namespace billow
