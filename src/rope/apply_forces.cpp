// External forces on the bones (paper, Section "Velocity Update", first paragraph).
//
// Every spring-like force is scaled by 1 / (1 + 2 k s^2 (w_a + w_b)), s = spring_step(), and every drag by
// 1 / (1 + c h w), h = dt/2: the factor is nearly 1 for anything resolved by the step, and keeps explicit
// integration stable for any k and c. A factor with dt itself would make the diagonals of a cape five times as
// stiff at 1000 Hz as at 60.
#include <initializer_list>

#include "rope/stages.h"

namespace billow {
namespace {

// Gravity, drag against the wind per bone, and global damping.
void apply_gravity_and_drag(ChainSet& set, float h) {
  const Layout& lay = set.layout;
  V3x4 gravity = splat(set.settings.gravity);
  bool has_drag = set.settings.has_drag || set.settings.global_damping > 0;
  for (int i = 1; i < lay.levels; ++i) {
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g);
      V3x4 a = gravity * load(set.is_bone + at);
      if (set.has_learnt) a += load(set.learnt, at);
      if (set.settings.has_self_contact) a += load(set.self_push, at);
      if (has_drag) {
        F4 per_mass = load(set.drag + at) * load(set.w + at);
        F4 damping = set.settings.global_damping * load(set.is_bone + at);
        V3x4 v = load(set.v, at);
        V3x4 drag = (load(set.air, at) - v) * per_mass - v * damping;
        a += drag * (splat(1.0f) / (1.0f + h * (per_mass + damping)));
      }
      store(set.acceleration, at, a);
    }
  }
}

// Springs that resist shrinking: outward along a rope that is shorter than its maximum.
void apply_shrink_springs(ChainSet& set, float step) {
  const Layout& lay = set.layout;
  const size_t pitch = static_cast<size_t>(lay.pitch);
  for (int g = 0; g < lay.groups(); ++g) {
    for (int i = 1; i < lay.levels; ++i) {
      size_t at = lay.group_at(i, g);
      Rope4 rope = rope_at(set, set.x, i, g);
      F4 w = load(set.w + at), w_parent = load(set.w + at - pitch);
      F4 k = stable_spring(load(set.shrink + at), w + w_parent, step);
      F4 missing = max(load(set.max_length + at) - rope.length, 0.0f) * load(set.is_bone + at);
      V3x4 f = rope.direction * (k * missing);
      store(set.acceleration, at, load(set.acceleration, at) + f * w);
      store(set.acceleration, at - pitch, load(set.acceleration, at - pitch) - f * w_parent);
    }
  }
}

// Springs to the bones of the same level on neighbouring chains.
void apply_lateral_springs(ChainSet& set, float step) {
  const Layout& lay = set.layout;
  for (int i = 1; i < lay.levels; ++i) {
    // Force on each edge from chain c to chain c + 1; rows were wrapped, so c + 1 may be chain 0.
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g);
      F4 rest = load(set.lateral_length + at);
      V3x4 d = load(set.x, at + 1) - load(set.x, at);
      F4 l = sqrt(max(dot(d, d), 1e-16f));
      // Between rest and longest, folds of the cloth open and close without force.
      F4 longest = load(set.lateral_longest + at);
      F4 over = select(l > longest, l - longest, min(l - rest, zero()));
      F4 k = select(over > 0.0f, load(set.stretch + at), load(set.compression + at));
      k = stable_spring(k, load(set.lateral_w + at), step);
      F4 f = select(rest > 0.0f, k * over / l, zero());
      store(set.edge, lay.group_at(0, g), d * f);
    }
    // If closed, the edge before chain 0 is the last one.
    size_t first = lay.at(0, 0);
    V3 before = lay.closed ? get(set.edge, first + static_cast<size_t>(lay.chains) - 1) : V3{0, 0, 0};
    billow::set(set.edge, first - 1, before);
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g), e = lay.group_at(0, g);
      V3x4 f = load(set.edge, e) - load(set.edge, e - 1);
      store(set.acceleration, at, load(set.acceleration, at) + f * load(set.w + at));
    }
  }
}

// Shear springs: diagonals from each bone of one level to the next chain's bone of the other. They only pull:
// cloth resists shear where it is spread out.
void apply_diagonals(ChainSet& set, float step, int i, bool downward) {
  const Layout& lay = set.layout;
  const size_t pitch = static_cast<size_t>(lay.pitch);
  for (int g = 0; g < lay.groups(); ++g) {
    size_t at = lay.group_at(i, g), near = downward ? at - pitch : at, far = downward ? at : at - pitch;
    F4 longest = load(set.panel_diagonal + at);
    V3x4 d = load(set.x, far + 1) - load(set.x, near);
    F4 l = sqrt(max(dot(d, d), 1e-16f));
    // Four diagonals meet at a bone.
    F4 k = stable_spring(load(set.shear + at), 2.0f * load(set.lateral_w + at), step);
    F4 f = select(longest > 0.0f, k * max(l - longest, 0.0f) / l, zero());
    store(set.edge, lay.group_at(0, g), d * f);
  }
  size_t first = lay.at(0, 0);
  V3 before = lay.closed ? get(set.edge, first + static_cast<size_t>(lay.chains) - 1) : V3{0, 0, 0};
  billow::set(set.edge, first - 1, before);
  for (int g = 0; g < lay.groups(); ++g) {
    size_t at = lay.group_at(i, g), near = downward ? at - pitch : at, far = downward ? at : at - pitch;
    size_t e = lay.group_at(0, g);
    store(set.acceleration, near, load(set.acceleration, near) + load(set.edge, e) * load(set.w + near));
    store(set.acceleration, far, load(set.acceleration, far) - load(set.edge, e - 1) * load(set.w + far));
  }
}

// Copies chain 0 after the last chain, so that edges and panels of closed garments need no special case.
void wrap(const Layout& lay, float* rows) {
  for (int i = 0; i < lay.levels; ++i) rows[lay.at(i, lay.chains)] = rows[lay.at(i, 0)];
}
void wrap(const Layout& lay, const Rows3& rows) {
  wrap(lay, rows.x);
  wrap(lay, rows.y);
  wrap(lay, rows.z);
}

}  // namespace

void wrap_around(ChainSet& set) {
  if (!set.layout.closed) return;
  wrap(set.layout, set.x);
  wrap(set.layout, set.v);
}

void apply_forces(ChainSet& set, float dt, double time) {
  const RopeSettings& s = set.settings;
  bool needs_air = s.has_drag || s.has_panels();
  if (needs_air) evaluate_wind(set, time);
  apply_gravity_and_drag(set, 0.5f * dt);
  const float step = spring_step(s, dt);
  if (s.has_shrink) apply_shrink_springs(set, step);
  if (s.has_rest_angle) apply_rest_angle_forces(set, dt);
  if (!set.layout.neighbours) return;
  wrap_around(set);
  if (s.has_lateral) apply_lateral_springs(set, step);
  if (s.has_shear)
    for (int i = 1; i < set.layout.levels; ++i)
      for (const bool downward : {true, false}) apply_diagonals(set, step, i, downward);
  if (s.has_panels()) apply_panel_forces(set, dt);
}

}  // namespace billow
