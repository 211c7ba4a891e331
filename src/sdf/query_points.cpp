#include "sdf/query_points.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sdf/approach.h"

namespace billow {
namespace {

constexpr size_t kWidth = kLanesOf<F8>;
static_assert(kQueryGroups == kLanes && kQueryBlocks == kLanes, "one lane a group or block, below");

// Sums of the lanes of four groups.
F4 sums_across(F4 a, F4 b, F4 c, F4 d) {
  transpose(a, b, c, d);
  return (a + b) + (c + d);
}
F4 largest_across(F4 a, F4 b, F4 c, F4 d) {
  transpose(a, b, c, d);
  return larger(larger(a, b), larger(c, d));
}

// Four spheres, and one round all of them.
struct Spheres {
  V3x4 centres;
  F4 radii;
  V3 centre;
  float reach;
};

Spheres round_all(V3x4 centres, F4 radii) {
  float x[kLanes], y[kLanes], z[kLanes];
  store(x, centres.x), store(y, centres.y), store(z, centres.z);
  const V3 sum{(x[0] + x[1]) + (x[2] + x[3]), (y[0] + y[1]) + (y[2] + y[3]), (z[0] + z[1]) + (z[2] + z[3])};
  const V3 centre = sum * (1.0f / kLanes);
  return {centres, radii, centre, horizontal_max(length(centres - splat(centre)) + radii)};
}

// Round the groups of a block.
Spheres round_groups(const PointBlock& block) {
  const auto mean = [&](F8 Vec3<F8>::*coordinate) {
    F4 sum[kQueryGroups];
    for (int g = 0; g < kQueryGroups; ++g) {
      const F8& x = block.p[g].*coordinate;
      sum[g] = x.low + x.high;
    }
    return sums_across(sum[0], sum[1], sum[2], sum[3]) * (1.0f / kWidth);
  };
  const V3x4 centres{mean(&Vec3<F8>::x), mean(&Vec3<F8>::y), mean(&Vec3<F8>::z)};
  float x[kQueryGroups], y[kQueryGroups], z[kQueryGroups];
  store(x, centres.x), store(y, centres.y), store(z, centres.z);
  F4 square[kQueryGroups];
  for (int g = 0; g < kQueryGroups; ++g) {
    const Vec3<F8> from = block.p[g] - lanes<F8>(V3{x[g], y[g], z[g]});
    const F8 l2 = dot(from, from);
    square[g] = larger(l2.low, l2.high);
  }
  return round_all(centres, sqrt(largest_across(square[0], square[1], square[2], square[3])));
}

// Round some blocks; those that are not there are as the last one is.
Spheres round_blocks(const Spheres* blocks, int count) {
  float x[kQueryBlocks], y[kQueryBlocks], z[kQueryBlocks], r[kQueryBlocks];
  for (int b = 0; b < kQueryBlocks; ++b) {
    const Spheres& s = blocks[std::min(b, count - 1)];
    x[b] = s.centre.x, y[b] = s.centre.y, z[b] = s.centre.z, r[b] = s.reach;
  }
  return round_all({load(x), load(y), load(z)}, load(r));
}

// A distance that no point within `radius` of a middle exceeds, if the middle is `within` of the surface; a
// little more, for rounding: of coordinates as well, however near the surface is, and of iterations.
F4 limit_of(F4 within, F4 radius) {
  const F4 limit = within + radius;
  return limit + (1e-5f * (abs(within) + radius) + 1e-4f);
}

// The colliders that can be nearest to a point of some blocks; none if all are beyond the limit.
int find_candidates(const ColliderBounds& bounds, const Spheres& blocks, float limit, uint8_t* numbers) {
  float apart[kMaxColliders];
  const F4 reach = limit_of(splat(limit), splat(blocks.reach));
  F4 within = splat(kFarAway);
  M4 near = none();
  for (int i = 0; i < bounds.count; i += kLanes) {
    const F4 from_axis = distance_from_axes(bounds, i, blocks.centre);
    near = near | (from_axis - load(bounds.surface + i) <= reach);
    within = min(within, from_axis - load(bounds.inner + i));
    store(apart + i, from_axis - load(bounds.radius + i));
  }
  if (!any(near)) return 0;
  const F4 most = min(limit_of(splat(-horizontal_max(-within)), splat(2 * blocks.reach)), reach);
  int count = 0;
  for (int i = 0; i < bounds.count; i += kLanes)
    for (unsigned wanted = static_cast<unsigned>(bits(load(apart + i) <= most)); wanted;
         wanted &= wanted - 1) {
      const int at = i + std::countr_zero(wanted);
      if (at < bounds.count) numbers[count++] = static_cast<uint8_t>(at);
    }
  return count;
}

// Of those, which can be nearest to which block, one bit each. The blocks that are not beyond the limit.
uint32_t share_out(const ColliderBounds& bounds, const Spheres& blocks, const Obstacles& candidates,
                   float limit, uint32_t* wanted) {
  const F4 reach = limit_of(splat(limit), blocks.radii);
  F4 apart[kMaxColliders], within = splat(kFarAway);
  M4 near = none();
  for (int k = 0; k < candidates.count; ++k) {
    const int i = candidates.numbers[k];
    const F4 from_axis = distance_from_axis(bounds, i, blocks.centres);
    near = near | (from_axis - bounds.surface[i] <= reach);
    within = min(within, from_axis - bounds.inner[i]);
    apart[k] = from_axis - bounds.radius[i];
  }
  const F4 most = min(limit_of(within, 2.0f * blocks.radii), reach);
  for (int k = 0; k < candidates.count; ++k) wanted[k] = static_cast<uint32_t>(bits(apart[k] <= most));
  return static_cast<uint32_t>(bits(near));
}

// How far the points of each group lie against a direction of its own, at most, seen from its centre.
F4 farthest_against(V3x4 direction, const Vec3<F8>* from) {
  float x[kQueryGroups], y[kQueryGroups], z[kQueryGroups];
  store(x, -direction.x), store(y, -direction.y), store(z, -direction.z);
  F4 against[kQueryGroups];
  for (int g = 0; g < kQueryGroups; ++g) {
    const F8 along = dot(from[g], lanes<F8>(V3{x[g], y[g], z[g]}));
    against[g] = larger(along.low, along.high);
  }
  return largest_across(against[0], against[1], against[2], against[3]);
}

// No more than the distances of the points of each group from a collider that is no more than `bound` from the centre; convex, and
// behind a plane of this normal that is so far away. Cloth that lies along a limb is hardly nearer to it than its centre is,
// however far it spreads.
template <class Normal>
F4 least_behind_plane(F4 bound, const Spheres& groups, const Vec3<F8>* from, float of_interest, Normal normal) {
  const F4 anywhere = bound - groups.radii;
  if (!any(anywhere <= of_interest)) return anywhere;
  return select(bound > 0.0f, bound - farthest_against(normal(), from), anywhere);
}

// Of those, which can be nearest to which group, and a distance that no point of it exceeds. The groups that are not beyond the limit.
uint32_t find_wanted(const ColliderBounds& bounds, const Spheres& spheres, const PointBlock& block,
                     const Obstacles& obstacles, float limit, uint32_t* wanted, F8* limits) {
  const float farthest = limit + 1e-5f * limit + 2e-4f;
  Vec3<F8> from[kQueryGroups];
  float x[kQueryGroups], y[kQueryGroups], z[kQueryGroups];
  store(x, spheres.centres.x), store(y, spheres.centres.y), store(z, spheres.centres.z);
  for (int g = 0; g < kQueryGroups; ++g) from[g] = block.p[g] - lanes<F8>(V3{x[g], y[g], z[g]});
  F4 least[kMaxColliders], within = splat(kFarAway);
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k];
    const PosedCollider& c = obstacles.colliders[i];
    const float of_interest = farthest + c.collider->reach * c.scale;
    if (c.collider->is_round()) {
      const CapsuleDistance<F4> d = to_capsule(c, spheres.centres);
      within = min(within, d.phi);
      least[k] = least_behind_plane(d.phi, spheres, from, of_interest, [&] {
        return capsule_gradient(d, spheres.centres, c.transform.position, c.axis);
      });
    } else {
      const Approach<F4> a = approach(c, spheres.centres);
      within = min(within, distance_from_axis(bounds, i, spheres.centres) - bounds.inner[i]);
      least[k] = c.collider->shape == Shape::kEllipsoid
                     ? least_behind_plane(a.bound, spheres, from, of_interest,
                                          [&] { return rotate_by(c.rotation, a.normal); })
                     : a.bound - spheres.radii;
    }
  }
  const F4 own_limit = limit_of(within, spheres.radii), most = min(own_limit, splat(farthest));
  // Near enough alone, or merged with an earlier one: that rises with both, so bounds bound it.
  M4 alone[kMaxColliders], together[kMaxColliders], near = none();
  for (int k = 0; k < obstacles.count; ++k) {
    alone[k] = least[k] <= most;
    together[k] = none();
    near = near | alone[k];
    const PosedCollider& c = obstacles.colliders[obstacles.numbers[k]];
    const int other = partner_of(obstacles, k);
    if (other < 0) continue;
    const float radius = c.collider->blend_radius * c.scale;
    M4 merge = smooth_min(least[k], least[other], radius) <= most;
    near = near | merge;
    // Of what is near, all that it may merge with.
    M4 both = merge & (min(least[k], least[other]) > most);
    together[k] = together[k] | both | (alone[other] & (least[k] <= most + radius));
    together[other] = together[other] | both | (alone[k] & (least[other] <= most + radius));
  }
  if (!any(near)) return 0;
  for (int k = 0; k < obstacles.count; ++k) wanted[k] = static_cast<uint32_t>(bits(alone[k] | together[k]));
  float each[kQueryGroups];
  store(each, min(own_limit, splat(limit)));
  for (int g = 0; g < kQueryGroups; ++g) limits[g] = lanes<F8>(each[g]);
  return static_cast<uint32_t>(bits(near));
}

