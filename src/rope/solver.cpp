#include "rope/solver.h"

namespace billow {
namespace {

// One Gauss-Seidel sweep (paper, Equations gaussseidel_set and impulse_gs_set): each unknown becomes
// the larger of zero and the solution of its row. Returns the largest change.
F4 sweep(const RopeScratch& s, int count, SweepOrder order) {
  F4* t = s.solution;
  F4 change = zero();
  for (int k = 1; k <= count; ++k) {
    int i = order == SweepOrder::kRootToTip ? k : count + 1 - k;
    F4 row = s.rhs[i];
    if (i > 1) row -= s.next[i - 1] * t[i - 1];
    if (i < count) row -= s.next[i] * t[i + 1];
    F4 value = select(s.taut[i], max(row / s.diagonal[i], 0.0f), zero());
    change = max(change, abs(value - t[i]));
    t[i] = value;
  }
  return change;
}

F4 largest(const RopeScratch& s, int count) {
  F4 m = zero();
  for (int i = 1; i <= count; ++i) m = max(m, s.solution[i]);
  return m;
}

// Thomas algorithm on the rows in `active`; the other unknowns are zero. Rows that depend linearly on those
// before them (a straight run of ropes between two held bones) are removed.
void solve_active(const RopeScratch& s, int count) {
  constexpr float kDependent = 1e-3f;
  F4 *t = s.solution, *ratio = s.ratio;
  F4 one = splat(1.0f);
  F4 previous_ratio = zero(), previous = zero(), coupled = zero();
  for (int i = 1; i <= count; ++i) {
    F4 pivot = s.diagonal[i] - coupled * previous_ratio;
    M4 active = s.active[i] = s.active[i] & (pivot > kDependent * s.diagonal[i]);
    F4 inverse = one / select(active, pivot, one);
    previous = select(active, (s.rhs[i] - coupled * previous) * inverse, zero());
    // The coupling to a removed row must not return in back-substitution.
    if (i > 1) ratio[i - 1] = select(active, previous_ratio, zero());
    coupled = i < count ? select(active & s.active[i + 1], s.next[i], zero()) : zero();
    previous_ratio = coupled * inverse;
    t[i] = previous;
  }
  for (int i = count - 1; i >= 1; --i) t[i] -= ratio[i] * t[i + 1];
}

// Active-set solver: assume all taut ropes pull, solve, release those that would push, and repeat. In the
// first rounds, ropes released too early are reactivated; after that they are only released, so it ends after
// at most `count` more rounds, with T >= 0 and the row of every pulling rope satisfied exactly. That alone
// makes impulses remove kinetic energy: they change it by -T.A.T/2.
void solve_direct(const RopeScratch& s, int count) {
  constexpr int kReactivationRounds = 4;
  F4* t = s.solution;
  M4* active = s.active;
  for (int i = 1; i <= count; ++i) active[i] = s.taut[i];
  for (int round = 0;; ++round) {
    solve_active(s, count);
    // Each lane depends on its own history only, so a chain's motion does not depend on the other lanes.
    M4 released = none(), reactivated = none();
    for (int i = 1; i <= count; ++i) {
      M4 pushes = active[i] & (t[i] < 0.0f);
      released = released | pushes;
      active[i] = active[i] & ~pushes;
    }
    if (round < kReactivationRounds && !all(released)) {
      for (int i = 1; i <= count; ++i) {
        F4 row = s.rhs[i];
        if (i > 1) row -= s.next[i - 1] * t[i - 1];
        if (i < count) row -= s.next[i] * t[i + 1];
        M4 missing = s.taut[i] & ~active[i] & ~released & (row > 1e-6f * abs(s.rhs[i]));
        reactivated = reactivated | missing;
        active[i] = active[i] | missing;
      }
    }
    if (!any(released | reactivated)) return;
  }
}

}  // namespace

void load_system(ChainSet& set, int group, const float* warm, M4 held) {
  RopeScratch& s = set.rope;
  const int last = set.layout.levels - 1;
  for (int i = 1; i <= last; ++i) {
    size_t at = set.layout.group_at(i, group);
    s.ropes[i] = rope_at(set, set.x, i, group);
    s.hold[i] = {splat(1.0f), zero3()};
    if (any(held)) {
      const Hold4 hold = hold_of(set, at);
      s.hold[i] = {select(held, hold.keep, splat(1.0f)), select(held, hold.normal, zero3())};
    }
  }
  F4 w_parent = zero();  // of the bone above, along this rope
  for (int i = 1; i <= last; ++i) {
    size_t at = set.layout.group_at(i, group);
    F4 w = load(set.w + at);
    V3x4 l = s.ropes[i].direction;
    // A rope between two held bones has no effect, nor has padding.
    F4 w_free = w + load(set.w + at - static_cast<size_t>(set.layout.pitch));
    F4 diagonal = coupling(w, s.hold[i], l, l) + w_parent;
    M4 effective = diagonal > 1e-3f * w_free;
    s.diagonal[i] = select(effective, diagonal, splat(1.0f));
    s.taut[i] = s.ropes[i].taut & effective;
    s.solution[i] = load(warm + at);
    s.next[i] = zero();
    if (i == last) break;
    V3x4 below = s.ropes[i + 1].direction;
    s.next[i] = -coupling(w, s.hold[i], l, below);
    w_parent = coupling(w, s.hold[i], below, below);
  }
}

void solve(RopeScratch& s, int count, const SolverSettings& settings, SweepOrder order) {
  if (settings.method == Solver::kDirect) return solve_direct(s, count);
  if (!settings.warm_start)
    for (int i = 1; i <= count; ++i) s.solution[i] = zero();
  for (int n = 0; n < settings.sweeps; ++n) {
    F4 change = sweep(s, count, order);
    if (settings.method == Solver::kTolerance && all(change <= settings.tolerance * largest(s, count)))
      return;
  }
}

}  // namespace billow
