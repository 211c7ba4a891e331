// A garment's frames give the same bits everywhere, as golden_hashes.cpp has it for chains: positions and normals of a file
// with every kind of storage, for each activation, of the whole cloth and by patches; and linear blend skinning. When a change is meant, run it and note the hashes it prints.
#include <cinttypes>
#include <cstdio>

#include "support/tiny_garment.h"

int main() {
  using namespace billow::testing;
  constexpr Form kForms[] = {Form::kWhole, Form::kPatches, Form::kIntegerPatches, Form::kWhole};
  constexpr const char* kNames[] = {"whole cloth", "by patches", "by patches of integers", "linear blend"};
  constexpr uint64_t kGolden[] = {0xadcb955e455b84a1ull, 0xc4ab6b489b45f6d6ull, 0x1cd2bc1b1c1a0b40ull,
                                  0xfdce6c8d988a5c7aull, 0x4d66d05c4f863ffaull, 0x5779323986d47363ull,
                                  0xf41bbd85d3425df7ull, 0x9ce38f86f28b5866ull, 0xf257d86bb4809382ull,
                                  0x4d2aacb102347391ull};
  int wrong = 0;
  for (uint32_t test = 0; test < 10; ++test) {
    const uint32_t activation = test % 3, form = test / 3, blend = form == 3;
    billow_garment* garment = make_tiny_garment(activation, kForms[form]);
    billow_instance* instance = nullptr;
    if (!garment || billow_instance_create(garment, nullptr, &instance))
      return std::printf("%s\n", billow_last_error()), 1;
    billow_instance_options options = billow_instance_options_default();
    options.linear_blend = blend;
    if (billow_instance_set_options(instance, &options)) return std::printf("%s\n", billow_last_error()), 1;
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
    const bool same = hash == kGolden[test];
    wrong += !same;
    std::printf("%s, activation %u, %u pushed out, 0x%016" PRIx64 "ull%s\n", kNames[form], activation, pushed,
                hash, same ? "" : "   <- not the noted one");
    billow_instance_destroy(instance);
    billow_garment_destroy(garment);
  }
  return wrong ? 1 : 0;
}