// One block, of which some colliders may be near. The groups that are not beyond the limit.
uint32_t query_block(const ColliderBounds& bounds, const Obstacles& obstacles, const PointBlock& block,
                     const Spheres& groups, float limit, Nearest<F8>* found) {
  uint32_t wanted[kMaxColliders];
  F8 limits[kQueryGroups];
  const uint32_t near = find_wanted(bounds, groups, block, obstacles, limit, wanted, limits);
  if (near) nearest_surfaces(obstacles, wanted, block.p, limits, found);
  return near;
}

// Up to kQueryBlocks whole blocks of points x y z. The pointers are to results of the first; `gradients` and `nearest` may be NULL.
void query_rows(const PosedCollider* colliders, const ColliderBounds& bounds, const float* points,
                size_t blocks, float limit, float* distances, float* gradients, int32_t* nearest) {
  PointBlock rows[kQueryBlocks] = {};
  Nearest<F8> found[kQueryBlocks * kQueryGroups];
  for (size_t b = 0; b < blocks; ++b)
    for (Vec3<F8>& p : rows[b].p) {
      load_points(points, p.x.low, p.y.low, p.z.low);
      load_points(points + 3 * kLanes, p.x.high, p.y.high, p.z.high);
      points += 3 * kWidth;
    }
  const uint32_t near = query_blocks(colliders, bounds, rows, static_cast<int>(blocks), limit, found);
  for (size_t g = 0; g < blocks * kQueryGroups; ++g) {
    const bool far = !(near >> g & 1);
    store(distances + kWidth * g, far ? lanes<F8>(limit) : found[g].phi);
    if (gradients) {
      const Vec3<F8> n = far ? lanes<F8>(V3{0, 1, 0}) : found[g].gradient;
      store_points(gradients + 3 * kWidth * g, n.x.low, n.y.low, n.z.low);
      store_points(gradients + 3 * kWidth * g + 3 * kLanes, n.x.high, n.y.high, n.z.high);
    }
    if (nearest) {
      float names[kWidth];
      store(names, far ? lanes<F8>(-1.0f) : found[g].first);
      for (size_t k = 0; k < kWidth; ++k) nearest[kWidth * g + k] = static_cast<int32_t>(names[k]);
    }
  }
}

}  // namespace

