// Impulses that stop taut ropes from lengthening (paper, Section "Velocity Update", second half).
#include "rope/solver.h"
#include "rope/stages.h"

namespace billow {

void apply_impulses(ChainSet& set, float dt, bool contacts) {
  const Layout& lay = set.layout;
  const int last = lay.levels - 1;
  RopeScratch& s = set.rope;
  const Rope4* ropes = s.ropes;
  const F4* impulse = s.solution;
  const float slack = set.settings.gap_return / dt;  // velocity that closes the gap in time
  for (int g = 0; g < lay.groups(); ++g) {
    load_system(set, g, set.impulse, contacts);

    // Right-hand side: how fast the rope lengthens.
    V3x4 v_parent = load(set.v, lay.group_at(0, g));
    for (int i = 1; i <= last; ++i) {
      V3x4 v = load(set.v, lay.group_at(i, g));
      s.rhs[i] = dot(v - v_parent, ropes[i].direction) - ropes[i].gap * slack;
      v_parent = v;
    }
    solve(s, last, set.settings.impulse, SweepOrder::kRootToTip);

    V3x4 pull = ropes[1].direction * impulse[1];
    V3x4 root = load(set.v, lay.group_at(0, g));
    F4 body_work = zero();
    for (int i = 1; i <= last; ++i) {
      size_t at = lay.group_at(i, g);
      V3x4 pull_below = i < last ? ropes[i + 1].direction * impulse[i + 1] : zero3();
      V3x4 pulled = pull_below - pull, given = give_way(pulled, s.hold[i]), v = load(set.v, at);
      body_work += dot(given - pulled, v - root);  // what the body holds, it may also carry along
      store(set.v, at, v + given * load(set.w + at));
      store(set.impulse + at, impulse[i]);
      pull = pull_below;
    }
    if (contacts)
      store(set.collider_energy + lay.group_at(0, g),
            load(set.collider_energy + lay.group_at(0, g)) + body_work);
  }
}

}  // namespace billow
