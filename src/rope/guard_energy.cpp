// Energy guard: motion may not gain energy that no force supplied.
//
// During a sub-step the root moves uniformly, so the frame that moves with it is inertial and the root does
// no work in it. There, kinetic energy may grow by the work of the external forces over the actual
// displacement and by the colliders' work (impulse times collider velocity), no more; where it has, relative
// velocities are scaled down. Summed over sub-steps this is a hard bound, whatever the time step.
//
// A chain in contact falls freely for half a sub-step, and then the body puts it back: its positions in full, its
// velocities but for what the ropes do not notice. So a chain in contact keeps the energy of such a fall; what
// else is missing, colliders supplied by lifting bones out of them. To carry it over as a debt would freeze the
// chain, until it had fallen as far as it was lifted.
//
// Energy fluctuates a little within a swing in any central-difference scheme. Clipping the crests and keeping
// the troughs would damp it, so a chain may take back what it lost before, up to a small share of its energy.
#include "rope/stages.h"

namespace billow {
namespace {

constexpr float kTakeBack = 0.05f;    // share of its energy that a chain may take back
constexpr float kNoticeable = 0.2f;   // m/s: limiting slower chains sets no flag
constexpr float kNegligible = 0.01f;  // m/s: kinetic energies this small are rounding, and left alone

F4 kinetic_energy(const ChainSet& set, int group, V3x4 root) {
  const Layout& lay = set.layout;
  F4 sum = zero();
  for (int i = 1; i < lay.levels; ++i) {
    size_t at = lay.group_at(i, group);
    V3x4 u = load(set.v, at) - root;
    sum += 0.5f * load(set.mass + at) * dot(u, u);
  }
  return sum;
}

// Trapezoidal work of the external forces over the displacement relative to the root.
F4 external_work(const ChainSet& set, int group) {
  const Layout& lay = set.layout;
  size_t root = lay.group_at(0, group);
  V3x4 root_path = load(set.x, root) - load(set.x_before, root);
  F4 sum = zero();
  for (int i = 1; i < lay.levels; ++i) {
    size_t at = lay.group_at(i, group);
    V3x4 path = load(set.x, at) - load(set.x_before, at) - root_path;
    V3x4 mean = (load(set.acceleration_before, at) + load(set.acceleration, at)) * 0.5f;
    sum += load(set.mass + at) * dot(mean, path);
  }
  return sum;
}

// Energy at the start of the sub-step, plus all work done on the chain since.
F4 supplied_energy(const ChainSet& set, int group) {
  size_t root_at = set.layout.group_at(0, group);
  return load(set.start_energy + root_at) + external_work(set, group) + load(set.collider_energy + root_at);
}

void scale_relative_velocities(ChainSet& set, int group, F4 factor) {
  const Layout& lay = set.layout;
  V3x4 root = load(set.v, lay.group_at(0, group));
  for (int i = 1; i < lay.levels; ++i) {
    size_t at = lay.group_at(i, group);
    V3x4 v = load(set.v, at);
    store(set.v, at, select((factor < 1.0f) & (load(set.w + at) > 0.0f), root + (v - root) * factor, v));
  }
}

// Kinetic energy of all bones at the same speed.
F4 energy_at(const ChainSet& set, int group, float speed) {
  F4 mass = zero();
  for (int i = 1; i < set.layout.levels; ++i) mass += load(set.mass + set.layout.group_at(i, group));
  return mass * (0.5f * speed * speed);
}

// The external forces on a chain.
struct Load4 {
  F4 squares;   // sum of m |a|^2
  F4 rounding;  // of their work over a sub-step: far from the origin, work over rounded positions is not exact
};

Load4 load_of(const ChainSet& set, int group) {
  constexpr float kUlps = 1.2e-7f;
  const Layout& lay = set.layout;
  V3x4 root = load(set.x, lay.group_at(0, group));
  F4 extent = max(abs(root.x), max(abs(root.y), abs(root.z)));
  F4 squares = zero(), sum = zero();
  for (int i = 1; i < lay.levels; ++i) {
    size_t at = lay.group_at(i, group);
    V3x4 a = load(set.acceleration, at);
    F4 mass = load(set.mass + at), a2 = dot(a, a);
    squares += mass * a2;
    sum += mass * sqrt(a2);
  }
  return {squares, sum * extent * kUlps};
}

// Chains with bones that a collider holds.
M4 touching(const ChainSet& set, int group) {
  F4 held = zero();
  for (int i = 1; i < set.layout.levels; ++i)
    held = max(held, load(set.held + set.layout.group_at(i, group)));
  return held > 0.0f;
}

void limit_energy(ChainSet& set, int group, F4 now, F4 allowed, Outcome& outcome) {
  M4 gained = now > allowed;
  if (!any(gained)) return;
  outcome.energy_limited |= any((now > 1.002f * allowed) & (now > energy_at(set, group, kNoticeable)));
  F4 factor = sqrt(allowed / select(gained, now, splat(1.0f)));
  scale_relative_velocities(set, group, select(gained, factor, splat(1.0f)));
}

}  // namespace

void start_substep(ChainSet& set, float h) {
  const Layout& lay = set.layout;
  for (int g = 0; g < lay.groups(); ++g) {
    size_t root = lay.group_at(0, g);
    V3x4 uniform = load(set.v, root) + load(set.acceleration, root) * h;
    store(set.start_energy + root, kinetic_energy(set, g, uniform));
    store(set.collider_energy + root, zero());
    store(set.x_before, root, load(set.x, root));
    for (int i = 1; i < lay.levels; ++i) {
      size_t at = lay.group_at(i, g);
      store(set.acceleration_before, at, load(set.acceleration, at));
      store(set.x_before, at, load(set.x, at));
    }
  }
}

void limit_half_step(ChainSet& set, float h, Outcome& outcome) {
  // |v + h a|^2 <= (1 + e) |v|^2 + (1 + 1/e) |h a|^2 for any e; e = 1/4 also allows for what centripetal
  // tension adds.
  const Layout& lay = set.layout;
  for (int g = 0; g < lay.groups(); ++g) {
    const Load4 forces = load_of(set, g);
    F4 allowed =
        1.25f * max(supplied_energy(set, g) + forces.rounding, 0.0f) + (2.5f * h * h) * forces.squares;
    limit_energy(set, g, kinetic_energy(set, g, load(set.v, lay.group_at(0, g))), allowed, outcome);
  }
}

void guard_energy(ChainSet& set, float dt, bool contacts, Outcome& outcome) {
  const Layout& lay = set.layout;
  F4 collider_work = zero();
  for (int g = 0; g < lay.groups(); ++g) {
    size_t root_at = lay.group_at(0, g);
    F4 allowed = supplied_energy(set, g) + load(set.energy_lost + root_at);
    F4 now = kinetic_energy(set, g, load(set.v, root_at));
    const Load4 forces = load_of(set, g);
    const M4 in_contact = contacts ? touching(set, g) : none();
    // A chain in contact may keep what the forces give it in two free sub-steps.
    F4 fall = forces.squares * (2.0f * dt * dt);
    F4 floor = max(energy_at(set, g, kNegligible), select(in_contact, fall, zero()));
    F4 kept = min(max(allowed + forces.rounding, floor), now);  // what is kept for rounding is a debt
    F4 lifted = select(in_contact, max(kept - allowed, 0.0f), zero());
    store(set.energy_lost + root_at, min(allowed + lifted - kept, kTakeBack * now));
    if (set.settings.energy_guard) limit_energy(set, g, now, kept, outcome);
    collider_work += load(set.collider_energy + root_at) + lifted;
  }
  for (int k = 0; k < kLanes; ++k) outcome.collider_work += lane(collider_work, k);
}

void calm_slow_chains(ChainSet& set, float dt) {
  constexpr float kDamping = 8.0f;  // 1/s
  const Layout& lay = set.layout;
  const float limit = set.settings.rest_speed * set.settings.rest_speed;
  for (int g = 0; g < lay.groups(); ++g) {
    V3x4 root = load(set.v, lay.group_at(0, g));
    F4 fastest = zero();
    for (int i = 1; i < lay.levels; ++i) {
      size_t at = lay.group_at(i, g);
      V3x4 u = load(set.v, at) - root;
      fastest = max(fastest, select(load(set.w + at) > 0.0f, dot(u, u), zero()));
    }
    M4 slow = fastest < limit;
    if (any(slow))
      scale_relative_velocities(set, g, select(slow, splat(1.0f / (1.0f + kDamping * dt)), splat(1.0f)));
  }
}

}  // namespace billow
