// The workload of the chain benchmark: the layouts of cape and skirt with 16 colliders, one sub-step per
// call. The time step is the sub-step that the default settings choose for this motion at 60 Hz (about a
// quarter of a frame).
#pragma once

#include "scenes.h"

namespace billow::bench {

inline constexpr int kSteps = 1440;
inline constexpr double kStep = 1.0 / 240;

inline scenes::Scene cape() {
  Settings s = billow_settings_cape();
  s.solver.max_substeps = 1;
  return scenes::cape_running(s);
}
inline scenes::Scene skirt() {
  Settings s = billow_settings_skirt();
  s.solver.max_substeps = 1;
  return scenes::skirt_kicking(s);
}

struct Garment {
  const char* name;
  scenes::Scene (*make)();
};
inline constexpr Garment kGarments[] = {{"cape", cape}, {"skirt", skirt}};

// Plays kSteps steps. Calls `run` with each step of the chains, without the posing of the body.
template <class F> void play(scenes::Scene& scene, F run) {
  for (int k = 0; k < kSteps; ++k) {
    scene.time += kStep;
    scene.place();
    if (!scene.body.pose(scene.joints)) return;
    run([&] { (void)scene.chains.step(static_cast<float>(kStep), scene.roots, &scene.body).code(); });
  }
}

}  // namespace billow::bench
