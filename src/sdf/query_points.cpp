#include "sdf/query_points.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/wide.h"
#include "sdf/approach.h"

namespace billow {
namespace {

constexpr size_t kWidth = kLanesOf<F8>;
static_assert(kQueryGroups == kLanes && kQueryBlocks == kLanes, "one lane a group or block, below");

// x y z, and a lane of anything.
struct Box {
  F4 low, high;
};

Box around_both(const Box& a, const Box& b) { return {smaller(a.low, b.low), larger(a.high, b.high)}; }

// Around a group of points. Each load takes a lane too many.
Box around_group(const float* points, const uint32_t* numbers) {
  const auto point = [&](size_t k) { return load(points + 3 * size_t{numbers[k]}); };
  Box box{point(0), point(0)};
#pragma GCC unroll 8
  for (size_t k = 1; k < kWidth; ++k) box = around_both(box, {point(k), point(k)});
  return box;
}

// Around the corners of four boxes.
struct Spheres {
  V3x4 centres;
  F4 radii;
};

Spheres round_boxes(const Box* four) {
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

Sphere round_box(const Box& box) {
  float low[kLanes], high[kLanes];
  store(low, box.low), store(high, box.high);
  const V3 a{low[0], low[1], low[2]}, b{high[0], high[1], high[2]};
  return {(a + b) * 0.5f, length(b - a) * 0.5f};
}

// Each load takes a lane too many here, too.
V3x4 load_four(const float* points, const uint32_t* numbers) {
  const auto point = [&](int k) { return load(points + 3 * size_t{numbers[k]}); };
  F4 a = point(0), b = point(1), c = point(2), d = point(3);
  transpose(a, b, c, d);
  return {a, b, c};
}

void load_block(const float* points, const uint32_t* numbers, PointBlock& block) {
  for (Vec3<F8>& p : block.p) {
    const V3x4 low = load_four(points, numbers), high = load_four(points, numbers + kLanes);
    p = {{low.x, high.x}, {low.y, high.y}, {low.z, high.z}};
    numbers += kWidth;
  }
}

// A distance that no point within `radius` of a middle exceeds, if the middle is `within` of the surface; a
// little more, for rounding: of coordinates as well, however near the surface is, and of iterations.
F4 limit_of(F4 within, F4 radius) {
  const F4 limit = within + radius;
  return limit + (1e-5f * (abs(within) + radius) + 1e-4f);
}

// The colliders that can be nearest to a point of some blocks; none if all are beyond the limit.
int find_candidates(const ColliderBounds& bounds, const Sphere& blocks, float limit, uint8_t* numbers) {
  float apart[kMaxColliders];
  const F4 reach = limit_of(splat(limit), splat(blocks.radius));
  F4 within = splat(kFarAway);
  M4 near = none();
  for (int i = 0; i < bounds.count; i += kLanes) {
    const F4 from_axis = distance_from_axes(bounds, i, blocks.centre);
    near = near | (from_axis - load(bounds.surface + i) <= reach);
    within = min(within, from_axis - load(bounds.inner + i));
    store(apart + i, from_axis - load(bounds.radius + i));
  }
  if (!any(near)) return 0;
  const F4 most = min(limit_of(splat(-horizontal_max(-within)), splat(2 * blocks.radius)), reach);
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
uint32_t share_out(const ColliderBounds& bounds, const Spheres& blocks, const CandidateList& candidates,
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

// Of those, which can be nearest to which group, and a distance that no point of it exceeds. The groups that are not beyond the limit.
uint32_t find_wanted(const ColliderBounds& bounds, const Spheres& spheres, const CandidateList& obstacles,
                     float limit, uint32_t* wanted, F8* limits) {
  F4 least[kMaxColliders], within = splat(kFarAway);
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k];
    const PosedCollider& c = obstacles.colliders[i];
    if (c.collider->is_round()) {
      const F4 phi = to_capsule(c, spheres.centres).phi;
      within = min(within, phi);
      least[k] = phi - spheres.radii;
    } else {
      within = min(within, distance_from_axis(bounds, i, spheres.centres) - bounds.inner[i]);
      least[k] = approach(c, spheres.centres).bound - spheres.radii;
    }
  }
  const F4 own_limit = limit_of(within, spheres.radii),
           most = min(own_limit, splat(limit + 1e-5f * limit + 2e-4f));
  // Near enough alone, or merged with an earlier one: that rises with both, so bounds bound it.
  const Merges merges(obstacles);
  M4 alone[kMaxColliders], together[kMaxColliders], near = none();
  for (int k = 0; k < obstacles.count; ++k) {
    alone[k] = least[k] <= most;
    together[k] = none();
    near = near | alone[k];
  }
  for (int m = 0; m < merges.count; ++m) {
    const int k = merges.of[m].one, other = merges.of[m].other;
    const float radius = merges.of[m].radius;
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

// Up to kQueryBlocks whole blocks of points x y z. The pointers are to results of the first; `gradients` and `nearest` may be NULL.
void query_rows(const PosedCollider* colliders, const ColliderBounds& bounds, const float* points,
                size_t blocks, float limit, float* distances, float* gradients, int32_t* nearest) {
  struct InOrder {
    uint32_t numbers[kQueryBlocks * kPointBlock];
    constexpr InOrder() : numbers{} {
      for (uint32_t i = 0; i < kQueryBlocks * kPointBlock; ++i) numbers[i] = i;
    }
  };
  static constexpr InOrder kInOrder;
  // With room behind the last.
  float some[3 * kQueryBlocks * kPointBlock + 1];
  std::copy_n(points, 3 * blocks * kPointBlock, some);
  some[3 * blocks * kPointBlock] = 0;
  PointBlock rows[kQueryBlocks];
  Nearest<F8> found[kQueryBlocks * kQueryGroups];
  const uint32_t near = query_blocks(colliders, bounds, Ellipsoids::kExact, some, kInOrder.numbers,
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
      float names[kWidth];
      store(names, far ? lanes<F8>(-1.0f) : found[g].first);
      for (size_t k = 0; k < kWidth; ++k) nearest[kWidth * g + k] = static_cast<int32_t>(names[k]);
    }
  }
}

}  // namespace

uint32_t query_blocks(const PosedCollider* colliders, const ColliderBounds& bounds, Ellipsoids ellipsoids,
                      const float* points, const uint32_t* numbers, int count, float limit,
                      PointBlock* blocks, Nearest<F8>* found) {
  Box groups[kQueryBlocks][kQueryGroups], each[kQueryBlocks];
  for (int b = 0; b < count; ++b)
    for (int g = 0; g < kQueryGroups; ++g)
      groups[b][g] = around_group(
          points, numbers + kPointBlock * static_cast<size_t>(b) + kWidth * static_cast<size_t>(g));
  // Those that are not there are as the last one is.
  for (int b = 0; b < kQueryBlocks; ++b) {
    const Box* in = groups[std::min(b, count - 1)];
    each[b] = around_both(around_both(in[0], in[1]), around_both(in[2], in[3]));
  }
  const Box all = around_both(around_both(each[0], each[1]), around_both(each[2], each[3]));
  uint8_t candidate_numbers[kMaxColliders], own[kMaxColliders];
  uint32_t wanted[kMaxColliders], near = 0;
  const CandidateList candidates{colliders, candidate_numbers,
                                 find_candidates(bounds, round_box(all), limit, candidate_numbers)};
  if (candidates.count == 0) return 0;
  const uint32_t near_blocks = share_out(bounds, round_boxes(each), candidates, limit, wanted);
  for_each_group(near_blocks & ((1u << count) - 1), [&](int b) {
    CandidateList obstacles{colliders, own, 0};
    for (int k = 0; k < candidates.count; ++k) {
      own[obstacles.count] = candidate_numbers[k];
      obstacles.count += static_cast<int>(wanted[k] >> b & 1);
    }
    uint32_t of_groups[kMaxColliders];
    F8 limits[kQueryGroups];
    const uint32_t near_groups =
        find_wanted(bounds, round_boxes(groups[b]), obstacles, limit, of_groups, limits);
    if (!near_groups) return;
    load_block(points, numbers + kPointBlock * static_cast<size_t>(b), blocks[b]);
    const int at = b * kQueryGroups;
    nearest_surfaces(obstacles, ellipsoids, of_groups, blocks[b].p, limits, found + at);
    near |= near_groups << at;
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
