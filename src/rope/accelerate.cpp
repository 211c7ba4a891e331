// Half velocity update (paper, Section "Velocity Update", first half; steps 1 and 4).
#include "rope/solver.h"
#include "rope/stages.h"

namespace billow {
namespace {

// Damping relative to the parent bone, by one backward Euler step of dv_i/dt = -c_i (v_i - v_{i-1}) and its
// reaction on the parent: (M + h C) v_new = M v, tri-diagonal, for any c and h.
void damp_relative_motion(ChainSet& set, int group, float h) {
  const Layout& lay = set.layout;
  F4* ratio = set.rope.ratio;
  V3x4* partial = set.rope.vectors;
  partial[0] = load(set.v, lay.group_at(0, group));
  ratio[0] = zero();
  F4 above = zero();
  int last = lay.levels - 1;
  for (int i = 1; i <= last; ++i) {
    size_t at = lay.group_at(i, group);
    F4 mass = load(set.mass + at);
    above = h * load(set.damping + at) * mass;  // coupling to the parent
    F4 below = i < last ? h * load(set.damping + at + static_cast<size_t>(lay.pitch)) *
                              load(set.mass + at + static_cast<size_t>(lay.pitch))
                        : zero();
    // Forward elimination; the root (row 0) is known, so its ratio is zero.
    F4 pivot = max(mass + above + below - above * ratio[i - 1], 1e-20f);
    F4 inverse = splat(1.0f) / pivot;
    ratio[i] = below * inverse;
    partial[i] = (load(set.v, at) * mass + partial[i - 1] * above) * inverse;
  }
  for (int i = last; i >= 1; --i) {
    size_t at = lay.group_at(i, group);
    if (i < last) partial[i] += partial[i + 1] * ratio[i];
    store(set.v, at, select(load(set.is_bone + at) > 0.0f, partial[i], load(set.v, at)));
  }
}

}  // namespace

void accelerate(ChainSet& set, float h) {
  const Layout& lay = set.layout;
  const int last = lay.levels - 1;
  RopeScratch& s = set.rope;
  const Rope4* ropes = s.ropes;
  const F4* tension = s.solution;
  const float slack = 0.5f * set.settings.gap_return / (h * h);  // acceleration per metre of gap
  for (int g = 0; g < lay.groups(); ++g) {
    load_system(set, g, set.tension, none());

    // Right-hand side: relative external acceleration along the rope, plus centripetal acceleration (F_c,i
    // (1/M_i + 1/M_{i-1}) = |u_T|^2 / l_i), minus what closes the gap of a rope below its maximum length
    // (solver.h). Row 0 of the accelerations holds the root's.
    V3x4 a_parent = load(set.acceleration, lay.group_at(0, g)), v_parent = load(set.v, lay.group_at(0, g));
    for (int i = 1; i <= last; ++i) {
      size_t at = lay.group_at(i, g);
      V3x4 a = load(set.acceleration, at), v = load(set.v, at);
      V3x4 u = v - v_parent;
      F4 along = dot(u, ropes[i].direction);
      F4 across2 = max(dot(u, u) - along * along, 0.0f);
      // Limited: a rope that rotates by more than a radian in a step would get more inward speed than it has
      // tangentially.
      F4 centripetal = min(across2 / ropes[i].length, sqrt(across2) * (0.5f / h));
      s.rhs[i] = dot(a - a_parent, ropes[i].direction) + centripetal - ropes[i].gap * slack;
      a_parent = a;
      v_parent = v;
    }
    solve(s, last, set.settings.tension, SweepOrder::kTipToRoot);

    // The root takes its whole change of velocity in the first half of a sub-step, and then moves uniformly.
    size_t root = lay.group_at(0, g);
    store(set.v, root, load(set.v, root) + load(set.acceleration, root) * h);
    store(set.acceleration, root, zero3());

    // v += h (F_ext - T_i l_i + T_{i+1} l_{i+1}) / M   (Equation netforce_all)
    V3x4 pull = ropes[1].direction * tension[1];
    for (int i = 1; i <= last; ++i) {
      size_t at = lay.group_at(i, g);
      V3x4 pull_below = i < last ? ropes[i + 1].direction * tension[i + 1] : zero3();
      V3x4 a = load(set.acceleration, at) + (pull_below - pull) * load(set.w + at);
      store(set.v, at, load(set.v, at) + a * h);
      store(set.tension + at, tension[i]);
      pull = pull_below;
    }
    if (set.settings.has_damping) damp_relative_motion(set, g, h);
  }
}

}  // namespace billow
