// Position update (paper, Section "Position Update"; step 2).
#include "rope/length.h"
#include "rope/stages.h"

namespace billow {
namespace {

// Moves a bone for `dt` at velocity v, held by a rope of length L to a parent that is already at its new
// position.
//
// In the paper the bone starts from its old position and the parent from its new one, so a chain in uniform
// motion begins each step with its ropes too long and lags behind. Relative to the moving parent, uniform
// motion is no motion.
V3x4 move_on_rope(V3x4 x, V3x4 v_world, V3x4 parent_before, V3x4 parent, F4 longest, float dt,
                  bool with_parent) {
  F4 t = splat(dt);
  V3x4 free = x + v_world * t;
  F4 reach = usable_length(longest, free, parent);
  // A parent that jumps farther than its rope is long drags the bone, as in the paper.
  V3x4 shift = parent - parent_before;
  M4 drags = dot(shift, shift) > (with_parent ? reach * reach : splat(-1.0f));
  V3x4 from = x - select(drags, parent, parent_before);
  V3x4 v = select(drags, v_world, v_world - shift * (1.0f / dt));

  // f(s) = |from + s v|^2 - L^2: slack where f(dt) <= 0.
  V3x4 free_from = free - parent;
  M4 over = dot(free_from, free_from) > reach * reach;
  if (!any(over)) return free;

  // Largest root of f in [0, dt]. f(dt) > 0 and f is convex, so it lies there if it is real and not negative.
  F4 a = dot(v, v), half_b = dot(from, v), c = dot(from, from) - reach * reach;
  F4 discriminant = half_b * half_b - a * c;
  M4 moving = a > 1e-20f;
  F4 root = (sqrt(max(discriminant, 0.0f)) - half_b) / select(moving, a, splat(1.0f));
  M4 has_root = moving & (discriminant >= 0.0f) & (root >= 0.0f) & (root <= dt);
  F4 s = select(has_root, root, zero());

  // Move straight until then (or start from the projection onto the sphere), then along the great circle.
  V3x4 arm = from + v * s;
  V3x4 direction = normalized_or(arm, splat(V3{0, -1, 0}));
  V3x4 v_tangential = v - direction * dot(v, direction);
  F4 speed = length(v_tangential);
  V3x4 heading = v_tangential * (splat(1.0f) / max(speed, 1e-12f));
  F4 angle = min(speed * (t - s) / reach, splat(3.14159265f));
  F4 sine, cosine;
  sin_cos(angle, sine, cosine);
  // Normalise again: the heading of a nearly radial velocity is not quite tangential.
  V3x4 on_circle = parent + normalized_or(direction * cosine + heading * sine, direction) * reach;
  return select(over, on_circle, free);
}

}  // namespace

void move(ChainSet& set, float dt) {
  const Layout& lay = set.layout;
  // Level by level, all groups side by side: they are independent, which keeps the pipelines full.
  for (int g = 0; g < lay.groups(); ++g) {
    size_t at = lay.group_at(0, g);
    store(set.x, at, load(set.root_target, at));
  }
  for (int i = 1; i < lay.levels; ++i) {
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g);
      V3x4 x = load(set.x, at);
      V3x4 parent = load(set.x, at - static_cast<size_t>(lay.pitch));
      V3x4 parent_before = load(set.x_before, at - static_cast<size_t>(lay.pitch));
      store(set.x, at,
            move_on_rope(x, load(set.v, at), parent_before, parent, load(set.max_length + at), dt,
                         set.settings.move_with_parent));
    }
  }
}

}  // namespace billow
