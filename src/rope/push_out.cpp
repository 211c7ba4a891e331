#include "rope/push_out.h"

namespace billow {
namespace {

constexpr int kAdvances = 12;    // of the swept check
constexpr int kBisections = 10;  // of the line search
constexpr int kLastPushes = 3;   // along the gradient, when the chosen way has not led out

// Finds points that pass right through a collider within the sub-step, seen from the collider, and stops them
// a little inside its surface, on the side they came from, for the push-out to deal with. Conservative
// advancement: the distance to the surface is always safe to go.
M4 stop_at_first_hit(const CandidateList& crossed, V3x4& x, V3x4 before, F4 clearance) {
  M4 stopped = none();
  for (int i = 0; i < crossed.count; ++i) {
    const PosedCollider& c = crossed.colliders[crossed.numbers[i]];
    V3x4 start = embed_with(c, before);
    V3x4 path = x - start;
    F4 l2 = dot(path, path);
    M4 fast = l2 > c.thinnest * c.thinnest;
    if (!any(fast)) continue;
    // Bound: the path's middle farther from the collider than half the path.
    F4 l = sqrt(max(l2, 1e-20f));
    V3x4 middle = (start + x) * 0.5f - splat(c.bound_centre);
    F4 near_enough = 0.5f * l + c.bound_radius + max(clearance, 0.0f);
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
      s += max(gap, 1e-3f);
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

WayBack way_back(const CollisionContext& context, const Nearest4& near, V3x4 x, V3x4 before) {
  V3x4 carried = embed(context.colliders, near, before);
  V3x4 r = carried - x;
  F4 l = length(r);
  V3x4 r_hat = normalized_or(r, near.gradient);
  M4 usable = (l > 1e-7f) & (dot(r_hat, near.gradient) > 0.0f);
  return {carried, select(usable, r_hat, near.gradient), select(usable, l, zero())};
}

// Farthest point along `direction` from x, within `available`, is outside; bisects to the surface.
V3x4 line_search(const CollisionContext& context, V3x4 x, V3x4 direction, F4 available, F4 clearance) {
  F4 low = zero(), high = available;
  for (int k = 0; k < kBisections; ++k) {
    F4 middle = (low + high) * 0.5f;
    M4 inside = nearest_surface(context.reach.obstacles, x + direction * middle, clearance).phi < clearance;
    low = select(inside, middle, low);
    high = select(inside, high, middle);
  }
  return x + direction * high;
}

// Lanes whose path could have led through a collider, by its bound, its thickness and how far things moved.
M4 may_have_crossed(const PosedCollider& c, V3x4 x, F4 moved, F4 clearance) {
  F4 path = moved + c.travel;
  V3x4 w = x - splat(c.bound_centre);
  F4 near = max(path + clearance + c.bound_radius, 0.0f);
  return (path > c.thinnest) & (dot(w, w) < near * near);
}

Nearest4 nearer(const Nearest4& a, const Nearest4& b) {
  M4 second = b.phi < a.phi;
  M4 named = second | (a.first < 0.0f);
  return {select(named, b.phi, a.phi), select(named, b.gradient, a.gradient), select(named, b.first, a.first),
          select(named, b.second, a.second), select(named, b.blend, a.blend)};
}

// Some groups of points, pushed out step by step, side by side.
class Pushing {
 public:
  Pushing(const CollisionContext& context, Moved4* points, Push4* out)
      : around_(context), s_(context.settings), points_(points), out_(out) {}

  uint32_t run(uint32_t groups) {
    const uint32_t touched = find_touching(groups);
    if (!touched) return 0;
    find_ways_back(touched);
    uint32_t inside = s_.push_along_history ? stick(touched) : touched;
    // Push the others along the chosen direction.
    if (s_.line_search && s_.push_along_history) {
      inside = search_lines(inside);
    } else {
      for (int k = 0; k < s_.push_iterations && inside; ++k)
        inside = push(inside, [&](int g) {
          return (s_.push_along_history ? back_[g].direction : out_[g].near.gradient) * max(depth(g), 0.0f);
        });
    }
    // If that has not led out, leave by the nearest way.
    inside = still_inside(inside);
    for (int k = 0; k < kLastPushes && inside; ++k)
      inside = push(inside, [&](int g) { return asked_.near[g].gradient * depth(g); });
    for_each_group(inside, [&](int g) { out_[g].inside = inside_[g]; });
    if (s_.velocity_along_history)
      for_each_group(touched, [&](int g) { out_[g].normal = back_[g].direction; });
    return touched;
  }

 private:
  F4 target(int g) const { return points_[g].clearance + s_.push_extra; }
  F4 depth(int g) const { return target(g) - asked_.near[g].phi; }
  void look(uint32_t groups) { nearest_surfaces(around_.reach, groups, asked_); }

  uint32_t find_touching(uint32_t groups) {
    M4 stopped[kQueryTogether];
    for_each_group(groups, [&](int g) {
      const Moved4& p = points_[g];
      asked_.x[g] = p.x;
      asked_.limit[g] = p.horizon;
      stopped[g] = may_pass_through(around_, g, p)
                       ? stop_at_first_hit(around_.crossed(g), asked_.x[g], p.before, p.clearance)
                       : none();
    });
    look(groups);
    uint32_t touched = 0;
    for_each_group(groups, [&](int g) {
      if (any(stopped[g])) {
        const F4 limit = select(stopped[g], splat(kFarAway), asked_.limit[g]);
        asked_.near[g] = nearer(asked_.near[g], nearest_surface(around_.crossed(g), asked_.x[g], limit));
      }
      inside_[g] = (asked_.near[g].phi < points_[g].clearance) | stopped[g];
      out_[g] = {asked_.x[g], inside_[g], none(), none(), asked_.near[g].gradient, asked_.near[g]};
      touched |= uint32_t{any(inside_[g])} << g;
    });
    return touched;
  }

  void find_ways_back(uint32_t groups) {
    for_each_group(
        groups, [&](int g) { back_[g] = way_back(around_, asked_.near[g], asked_.x[g], points_[g].before); });
  }

  // Stick, where the way back is short and its end is free. Returns the groups with others to push.
  uint32_t stick(uint32_t groups) {
    M4 short_way[kQueryTogether];
    uint32_t some = 0, inside = 0;
    for_each_group(groups, [&](int g) {
      const F4 l = back_[g].length;
      short_way[g] = inside_[g] & (l > 0.0f) & (l < around_.stick_distance);
      some |= uint32_t{any(short_way[g])} << g;
      asked_.x[g] = back_[g].carried;
      asked_.limit[g] = points_[g].clearance;
    });
    look(some);
    for_each_group(some, [&](int g) {
      Push4& push = out_[g];
      push.stuck = short_way[g] & (asked_.near[g].phi >= points_[g].clearance - kContactTolerance);
      push.x = select(push.stuck, back_[g].carried, push.x);
      inside_[g] = inside_[g] & ~push.stuck;
      asked_.near[g] = push.near;
    });
    for_each_group(groups, [&](int g) { inside |= uint32_t{any(inside_[g])} << g; });
    return inside;
  }

  // Which of them have lanes inside, by what is nearest to them now.
  uint32_t still_inside(uint32_t groups) {
    uint32_t inside = 0;
    for_each_group(groups, [&](int g) {
      const Push4& push = out_[g];
      inside_[g] =
          push.touched & ~push.stuck & (asked_.near[g].phi < points_[g].clearance - kContactTolerance);
      inside |= uint32_t{any(inside_[g])} << g;
    });
    return inside;
  }

  // Moves what is inside by what `by` says, and sees where that led.
  template <class By> uint32_t push(uint32_t groups, By by) {
    for_each_group(groups, [&](int g) {
      V3x4& x = out_[g].x;
      asked_.x[g] = x = select(inside_[g], x + by(g), x);
      asked_.limit[g] = target(g);
    });
    look(groups);
    return still_inside(groups);
  }

  uint32_t search_lines(uint32_t groups) {
    for_each_group(groups, [&](int g) {
      V3x4& x = out_[g].x;
      const WayBack& back = back_[g];
      const V3x4 found = line_search(around_, x, back.direction, back.length, target(g));
      asked_.x[g] = x = select(inside_[g] & (back.length > 0.0f), found, x);
      asked_.limit[g] = target(g);
    });
    look(groups);
    return groups;
  }

  const CollisionContext& around_;
  const RopeSettings& s_;
  Moved4* points_;
  Push4* out_;
  // Of each group: what is nearest to where it is now; lanes that have to move; where they came from.
  SdfQuery asked_;
  M4 inside_[kQueryTogether];
  WayBack back_[kQueryTogether];
};

}  // namespace

bool may_pass_through(const CollisionContext& context, int group, const Moved4& p) {
  const CandidateList crossed = context.crossed(group);
  if (crossed.count == 0) return false;
  F4 moved = length(p.x - p.before - splat(context.common));
  M4 may = none();
  for (int i = 0; i < crossed.count; ++i)
    may = may | may_have_crossed(crossed.colliders[crossed.numbers[i]], p.x, moved, p.clearance);
  return any(may);
}

uint32_t push_out(const CollisionContext& context, uint32_t groups, Moved4* points, Push4* out) {
  return groups ? Pushing(context, points, out).run(groups) : 0;
}

}  // namespace billow