uint32_t query_blocks(const PosedCollider* colliders, const ColliderBounds& bounds, const PointBlock* blocks,
                      int count, float limit, Nearest<F8>* found) {
  Spheres groups[kQueryBlocks];
  for (int b = 0; b < count; ++b) groups[b] = round_groups(blocks[b]);
  const Spheres all = round_blocks(groups, count);
  uint8_t numbers[kMaxColliders], own[kMaxColliders];
  uint32_t wanted[kMaxColliders], near = 0;
  const Obstacles candidates{colliders, numbers, find_candidates(bounds, all, limit, numbers)};
  if (candidates.count == 0) return 0;
  const uint32_t near_blocks = share_out(bounds, all, candidates, limit, wanted);
  for_each_group(near_blocks & ((1u << count) - 1), [&](int b) {
    Obstacles obstacles{colliders, own, 0};
    for (int k = 0; k < candidates.count; ++k) {
      own[obstacles.count] = numbers[k];
      obstacles.count += static_cast<int>(wanted[k] >> b & 1);
    }
    const int at = b * kQueryGroups;
    near |= query_block(bounds, obstacles, blocks[b], groups[b], limit, found + at) << at;
  });
  return near;
}

void query_points(const PosedCollider* colliders, const ColliderBounds& bounds, const float* points,
                  size_t count, float limit, float* distances, float* gradients, int32_t* nearest) {
  size_t at = 0;
  for (size_t blocks; (blocks = std::min<size_t>((count - at) / kPointBlock, kQueryBlocks)) > 0;
       at += blocks * kPointBlock)
    query_rows(colliders, bounds, points + 3 * at, blocks, limit, distances + at,
               gradients ? gradients + 3 * at : nullptr, nearest ? nearest + at : nullptr);
  if (at == count) return;
  // What is left, filled up with its last point.
  float some[3 * kPointBlock], phi[kPointBlock], gradient[3 * kPointBlock];
  int32_t names[kPointBlock];
  const size_t left = count - at;
  for (size_t i = 0; i < kPointBlock; ++i)
    std::copy_n(points + 3 * (at + std::min(i, left - 1)), 3, some + 3 * i);
  query_rows(colliders, bounds, some, 1, limit, phi, gradient, names);
  std::copy_n(phi, left, distances + at);
  if (gradients) std::copy_n(gradient, 3 * left, gradients + 3 * at);
  if (nearest) std::copy_n(names, left, nearest + at);
}

}  // namespace billow
