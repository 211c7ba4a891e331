// Counts the vector operations of one sub-step, for the benchmark's lower bound. Built against the counting
// library. Prints: scene, cheap operations, divisions, square roots, loads and stores.
#include <cstdio>

#include "core/simd.h"
#include "garment_steps.h"

int main() {
  for (const billow::bench::Garment& garment : billow::bench::kGarments) {
    billow::scenes::Scene scene = garment.make();
    billow::g_operations = {};
    billow::bench::play(scene, [&](auto step) { step(); });
    const auto& n = billow::g_operations;
    const double steps = billow::bench::kSteps;
    std::printf("%s %.1f %.1f %.1f %.1f\n", garment.name, static_cast<double>(n.cheap) / steps,
                static_cast<double>(n.divide) / steps, static_cast<double>(n.root) / steps,
                static_cast<double>(n.memory) / steps);
  }
}
