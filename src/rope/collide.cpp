// Collisions (paper, Section "Collisions"; step 3), positions: root to tip, each bone alternating between its
// rope's length and the body, then the rope above it, then the lateral segments of its level.
#include "rope/collide.h"

#include <algorithm>
#include <bit>

#include "rope/length.h"
#include "rope/stages.h"

namespace billow {
namespace {

constexpr int kSlides = 4;    // on the sphere of the rope's length
constexpr int kHalvings = 7;  // of the rope, when all else fails

// Both constraints at once, or one by a stated rule (docs/pipeline.md, "When rope and body disagree"):
//   1. slide on the sphere of the rope's length until out of the body;
//   2. if that fails and the parent is outside: the rope gives way by shrinking; the bone goes the way it was
//      heading, bent along the surface at the parent, as far as is free (at worst to the parent itself);
//   3. if the parent is itself enclosed: the rope's length is kept and the bone may be inside.
struct Settling4 {
  V3x4 x, parent;
  F4 longest, clearance;
  M4 doubtful;  // the others are known to be out of the body where they are
};
struct Settled4 {
  V3x4 x;
  M4 trapped;   // case 2
  M4 enclosed;  // case 3
};

// Cases 2 and 3, of bones that are still inside.
void give_way(const CollisionContext& context, const Settling4& bones, M4 inside, Settled4& out) {
  const V3x4 parent = bones.parent;
  const F4 clearance = bones.clearance;
  Nearest4 at_parent = nearest_surface(context.reach.obstacles, parent, clearance + bones.longest);
  M4 parent_free = at_parent.phi >= 0.0f;
  out.trapped = inside & parent_free;
  out.enclosed = inside & ~parent_free;
  if (!any(out.trapped)) return;
  V3x4 heading = normalized_or(out.x - parent, at_parent.gradient);
  V3x4 n = at_parent.gradient;
  heading = normalized_or(heading - n * min(dot(heading, n), zero()), n);
  F4 reach = usable_length(bones.longest, out.x, parent);
  M4 open = out.trapped;
  V3x4 place = parent;
  for (int k = 0; k < kHalvings && any(open); ++k) {
    V3x4 candidate = parent + heading * reach;
    F4 phi = nearest_surface(context.reach.obstacles, candidate, clearance).phi;
    M4 free = open & (phi >= clearance - kContactTolerance);
    place = select(free, candidate, place);
    open = open & ~free;
    reach = reach * 0.5f;
  }
  out.x = select(out.trapped, place, out.x);
}

// One slide along the sphere: only the part of the gradient across the rope helps when the rope is taut.
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
  SdfQuery asked;
  V3x4* x = asked.x;
  M4 inside[kQueryTogether];
  const auto find_inside = [&](uint32_t of) {
    nearest_surfaces(context.reach, of, asked);
    uint32_t some = 0;
    for_each_group(of, [&](int g) {
      inside[g] = asked.near[g].phi < bones[g].clearance - kContactTolerance;
      some |= uint32_t{any(inside[g])} << g;
    });
    return some;
  };
  uint32_t left = 0;
  for_each_group(groups, [&](int g) {
    const V3x4 was = bones[g].x;
    x[g] = limit_length(was, bones[g].parent, bones[g].longest);
    asked.limit[g] = bones[g].clearance;
    const M4 same = (x[g].x == was.x) & (x[g].y == was.y) & (x[g].z == was.z);
    left |= uint32_t{any(bones[g].doubtful | ~same)} << g;
  });
  left = find_inside(left);
  for (int k = 0; k < kSlides && left; ++k) {
    for_each_group(left,
                   [&](int g) { x[g] = select(inside[g], slide(bones[g], x[g], asked.near[g]), x[g]); });
    left = find_inside(left);
  }
  for_each_group(groups, [&](int g) { out[g] = {x[g], none(), none()}; });
  for_each_group(left, [&](int g) { give_way(context, bones[g], inside[g], out[g]); });
}

void record_trouble(ChainSet& set, size_t at, M4 trapped, M4 enclosed) {
  F4 old = load(set.trouble + at);
  store(set.trouble + at, select(enclosed, splat(2.0f), select(trapped, max(old, 1.0f), old)));
}

// Notes a contact for the velocity rule and the report.
void record_contact(ChainSet& set, const CollisionContext& context, size_t at, const Push4& push) {
  V3x4 v_body = body_velocity(context.colliders, push.near, push.x, context.inverse_dt);
  store(set.held + at, select(push.touched, splat(1.0f), zero()));
  store(set.touch_normal, at, push.normal);
  store(set.touch_velocity, at, v_body);
  store(set.contact_normal, at, select(push.touched, push.near.gradient, load(set.contact_normal, at)));
  store(set.contact_collider + at, select(push.touched, push.near.first, load(set.contact_collider + at)));
}

// Points on the ropes above some groups of bones, which are `distance` from the body. What a point is pushed by moves the
// bone, which turns the rope about its parent.
void clear_ropes(const CollisionContext& context, const ChainSet& set, int level, uint32_t groups,
                 F4* distance, Push4* push) {
  const size_t pitch = static_cast<size_t>(set.layout.pitch);
  for (int k = 1; k <= context.settings.rope_samples; ++k) {
    const float t = static_cast<float>(k) / static_cast<float>(context.settings.rope_samples + 1);
    Moved4 points[kQueryTogether];
    Push4 pushed[kQueryTogether];
    SdfQuery parents;
    uint32_t near = 0;
    for_each_group(groups, [&](int g) {
      const size_t at = set.layout.group_at(level, context.first + g), up = at - pitch;
      V3x4 parent = parents.x[g] = load(set.x, up), parent_before = load(set.x_before, up);
      V3x4 rope = push[g].x - parent;
      F4 clearance = parents.limit[g] = load(set.radius + at);
      points[g] = {parent + rope * t, parent_before + (load(set.x_before, at) - parent_before) * t, clearance,
                   clearance};
      // A sample cannot be nearer to the body than its bone by more than it is away from this.
      M4 clear = distance[g] >= clearance + (1 - t) * length(rope) + kLookFarther;
      if (!all(clear | (clearance < -1.0f)) || may_pass_through(context, g, points[g])) near |= 1u << g;
    });
    uint32_t touched = push_out(context, near, points, pushed);
    nearest_surfaces(context.reach, touched, parents);
    for_each_group(touched, [&](int g) {
      const size_t at = set.layout.group_at(level, context.first + g);
      Push4 &p = pushed[g], &of_bone = push[g];
      // A rope that starts inside the body (a root under the skin) cannot leave it.
      const M4 moves = p.touched & (parents.near[g].phi >= parents.limit[g] - 1e-3f);
      V3x4 moved = of_bone.x + (p.x - points[g].x) * (1.0f / (t > 0.5f ? t : 0.5f));
      V3x4 carried = embed(context.colliders, p.near, load(set.x_before, at));
      of_bone.x = select(moves, select(p.stuck, carried, moved), of_bone.x);
      of_bone.inside = of_bone.inside | moves;  // or may be
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
  // How far a rope's samples are from its bone, by its length.
  const float reach = static_cast<float>(s.rope_samples) / static_cast<float>(s.rope_samples + 1);
  Moved4 bones[kQueryTogether];
  uint32_t groups = 0;
  for (int g = 0; g < count; ++g) {
    const size_t at = lay.group_at(level, context.first + g);
    // Length first (it may remove the need for a collision), collision last.
    V3x4 parent = load(set.x, at - pitch),
         x = limit_length(load(set.x, at), parent, load(set.max_length + at));
    store(set.x, at, x);
    store(set.distance + at, splat(kFarAway));
    if (context.candidates[g].nothing) continue;
    groups |= 1u << g;
    // Look a little farther than needed: the distance tells whether rope and lateral segments need a look.
    F4 clearance = load(set.radius + at),
       farther = max(reach * length(x - parent), 0.5f * load(set.lateral_longest + at));
    bones[g] = {x, load(set.x_before, at), clearance, clearance + farther + 2 * kLookFarther};
  }
  Push4 push[kQueryTogether];
  F4 distance[kQueryTogether];
  uint32_t touched = push_out(context, groups, bones, push);
  for_each_group(groups,
                 [&](int g) { distance[g] = select(push[g].touched, bones[g].clearance, push[g].near.phi); });
  for (int k = 1; k < s.alternations && touched; ++k) {
    Push4 again[kQueryTogether];
    for_each_group(touched, [&](int g) {
      const size_t at = lay.group_at(level, context.first + g);
      bones[g].x = limit_length(push[g].x, load(set.x, at - pitch), load(set.max_length + at));
      bones[g].horizon = bones[g].clearance;
    });
    push_out(context, touched, bones, again);
    for_each_group(touched, [&](int g) { push[g].x = again[g].x, push[g].inside = again[g].inside; });
  }
  clear_ropes(context, set, level, groups, distance, push);
  V3x4 x[kQueryTogether];
  M4 doubtful[kQueryTogether];
  touched = 0;
  for_each_group(groups, [&](int g) {
    x[g] = push[g].x, doubtful[g] = push[g].inside;
    touched |= uint32_t{any(push[g].touched)} << g;
    store(set.distance + lay.group_at(level, context.first + g), distance[g]);
  });
  settle_bones(set, context, level, touched, x, doubtful);
  for_each_group(touched, [&](int g) {
    const size_t at = lay.group_at(level, context.first + g);
    push[g].x = x[g];
    record_contact(set, context, at, push[g]);
    store(set.x, at, x[g]);
  });
}

}  // namespace

void settle_bones(ChainSet& set, const CollisionContext& context, int level, uint32_t groups, V3x4* x,
                  M4* doubtful) {
  Settling4 bones[kQueryTogether];
  Settled4 settled[kQueryTogether];
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
  const int count = std::min(kQueryTogether, set.layout.groups() - first);
  if (context.level == level && context.first == first) return count;
  context.level = level;
  context.first = first;
  context.candidates = set.candidates + first;
  CandidateSet& reach = context.reach;
  reach.obstacles = {context.colliders, context.numbers, 0};
  for (int g = 0; g < count; ++g) reach.from[g] = load(set.x, set.layout.group_at(level, first + g));
  for (int word = 0; word < kMaxColliders / 64; ++word) {
    uint64_t touching = 0;
    for (int g = 0; g < count; ++g) touching |= context.candidates[g].touching[word];
    for (; touching; touching &= touching - 1) {
      const int bit = std::countr_zero(touching), i = 64 * word + bit;
      F4* least = reach.least[reach.obstacles.count];
      for (int g = 0; g < count; ++g)
        least[g] = context.candidates[g].touching[word] >> bit & 1
                       ? distance_from_axis(set.bounds, i, reach.from[g]) - set.bounds.radius[i]
                       : splat(kFarAway);
      context.numbers[reach.obstacles.count++] = static_cast<uint8_t>(i);
    }
  }
  return count;
}

void collide(ChainSet& set, const PosedCollider* colliders, int collider_count, float dt) {
  CollisionContext context(set.settings, colliders, set.common_motion, dt);
  for (size_t i = 0; i < set.layout.row_floats(); i += kLanes) store(set.held + i, zero());
  bound_colliders(set.bounds, colliders, collider_count);
  const bool lateral = set.layout.neighbours && set.settings.lateral_samples > 0;
  for (int i = 1; i < set.layout.levels; ++i) {
    bool any_near = false;
    for (int first = 0; first < set.layout.groups(); first += kQueryTogether) {
      for (int g = first; g < first + kQueryTogether && g < set.layout.groups(); ++g) {
        find_candidates(set, i, g);
        any_near |= !set.candidates[g].nothing;
      }
      const int count = use_candidates(context, set, i, first);
      collide_bones(set, context, i, count);
    }
    if (lateral && any_near) collide_lateral(set, context, i);
  }
}

}  // namespace billow
