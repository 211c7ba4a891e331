#include "rope/push_out.h"

namespace billow {
namespace {

constexpr int kAdvances = 12;    // of the swept check
constexpr int kBisections = 10;  // of the line search
constexpr int kLastPushes = 3;   // along the gradient, if the chosen direction has not led out

// CCD: finds points that pass right through a collider within the sub-step, relative to the collider's
// motion, and stops them a little inside its surface, on the side they came from, where push-out handles
// them. By conservative advancement: a step of the distance to the surface is always safe.
M4 stop_at_first_hit(const CandidateList& swept, V3x4& x, V3x4 before, F4 clearance) {
  M4 stopped = none();
  for (int i = 0; i < swept.count; ++i) {
    const PosedCollider& c = swept.colliders[swept.indices[i]];
    V3x4 start = embed_with(c, before);
    V3x4 path = x - start;
    F4 l2 = dot(path, path);
    M4 fast = l2 > c.half_thickness * c.half_thickness;
    if (!any(fast)) continue;
    // Cull: the path's middle is farther from the bounding sphere than half the path.
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

// The history direction: from x toward where the collider would have carried the point.
struct WayBack {
  V3x4 carried;  // x_B^n
  // r, or the gradient where r is not usable (the point did not move, r leads farther in, or a limb does not grip)
  V3x4 direction;
  F4 length;  // 0 where r is not usable
};

WayBack way_back(const CollisionContext& context, const Nearest4& near, V3x4 x, V3x4 before) {
  V3x4 carried = embed(context.colliders, near, before);
  V3x4 r = carried - x;
  F4 l = length(r);
  V3x4 r_hat = normalized_or(r, near.gradient);
  M4 usable = (l > 1e-7f) & (dot(r_hat, near.gradient) > 0.0f) & (context.grip_on(near) > 0.0f);
  return {carried, select(usable, r_hat, near.gradient), select(usable, l, zero())};
}

// Bisects to the surface along `direction` from x. The point at `available` is outside.
V3x4 line_search(const CollisionContext& context, V3x4 x, V3x4 direction, F4 available, F4 clearance) {
  F4 low = zero(), high = available;
  for (int k = 0; k < kBisections; ++k) {
    F4 middle = (low + high) * 0.5f;
    M4 inside = context.nearest(x + direction * middle, clearance).phi < clearance;
    low = select(inside, middle, low);
    high = select(inside, high, middle);
  }
  return x + direction * high;
}

// Lanes whose path may have passed through a collider, by its bounding sphere, its thickness and the motion
// of both.
M4 may_have_crossed(const PosedCollider& c, V3x4 x, F4 moved, F4 clearance) {
  F4 path = moved + c.travel;
  V3x4 w = x - splat(c.bound_centre);
  F4 near = max(path + clearance + c.bound_radius, 0.0f);
  return (path > c.half_thickness) & (dot(w, w) < near * near);
}

// Pushes several groups of points out in lockstep.
class PushOut {
 public:
  PushOut(const CollisionContext& context, Moved4* points, Push4* out)
      : context_(context), s_(context.settings), points_(points), out_(out) {}

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
    // Push those that are still inside along the gradient.
    inside = still_inside(inside);
    for (int k = 0; k < kLastPushes && inside; ++k)
      inside = push(inside, [&](int g) { return query_.near[g].gradient * depth(g); });
    for_each_group(inside, [&](int g) { out_[g].inside = inside_[g]; });
    if (s_.velocity_along_history)
      for_each_group(touched, [&](int g) { out_[g].normal = back_[g].direction; });
    return touched;
  }

 private:
  F4 target(int g) const { return points_[g].clearance + s_.push_extra; }
  F4 depth(int g) const { return target(g) - query_.near[g].phi; }
  void run_query(uint32_t groups) { context_.nearest(groups, query_); }

  uint32_t find_touching(uint32_t groups) {
    M4 stopped[kQueryBatch];
    for_each_group(groups, [&](int g) {
      const Moved4& p = points_[g];
      query_.x[g] = p.x;
      query_.limit[g] = p.horizon;
      stopped[g] = may_pass_through(context_, g, p)
                       ? stop_at_first_hit(context_.swept(g), query_.x[g], p.before, p.clearance)
                       : none();
    });
    run_query(groups);
    uint32_t touched = 0;
    for_each_group(groups, [&](int g) {
      if (any(stopped[g])) {
        const F4 limit = select(stopped[g], splat(kFarAway), query_.limit[g]);
        query_.near[g] = nearer(query_.near[g], nearest_surface(context_.swept(g), query_.x[g], limit));
      }
      inside_[g] = (query_.near[g].phi < points_[g].clearance) | stopped[g];
      out_[g] = {query_.x[g], inside_[g], none(), none(), query_.near[g].gradient, query_.near[g]};
      touched |= uint32_t{any(inside_[g])} << g;
    });
    return touched;
  }

  void find_ways_back(uint32_t groups) {
    for_each_group(groups, [&](int g) {
      back_[g] = way_back(context_, query_.near[g], query_.x[g], points_[g].before);
    });
  }

  // Sticks lanes whose way back is short and ends outside. Returns the groups with other lanes to push.
  uint32_t stick(uint32_t groups) {
    M4 short_way[kQueryBatch];
    uint32_t some = 0, inside = 0;
    for_each_group(groups, [&](int g) {
      const F4 l = back_[g].length;
      short_way[g] = inside_[g] & (l > 0.0f) & (l < context_.stick_distance);
      some |= uint32_t{any(short_way[g])} << g;
      query_.x[g] = back_[g].carried;
      query_.limit[g] = points_[g].clearance;
    });
    run_query(some);
    for_each_group(some, [&](int g) {
      Push4& push = out_[g];
      push.stuck = short_way[g] & (query_.near[g].phi >= points_[g].clearance - kContactTolerance);
      push.x = select(push.stuck, back_[g].carried, push.x);
      inside_[g] = inside_[g] & ~push.stuck;
      query_.near[g] = push.near;
    });
    for_each_group(groups, [&](int g) { inside |= uint32_t{any(inside_[g])} << g; });
    return inside;
  }

  // The groups that have lanes inside, by the last query.
  uint32_t still_inside(uint32_t groups) {
    uint32_t inside = 0;
    for_each_group(groups, [&](int g) {
      const Push4& push = out_[g];
      inside_[g] =
          push.touched & ~push.stuck & (query_.near[g].phi < points_[g].clearance - kContactTolerance);
      inside |= uint32_t{any(inside_[g])} << g;
    });
    return inside;
  }

  // Moves lanes that are inside by displacement(group), and queries them again.
  template <class Displacement> uint32_t push(uint32_t groups, Displacement displacement) {
    for_each_group(groups, [&](int g) {
      V3x4& x = out_[g].x;
      query_.x[g] = x = select(inside_[g], x + displacement(g), x);
      query_.limit[g] = target(g);
    });
    run_query(groups);
    return still_inside(groups);
  }

  uint32_t search_lines(uint32_t groups) {
    for_each_group(groups, [&](int g) {
      V3x4& x = out_[g].x;
      const WayBack& back = back_[g];
      const V3x4 found = line_search(context_, x, back.direction, back.length, target(g));
      query_.x[g] = x = select(inside_[g] & (back.length > 0.0f), found, x);
      query_.limit[g] = target(g);
    });
    run_query(groups);
    return groups;
  }

  const CollisionContext& context_;
  const RopeSettings& s_;
  Moved4* points_;
  Push4* out_;
  // Per group: the query at its present position; lanes that are inside; the history direction.
  SdfQuery query_;
  M4 inside_[kQueryBatch];
  WayBack back_[kQueryBatch];
};

}  // namespace

Nearest4 CollisionContext::nearest(V3x4 p, F4 limit) const {
  if (limbs.list.count > 0) {
    const float gap = kYieldGap * colliders[0].scale;
    const Nearest4 limb = nearest_surface(limbs.list, p, limit);
    if (any(limb.first >= 0.0f))
      return with_limbs(nearest_surface(candidates.list, p, rigid_limit(limit, limb, gap)), limb, gap);
  }
  return nearest_surface(candidates.list, p, limit);
}

void CollisionContext::nearest(uint32_t groups, SdfQuery& query) const {
  nearest_surfaces(candidates, groups, query);
  if (limbs.list.count == 0) return;
  SdfQuery of_limbs;
  for_each_group(groups, [&](int g) { of_limbs.x[g] = query.x[g], of_limbs.limit[g] = query.limit[g]; });
  nearest_surfaces(limbs, groups, of_limbs);
  for_each_group(groups, [&](int g) {
    if (any(of_limbs.near[g].first >= 0.0f)) query.near[g] = nearest(query.x[g], query.limit[g]);
  });
}

F4 CollisionContext::grip_on(const Nearest4& near) const {
  if (limbs.list.count == 0) return splat(1.0f);
  float index[kLanes], grip[kLanes];
  store(index, near.first);
  for (int k = 0; k < kLanes; ++k)
    grip[k] = index[k] < 0 ||
                      !(settings.yielding_groups >> colliders[static_cast<int>(index[k])].collider->group & 1)
                  ? 1.0f
                  : 0.0f;
  return load(grip);
}

bool may_pass_through(const CollisionContext& context, int group, const Moved4& p) {
  const CandidateList swept = context.swept(group);
  if (swept.count == 0) return false;
  F4 moved = length(p.x - p.before - splat(context.common));
  M4 may = none();
  for (int i = 0; i < swept.count; ++i)
    may = may | may_have_crossed(swept.colliders[swept.indices[i]], p.x, moved, p.clearance);
  return any(may);
}

uint32_t push_out(const CollisionContext& context, uint32_t groups, Moved4* points, Push4* out) {
  return groups ? PushOut(context, points, out).run(groups) : 0;
}

}  // namespace billow
