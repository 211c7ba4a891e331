#include "decode/push_out_mesh.h"

#include <algorithm>
#include <bit>

namespace billow {
namespace {

// How often vertices that are still inside are pushed again. The second push gets nearly all out; the rest
// are in creases, and some of these stay inside.
constexpr int kMaxRounds = 16;

// m at scale 1: vertices that are deeper go back the way they came.
constexpr float kDeep = 0.004f;
// m at scale 1: depths from which on vertices give way, and to which.
struct GivingWay {
  float from, to;
};
constexpr GivingWay kToLimbs{0.01f, 0.03f}, kToLayers{0.05f, 0.15f};
constexpr float kSameWay = 0.8f;  // cosine: the nearest way out is that by which a vertex came

// Where a point goes that moves with a collider.
V3 carried(const PosedCollider& c, V3 x) {
  if (!c.moving) return x;
  const V3 d = x - c.centre_before;
  return c.transform.position +
         V3{dot(c.delta_rotation.rx, d), dot(c.delta_rotation.ry, d), dot(c.delta_rotation.rz, d)};
}

// f of the header: c + s / (2 - t) with t = (phi - c) / s. At t = 1 it has the value and slope of the
// identity.
F8 compressed(F8 phi, const PushOutSettings& s) {
  const F8 t = (phi - s.clearance) / lanes<F8>(s.softness);
  return s.clearance + s.softness / (2.0f - t);
}

void move_along(float* p, const float* gradient, float by) {
  for (int k = 0; k < 3; ++k) p[k] += gradient[k] * by;
}

// The displacement that takes a point by `by` out of the surface it is in, but not back into the one it was
// in before: sideways, where the two surfaces face each other.
V3 way_out(V3 gradient, V3 before, float by) {
  constexpr float kMaxSideways = 20;  // times `by`
  const float cosine = dot(gradient, before);
  if (cosine >= 0) return gradient * by;
  const V3 sideways = gradient - before * cosine;
  return sideways * (by / std::max(dot(sideways, gradient), 1 / kMaxSideways));
}

// Moves those of up to kCluster vertices that are deep inside back along the way they came, until they are outside. Where the
// nearest way out is the same one, it is left to the rounds that follow.
void go_back(const PosedCollider* colliders, const BodyBounds& bounds, float clearance,
             const LastPlaces& last, float* positions, const uint32_t* vertices, size_t count) {
  constexpr int kMaxSteps = 24;
  const float shortest_step = 0.002f * last.scale;  // m
  float points[3 * kCluster], distances[kCluster], gradients[3 * kCluster];
  int32_t nearest[kCluster];
  V3 from[kCluster];
  uint32_t inside = 0;  // one bit each
  for (size_t i = 0; i < count; ++i) std::copy_n(positions + 3 * size_t{vertices[i]}, 3, points + 3 * i);
  query_points(colliders, bounds, points, count, 0, distances, gradients, nearest);
  for (size_t i = 0; i < count; ++i) {
    if (!(distances[i] < -kDeep * last.scale)) continue;
    from[i] = carried(colliders[nearest[i]], last.world(vertices[i]));
    const float *p = points + 3 * i, *g = gradients + 3 * i;
    const V3 way = from[i] - V3{p[0], p[1], p[2]};
    if (dot(way, V3{g[0], g[1], g[2]}) < kSameWay * length(way)) inside |= 1u << i;
  }
  for (int step = 0; step < kMaxSteps && inside; ++step) {
    for (uint32_t left = inside; left; left &= left - 1) {
      const int i = std::countr_zero(left);
      float* p = points + 3 * i;
      const V3 x{p[0], p[1], p[2]}, way = from[i] - x;
      const float by = std::max(clearance - distances[i], shortest_step), far = length(way);
      const V3 to = far > by ? x + way * (by / far) : from[i];
      p[0] = to.x, p[1] = to.y, p[2] = to.z;
      if (!(far > by)) inside &= ~(1u << i);
    }
    query_points(colliders, bounds, points, count, clearance, distances, gradients, nullptr);
    for (size_t i = 0; i < count; ++i)
      if (distances[i] >= clearance) inside &= ~(1u << i);
  }
  for (size_t i = 0; i < count; ++i) std::copy_n(points + 3 * i, 3, positions + 3 * size_t{vertices[i]});
}

// Moves up to kCluster vertices out of creases: surfaces that face each other, such as arm and chest, push
// them back and forth. Returns how many are still inside.
uint32_t leave_creases(const PosedCollider* colliders, const BodyBounds& bounds, float margin,
                       float* positions, const uint32_t* vertices, size_t count) {
  constexpr int kMaxTries = 24;
  V3 before[kCluster] = {};
  for (int k = 0;; ++k) {
    float points[3 * kCluster], distances[kCluster], gradients[3 * kCluster];
    for (size_t i = 0; i < count; ++i) std::copy_n(positions + 3 * size_t{vertices[i]}, 3, points + 3 * i);
    query_points(colliders, bounds, points, count, margin, distances, gradients, nullptr);
    uint32_t inside = 0;
    for (size_t i = 0; i < count; ++i) inside += distances[i] < 0;
    if (inside == 0 || k == kMaxTries) return inside;
    for (size_t i = 0; i < count; ++i) {
      if (!(distances[i] < 0)) continue;
      const V3 gradient{gradients[3 * i], gradients[3 * i + 1], gradients[3 * i + 2]};
      const V3 by = way_out(gradient, before[i], margin - distances[i]);
      float* p = positions + 3 * size_t{vertices[i]};
      p[0] += by.x, p[1] += by.y, p[2] += by.z;
      before[i] = gradient;
    }
  }
}

unsigned first_lanes(size_t count) { return (1u << std::min<size_t>(count, kLanesOf<F8>)) - 1; }

// Calls push(points, what is nearest, their vertices, how many of them count) for groups of eight vertices of which some may be
// nearer than `limit`.
template <class Push>
void for_each_near(const PosedCollider* colliders, const BodyBounds& bounds, Ellipsoids ellipsoids,
                   const float* positions, const uint32_t* clusters, size_t vertices, float limit,
                   Push push) {
  for (size_t first = 0; first < vertices; first += kQueryBlocks * kCluster) {
    static_assert(kCluster == kPointBlock);
    PointBlock blocks[kQueryBlocks];
    Nearest<F8> found[kQueryBlocks * kQueryGroups];
    const size_t clusters_left = (vertices - first + kCluster - 1) / kCluster;
    const uint32_t near =
        query_blocks(colliders, bounds, ellipsoids, positions, clusters + first,
                     static_cast<int>(std::min<size_t>(clusters_left, kQueryBlocks)), limit, blocks, found);
    for_each_group(near, [&](int g) {
      const size_t at = first + kLanesOf<F8> * static_cast<size_t>(g),
                   there = vertices > at ? vertices - at : 0;
      push(blocks[g / kQueryGroups].p[g % kQueryGroups], found[g], clusters + at, there);
    });
  }
}

// Moves the vertices of some lanes.
void move_lanes(unsigned which, const Vec3<F8>& to, const uint32_t* group, float* positions) {
  float x[kLanesOf<F8>], y[kLanesOf<F8>], z[kLanesOf<F8>];
  store(x, to.x), store(y, to.y), store(z, to.z);
  for (; which; which &= which - 1) {
    const int k = std::countr_zero(which);
    float* p = positions + 3 * size_t{group[k]};
    p[0] = x[k], p[1] = y[k], p[2] = z[k];
  }
}

// Sorts vertices by splitting them recursively in the middle of their longest axis, at multiples of
// kQueryBlocks clusters, then of a cluster, then of a group of lanes.
void split(const float* rest, uint32_t* first, uint32_t* last) {
  const size_t count = static_cast<size_t>(last - first), unit = count > kQueryBlocks * kCluster
                                                                     ? kQueryBlocks * kCluster
                                                                 : count > kCluster ? kCluster
                                                                                    : kLanesOf<F8>;
  if (count <= kLanesOf<F8>) return;
  float low[3] = {kFarAway, kFarAway, kFarAway}, high[3] = {-kFarAway, -kFarAway, -kFarAway};
  for (const uint32_t* v = first; v < last; ++v)
    for (size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], rest[3 * size_t{*v} + k]);
      high[k] = std::max(high[k], rest[3 * size_t{*v} + k]);
    }
  size_t longest = 0;
  for (size_t k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
  uint32_t* middle = first + (count / 2 + unit - 1) / unit * unit;
  // By index where places are equal: which vertices share a cluster is then the same with every standard library.
  std::nth_element(first, middle, last, [&](uint32_t a, uint32_t b) {
    const float x = rest[3 * size_t{a} + longest], y = rest[3 * size_t{b} + longest];
    return x < y || (x == y && a < b);
  });
  split(rest, first, middle);
  split(rest, middle, last);
}

}  // namespace

