#include "decode/restore_lengths.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sdf/query_points.h"

namespace billow {
namespace {

constexpr float kMostOffset = 0.2f;                 // m from the decoded vertex
constexpr float kOffsetUnit = kMostOffset / 32767;  // m
constexpr float kFading = 1.2f;                     // 1/s: offsets fade with exp(-kFading t)
// Share of a shortfall that a sweep makes up.
struct Give {
  float edges, others;
};
constexpr Give kCoarseGive{0.7f, 0.7f}, kFineGive{0.3f, 0.6f};
constexpr int kCoarseSweeps = 8, kMiddleSweeps = 4;  // of level 1 the latter
constexpr int kHighSweeps = 4, kLowSweeps = 2;       // of level 0
constexpr int kFreshPasses = 4;
constexpr float kStretched = 1.15f;  // edges beyond may span a limb
constexpr float kSpanStep = 0.03f;   // m that an edge is moved at most at a time
constexpr int kSpanRounds = 3;

// Points as x y z 0.
float* at(float* points, uint32_t index) { return points + 4 * size_t{index}; }

// Moves four pairs towards their bounds: all the way if they are too long, by a part if they are too short. Pairs that may
// be no shorter than they are long are edges. Returns which were longer than kStretched allows.
BILLOW_ALWAYS_INLINE int move_pairs(float* points, const uint32_t* ends, const float* bounds, Give give) {
  F4 a[kLanes], b[kLanes], d[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    a[k] = load(at(points, ends[k])), b[k] = load(at(points, ends[kPairGroup + k]));
    d[k] = b[k] - a[k];
  }
  F4 x = d[0], y = d[1], z = d[2], w = d[3];
  transpose(x, y, z, w);
  const F4 longest = load(bounds), shortest = load(bounds + kPairGroup), length = sqrt(x * x + y * y + z * z);
  const F4 part = select(shortest < longest, splat(give.others), splat(give.edges));
  const F4 excess = max(length - longest, splat(0)) + min(length - shortest, splat(0)) * part;
  const F4 by = excess / max(length, splat(1e-9f)), by_a = by * load(bounds + 2 * kPairGroup),
           by_b = by - by_a;
  float first[kLanes], second[kLanes];
  store(first, by_a), store(second, by_b);
  for (int k = 0; k < kLanes; ++k) {
    store(at(points, ends[k]), a[k] + d[k] * splat(first[k]));
    store(at(points, ends[kPairGroup + k]), b[k] - d[k] * splat(second[k]));
  }
  return bits(length > longest * kStretched);
}

// Returns the bits of all pairs of the group.
BILLOW_ALWAYS_INLINE int move_group(const LengthPairs& pairs, size_t group, Give give, float* points) {
  const uint32_t* ends = pairs.ends + 2 * kPairGroup * group;
  const float* bounds = pairs.bounds + 3 * kPairGroup * group;
  int stretched = 0;
  for (int k = 0; k < kPairGroup; k += kLanes)
    stretched |= move_pairs(points, ends + k, bounds + k, give) << k;
  return stretched;
}

// Sweeps over all pairs; every other one backwards, which carries corrections both ways. The last one writes the indices of
// up to `most` stretched pairs to `stretched`, if that is not null. Returns how many.
uint32_t sweep(const LengthPairs& pairs, Give give, int sweeps, float* points, uint32_t* stretched = nullptr,
               uint32_t most = 0) {
  uint32_t count = 0;
  for (int number = sweeps; number-- > 0;)
    for (uint32_t k = 0; k < pairs.groups; ++k) {
      const uint32_t g = number % 2 == 0 ? k : pairs.groups - 1 - k;
      int found = move_group(pairs, g, give, points);
      if (number > 0 || !stretched) continue;
      for (; found && count < most; found &= found - 1)
        stretched[count++] =
            kPairGroup * g + static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(found)));
    }
  return count;
}

