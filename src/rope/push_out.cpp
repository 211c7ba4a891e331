#include "rope/push_out.h"

namespace billow {
namespace {

constexpr int kAdvances = 12;    // of the swept check
constexpr int kBisections = 10;  // of the line search
constexpr int kLastPushes = 3;   // along the gradient, when the chosen way has not led out

// Finds points that pass right through a collider within the sub-step, seen from the collider, and stops them
// a little inside its surface, on the side they came from, for the push-out to deal with. Conservative
// advancement: the distance to the surface is always safe to go.
M4 stop_at_first_hit(const Surroundings& around, V3x4& x, V3x4 before, F4 clearance) {
  M4 stopped = none();
  for (int i = 0; i < around.crossed.count; ++i) {
    const PosedCollider& c = around.crossed.colliders[around.crossed.numbers[i]];
    V3x4 start = embed_with(c, before);
    V3x4 path = x - start;
    F4 l2 = dot(path, path);
    M4 fast = l2 > c.thinnest * c.thinnest;
    if (!any(fast)) continue;
    // Bound: the path's middle farther from the collider than half the path.
    F4 l = sqrt(max(l2, splat(1e-20f)));
    V3x4 middle = (start + x) * 0.5f - splat(c.bound_centre);
    F4 near_enough = 0.5f * l + c.bound_radius + max(clearance, zero());
    M4 maybe = fast & (dot(middle, middle) < near_enough * near_enough) & (clearance > -1.0f);
    if (!any(maybe)) continue;

    V3x4 direction = path * (splat(1.0f) / l);
    F4 at_start = distance_to(c, start).phi - clearance;
    F4 at_end = distance_to(c, x).phi - clearance;
    maybe = maybe & (at_start >= 0.0f) & (at_end >= 0.0f) & (at_start + at_end < l);
    F4 s = at_start;
    for (int k = 0; k < kAdvances && any(maybe); ++k) {
      F4 gap = distance_to(c, start + direction * s).phi - clearance;
      M4 hit = maybe & (gap < 1e-3f);
      x = select(hit, start + direction * (s + 2e-3f), x);
      stopped = stopped | hit;
      s += max(gap, splat(1e-3f));
      maybe = maybe & ~hit & (s < l);
    }
  }
  return stopped;
}

// The way back: from x toward where the collider would have carried the point.
struct WayBack {
  V3x4 carried;    // x_B^n
  V3x4 direction;  // r, or the gradient where there is no such way (the point stood still, or it leads
                   // farther in)
  F4 length;       // 0 where there is none
};

WayBack way_back(const Surroundings& around, const Nearest4& near, V3x4 x, V3x4 before) {
  V3x4 carried = embed(around.obstacles.colliders, near, before);
  V3x4 r = carried - x;
  F4 l = length(r);
  V3x4 r_hat = normalized_or(r, near.gradient);
  M4 usable = (l > 1e-7f) & (dot(r_hat, near.gradient) > 0.0f);
  return {carried, select(usable, r_hat, near.gradient), select(usable, l, zero())};
}

// Farthest point along `direction` from x, within `available`, is outside; bisects to the surface.
V3x4 line_search(const Surroundings& around, V3x4 x, V3x4 direction, F4 available, F4 clearance) {
  F4 low = zero(), high = available;
  for (int k = 0; k < kBisections; ++k) {
    F4 middle = (low + high) * 0.5f;
    M4 inside = nearest_surface(around.obstacles, x + direction * middle, clearance).phi < clearance;
    low = select(inside, middle, low);
    high = select(inside, high, middle);
  }
  return x + direction * high;
}

// Lanes whose path could have led through a collider, by its bound, its thickness and how far things moved.
M4 may_have_crossed(const PosedCollider& c, V3x4 x, F4 moved, F4 clearance) {
  F4 path = moved + c.travel;
  V3x4 w = x - splat(c.bound_centre);
  F4 near = max(path + clearance + c.bound_radius, zero());
  return (path > c.thinnest) & (dot(w, w) < near * near);
}

Nearest4 nearer(const Nearest4& a, const Nearest4& b) {
  M4 second = b.phi < a.phi;
  M4 named = second | (a.first < 0.0f);
  return {select(named, b.phi, a.phi), select(named, b.gradient, a.gradient), select(named, b.first, a.first),
          select(named, b.second, a.second), select(named, b.blend, a.blend)};
}

}  // namespace

bool may_pass_through(const Surroundings& around, V3x4 x, V3x4 before, F4 clearance) {
  if (around.crossed.count == 0) return false;
  F4 moved = length(x - before - splat(around.common));
  M4 crossed = none();
  for (int i = 0; i < around.crossed.count; ++i)
    crossed =
        crossed | may_have_crossed(around.crossed.colliders[around.crossed.numbers[i]], x, moved, clearance);
  return any(crossed);
}

Push4 push_out(const Surroundings& around, V3x4 x, V3x4 before, F4 clearance, F4 horizon) {
  const RopeSettings& s = around.settings;
  M4 stopped = none();
  if (may_pass_through(around, x, before, clearance))
    stopped = stop_at_first_hit(around, x, before, clearance);
  Nearest4 near = nearest_surface(around.obstacles, x, horizon);
  if (any(stopped))
    near = nearer(near, nearest_surface(around.crossed, x, select(stopped, splat(kFarAway), horizon)));
  Push4 push{x, (near.phi < clearance) | stopped, none(), near.gradient, near};
  if (!any(push.touched)) return push;
  F4 target = clearance + s.push_extra;
  WayBack back = way_back(around, near, x, before);
  V3x4 direction = s.push_along_history ? back.direction : near.gradient;
  M4 inside = push.touched;

  // Stick, where the way back is short and its end is free.
  if (s.push_along_history) {
    M4 short_way = inside & (back.length > 0.0f) & (back.length < around.stick_distance);
    if (any(short_way)) {
      F4 phi = nearest_surface(around.obstacles, back.carried, clearance).phi;
      push.stuck = short_way & (phi >= clearance - kContactTolerance);
      push.x = select(push.stuck, back.carried, push.x);
      inside = inside & ~push.stuck;
    }
  }
  // Push the others along the chosen direction.
  if (s.line_search && s.push_along_history) {
    push.x =
        select(inside & (back.length > 0.0f), line_search(around, x, direction, back.length, target), push.x);
    near = nearest_surface(around.obstacles, push.x, target);
  } else {
    for (int k = 0; k < s.push_iterations && any(inside); ++k) {
      push.x = select(inside, push.x + direction * max(target - near.phi, zero()), push.x);
      near = nearest_surface(around.obstacles, push.x, target);
      inside = push.touched & ~push.stuck & (near.phi < clearance - kContactTolerance);
    }
  }
  // If that has not led out, leave by the nearest way.
  inside = push.touched & ~push.stuck & (near.phi < clearance - kContactTolerance);
  for (int k = 0; k < kLastPushes && any(inside); ++k) {
    push.x = select(inside, push.x + near.gradient * (target - near.phi), push.x);
    near = nearest_surface(around.obstacles, push.x, target);
    inside = push.touched & ~push.stuck & (near.phi < clearance - kContactTolerance);
  }
  if (s.velocity_along_history) push.normal = back.direction;
  return push;
}

}  // namespace billow
