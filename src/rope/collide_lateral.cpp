// Collision of the lateral segments between neighbouring chains, so that a leg cannot slip through a skirt.
//
// Each segment finds its deepest sample, pushes it out like a bone, and is translated by that push. A bone
// takes the mean of the pushes of the segments on either side. (Distributing a push to the ends by the
// sample's position instead makes segments rock from sample to sample at rest.)
#include <initializer_list>

#include "rope/collide.h"
#include "rope/stages.h"

namespace billow {
namespace {

// Segments of a group, from a to b on the next chain.
struct Segments4 {
  V3x4 a, b, a_before, b_before;
  F4 clearance;

  Moved4 at(F4 t) const {
    return {a + (b - a) * t, a_before + (b_before - a_before) * t, clearance, clearance};
  }
};

// Segments whose samples cannot touch the body, by the distances of their ends from it.
M4 samples_clear(const RopeSettings& s, const Segments4& of, F4 from_a, F4 from_b) {
  const int n = s.lateral_samples;
  const F4 l = length(of.b - of.a), needed = of.clearance + kQueryMargin;
  M4 clear = ~none();
  for (int k = 1; k <= n; ++k) {
    const float t = static_cast<float>(k) / static_cast<float>(n + 1);
    clear = clear & (max(from_a - t * l, from_b - (1 - t) * l) >= needed);
  }
  return clear;
}

// Position of the deepest sample on each segment; unchanged if none is inside.
void find_deepest_samples(const CollisionContext& context, uint32_t groups, Segments4* segments, F4* where) {
  const int n = context.settings.lateral_samples;
  if (n == 1) return;
  SdfQuery query;
  F4 deepest[kQueryBatch];
  for_each_group(groups, [&](int g) { deepest[g] = zero(), query.limit[g] = segments[g].clearance; });
  for (int k = 1; k <= n; ++k) {
    const float t = static_cast<float>(k) / static_cast<float>(n + 1);
    for_each_group(groups, [&](int g) { query.x[g] = segments[g].at(splat(t)).x; });
    context.nearest(groups, query);
    for_each_group(groups, [&](int g) {
      const F4 depth = query.limit[g] - query.near[g].phi;
      const M4 deeper = depth > deepest[g];
      where[g] = select(deeper, splat(t), where[g]);
      deepest[g] = select(deeper, depth, deepest[g]);
    });
  }
}

void record_push(ChainSet& set, const CollisionContext& context, size_t edge, const Segments4& segments,
                 V3x4 point, const Push4& push) {
  const PosedCollider* colliders = context.colliders;
  const LateralScratch& out = set.lateral;
  store(out.touched + edge, select(push.touched, splat(1.0f), zero()));
  // A segment that sticks does so at both ends.
  V3x4 shift = push.x - point;
  store(out.near_shift, edge,
        select(push.stuck, embed(colliders, push.near, segments.a_before) - segments.a, shift));
  store(out.far_shift, edge,
        select(push.stuck, embed(colliders, push.near, segments.b_before) - segments.b, shift));
  store(out.normal, edge, push.normal);
  store(out.velocity, edge, body_velocity(colliders, push.near, push.x, context.inverse_dt));
  store(out.gradient, edge, push.near.gradient);
  store(out.collider + edge, push.near.first);
  store(out.grip + edge, context.grip_on(push.near));
}

// Returns whether any segment touched.
bool push_segments(ChainSet& set, const CollisionContext& context, int level, int count) {
  const Layout& lay = set.layout;
  Segments4 segments[kQueryBatch];
  Moved4 points[kQueryBatch];
  F4 where[kQueryBatch];
  uint32_t near = 0, passing = 0;
  for (int g = 0; g < count; ++g) {
    const size_t at = lay.group_at(level, context.first + g);
    store(set.lateral.touched + lay.group_at(0, context.first + g), zero());
    const M4 exists = load(set.lateral_length + at) > 0.0f;
    if (context.broad_phase[g].empty || !any(exists)) continue;
    const F4 clearance = max(load(set.radius + at), load(set.radius + at + 1));
    segments[g] = {load(set.x, at), load(set.x, at + 1), load(set.x_before, at), load(set.x_before, at + 1),
                   select(exists, clearance, splat(-kFarAway))};
    where[g] = splat(0.5f);
    const M4 clear =
        samples_clear(set.settings, segments[g], load(set.distance + at), load(set.distance + at + 1));
    if (any(exists & ~clear))
      near |= 1u << g;
    else if (may_pass_through(context, g, segments[g].at(where[g])))
      passing |= 1u << g;
  }
  find_deepest_samples(context, near, segments, where);
  for_each_group(near | passing, [&](int g) { points[g] = segments[g].at(where[g]); });
  Push4 push[kQueryBatch];
  const uint32_t touched = push_out(context, near | passing, points, push);
  for_each_group(touched, [&](int g) {
    record_push(set, context, lay.group_at(0, context.first + g), segments[g], points[g].x, push[g]);
  });
  return touched;
}

// Stores the contact of bones that were moved by the segments on either side, unless they have one of their
// own.
void store_contact(ChainSet& set, size_t at, size_t edge, M4 moved, M4 by_right) {
  const LateralScratch& in = set.lateral;
  M4 stored = moved & (load(set.held + at) < 1.0f);
  auto store_row = [&](const Rows3& rows, const Rows3& of_segment) {
    V3x4 value = select(by_right, load(of_segment, edge), load(of_segment, edge - 1));
    store(rows, at, select(stored, value, load(rows, at)));
  };
  store_row(set.touch_normal, in.normal);
  store_row(set.touch_velocity, in.velocity);
  store_row(set.contact_normal, in.gradient);
  store(set.held + at, select(stored, splat(1.0f), load(set.held + at)));
  const F4 grip = select(by_right, load(in.grip + edge), load(in.grip + edge - 1));
  store(set.grip + at, select(stored, grip, load(set.grip + at)));
  F4 collider = select(by_right, load(in.collider + edge), load(in.collider + edge - 1));
  store(set.contact_collider + at, select(stored, collider, load(set.contact_collider + at)));
}

// Moves the bones of a level by the mean push of the segments on either side.
void move_bones(ChainSet& set, const CollisionContext& context, int level, int count) {
  const Layout& lay = set.layout;
  const LateralScratch& in = set.lateral;
  V3x4 x[kQueryBatch];
  M4 moved[kQueryBatch], by_right[kQueryBatch];
  uint32_t groups = 0;
  for (int g = 0; g < count; ++g) {
    const size_t at = lay.group_at(level, context.first + g), edge = lay.group_at(0, context.first + g);
    F4 right = load(in.touched + edge), left = load(in.touched + edge - 1);
    F4 count_touching = right + left;
    moved[g] = (count_touching > 0.0f) & (load(set.w + at) > 0.0f);
    if (!any(moved[g])) continue;
    groups |= 1u << g;
    by_right[g] = right > 0.0f;
    V3x4 shift = (select(by_right[g], load(in.near_shift, edge), zero3()) +
                  select(left > 0.0f, load(in.far_shift, edge - 1), zero3())) *
                 (splat(1.0f) / max(count_touching, 1.0f));
    x[g] = load(set.x, at);
    x[g] = select(moved[g], x[g] + shift, x[g]);
  }
  settle_bones(set, context, level, groups, x, moved);
  for_each_group(groups, [&](int g) {
    const size_t at = lay.group_at(level, context.first + g), edge = lay.group_at(0, context.first + g);
    store(set.x, at, select(moved[g], x[g], load(set.x, at)));
    store_contact(set, at, edge, moved[g], by_right[g]);
  });
}

// Copies the entry of chain `from` to `to` in one row.
void copy_column(const Rows3& rows, size_t to, size_t from) { set(rows, to, get(rows, from)); }

}  // namespace

void collide_lateral(ChainSet& set, CollisionContext& context, int level) {
  const Layout& lay = set.layout;
  // If closed, the far end of the last segment is chain 0: copy it after the last chain.
  if (lay.closed) {
    for (const Rows3* rows : {&set.x, &set.x_before})
      copy_column(*rows, lay.at(level, lay.chains), lay.at(level, 0));
    set.distance[lay.at(level, lay.chains)] = set.distance[lay.at(level, 0)];
  }
  bool touched = false;
  for (int first = 0; first < lay.groups(); first += kQueryBatch) {
    const int count = use_candidates(context, set, level, first);
    touched |= push_segments(set, context, level, count);
  }
  if (!touched) return;

  // The left segment of chain 0 is the last one if closed, else none.
  const LateralScratch& s = set.lateral;
  const size_t before = lay.at(0, -1), last = lay.at(0, lay.chains - 1);
  if (lay.closed) {
    for (const Rows3* rows : {&s.far_shift, &s.normal, &s.velocity, &s.gradient})
      copy_column(*rows, before, last);
    for (float* row : {s.collider, s.touched, s.grip}) row[before] = row[last];
  } else {
    s.touched[before] = 0;
  }
  for (int first = 0; first < lay.groups(); first += kQueryBatch) {
    const int count = use_candidates(context, set, level, first);
    move_bones(set, context, level, count);
  }
}

}  // namespace billow