// Solves all coarse levels, each from where the one above has moved it, and moves the vertices.
void solve_coarse(const LengthLevels& levels, LengthState& s) {
  size_t first = 0;  // of the level's nodes
  for (int l = 1; l < levels.count; ++l) first += levels.level[l].nodes + 1;
  const float* above = nullptr;  // offsets of the level above
  for (int l = levels.count - 1; l >= 0; --l) {
    const LengthLevel& level = levels.level[l];
    if (l > 0) first -= level.nodes + 1;
    float* nodes = l > 0 ? s.nodes + 4 * first : s.points;
    float* start = s.start + 4 * first;
    for (uint32_t k = 0; l > 0 && k < level.nodes; ++k) {
      const F4 p = load(at(s.points, level.vertex[k]));
      store(at(nodes, k), p), store(at(start, k), p);
    }
    for (uint32_t k = 0; above && k < level.nodes; ++k) {
      const uint32_t* parents = level.parents + kLengthParents * size_t{k};
      const float* shares = level.shares + kLengthParents * size_t{k};
      F4 sum = splat(0);
      for (int p = 0; p < kLengthParents; ++p)
        sum = sum + load(above + 4 * size_t{parents[p]}) * splat(shares[p]);
      float* node = at(nodes, k);
      store(node, load(node) + sum);
    }
    if (l == 0) return;
    std::fill_n(at(nodes, level.nodes), 4, 0.0f);
    sweep(level.pairs, kCoarseGive, l == 1 ? kMiddleSweeps : kCoarseSweeps, nodes);
    for (uint32_t k = 0; k < level.nodes; ++k) store(at(nodes, k), load(at(nodes, k)) - load(at(start, k)));
    above = nodes;
  }
}

V3 point(const float* p) { return {p[0], p[1], p[2]}; }
void put(float* p, V3 v) { p[0] = v.x, p[1] = v.y, p[2] = v.z; }

class Restoration {
 public:
  Restoration(const LengthLevels& levels, const LengthInput& input, float* positions,
              const PushOutScratch& scratch, LengthState& state)
      : levels_(levels),
        in_(input),
        positions_(positions),
        scratch_(scratch),
        s_(state),
        vertices_(levels.level[0].nodes),
        turn_(to_matrix(input.key)) {
    if (in_.collider_count > 0) bound_colliders(bounds_, in_.colliders, in_.collider_count, in_.push.groups);
  }

  void run() {
    if (s_.fresh) std::fill_n(s_.offsets, 3 * size_t{vertices_}, int16_t{0});
    if (in_.dt > 0 || s_.fresh) {
      begin();
      for (int pass = 0; pass < (s_.fresh ? kFreshPasses : 1); ++pass) solve();
      end();
      s_.fresh = 0;
    }
    apply();
  }

 private:
  V3 offset(uint32_t v) const {
    const int16_t* o = s_.offsets + 3 * size_t{v};
    return V3{static_cast<float>(o[0]), static_cast<float>(o[1]), static_cast<float>(o[2])} * kOffsetUnit;
  }
  V3 turned(V3 d) const { return {dot(turn_.rx, d), dot(turn_.ry, d), dot(turn_.rz, d)}; }
  V3 turned_back(V3 d) const { return turn_.rx * d.x + turn_.ry * d.y + turn_.rz * d.z; }
  // Points are relative to the key joint and at scale 1.
  V3 to_point(V3 world) const { return (world - in_.key.position) * (1 / in_.scale); }
  V3 to_world(V3 p) const { return p * in_.scale + in_.key.position; }
  V3 decoded(uint32_t v) const { return point(positions_ + 3 * size_t{v}); }

  void begin() {
    // exp(-x) to second order: steps are short against the fading.
    const float x = kFading * in_.dt, kept = 1 / (1 + x + 0.5f * x * x);
    for (uint32_t v = 0; v < vertices_; ++v) {
      float* p = at(s_.points, v);
      put(p, to_point(decoded(v)) + turned(offset(v)) * kept);
      p[3] = 0;
    }
    std::fill_n(at(s_.points, vertices_), 4, 0.0f);
    hold_attached();
  }

  void hold_attached() {
    for (const uint32_t v : in_.attached) put(at(s_.points, v), to_point(decoded(v)));
  }

  void solve() {
    solve_coarse(levels_, s_);
    push_out();
    unspan(sweep(levels_.level[0].pairs, kFineGive,
                 in_.quality == LengthQuality::kHigh ? kHighSweeps : kLowSweeps, s_.points, s_.stretched,
                 vertices_));
  }

