#include "decode/restore_lengths.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "decode/point_pairs.h"
#include "sdf/query_points.h"

namespace billow {
namespace {

constexpr float kOffsetUnit = kMostOffset / 32767;  // m
constexpr float kFading = 1.2f;                     // 1/s: offsets fade with exp(-kFading t)
// Long offsets fade faster, by so much per metre beyond so many metres: what a limb has carried along falls back behind it.
constexpr float kLongOffset = 0.12f, kLongFading = 1000;
// Share of a shortfall that a sweep makes up.
struct Give {
  float edges, others;
};
constexpr Give kCoarseGive{0.7f, 0.7f}, kFineGive{0.6f, 0.6f};
constexpr int kCoarseSweeps = 8, kMiddleSweeps = 4;  // of level 1 the latter
constexpr int kHighSweeps = 4, kLowSweeps = 2;       // of level 0
constexpr int kFreshPasses = 4;
// m: changes of offsets that are small against this are made by half, large ones as a whole. Constraints that exchange a
// vertex between them would otherwise do so for ever.
constexpr float kSmallChange = 0.0005f;
constexpr float kStretched = 1.15f;  // edges beyond may span a limb
// m and m/s in each round. Edges that left at once would jump to and fro where limbs press cloth together.
constexpr float kFreshSpanStep = 0.03f, kSpanSpeed = 0.24f;
constexpr float kSpanFadeIn = 0.075f;  // of stretch
constexpr int kSpanRounds = 3;

// Where the first node of a pair is, the second kPairGroup further; and its bounds likewise.
const uint32_t* ends_of(const LengthPairs& pairs, uint32_t pair) {
  return pairs.ends + 2 * size_t{pair - pair % kPairGroup} + pair % kPairGroup;
}
const float* bounds_of(const LengthPairs& pairs, uint32_t pair) {
  return pairs.bounds + 3 * size_t{pair - pair % kPairGroup} + pair % kPairGroup;
}

// Moves the eight pairs of a group towards their bounds: all the way if they are too long, by a part if they are too
// short. Pairs that may be no shorter than they are long are edges. Returns which were longer than kStretched allows.
BILLOW_ALWAYS_INLINE int move_group(const LengthPairs& pairs, size_t group, Give give, float* points) {
  static_assert(kPairGroup == kLanesOf<F8>);
  const uint32_t *first = pairs.ends + 2 * kPairGroup * group, *second = first + kPairGroup;
  const float* bounds = pairs.bounds + 3 * kPairGroup * group;
  const F8 a0 = load_two(points, first), a1 = load_two(points, first + 1), a2 = load_two(points, first + 2),
           a3 = load_two(points, first + 3);
  const F8 b0 = load_two(points, second), b1 = load_two(points, second + 1),
           b2 = load_two(points, second + 2), b3 = load_two(points, second + 3);
  const F8 d0 = b0 - a0, d1 = b1 - a1, d2 = b2 - a2, d3 = b3 - a3;
  F8 x = d0, y = d1, z = d2, w = d3;
  transpose(x, y, z, w);
  const F8 longest = load8(bounds), shortest = load8(bounds + kPairGroup),
           length = sqrt(x * x + y * y + z * z);
  const F8 part = select(shortest < longest, splat8(give.others), splat8(give.edges));
  const F8 excess = max(length - longest, splat8(0)) + min(length - shortest, splat8(0)) * part;
  const F8 by = excess / max(length, splat8(1e-9f)), by_a = by * load8(bounds + 2 * kPairGroup),
           by_b = by - by_a;
  store_two(points, first, a0 + d0 * broadcast<0>(by_a));
  store_two(points, second, b0 - d0 * broadcast<0>(by_b));
  store_two(points, first + 1, a1 + d1 * broadcast<1>(by_a));
  store_two(points, second + 1, b1 - d1 * broadcast<1>(by_b));
  store_two(points, first + 2, a2 + d2 * broadcast<2>(by_a));
  store_two(points, second + 2, b2 - d2 * broadcast<2>(by_b));
  store_two(points, first + 3, a3 + d3 * broadcast<3>(by_a));
  store_two(points, second + 3, b3 - d3 * broadcast<3>(by_b));
  return bits(length > longest * kStretched);
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
    if (in_.collider_count > 0)
      bounds_ = BodyBounds(in_.colliders, in_.collider_count, in_.push.groups, in_.push.yielding_groups);
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
  // Points are relative to the key joint and at scale 1.
  V3 to_point(V3 world) const { return (world - in_.key.position) * (1 / in_.scale); }
  V3 to_world(V3 p) const { return p * in_.scale + in_.key.position; }
  V3x4 to_point(V3x4 world) const { return (world - lanes<F4>(in_.key.position)) * splat(1 / in_.scale); }
  V3x4 to_world(V3x4 p) const { return p * splat(in_.scale) + lanes<F4>(in_.key.position); }
  V3 decoded(uint32_t v) const { return point(positions_ + 3 * size_t{v}); }
  static V3x4 load_four(const float* points) {
    V3x4 p;
    load_points(points, p.x, p.y, p.z);
    return p;
  }
  V3x4 load_four_points(size_t v) const {
    const float* p = s_.points + 4 * v;
    F4 x = load(p), y = load(p + 4), z = load(p + 8), w = load(p + 12);
    transpose(x, y, z, w);
    return {x, y, z};
  }
  void store_four_points(size_t v, V3x4 p) {
    F4 x = p.x, y = p.y, z = p.z, w = splat(0);
    transpose(x, y, z, w);
    float* to = s_.points + 4 * v;
    store(to, x), store(to + 4, y), store(to + 8, z), store(to + 12, w);
  }

  // Offsets in metres, in the frame of the key joint, to s_.moved.
  void unpack_offsets() {
    for (size_t i = 0; i < 3 * size_t{vertices_}; ++i)
      s_.moved[i] = static_cast<float>(s_.offsets[i]) * kOffsetUnit;
  }

  // All arrays are padded to groups of lanes.
  void begin() {
    // exp(-x) to second order: steps are short against the fading.
    const float x = kFading * in_.dt, kept = 1 / (1 + x + 0.5f * x * x);
    unpack_offsets();
    for (size_t v = 0; v < vertices_; v += kLanes) {
      const V3x4 offset = load_four(s_.moved + 3 * v);
      const F4 beyond = max(sqrt(dot(offset, offset)) - kLongOffset, splat(0));
      store_four_points(v, to_point(load_four(positions_ + 3 * v)) +
                               rotate_by(turn_, offset) * (kept / (1.0f + beyond * (kLongFading * in_.dt))));
    }
    std::fill_n(at(s_.points, vertices_), 4, 0.0f);
    hold_attached();
  }

  void hold_attached() {
    for (const uint32_t v : in_.attached) put(at(s_.points, v), to_point(decoded(v)));
  }

  void solve() {
    solve_coarse(levels_, s_);
    fair(levels_.fairing, s_.points);
    push_out();
    unspan(sweep(levels_.level[0].pairs, kFineGive,
                 in_.quality == LengthQuality::kHigh ? kHighSweeps : kLowSweeps, s_.points, s_.stretched,
                 vertices_));
  }

  void push_out() {
    if (in_.collider_count == 0) return;
    for (size_t v = 0; v < vertices_; v += kLanes) {
      const V3x4 p = to_world(load_four_points(v));
      store_points(s_.moved + 3 * v, p.x, p.y, p.z);
    }
    const LastPlaces last{s_.fresh ? nullptr : s_.places, in_.scale, in_.teleported ? in_.key : s_.key};
    push_out_of_soft(in_.colliders, in_.collider_count, s_.moved, in_.clusters, vertices_, in_.push,
                     in_.scale);
    const PushOutResult pushed = push_out_mesh(in_.colliders, in_.collider_count, s_.moved, in_.clusters,
                                               vertices_, in_.push, scratch_, last);
    // Pinched cloth stays where it is, or its offsets would carry it away. The stage after this one pushes it out.
    for (uint32_t i = 0; i < pushed.pinched; ++i) {
      const uint32_t v = scratch_.vertices[i];
      put(s_.moved + 3 * size_t{v}, to_world(point(at(s_.points, v))));
    }
    for (size_t v = 0; v < vertices_; v += kLanes)
      store_four_points(v, to_point(load_four(s_.moved + 3 * v)));
    std::fill_n(at(s_.points, vertices_), 4, 0.0f);
    hold_attached();
  }

  // The first `count` stretched edges may have a limb between their ends: their middles leave it, and take both ends along. The
  // ends then are on one side of the limb, and stay there in the next frames.
  void unspan(uint32_t count) {
    if (in_.collider_count == 0) return;
    const LengthPairs& pairs = levels_.level[0].pairs;
    const float most = in_.scale * (s_.fresh ? kFreshSpanStep : kSpanSpeed * in_.dt);
    for (int round = 0; round < kSpanRounds && count > 0; ++round) {
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* ends = ends_of(pairs, s_.stretched[i]);
        put(scratch_.points + 3 * size_t{i},
            to_world((point(at_byte(s_.points, ends[0])) + point(at_byte(s_.points, ends[kPairGroup]))) *
                     0.5f));
      }
      query_points(in_.colliders, bounds_, scratch_.points, count, in_.push.clearance, scratch_.distances,
                   scratch_.gradients, nullptr);
      uint32_t left = 0;
      for (uint32_t i = 0; i < count; ++i) {
        const float depth = in_.push.clearance - scratch_.distances[i];
        if (!(depth > 0)) continue;
        const uint32_t* ends = ends_of(pairs, s_.stretched[i]);
        // Edges that are hardly stretched enough are hardly moved, or they would be stretched and moved in turns.
        const float stretch =
            length(point(at_byte(s_.points, ends[0])) - point(at_byte(s_.points, ends[kPairGroup]))) /
            bounds_of(pairs, s_.stretched[i])[0];
        const float share = std::clamp((stretch - kStretched) / kSpanFadeIn, 0.0f, 1.0f);
        const V3 by =
            point(scratch_.gradients + 3 * size_t{i}) * (share * std::min(depth, most) * (1 / in_.scale));
        for (const uint32_t end : {ends[0], ends[kPairGroup]}) {
          float* p = at_byte(s_.points, end);
          put(p, point(p) + by);
        }
        s_.stretched[left++] = s_.stretched[i];
      }
      count = left;
    }
    hold_attached();
  }

