// Drag and lift of the panels between neighbouring chains, quadratic in the air's speed: what lets a cape
// fly.
//
// A panel is the quadrilateral of bones i-1 and i on chains c and c+1, with area A, unit normal n and
// relative air velocity v, s = v.n:
//   drag  rho/2 A C_D |s| v                  along the air, by the area facing it
//   lift  rho/2 A C_L s (|v| n - s v/|v|)    across the air, toward the side it blows against; largest at 45
//   degrees
// Each corner takes a quarter. The cloth between two chains may have a larger area than the panel. The rest
// hangs in folds along the ropes, with normals in all directions across them. With v_a the part of v across
// the ropes and A' the area of the folds:
//   drag  rho/2 A' C_D 2/pi |v_a| v
//   lift  rho/2 A' C_L/2 (|v| v_a - |v_a|^2 v/|v|)
#include <initializer_list>

#include "rope/stages.h"

namespace billow {

namespace {

constexpr float kTwoOverPi = 0.636619772f;

// Force on folds along a rope, per rho/2 A: the mean of drag and lift over all normals across it.
V3x4 fold_force(V3x4 v, F4 speed, V3x4 along, float drag, float lift) {
  F4 along2 = max(dot(along, along), 1e-16f);
  V3x4 across = v - along * (dot(v, along) / along2);
  F4 across2 = dot(across, across);
  return v * (drag * kTwoOverPi * sqrt(across2) - 0.5f * lift * across2 / speed) +
         across * (0.5f * lift * speed);
}

// Drag and lift of cloth that is in no panel.
void apply_loose_cloth_forces(ChainSet& set, float h) {
  const Layout& lay = set.layout;
  const size_t pitch = static_cast<size_t>(lay.pitch);
  const float share = 0.5f * set.settings.air_density * set.settings.panel_folds;
  const float drag = set.settings.panel_drag, lift = set.settings.panel_lift;
  for (int i = 1; i < lay.levels; ++i) {
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g);
      V3x4 v = load(set.air, at) - load(set.v, at);
      F4 speed = sqrt(max(dot(v, v), 1e-16f)), w = load(set.w + at);
      F4 strength = share * load(set.loose_area + at);
      F4 limited = strength / max(h * w * strength * ((drag + lift) * speed), 1.0f);
      V3x4 f = fold_force(v, speed, load(set.x, at) - load(set.x, at - pitch), drag, lift) * limited;
      store(set.acceleration, at, load(set.acceleration, at) + f * w);
    }
  }
}

}  // namespace

void apply_panel_forces(ChainSet& set, float dt) {
  const Layout& lay = set.layout;
  const size_t pitch = static_cast<size_t>(lay.pitch);
  const float h = 0.5f * dt, half_rho = 0.5f * set.settings.air_density;
  const float drag = set.settings.panel_drag, lift = set.settings.panel_lift,
              folds = set.settings.panel_folds;
  if (folds > 0) apply_loose_cloth_forces(set, h);
  for (int i = 1; i < lay.levels; ++i) {
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g), up = at - pitch;
      V3x4 a = load(set.x, up), b = load(set.x, up + 1), c = load(set.x, at), d = load(set.x, at + 1);
      V3x4 area2 = cross(d - a, c - b);  // twice the area vector
      F4 twice = sqrt(max(dot(area2, area2), 1e-24f));
      V3x4 n = area2 * (splat(1.0f) / twice);
      V3x4 bones = load(set.v, up) + load(set.v, up + 1) + load(set.v, at) + load(set.v, at + 1);
      V3x4 air = load(set.air, up) + load(set.air, up + 1) + load(set.air, at) + load(set.air, at + 1);
      V3x4 v = (air - bones) * 0.25f;
      F4 speed = sqrt(max(dot(v, v), 1e-16f));
      F4 s = dot(v, n);
      F4 strength = 0.5f * half_rho * twice;
      V3x4 f = v * (drag * abs(s) - lift * s * s / speed) + n * (lift * s * speed);
      if (folds > 0) {
        // Add the force on the folds, as on that much more panel.
        F4 folded = half_rho * folds * max(load(set.panel_area + at) - 0.5f * twice, 0.0f),
           all = strength + folded;
        V3x4 on_folds = fold_force(v, speed, c + d - a - b, drag, lift);
        f = (f * strength + on_folds * folded) * (splat(1.0f) / max(all, 1e-24f));
        strength = all;
      }
      // Limit it like an implicit step: a corner gets up to four quarters of such panels.
      F4 w = max(load(set.w + at), load(set.w + at + 1));
      F4 change = h * w * strength * ((drag + lift) * speed);
      F4 limited = strength / (folds > 0 ? max(change, 1.0f) : 1.0f + change);
      M4 exists = load(set.lateral_length + at) > 0.0f;
      store(set.edge, lay.group_at(0, g), select(exists, f * (0.25f * limited), zero3()));
    }
    // Distribute the quarters of this row's panels to the bones of levels i-1 and i.
    size_t row = lay.at(0, 0);
    V3 before = lay.closed ? get(set.edge, row + static_cast<size_t>(lay.chains) - 1) : V3{0, 0, 0};
    billow::set(set.edge, row - 1, before);
    for (int level : {i - 1, i}) {
      for (int g = 0; g < lay.groups(); ++g) {
        size_t at = lay.group_at(level, g), e = row + static_cast<size_t>(g) * kLanes;
        V3x4 f = load(set.edge, e) + load(set.edge, e - 1);
        store(set.acceleration, at, load(set.acceleration, at) + f * load(set.w + at));
      }
    }
  }
}

}  // namespace billow