  void push_out() {
    if (in_.collider_count == 0) return;
    for (uint32_t v = 0; v < vertices_; ++v) put(s_.moved + 3 * size_t{v}, to_world(point(at(s_.points, v))));
    push_out_mesh(in_.colliders, in_.collider_count, s_.moved, in_.clusters, vertices_, in_.push, scratch_);
    for (uint32_t v = 0; v < vertices_; ++v) put(at(s_.points, v), to_point(point(s_.moved + 3 * size_t{v})));
    hold_attached();
  }

  // The first `count` stretched edges may have a limb between their ends: their middles leave it, and take both ends along. The
  // ends then are on one side of the limb, and stay there in the next frames.
  void unspan(uint32_t count) {
    if (in_.collider_count == 0) return;
    const LengthPairs& pairs = levels_.level[0].pairs;
    const auto ends_of = [&](uint32_t pair) {
      return pairs.ends + 2 * size_t{pair - pair % kPairGroup} + pair % kPairGroup;
    };
    for (int round = 0; round < kSpanRounds && count > 0; ++round) {
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* ends = ends_of(s_.stretched[i]);
        put(scratch_.points + 3 * size_t{i},
            to_world((point(at(s_.points, ends[0])) + point(at(s_.points, ends[kPairGroup]))) * 0.5f));
      }
      query_points(in_.colliders, bounds_, scratch_.points, count, in_.push.clearance, scratch_.distances,
                   scratch_.gradients, nullptr);
      uint32_t left = 0;
      for (uint32_t i = 0; i < count; ++i) {
        const float depth = in_.push.clearance - scratch_.distances[i];
        if (!(depth > 0)) continue;
        const V3 by =
            point(scratch_.gradients + 3 * size_t{i}) * (std::min(depth, kSpanStep) * (1 / in_.scale));
        const uint32_t* ends = ends_of(s_.stretched[i]);
        for (const uint32_t end : {ends[0], ends[kPairGroup]}) {
          float* p = at(s_.points, end);
          put(p, point(p) + by);
        }
        s_.stretched[left++] = s_.stretched[i];
      }
      count = left;
    }
    hold_attached();
  }

  void end() {
    for (uint32_t v = 0; v < vertices_; ++v) {
      V3 o = turned_back(point(at(s_.points, v)) - to_point(decoded(v)));
      const float length = std::sqrt(dot(o, o));
      if (length > kMostOffset) o = o * (kMostOffset / length);
      if (!(length < kFarAway)) o = {0, 0, 0};
      int16_t* out = s_.offsets + 3 * size_t{v};
      for (int k = 0; k < 3; ++k) {
        const float units = (k == 0 ? o.x : k == 1 ? o.y : o.z) / kOffsetUnit;
        out[k] = static_cast<int16_t>(units < 0 ? units - 0.5f : units + 0.5f);
      }
    }
  }

  void apply() {
    for (uint32_t v = 0; v < vertices_; ++v)
      put(positions_ + 3 * size_t{v}, decoded(v) + turned(offset(v)) * in_.scale);
  }

  const LengthLevels& levels_;
  const LengthInput& in_;
  float* positions_;
  const PushOutScratch& scratch_;
  LengthState& s_;
  uint32_t vertices_;
  RigidMatrix turn_;
  ColliderBounds bounds_;
};

}  // namespace

void take_length_state(const LengthLevels& levels, Arena& arena, LengthState& s) {
  const size_t vertices = levels.level[0].nodes;
  size_t nodes = 0;
  for (int l = 1; l < levels.count; ++l) nodes += levels.level[l].nodes + 1;
  s.vertices = vertices;
  s.offsets = arena.take<int16_t>(3 * vertices);
  s.points = arena.take<float>(4 * (vertices + 1));
  s.nodes = arena.take<float>(4 * nodes);
  s.start = arena.take<float>(4 * nodes);
  s.moved = arena.take<float>(3 * vertices + 1);
  s.stretched = arena.take<uint32_t>(vertices);
  if (s.offsets) std::fill_n(s.offsets, 3 * vertices, int16_t{0}), s.moved[3 * vertices] = 0;
}

void restore_lengths(const LengthLevels& levels, const LengthInput& input, float* positions,
                     const PushOutScratch& scratch, LengthState& state) {
  Restoration(levels, input, positions, scratch, state).run();
}

}  // namespace billow