void find_clusters(const float* rest, uint32_t vertices, uint32_t* clusters) {
  for (uint32_t v = 0; v < vertices; ++v) clusters[v] = v;
  split(rest, clusters, clusters + vertices);
  for (size_t v = vertices; v % kCluster != 0; ++v) clusters[v] = clusters[vertices - 1];
}

void push_out_of_soft(const PosedCollider* colliders, int collider_count, float* positions,
                      const uint32_t* clusters, size_t vertices, const PushOutSettings& settings,
                      float scale) {
  const auto leave = [&](uint32_t groups, GivingWay depths) {
    const BodyBounds bounds(colliders, collider_count, groups);
    const float from = depths.from * scale, range = (depths.to - depths.from) * scale;
    for_each_near(colliders, bounds, Ellipsoids::kExact, positions, clusters, vertices, settings.clearance,
                  [&](const Vec3<F8>& p, const Nearest<F8>& near, const uint32_t* group, size_t count) {
                    const F8 depth = settings.clearance - near.phi,
                             t = clamp((depth - from) / splat8(range), 0.0f, 1.0f),
                             by = depth * (1.0f - t * t * (3.0f - 2.0f * t));
                    move_lanes(
                        static_cast<unsigned>(bits(near.phi < settings.clearance)) & first_lanes(count),
                        p + near.gradient * by, group, positions);
                  });
  };
  const auto any_of = [&](uint32_t groups) {
    return groups && std::any_of(colliders, colliders + collider_count,
                                 [&](const PosedCollider& c) { return groups >> c.collider->group & 1; });
  };
  if (any_of(settings.layer_groups)) leave(settings.layer_groups, kToLayers);
  if (any_of(settings.soft_groups)) leave(settings.soft_groups, kToLimbs);
}

