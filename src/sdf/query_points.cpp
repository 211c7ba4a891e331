#include "sdf/query_points.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/wide.h"
#include "sdf/distance_bound.h"

namespace billow {
namespace {

constexpr size_t kWidth = kLanesOf<F8>;
static_assert(kQueryGroups == kLanes && kQueryBlocks == kLanes, "one lane per group or block, below");

// Axis-aligned: x y z, the fourth lane is undefined.
struct Box {
  F4 low, high;
};

Box union_of(const Box& a, const Box& b) { return {fast_min(a.low, b.low), fast_max(a.high, b.high)}; }

// Bounding box of a group of points. Each load reads one float too many.
Box bounding_box(const float* points, const uint32_t* indices) {
  const auto point = [&](size_t k) { return load(points + 3 * size_t{indices[k]}); };
  Box box{point(0), point(0)};
#pragma GCC unroll 8
  for (size_t k = 1; k < kWidth; ++k) box = union_of(box, {point(k), point(k)});
  return box;
}

// Bounding spheres of four boxes.
struct Spheres {
  V3x4 centres;
  F4 radii;
};

Spheres bounding_spheres(const Box* four) {
  F4 x[kLanes], half[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    x[k] = (four[k].low + four[k].high) * 0.5f;
    half[k] = (four[k].high - four[k].low) * 0.5f;
  }
  transpose(x[0], x[1], x[2], x[3]);
  transpose(half[0], half[1], half[2], half[3]);
  return {{x[0], x[1], x[2]}, length(V3x4{half[0], half[1], half[2]})};
}

struct Sphere {
  V3 centre;
  float radius;
};

Sphere bounding_sphere(const Box& box) {
  float low[kLanes], high[kLanes];
  store(low, box.low), store(high, box.high);
  const V3 a{low[0], low[1], low[2]}, b{high[0], high[1], high[2]};
  return {(a + b) * 0.5f, length(b - a) * 0.5f};
}

// Here, too, each load reads one float too many.
V3x4 load_four(const float* points, const uint32_t* indices) {
  const auto point = [&](int k) { return load(points + 3 * size_t{indices[k]}); };
  F4 a = point(0), b = point(1), c = point(2), d = point(3);
  transpose(a, b, c, d);
  return {a, b, c};
}

void load_block(const float* points, const uint32_t* indices, PointBlock& block) {
  for (Vec3<F8>& p : block.p) {
    const V3x4 low = load_four(points, indices), high = load_four(points, indices + kLanes);
    p = {{low.x, high.x}, {low.y, high.y}, {low.z, high.z}};
    indices += kWidth;
  }
}

// Upper bound of the distance of points within `radius` of a centre whose distance is at most `within`. Plus
// a margin for the rounding of coordinates, which does not shrink with the distance, and of iterations.
F4 limit_of(F4 within, F4 radius) {
  const F4 limit = within + radius;
  return limit + (1e-5f * (abs(within) + radius) + 1e-4f);
}

// Broad phase: the colliders that can be nearest to a point of the blocks. None if all points are beyond the
// limit.
int find_candidates(const ColliderBounds& bounds, const Sphere& blocks, float limit, uint8_t* indices) {
  float apart[kMaxColliders];
  const F4 reach = limit_of(splat(limit), splat(blocks.radius));
  F4 within = splat(kFarAway);
  M4 near = none();
  for (int i = 0; i < bounds.count; i += kLanes) {
    const F4 from_axis = distance_from_axes(bounds, i, blocks.centre);
    const F4 from_slab = distance_from_slabs(bounds, i, blocks.centre);
    near = near | (max(from_axis - load(bounds.surface + i), from_slab) <= reach);
    within = min(within, from_axis - load(bounds.inner + i));
    store(apart + i, max(from_axis - load(bounds.radius + i), from_slab));
  }
  if (!any(near)) return 0;
  const F4 max_distance = min(limit_of(splat(-horizontal_max(-within)), splat(2 * blocks.radius)), reach);
  int count = 0;
  for (int i = 0; i < bounds.count; i += kLanes)
    for (unsigned left = static_cast<unsigned>(bits(load(apart + i) <= max_distance)); left;
         left &= left - 1) {
      const int at = i + std::countr_zero(left);
      if (at < bounds.count) indices[count++] = static_cast<uint8_t>(at);
    }
  return count;
}

// Of the candidates, which can be nearest to a point of which block: `masks` has a bit per block. Returns the
// blocks that are not beyond the limit.
uint32_t assign_to_blocks(const ColliderBounds& bounds, const Spheres& blocks,
                          const CandidateList& candidates, float limit, uint32_t* masks) {
  const F4 reach = limit_of(splat(limit), blocks.radii);
  F4 apart[kMaxColliders], within = splat(kFarAway);
  M4 near = none();
  for (int k = 0; k < candidates.count; ++k) {
    const int i = candidates.indices[k];
    const F4 from_axis = distance_from_axis(bounds, i, blocks.centres);
    const F4 from_slab = distance_from_slab(bounds, i, blocks.centres);
    near = near | (max(from_axis - bounds.surface[i], from_slab) <= reach);
    within = min(within, from_axis - bounds.inner[i]);
    apart[k] = max(from_axis - bounds.radius[i], from_slab);
  }
  const F4 max_distance = min(limit_of(within, 2.0f * blocks.radii), reach);
  for (int k = 0; k < candidates.count; ++k) masks[k] = static_cast<uint32_t>(bits(apart[k] <= max_distance));
  return static_cast<uint32_t>(bits(near));
}

// Of the candidates of a block, which can be nearest to a point of which group: `masks` has a bit per group.
// `limits` are upper bounds of the distance in each group. Returns the groups that are not beyond the limit.
uint32_t assign_to_groups(const ColliderBounds& bounds, const Spheres& spheres,
                          const CandidateList& candidates, float limit, uint32_t* masks, F8* limits) {
  F4 lower_bound[kMaxColliders], within = splat(kFarAway);
  for (int k = 0; k < candidates.count; ++k) {
    const int i = candidates.indices[k];
    const PosedCollider& c = candidates.colliders[i];
    if (c.collider->is_capsule()) {
      const F4 phi = to_capsule(c, spheres.centres).phi;
      within = min(within, phi);
      lower_bound[k] = phi - spheres.radii;
    } else {
      within = min(within, distance_from_axis(bounds, i, spheres.centres) - bounds.inner[i]);
      lower_bound[k] = distance_bound(c, spheres.centres).bound - spheres.radii;
    }
  }
  const F4 own_limit = limit_of(within, spheres.radii),
           max_distance = min(own_limit, splat(limit + 1e-5f * limit + 2e-4f));
  // Near enough alone, or blended with an earlier one: the smooth minimum increases with both, so lower
  // bounds bound it.
  const BlendPairs blends(candidates);
  M4 alone[kMaxColliders], together[kMaxColliders], near = none();
  for (int k = 0; k < candidates.count; ++k) {
    alone[k] = lower_bound[k] <= max_distance;
    together[k] = none();
    near = near | alone[k];
  }
  for (int m = 0; m < blends.count; ++m) {
    const int k = blends.of[m].one, other = blends.of[m].other;
    const float radius = blends.of[m].radius;
    M4 blend = smooth_min(lower_bound[k], lower_bound[other], radius) <= max_distance;
    near = near | blend;
    // A candidate that is near enough also needs all that it may blend with.
    M4 both = blend & (min(lower_bound[k], lower_bound[other]) > max_distance);
    together[k] = together[k] | both | (alone[other] & (lower_bound[k] <= max_distance + radius));
    together[other] = together[other] | both | (alone[k] & (lower_bound[other] <= max_distance + radius));
  }
  if (!any(near)) return 0;
  for (int k = 0; k < candidates.count; ++k) masks[k] = static_cast<uint32_t>(bits(alone[k] | together[k]));
  float each[kQueryGroups];
  store(each, min(own_limit, splat(limit)));
  for (int g = 0; g < kQueryGroups; ++g) limits[g] = lanes<F8>(each[g]);
  return static_cast<uint32_t>(bits(near));
}

// query_blocks() for the union of colliders.
uint32_t query_union(const PosedCollider* colliders, const ColliderBounds& bounds, Ellipsoids ellipsoids,
                     const float* points, const uint32_t* indices, int count, float limit, PointBlock* blocks,
                     Nearest<F8>* found) {
  Box groups[kQueryBlocks][kQueryGroups], each[kQueryBlocks];
  for (int b = 0; b < count; ++b)
    for (int g = 0; g < kQueryGroups; ++g)
      groups[b][g] = bounding_box(
          points, indices + kPointBlock * static_cast<size_t>(b) + kWidth * static_cast<size_t>(g));
  // Missing blocks repeat the last one.
  for (int b = 0; b < kQueryBlocks; ++b) {
    const Box* in = groups[std::min(b, count - 1)];
    each[b] = union_of(union_of(in[0], in[1]), union_of(in[2], in[3]));
  }
  const Box all = union_of(union_of(each[0], each[1]), union_of(each[2], each[3]));
  uint8_t candidate_indices[kMaxColliders], block_indices[kMaxColliders];
  uint32_t block_masks[kMaxColliders], near = 0;
  const CandidateList candidates{colliders, candidate_indices,
                                 find_candidates(bounds, bounding_sphere(all), limit, candidate_indices)};
  if (candidates.count == 0) return 0;
  const uint32_t near_blocks =
      assign_to_blocks(bounds, bounding_spheres(each), candidates, limit, block_masks);
  for_each_group(near_blocks & ((1u << count) - 1), [&](int b) {
    CandidateList of_block{colliders, block_indices, 0};
    for (int k = 0; k < candidates.count; ++k) {
      block_indices[of_block.count] = candidate_indices[k];
      of_block.count += static_cast<int>(block_masks[k] >> b & 1);
    }
    uint32_t group_masks[kMaxColliders];
    F8 limits[kQueryGroups];
    const uint32_t near_groups =
        assign_to_groups(bounds, bounding_spheres(groups[b]), of_block, limit, group_masks, limits);
    if (!near_groups) return;
    load_block(points, indices + kPointBlock * static_cast<size_t>(b), blocks[b]);
    const int at = b * kQueryGroups;
    nearest_surfaces(of_block, ellipsoids, group_masks, blocks[b].p, limits, found + at);
    near |= near_groups << at;
  });
  return near;
}

// The nearest surface of eight points near limbs.
Nearest<F8> cut_back(const PosedCollider* colliders, const BodyBounds& bounds, const Vec3<F8>& p,
                     const Nearest<F8>& limb, float limit) {
  const F8 needed = rigid_limit(lanes<F8>(limit), limb, bounds.gap);
  const F4 needed4[] = {low_half(needed), high_half(needed)};
  const V3x4 p4[] = {low_half(p), high_half(p)};
  uint8_t indices[kMaxColliders];
  CandidateList list{colliders, indices, 0};
  for (int i = 0; i < bounds.rigid.count; ++i) {
    const auto reaches = [&](int half) {
      return any(least_distance(bounds.rigid, i, p4[half]) < needed4[half]);
    };
    if (reaches(0) || reaches(1)) indices[list.count++] = static_cast<uint8_t>(i);
  }
  const Nearest4 a = nearest_surface(list, p4[0], needed4[0]), b = nearest_surface(list, p4[1], needed4[1]);
  const Nearest<F8> rigid{
      {a.phi, b.phi},
      {{a.gradient.x, b.gradient.x}, {a.gradient.y, b.gradient.y}, {a.gradient.z, b.gradient.z}},
      {a.first, b.first},
      {a.second, b.second},
      {a.blend, b.blend}};
  return with_limbs(rigid, limb, bounds.gap);
}

// Up to kQueryBlocks whole blocks of points x y z. `gradients` and `nearest` may be NULL.
void query_rows(const PosedCollider* colliders, const BodyBounds& bounds, const float* points, size_t blocks,
                float limit, float* distances, float* gradients, int32_t* nearest) {
  struct InOrder {
    uint32_t indices[kQueryBlocks * kPointBlock];
    constexpr InOrder() : indices{} {
      for (uint32_t i = 0; i < kQueryBlocks * kPointBlock; ++i) indices[i] = i;
    }
  };
  static constexpr InOrder kInOrder;
  // A copy, padded by one float.
  float padded[3 * kQueryBlocks * kPointBlock + 1];
  std::copy_n(points, 3 * blocks * kPointBlock, padded);
  padded[3 * blocks * kPointBlock] = 0;
  PointBlock rows[kQueryBlocks];
  Nearest<F8> found[kQueryBlocks * kQueryGroups];
  const uint32_t near = query_blocks(colliders, bounds, Ellipsoids::kExact, padded, kInOrder.indices,
                                     static_cast<int>(blocks), limit, rows, found);
  for (size_t g = 0; g < blocks * kQueryGroups; ++g) {
    const bool far = !(near >> g & 1);
    store(distances + kWidth * g, far ? lanes<F8>(limit) : found[g].phi);
    if (gradients) {
      const Vec3<F8> n = far ? lanes<F8>(V3{0, 1, 0}) : found[g].gradient;
      store_points(gradients + 3 * kWidth * g, low_half(n.x), low_half(n.y), low_half(n.z));
      store_points(gradients + 3 * kWidth * g + 3 * kLanes, high_half(n.x), high_half(n.y), high_half(n.z));
    }
    if (nearest) {
      float colliders_of[kWidth];
      store(colliders_of, far ? lanes<F8>(-1.0f) : found[g].first);
      for (size_t k = 0; k < kWidth; ++k) nearest[kWidth * g + k] = static_cast<int32_t>(colliders_of[k]);
    }
  }
}

}  // namespace

BodyBounds::BodyBounds(const PosedCollider* colliders, int count, uint32_t rigid_groups,
                       uint32_t yielding_groups) {
  bound_colliders(rigid, colliders, count, rigid_groups);
  if (count == 0 || yielding_groups == 0) return;
  bound_colliders(limbs, colliders, count, yielding_groups);
  gap = kYieldGap * colliders[0].scale;
}

uint32_t query_blocks(const PosedCollider* colliders, const BodyBounds& bounds, Ellipsoids ellipsoids,
                      const float* points, const uint32_t* indices, int count, float limit,
                      PointBlock* blocks, Nearest<F8>* found) {
  const uint32_t near_rigid =
      query_union(colliders, bounds.rigid, ellipsoids, points, indices, count, limit, blocks, found);
  if (bounds.limbs.count == 0) return near_rigid;
  Nearest<F8> limbs[kQueryBlocks * kQueryGroups];
  const uint32_t near_limbs =
      query_union(colliders, bounds.limbs, ellipsoids, points, indices, count, limit, blocks, limbs);
  for_each_group(near_limbs, [&](int g) {
    found[g] = cut_back(colliders, bounds, blocks[g / kQueryGroups].p[g % kQueryGroups], limbs[g], limit);
  });
  return near_rigid | near_limbs;
}

void query_points(const PosedCollider* colliders, const BodyBounds& bounds, const float* points, size_t count,
                  float limit, float* distances, float* gradients, int32_t* nearest) {
  size_t at = 0;
  for (size_t blocks; (blocks = std::min<size_t>((count - at) / kPointBlock, kQueryBlocks)) > 0;
       at += blocks * kPointBlock)
    query_rows(colliders, bounds, points + 3 * at, blocks, limit, distances + at,
               gradients ? gradients + 3 * at : nullptr, nearest ? nearest + at : nullptr);
  if (at == count) return;
  // The rest, padded with the last point.
  float rest[3 * kPointBlock], phi[kPointBlock], gradient[3 * kPointBlock];
  int32_t indices[kPointBlock];
  const size_t left = count - at;
  for (size_t i = 0; i < kPointBlock; ++i)
    std::copy_n(points + 3 * (at + std::min(i, left - 1)), 3, rest + 3 * i);
  query_rows(colliders, bounds, rest, 1, limit, phi, gradient, indices);
  std::copy_n(phi, left, distances + at);
  if (gradients) std::copy_n(gradient, 3 * left, gradients + 3 * at);
  if (nearest) std::copy_n(indices, left, nearest + at);
}

}  // namespace billow
