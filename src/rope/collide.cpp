// Collisions (paper, Section "Collisions"; step 3), positions: root to tip, each bone alternating between its
// rope's length and the body, then the rope above it, then the lateral segments of its level.
#include "rope/collide.h"

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
struct Settled4 {
  V3x4 x;
  M4 trapped;   // case 2
  M4 enclosed;  // case 3
};

Settled4 satisfy_both(const Surroundings& around, V3x4 x, V3x4 parent, F4 longest, F4 clearance) {
  x = limit_length(x, parent, longest);
  Nearest4 near = nearest_surface(around.obstacles, x, clearance);
  M4 inside = near.phi < clearance - kContactTolerance;
  Settled4 out{x, none(), none()};
  if (!any(inside)) return out;

  // Slide along the sphere: only the part of the gradient across the rope helps when the rope is taut.
  for (int k = 0; k < kSlides && any(inside); ++k) {
    V3x4 l = out.x - parent;
    V3x4 l_hat = normalized_or(l, near.gradient);
    F4 outward = dot(near.gradient, l_hat);
    M4 held = (length(l) > 0.99f * longest) & (outward > 0.0f);
    V3x4 across = select(held, near.gradient - l_hat * outward, near.gradient);
    F4 gain = max(dot(across, across), splat(0.04f));
    V3x4 moved = limit_length(out.x + across * ((clearance - near.phi) / gain), parent, longest);
    out.x = select(inside, moved, out.x);
    near = nearest_surface(around.obstacles, out.x, clearance);
    inside = near.phi < clearance - kContactTolerance;
  }
  if (!any(inside)) return out;

  // Let the rope shrink if the parent is free.
  Nearest4 at_parent = nearest_surface(around.obstacles, parent, clearance + longest);
  M4 parent_free = at_parent.phi >= 0.0f;
  out.trapped = inside & parent_free;
  out.enclosed = inside & ~parent_free;
  if (!any(out.trapped)) return out;
  V3x4 heading = normalized_or(out.x - parent, at_parent.gradient);
  V3x4 n = at_parent.gradient;
  heading = normalized_or(heading - n * min(dot(heading, n), zero()), n);
  F4 reach = usable_length(longest, out.x, parent);
  M4 open = out.trapped;
  V3x4 place = parent;
  for (int k = 0; k < kHalvings && any(open); ++k) {
    V3x4 candidate = parent + heading * reach;
    F4 phi = nearest_surface(around.obstacles, candidate, clearance).phi;
    M4 free = open & (phi >= clearance - kContactTolerance);
    place = select(free, candidate, place);
    open = open & ~free;
    reach = reach * 0.5f;
  }
  out.x = select(out.trapped, place, out.x);
  return out;
}

// Points on the rope above a bone. What a point is pushed by moves the bone, which turns the rope about its
// parent.
V3x4 clear_rope(const Surroundings& around, const ChainSet& set, size_t at, V3x4 x, Push4& push) {
  const size_t up = at - static_cast<size_t>(set.layout.pitch);
  V3x4 parent = load(set.x, up), before = load(set.x_before, at), parent_before = load(set.x_before, up);
  F4 clearance = load(set.radius + at);
  for (int k = 1; k <= around.settings.rope_samples; ++k) {
    float t = static_cast<float>(k) / static_cast<float>(around.settings.rope_samples + 1);
    V3x4 point = parent + (x - parent) * t;
    Push4 p = push_out(around, point, parent_before + (before - parent_before) * t, clearance, clearance);
    if (!any(p.touched)) continue;
    // A rope that starts inside the body (a root under the skin) cannot leave it.
    F4 at_parent = nearest_surface(around.obstacles, parent, clearance).phi;
    p.touched = p.touched & (at_parent >= clearance - 1e-3f);
    V3x4 moved = x + (p.x - point) * (1.0f / (t > 0.5f ? t : 0.5f));
    x = select(p.touched, select(p.stuck, embed(around.obstacles.colliders, p.near, before), moved), x);
    push.normal = select(p.touched, p.normal, push.normal);
    push.near.first = select(p.touched, p.near.first, push.near.first);
    push.near.second = select(p.touched, p.near.second, push.near.second);
    push.near.blend = select(p.touched, p.near.blend, push.near.blend);
    push.near.gradient = select(p.touched, p.near.gradient, push.near.gradient);
    push.touched = push.touched | p.touched;
  }
  return x;
}

