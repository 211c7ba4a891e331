// Impulses that stop taut ropes from lengthening (paper, Section "Velocity Update", second half).
#include "rope/solver.h"
#include "rope/stages.h"

namespace billow {

void apply_impulses(ChainSet& set, float dt) {
  const Layout& lay = set.layout;
  const int last = lay.levels - 1;
  RopeScratch& s = set.rope;
  const Rope4* ropes = s.ropes;
  const F4* impulse = s.solution;
  const float slack = set.settings.gap_return / dt;  // velocity that closes the gap in time
  for (int g = 0; g < lay.groups(); ++g) {
    load_system(set, g, set.impulse);

    // Right-hand side: how fast the rope lengthens.
    V3x4 v_parent = load(set.v, lay.group_at(0, g));
    for (int i = 1; i <= last; ++i) {
      V3x4 v = load(set.v, lay.group_at(i, g));
      s.rhs[i] = dot(v - v_parent, ropes[i].direction) - ropes[i].gap * slack;
      v_parent = v;
    }
    solve(s, last, set.settings.impulse, SweepOrder::kRootToTip);

    V3x4 pull = ropes[1].direction * impulse[1];
    for (int i = 1; i <= last; ++i) {
      size_t at = lay.group_at(i, g);
      V3x4 pull_below = i < last ? ropes[i + 1].direction * impulse[i + 1] : zero3();
      store(set.v, at, load(set.v, at) + (pull_below - pull) * load(set.w + at));
      store(set.impulse + at, impulse[i]);
      pull = pull_below;
    }
  }
}

}  // namespace billow