PushOutResult push_out_mesh(const PosedCollider* colliders, int collider_count, float* positions,
                            const uint32_t* clusters, size_t vertices, const PushOutSettings& settings,
                            const PushOutScratch& scratch, const LastPlaces& last) {
  PushOutResult result;
  if (collider_count == 0) return result;
  const BodyBounds bounds(colliders, collider_count, settings.groups, settings.yielding_groups);
  const float limit = settings.clearance + settings.softness;

  // Push all vertices near the body, and list those that may have been pushed into another collider.
  uint32_t left = 0;
  // Pushes the first `count` of eight vertices.
  const auto push_group = [&](const Vec3<F8>& p, const Nearest<F8>& near, const uint32_t* group,
                              size_t count) {
    unsigned close = static_cast<unsigned>(bits(near.phi < limit)) & first_lanes(count);
    if (!close) return;
    const F8 by = compressed(near.phi, settings) - near.phi;
    const Vec3<F8> moved = p + near.gradient * by;
    const unsigned deep = static_cast<unsigned>(bits(near.phi - by < 0.0f)),
                   staying = last.places ? static_cast<unsigned>(bits(near.phi < -kDeep * last.scale)) : 0;
    move_lanes(close & ~staying, moved, group, positions);
    for (; close; close &= close - 1) {
      const int k = std::countr_zero(close);
      ++result.moved;
      if (deep >> k & 1) scratch.vertices[left++] = group[k];
    }
  };
  for_each_near(colliders, bounds, Ellipsoids::kBounds, positions, clusters, vertices, limit, push_group);

  for (size_t first = 0; last.places && first < left; first += kCluster)
    go_back(colliders, bounds, settings.clearance, last, positions, scratch.vertices + first,
            std::min(kCluster, left - first));

  // Query the listed ones exactly, and push them to the clearance until all have half of it.
  for (int round = 0; round < kMaxRounds && left > 0; ++round) {
    for (uint32_t i = 0; i < left; ++i)
      for (int k = 0; k < 3; ++k) scratch.points[3 * i + k] = positions[3 * size_t{scratch.vertices[i]} + k];
    const float wanted = 0.5f * settings.clearance;
    query_points(colliders, bounds, scratch.points, left, wanted, scratch.distances, scratch.gradients,
                 nullptr);
    uint32_t next = 0;
    result.inside = 0;
    for (uint32_t i = 0; i < left; ++i) {
      const float phi = scratch.distances[i];
      if (!(phi < wanted)) continue;
      result.inside += phi < 0;
      const uint32_t v = scratch.vertices[i];
      move_along(positions + 3 * size_t{v}, scratch.gradients + 3 * i, settings.clearance - phi);
      scratch.vertices[next++] = v;
    }
    left = next;
  }

  // The rest are between surfaces that push them back and forth.
  if (last.places) {
    result.pinched = left;
    return result;
  }
  if (left > 0) result.inside = 0;
  for (size_t first = 0; first < left; first += kCluster)
    result.inside += leave_creases(colliders, bounds, 0.5f * settings.clearance, positions,
                                   scratch.vertices + first, std::min(kCluster, left - first));
  return result;
}

}  // namespace billow