  void end() {
    unpack_offsets();
    const F4 small = splat(kSmallChange), half = splat(s_.fresh ? kSmallChange : 0.5f * kSmallChange);
    for (size_t v = 0; v < vertices_; v += kLanes) {
      const V3x4 before = load_four(s_.moved + 3 * v),
                 found =
                     apply_transposed(turn_, load_four_points(v) - to_point(load_four(positions_ + 3 * v))),
                 change = found - before;
      const F4 size = sqrt(dot(change, change));
      const V3x4 o = before + change * ((size + half) / (size + small));
      const F4 length = sqrt(dot(o, o)), kept = min(kMostOffset / max(length, splat(kMostOffset)), splat(1));
      // Not a number compares as false: offsets that are not finite become 0.
      const M4 finite = length < splat(kFarAway);
      store_points(s_.moved + 3 * v, select(finite, o.x * kept, splat(0)),
                   select(finite, o.y * kept, splat(0)), select(finite, o.z * kept, splat(0)));
    }
    quantise(kOffsetUnit, s_.offsets);
  }

  // From s_.moved, which is within 32767 units. A loop that compilers vectorise.
  void quantise(float unit, int16_t* to) const {
    const float* from = s_.moved;
    for (size_t i = 0, end = 3 * size_t{vertices_}; i < end; ++i) {
      const float units = from[i] / unit;
      to[i] = static_cast<int16_t>(static_cast<int>(units + std::copysign(0.5f, units)));
    }
  }

