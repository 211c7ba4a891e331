// One frame of the chains.
#include <chrono>

#include "runtime/chains.h"
#include "runtime/place_chains.h"

namespace billow {
namespace {

// Adds the time since the last call to a stage of the report.
class StageClock {
 public:
  StageClock(Report& report, bool on) : report_(report), on_(on) {
    if (on_) last_ = Clock::now();
  }
  void finish(Stage stage) {
    if (!on_) return;
    Clock::time_point now = Clock::now();
    report_.stage_seconds[static_cast<int>(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Report& report_;
  bool on_;
  Clock::time_point last_;
};

int choose_substeps(const Chains& chains, float dt, float coarse, unsigned& flags) {
  const RopeSettings& s = chains.set.settings;
  const float wanted = wanted_substeps(chains.set, dt) / coarse;
  if (wanted > static_cast<float>(s.max_substeps)) flags |= kFlagSubstepsCapped;
  int n = s.min_substeps;
  while (n < s.max_substeps && static_cast<float>(n) < wanted) ++n;
  return n;
}

// Stage "follow": roots and colliders at the end of sub-step k of n, and how they get there.
void follow(Chains& chains, int k, int n, float dt) {
  ChainSet& set = chains.set;
  const Layout& lay = set.layout;
  float from = static_cast<float>(k) / static_cast<float>(n);
  float to = k + 1 == n ? 1.0f : static_cast<float>(k + 1) / static_cast<float>(n);
  for (int c = 0; c < lay.chains; ++c) {
    Transform root = blend(chains.roots[c], chains.roots_target[c], to);
    size_t at = lay.at(0, c);
    billow::set(set.root_target, at, root.position);
    const float q[4] = {root.rotation.x, root.rotation.y, root.rotation.z, root.rotation.w};
    for (int j = 0; j < 4; ++j) set.root_rotation[j][at] = q[j];
    // The acceleration that brings the root to its uniform velocity of this sub-step within the first half.
    V3 uniform = (root.position - get(set.x, at)) * (1.0f / dt);
    billow::set(set.acceleration, at, (uniform - get(set.v, at)) * (2.0f / dt));
  }
  set.common_motion = get(set.root_target, lay.at(0, 0)) - get(set.x, lay.at(0, 0));
  for (int i = 0; i < chains.near_count; ++i) {
    const NearCollider& c = chains.near[i];
    chains.posed[i] = pose_collider(c, blend(c.from, c.to, from), blend(c.from, c.to, to), set.common_motion);
  }
}

void run_substep(Chains& chains, const StepInput& in, int k, int n, float dt, Outcome& outcome,
                 StageClock& clock) {
  ChainSet& set = chains.set;
  const float h = 0.5f * dt;
  const int colliders = chains.near_count, of_body = in.body ? in.body->collider_count : 0;
  bool contacts = false;
  auto impulses_if = [&](ImpulseStage place) {
    if (!(set.settings.impulses & place)) return;
    apply_impulses(set, dt, contacts);
    clock.finish(Stage::kImpulses);
  };

  const auto apply_all_forces = [&] {
    apply_forces(set, dt, chains.time);
    if (colliders > 0 && set.settings.soft_groups) apply_soft_contacts(set, chains.posed, colliders);
    clock.finish(Stage::kForces);
  };

  follow(chains, k, n, dt);
  clock.finish(Stage::kFollow);

  update_learnt_force(chains, of_body, in.dt, dt, in.coarseness);
  if (set.settings.has_self_contact) find_self_contacts(set, dt);
  apply_all_forces();
  start_substep(set, h);
  clock.finish(Stage::kGuard);
  accelerate(set, h);
  clock.finish(Stage::kAccelerate);
  if (set.settings.energy_guard) limit_half_step(set, h, outcome);
  clock.finish(Stage::kGuard);
  impulses_if(kAfterFirstVelocity);

  move(set, dt);
  clock.finish(Stage::kMove);
  impulses_if(kAfterMove);

  if (colliders > 0) {
    collide(set, chains.posed, colliders, dt);
    respond_to_contacts(set, ContactPass::kWithCollision);
    contacts = true;
  }
  clock.finish(Stage::kCollide);
  impulses_if(kAfterCollision);

  chains.time += static_cast<double>(dt);
  apply_all_forces();
  accelerate(set, h);
  clock.finish(Stage::kAccelerate);
  if (set.settings.energy_guard) limit_half_step(set, h, outcome);
  clock.finish(Stage::kGuard);
  if (contacts) respond_to_contacts(set, ContactPass::kAfterSecondVelocity);
  clock.finish(Stage::kCollide);
  impulses_if(kAfterSecondVelocity);

  guard_energy(set, dt, contacts, outcome);
  if (set.settings.rest_speed > 0) (set.settings.has_panels() ? rub_cloth : calm_slow_chains)(set, dt);
  clock.finish(Stage::kGuard);
}

// Counts contacts, and gives them the colliders' indices in the lists of all bodies.
void count_contacts(Chains& chains) {
  const ChainSet& set = chains.set;
  Report& report = chains.report;
  const Layout& lay = set.layout;
  for (int c = 0; c < lay.chains; ++c) {
    for (int i = 1; i < set.bones[c]; ++i) {
      size_t at = lay.at(i, c);
      if (float& collider = set.contact_collider[at]; collider >= 0) {
        ++report.contacts;
        collider = static_cast<float>(chains.near[static_cast<int>(collider)].index);
      }
      report.trapped += set.trouble[at] == 1;
      report.enclosed += set.trouble[at] == 2;
    }
  }
  if (report.trapped) report.flags |= kFlagTrapped;
  if (report.enclosed) report.flags |= kFlagEnclosed;
}

void forget_contacts(ChainSet& set) {
  for (size_t i = 0; i < set.layout.row_floats(); ++i) {
    set.contact_collider[i] = -1;
    set.trouble[i] = 0;
  }
}

// Contacts are those of the last step.
void sleep_through(Chains& chains, const StepInput& in, const Report& last) {
  chains.time += static_cast<double>(in.dt);
  finish_frame(chains, in);
  chains.report.flags |= kFlagAsleep | (last.flags & (kFlagTrapped | kFlagEnclosed));
  chains.report.contacts = last.contacts;
  chains.report.trapped = last.trapped;
  chains.report.enclosed = last.enclosed;
}

}  // namespace

const char* stage_name(Stage stage) {
  static constexpr const char* kNames[] = {"follow",  "forces",   "accelerate", "move",
                                           "collide", "impulses", "guard"};
  int i = static_cast<int>(stage);
  return i >= 0 && i < kStageCount ? kNames[i] : "?";
}

void step(Chains& chains, const StepInput& in) {
  Report& report = chains.report;
  const Report last = report;
  report = Report{};
  StageClock clock(report, chains.settings.profile);
  prepare_frame(chains, in);
  const bool passes = in.dt > 0 && !chains.paused;
  if (passes && !in.still) watch_inputs(chains, in);
  if (passes && chains.sleep.asleep) {
    sleep_through(chains, in, last);
    clock.finish(Stage::kFollow);
    return;
  }
  forget_contacts(chains.set);
  if (passes) {
    Outcome outcome;
    const int n = choose_substeps(chains, in.dt, in.coarseness, report.flags);
    const float dt = in.dt / static_cast<float>(n);
    report.substeps = n;
    clock.finish(Stage::kFollow);
    for (int k = 0; k < n; ++k) run_substep(chains, in, k, n, dt, outcome, clock);
    if (outcome.energy_limited) report.flags |= kFlagEnergyLimited;
    report.collider_work = outcome.collider_work;
    if (!in.still) watch_bones(chains, in.dt);
  }
  finish_frame(chains, in);
  if (recover_non_finite(chains)) report.flags |= kFlagRecovered;
  count_contacts(chains);
  if (chains.sleep.asleep) report.flags |= kFlagAsleep;
  clock.finish(Stage::kGuard);
}

}  // namespace billow
