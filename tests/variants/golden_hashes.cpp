// The same bits everywhere: states of fixed scenes hash to the values noted here, whatever the compiler, the
// optimisation level and the SIMD back-end. Built against each variant of the library. When a change of the
// physics is meant, run it and note the hashes it prints.
#include <cinttypes>
#include <cstdio>

#include "scenes.h"

namespace {

struct Golden {
  const char* scene;
  double hz;
  int frames;
  uint64_t hash;
};

constexpr Golden kGolden[] = {
    {"pendulum", 60, 600, 0x736fa16c1feaba67ull},
    {"swing", 60, 300, 0x728c6bf79e6f0643ull},
    {"sphere_and_particles", 60, 90, 0x1fbb4f3e95c10408ull},
    {"skirt_standing", 60, 120, 0x1965cc219a85e2bbull},
    {"skirt_kicking", 60, 120, 0x8140aebc4ee964e8ull},
    {"cape_running", 30, 90, 0x204f09bf10a2e0ffull},
};

}  // namespace

int main() {
  int wrong = 0;
  for (const Golden& g : kGolden) {
    billow::scenes::Scene scene = billow::scenes::make(g.scene);
    for (int k = 0; k < g.frames; ++k) scene.step(1 / g.hz);
    const uint64_t hash = scene.chains.hash();
    const bool same = hash == g.hash;
    wrong += !same;
    std::printf("%-22s 0x%016" PRIx64 "ull%s\n", g.scene, hash, same ? "" : "   <- not the noted one");
  }
  return wrong ? 1 : 0;
}
