// Collisions (paper, Section "Collisions"; step 3), positions. From root to tip, each bone alternates between
// its rope's length and the body; then the rope above it and the lateral segments of its level collide.
#include "rope/collide.h"

#include <algorithm>
#include <bit>

#include "rope/length.h"
#include "rope/stages.h"

namespace billow {
namespace {

constexpr int kSlides = 4;    // on the sphere of the rope's length
constexpr int kHalvings = 7;  // of the rope, if sliding fails

// Satisfies rope length and body, or one of them by this rule (docs/pipeline.md, "When rope and body
// disagree"):
//   1. slide on the sphere of the rope's length until outside the body;
//   2. if that fails and the parent is outside: shorten the rope; the bone keeps its direction from the
//      parent, deflected along the surface at the parent, as far as is free (at worst to the parent itself);
//   3. if the parent itself is inside: keep the rope's length; the bone may be inside.
struct Settling4 {
  V3x4 x, parent;
  F4 longest, clearance;
  M4 doubtful;  // lanes that may be inside; the others are known to be outside
};
struct Settled4 {
  V3x4 x;
  M4 trapped;   // case 2
  M4 enclosed;  // case 3
};

// Cases 2 and 3, for bones that are still inside.
void resolve_inside(const CollisionContext& context, const Settling4& bones, M4 inside, Settled4& out) {
  const V3x4 parent = bones.parent;
  const F4 clearance = bones.clearance;
  Nearest4 at_parent = context.nearest(parent, clearance + bones.longest);
  M4 parent_free = at_parent.phi >= 0.0f;
  out.trapped = inside & parent_free;
  out.enclosed = inside & ~parent_free;
  if (!any(out.trapped)) return;
  V3x4 heading = normalized_or(out.x - parent, at_parent.gradient);
  V3x4 n = at_parent.gradient;
  heading = normalized_or(heading - n * min(dot(heading, n), zero()), n);
  F4 reach = usable_length(bones.longest, out.x, parent);
  M4 open = out.trapped;
  V3x4 position = parent;
  for (int k = 0; k < kHalvings && any(open); ++k) {
    V3x4 candidate = parent + heading * reach;
    F4 phi = context.nearest(candidate, clearance).phi;
    M4 free = open & (phi >= clearance - kContactTolerance);
    position = select(free, candidate, position);
    open = open & ~free;
    reach = reach * 0.5f;
  }
  out.x = select(out.trapped, position, out.x);
}

// One step along the sphere: if the rope is taut, only the part of the gradient across it helps.
V3x4 slide(const Settling4& bones, V3x4 x, const Nearest4& near) {
  V3x4 l = x - bones.parent;
  V3x4 l_hat = normalized_or(l, near.gradient);
  F4 outward = dot(near.gradient, l_hat);
  M4 held = (length(l) > 0.99f * bones.longest) & (outward > 0.0f);
  V3x4 across = select(held, near.gradient - l_hat * outward, near.gradient);
  F4 gain = max(dot(across, across), 0.04f);
  return limit_length(x + across * ((bones.clearance - near.phi) / gain), bones.parent, bones.longest);
}

void satisfy_both(const CollisionContext& context, uint32_t groups, Settling4* bones, Settled4* out) {
  SdfQuery query;
  V3x4* x = query.x;
  M4 inside[kQueryBatch];
  const auto find_inside = [&](uint32_t queried) {
    context.nearest(queried, query);
    uint32_t some = 0;
    for_each_group(queried, [&](int g) {
      inside[g] = query.near[g].phi < bones[g].clearance - kContactTolerance;
      some |= uint32_t{any(inside[g])} << g;
    });
    return some;
  };
  uint32_t left = 0;
  for_each_group(groups, [&](int g) {
    const V3x4 before = bones[g].x;
    x[g] = limit_length(before, bones[g].parent, bones[g].longest);
    query.limit[g] = bones[g].clearance;
    const M4 same = (x[g].x == before.x) & (x[g].y == before.y) & (x[g].z == before.z);
    left |= uint32_t{any(bones[g].doubtful | ~same)} << g;
  });
  left = find_inside(left);
  for (int k = 0; k < kSlides && left; ++k) {
    for_each_group(left,
                   [&](int g) { x[g] = select(inside[g], slide(bones[g], x[g], query.near[g]), x[g]); });
    left = find_inside(left);
  }
  for_each_group(groups, [&](int g) { out[g] = {x[g], none(), none()}; });
  for_each_group(left, [&](int g) { resolve_inside(context, bones[g], inside[g], out[g]); });
}

void record_trouble(ChainSet& set, size_t at, M4 trapped, M4 enclosed) {
  F4 old = load(set.trouble + at);
  store(set.trouble + at, select(enclosed, splat(2.0f), select(trapped, max(old, 1.0f), old)));
}

// Stores a contact for respond_to_contacts() and the report.
void record_contact(ChainSet& set, const CollisionContext& context, size_t at, const Push4& push) {
  V3x4 v_body = body_velocity(context.colliders, push.near, push.x, context.inverse_dt);
  store(set.held + at, select(push.touched, splat(1.0f), zero()));
  store(set.grip + at, context.grip_on(push.near));
  store(set.touch_normal, at, push.normal);
  store(set.touch_velocity, at, v_body);
  store(set.contact_normal, at, select(push.touched, push.near.gradient, load(set.contact_normal, at)));
  store(set.contact_collider + at, select(push.touched, push.near.first, load(set.contact_collider + at)));
}

// Collides samples on the ropes above the bones, whose distance from the body is `distance`. The push of a
// sample moves its bone, which rotates the rope about the parent.
void clear_ropes(const CollisionContext& context, const ChainSet& set, int level, uint32_t groups,
                 F4* distance, Push4* push) {
  const size_t pitch = static_cast<size_t>(set.layout.pitch);
  for (int k = 1; k <= context.settings.rope_samples; ++k) {
    const float t = static_cast<float>(k) / static_cast<float>(context.settings.rope_samples + 1);
    Moved4 points[kQueryBatch];
    Push4 pushed[kQueryBatch];
    SdfQuery parents;
    uint32_t near = 0;
    for_each_group(groups, [&](int g) {
      const size_t at = set.layout.group_at(level, context.first + g), up = at - pitch;
      V3x4 parent = parents.x[g] = load(set.x, up), parent_before = load(set.x_before, up);
      V3x4 rope = push[g].x - parent;
      F4 clearance = parents.limit[g] = load(set.radius + at);
      points[g] = {parent + rope * t, parent_before + (load(set.x_before, at) - parent_before) * t, clearance,
                   clearance};
      // A sample cannot be nearer to the body than its bone by more than the distance between the two.
      M4 clear = distance[g] >= clearance + (1 - t) * length(rope) + kQueryMargin;
      if (!all(clear | (clearance < -1.0f)) || may_pass_through(context, g, points[g])) near |= 1u << g;
    });
    uint32_t touched = push_out(context, near, points, pushed);
    context.nearest(touched, parents);
    for_each_group(touched, [&](int g) {
      const size_t at = set.layout.group_at(level, context.first + g);
      Push4 &p = pushed[g], &of_bone = push[g];
      // A rope that starts inside the body (a root under the skin) cannot leave it.
      const M4 moves = p.touched & (parents.near[g].phi >= parents.limit[g] - 1e-3f);
      V3x4 pushed_x = of_bone.x + (p.x - points[g].x) * (1.0f / (t > 0.5f ? t : 0.5f));
      V3x4 carried = embed(context.colliders, p.near, load(set.x_before, at));
      of_bone.x = select(moves, select(p.stuck, carried, pushed_x), of_bone.x);
      of_bone.inside = of_bone.inside | moves;  // may be inside
      of_bone.normal = select(moves, p.normal, of_bone.normal);
      of_bone.near.first = select(moves, p.near.first, of_bone.near.first);
      of_bone.near.second = select(moves, p.near.second, of_bone.near.second);
      of_bone.near.blend = select(moves, p.near.blend, of_bone.near.blend);
      of_bone.near.gradient = select(moves, p.near.gradient, of_bone.near.gradient);
      of_bone.touched = of_bone.touched | moves;
      distance[g] = select(moves, parents.limit[g], distance[g]);
    });
  }
}

void collide_bones(ChainSet& set, const CollisionContext& context, int level, int count) {
  const Layout& lay = set.layout;
  const RopeSettings& s = set.settings;
  const size_t pitch = static_cast<size_t>(lay.pitch);
  // Largest distance of a rope's samples from its bone, as a fraction of its length.
  const float reach = static_cast<float>(s.rope_samples) / static_cast<float>(s.rope_samples + 1);
  Moved4 bones[kQueryBatch];
  uint32_t groups = 0;
  for (int g = 0; g < count; ++g) {
    const size_t at = lay.group_at(level, context.first + g);
    // Length first (it may remove the need for a collision), collision last.
    V3x4 parent = load(set.x, at - pitch),
         x = limit_length(load(set.x, at), parent, load(set.max_length + at));
    store(set.x, at, x);
    store(set.distance + at, splat(kFarAway));
    if (context.broad_phase[g].empty) continue;
    groups |= 1u << g;
    // Query farther than the clearance: the distance tells whether rope and lateral segments need queries.
    F4 clearance = load(set.radius + at),
       farther = max(reach * length(x - parent), 0.5f * load(set.lateral_longest + at));
    bones[g] = {x, load(set.x_before, at), clearance, clearance + farther + 2 * kQueryMargin};
  }
  Push4 push[kQueryBatch];
  F4 distance[kQueryBatch];
  uint32_t touched = push_out(context, groups, bones, push);
  for_each_group(groups,
                 [&](int g) { distance[g] = select(push[g].touched, bones[g].clearance, push[g].near.phi); });
  for (int k = 1; k < s.alternations && touched; ++k) {
    Push4 again[kQueryBatch];
    for_each_group(touched, [&](int g) {
      const size_t at = lay.group_at(level, context.first + g);
      bones[g].x = limit_length(push[g].x, load(set.x, at - pitch), load(set.max_length + at));
      bones[g].horizon = bones[g].clearance;
    });
    push_out(context, touched, bones, again);
    for_each_group(touched, [&](int g) { push[g].x = again[g].x, push[g].inside = again[g].inside; });
  }
  clear_ropes(context, set, level, groups, distance, push);
  V3x4 x[kQueryBatch];
  M4 doubtful[kQueryBatch];
  touched = 0;
  for_each_group(groups, [&](int g) {
    x[g] = push[g].x, doubtful[g] = push[g].inside;
    touched |= uint32_t{any(push[g].touched)} << g;
    store(set.distance + lay.group_at(level, context.first + g), distance[g]);
  });
  settle_bones(set, context, level, touched, x, doubtful);
  for_each_group(touched, [&](int g) {
    const size_t at = lay.group_at(level, context.first + g);
    // Lanes that touch nothing stay as they are to the bit: their ropes are not to be limited twice.
    push[g].x = select(push[g].touched, x[g], load(set.x, at));
    record_contact(set, context, at, push[g]);
    store(set.x, at, push[g].x);
  });
}

}  // namespace

void settle_bones(ChainSet& set, const CollisionContext& context, int level, uint32_t groups, V3x4* x,
                  M4* doubtful) {
  Settling4 bones[kQueryBatch];
  Settled4 settled[kQueryBatch];
  for_each_group(groups, [&](int g) {
    const size_t at = set.layout.group_at(level, context.first + g);
    bones[g] = {x[g], load(set.x, at - static_cast<size_t>(set.layout.pitch)), load(set.max_length + at),
                load(set.radius + at), doubtful[g]};
  });
  satisfy_both(context, groups, bones, settled);
  for_each_group(groups, [&](int g) {
    const size_t at = set.layout.group_at(level, context.first + g);
    record_trouble(set, at, settled[g].trapped, settled[g].enclosed);
    x[g] = settled[g].x;
  });
}

int use_candidates(CollisionContext& context, const ChainSet& set, int level, int first) {
  const int count = std::min(kQueryBatch, set.layout.groups() - first);
  if (context.level == level && context.first == first) return count;
  context.level = level;
  context.first = first;
  context.broad_phase = set.broad_phase + first;
  context.candidates.list = {context.colliders, context.indices, 0};
  context.limbs.list = {context.colliders, context.limb_indices, 0};
  V3x4* from = context.candidates.from;
  for (int g = 0; g < count; ++g)
    from[g] = context.limbs.from[g] = load(set.x, set.layout.group_at(level, first + g));
  for (int word = 0; word < kMaxColliders / 64; ++word) {
    uint64_t overlapping = 0;
    for (int g = 0; g < count; ++g) overlapping |= context.broad_phase[g].overlapping[word];
    for (; overlapping; overlapping &= overlapping - 1) {
      const int bit = std::countr_zero(overlapping), i = 64 * word + bit;
      const bool yields = set.settings.yielding_groups >> context.colliders[i].collider->group & 1;
      CandidateSet& of = yields ? context.limbs : context.candidates;
      F4* lower_bound = of.lower_bound[of.list.count];
      for (int g = 0; g < count; ++g)
        lower_bound[g] = context.broad_phase[g].overlapping[word] >> bit & 1
                             ? least_distance(set.bounds, i, from[g])
                             : splat(kFarAway);
      (yields ? context.limb_indices : context.indices)[of.list.count++] = static_cast<uint8_t>(i);
    }
  }
  return count;
}

void collide(ChainSet& set, const PosedCollider* colliders, int collider_count, float dt) {
  CollisionContext context(set.settings, colliders, set.common_motion, dt);
  for (size_t i = 0; i < set.layout.row_floats(); i += kLanes) store(set.held + i, zero());
  const RopeSettings& s = set.settings;
  bound_colliders(set.bounds, colliders, collider_count, s.rigid_groups | s.yielding_groups);
  // What a limb passes through while it yields has not to be stopped.
  for (int i = 0; i < collider_count; ++i)
    if (s.yielding_groups >> colliders[i].collider->group & 1) set.bounds.half_thickness[i] = kFarAway;
  // Limbs yield to rigid colliders that are farther than any contact.
  const float beyond = s.yielding_groups && collider_count > 0 ? 2 * kYieldGap * colliders[0].scale : 0;
  const bool lateral = set.layout.neighbours && s.lateral_samples > 0;
  for (int i = 1; i < set.layout.levels; ++i) {
    bool any_near = false;
    for (int first = 0; first < set.layout.groups(); first += kQueryBatch) {
      for (int g = first; g < first + kQueryBatch && g < set.layout.groups(); ++g) {
        find_candidates(set, i, g, beyond);
        any_near |= !set.broad_phase[g].empty;
      }
      const int count = use_candidates(context, set, i, first);
      collide_bones(set, context, i, count);
    }
    if (lateral && any_near) collide_lateral(set, context, i);
  }
}

}  // namespace billow