void record_trouble(ChainSet& set, size_t at, M4 trapped, M4 enclosed) {
  F4 old = load(set.trouble + at);
  store(set.trouble + at, select(enclosed, splat(2.0f), select(trapped, max(old, splat(1.0f)), old)));
}

// Notes a contact for the velocity rule and the report.
void record_contact(ChainSet& set, const Surroundings& around, size_t at, const Push4& push) {
  V3x4 v_body = body_velocity(around.obstacles.colliders, push.near, push.x, around.inverse_dt);
  store(set.held + at, select(push.touched, splat(1.0f), zero()));
  store(set.touch_normal, at, push.normal);
  store(set.touch_velocity, at, v_body);
  store(set.contact_normal, at, select(push.touched, push.near.gradient, load(set.contact_normal, at)));
  store(set.contact_collider + at, select(push.touched, push.near.first, load(set.contact_collider + at)));
}

void collide_bones(ChainSet& set, const Surroundings& around, int level, int group) {
  const Layout& lay = set.layout;
  const size_t at = lay.group_at(level, group);
  V3x4 parent = load(set.x, at - static_cast<size_t>(lay.pitch)), before = load(set.x_before, at);
  F4 longest = load(set.max_length + at), clearance = load(set.radius + at);

  // Length first (it may remove the need for a collision), collision last.
  V3x4 x = limit_length(load(set.x, at), parent, longest);
  if (around.nothing()) {
    store(set.distance + at, splat(kFarAway));
    return store(set.x, at, x);
  }
  // Look a little farther than needed: the distance tells whether rope and lateral segments need a look.
  F4 rope = length(x - parent), horizon = clearance + max(rope, load(set.lateral_longest + at));
  Push4 push = push_out(around, x, before, clearance, horizon);
  F4 distance = select(push.touched, clearance, push.near.phi);
  for (int k = 1; k < around.settings.alternations && any(push.touched); ++k)
    push.x = push_out(around, limit_length(push.x, parent, longest), before, clearance, clearance).x;
  if (around.settings.rope_samples > 0) {
    M4 rope_clear = (distance >= clearance + rope) | (clearance < -1.0f);
    if (!all(rope_clear)) push.x = clear_rope(around, set, at, push.x, push);
  }
  if (any(push.touched)) {
    push.x = settle_bone(set, around, at, push.x);
    record_contact(set, around, at, push);
  }
  store(set.x, at, push.x);
  store(set.distance + at, select(push.touched, clearance, distance));
}

}  // namespace

V3x4 settle_bone(ChainSet& set, const Surroundings& around, size_t at, V3x4 x) {
  V3x4 parent = load(set.x, at - static_cast<size_t>(set.layout.pitch));
  Settled4 s = satisfy_both(around, x, parent, load(set.max_length + at), load(set.radius + at));
  record_trouble(set, at, s.trapped, s.enclosed);
  return s.x;
}

void collide(ChainSet& set, const PosedCollider* colliders, int collider_count, float dt) {
  Surroundings around{set.settings,
                      {colliders, nullptr, 0},
                      {colliders, nullptr, 0},
                      set.common_motion,
                      1.0f / dt,
                      length(set.settings.gravity) * dt * dt};
  for (size_t i = 0; i < set.layout.row_floats(); i += kLanes) store(set.held + i, zero());
  bound_colliders(set.bounds, colliders, collider_count);
  const bool lateral = set.layout.neighbours && set.settings.lateral_samples > 0;
  for (int i = 1; i < set.layout.levels; ++i) {
    bool any_near = false;
    for (int g = 0; g < set.layout.groups(); ++g) {
      find_nearby(set, i, g);
      look_near(around, set, g);
      any_near |= !around.nothing();
      collide_bones(set, around, i, g);
    }
    if (lateral && any_near) collide_lateral(set, around, i);
  }
}

}  // namespace billow
