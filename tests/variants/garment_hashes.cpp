// A garment's frames give the same bits everywhere, as golden_hashes.cpp has it for chains: positions and normals of a file
// with every kind of storage, for each activation. When a change is meant, run it and note the hashes it prints.
#include <cinttypes>
#include <cstdio>

#include "support/tiny_garment.h"

int main() {
  using namespace billow::testing;
  constexpr uint64_t kGolden[] = {0x172e1a6b696c2422ull, 0x71ecb8164c927152ull, 0x912df9045d05ec98ull};
  int wrong = 0;
  for (uint32_t activation = 0; activation < 3; ++activation) {
    billow_garment* garment = make_tiny_garment(activation);
    billow_instance* instance = nullptr;
    if (!garment || billow_instance_create(garment, nullptr, &instance))
      return std::printf("%s\n", billow_last_error()), 1;
    uint64_t hash = 0;
    uint32_t pushed = 0;
    for (int k = 0; k < 96; ++k) {
      const auto joints = tiny_joints(k);
      billow_frame frame{};
      frame.dt = 1.0f / 64;
      frame.joints = joints.data(), frame.joint_count = kTinyJoints;
      if (billow_instance_step(instance, &frame)) return std::printf("%s\n", billow_last_error()), 1;
      hash = hash * 31 + billow_instance_hash(instance);
      billow_instance_report report;
      billow_instance_get_report(instance, &report);
      pushed += report.pushed;
    }
    const bool same = hash == kGolden[activation];
    wrong += !same;
    std::printf("activation %u, %u pushed out, 0x%016" PRIx64 "ull%s\n", activation, pushed, hash,
                same ? "" : "   <- not the noted one");
    billow_instance_destroy(instance);
    billow_garment_destroy(garment);
  }
  return wrong ? 1 : 0;
}