  void apply() {
    unpack_offsets();
    for (size_t v = 0; v < vertices_; v += kLanes) {
      const V3x4 p =
          load_four(positions_ + 3 * v) + rotate_by(turn_, load_four(s_.moved + 3 * v)) * splat(in_.scale);
      store_points(positions_ + 3 * v, p.x, p.y, p.z);
      const V3x4 place = apply_transposed(turn_, to_point(p));
      const M4 finite = dot(place, place) < splat(kFarAway);
      const auto kept = [&](F4 x) {
        constexpr float kMost = 32767 * kPlaceUnit;
        return select(finite, min(max(x, splat(-kMost)), splat(kMost)), splat(0));
      };
      store_points(s_.moved + 3 * v, kept(place.x), kept(place.y), kept(place.z));
    }
    quantise(kPlaceUnit, s_.places);
    s_.key = in_.key;
  }

  const LengthLevels& levels_;
  const LengthInput& in_;
  float* positions_;
  const PushOutScratch& scratch_;
  LengthState& s_;
  uint32_t vertices_;
  RigidMatrix turn_;
  BodyBounds bounds_;
};

}  // namespace

void take_length_state(const LengthLevels& levels, Arena& arena, LengthState& s) {
  const size_t vertices = levels.level[0].nodes;
  size_t nodes = 0;
  for (int l = 1; l < levels.count; ++l) nodes += levels.level[l].nodes + 1;
  s.vertices = vertices;
  s.offsets = arena.take<int16_t>(3 * vertices);
  s.places = arena.take<int16_t>(3 * vertices);
  s.points = arena.take<float>(4 * (vertices + kLanes));
  s.nodes = arena.take<float>(4 * nodes);
  s.start = arena.take<float>(4 * nodes);
  s.moved = arena.take<float>(3 * (vertices + kLanes));
  s.stretched = arena.take<uint32_t>(vertices);
  if (!s.offsets) return;
  for (int16_t* values : {s.offsets, s.places}) std::fill_n(values, 3 * vertices, int16_t{0});
  std::fill_n(s.points, 4 * (vertices + kLanes), 0.0f);
  std::fill_n(s.moved, 3 * (vertices + kLanes), 0.0f);
}

void restore_lengths(const LengthLevels& levels, const LengthInput& input, float* positions,
                     const PushOutScratch& scratch, LengthState& state) {
  Restoration(levels, input, positions, scratch, state).run();
}

}  // namespace billow
