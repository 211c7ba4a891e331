// A dressed frame at full size, stage by stage, against one streaming read of the paper's fp32 bases in the same run: by
// patches, which is what is shipped, and of the whole cloth beside it.
//
// The model is made up (pack/sample_garment.h): sizes and storage are those of a trained one, the motion is a run at 60 Hz, and
// what the cloth looks like does not matter.
#include "frame.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/simd.h"
#include "motion/clip.h"
#include "motion/motions.h"
#include "pack/sample_garment.h"

namespace billow::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Reads all of `data` as kParts streams side by side.
template <size_t kParts> float read_once(const std::vector<float>& data) {
  const size_t part = data.size() / kParts / 16 * 16;
  const float* from[kParts];
  for (size_t s = 0; s < kParts; ++s) from[s] = data.data() + s * part;
  F4 a = zero(), b = zero(), c = zero(), d = zero();
  for (size_t i = 0; i < part; i += 16) {
#pragma GCC unroll 8
    for (size_t s = 0; s < kParts; ++s) {
      const float* p = from[s] + i;
      a += load(p), b += load(p + 4), c += load(p + 8), d += load(p + 12);
    }
  }
  return horizontal_max((a + b) + (c + d));
}

// The best of many reads with one to eight streams.
double stream_seconds(size_t bytes) {
  const std::vector<float> data(bytes / 4, 1.0f);
  double best = 1e9;
  volatile float kept = 0;
  const auto time = [&](auto read) {
    for (int k = 0; k < 25; ++k) {
      const auto start = Clock::now();
      kept = read(data);
      best = std::min(best, seconds_since(start));
    }
  };
  time(read_once<1>), time(read_once<2>), time(read_once<3>), time(read_once<4>);
  time(read_once<5>), time(read_once<6>), time(read_once<7>), time(read_once<8>);
  (void)kept;
  return best;
}

double part_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}

struct Timing {
  std::vector<double> frames;
  std::vector<double> stages[BILLOW_FRAME_STAGE_COUNT];
  double substeps = 0, pushed = 0;
};

Timing time_frames(const billow_garment* garment, const body::Person& person, const motion::Clip& clip,
                   bool profile) {
  billow_instance* instance = nullptr;
  if (billow_instance_create(garment, nullptr, &instance)) std::abort();
  billow_instance_options options = billow_instance_options_default();
  options.profile = profile;
  billow_instance_set_options(instance, &options);
  Timing t;
  const double count = static_cast<double>(clip.frames.size());
  for (const body::Pose& pose : clip.frames) {
    const auto joints = body::to_api(body::joint_transforms(person.skeleton, pose));
    billow_frame frame{};
    frame.dt = 1.0f / 60;
    frame.joints = joints.data();
    frame.joint_count = static_cast<uint32_t>(joints.size());
    const auto start = Clock::now();
    if (billow_instance_step(instance, &frame)) std::abort();
    t.frames.push_back(seconds_since(start));
    billow_instance_report report;
    billow_instance_get_report(instance, &report);
    for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k) t.stages[k].push_back(report.stage_seconds[k]);
    billow_report chains;
    billow_chains_report(billow_instance_chains(instance), &chains);
    t.substeps += chains.substeps / count;
    t.pushed += report.pushed / count;
  }
  billow_instance_destroy(instance);
  return t;
}

// The paper's two bases of 100 components: what a frame is held against, whatever its form.
constexpr size_t kPaperComponents = 200;

void report(const body::Person& person, const motion::Clip& clip, const pack::SampleOptions& options,
            std::initializer_list<pack::Storage> storages) {
  const pack::Packed packed = pack::sample_garment(person, options);
  const size_t bases = 4 * 3 * packed.garment.size() * kPaperComponents;
  for (const pack::Storage storage : storages) {
    pack::PackReport cost;
    const std::string bytes = pack::pack_garment(packed, {storage}, &cost);
    const billow_garment_desc desc{bytes.data(), bytes.size(), 0, nullptr};
    billow_garment* garment = nullptr;
    if (billow_garment_create(&desc, &garment)) std::abort();
    const double stream = stream_seconds(bases);
    const Timing t = time_frames(garment, person, clip, false),
                 stages = time_frames(garment, person, clip, true);
    billow_garment_destroy(garment);
    const double p50 = part_of(t.frames, 0.5);
    std::printf(
        "\n%s%s, %s: %zu vertices, %.2f MB, storage costs %.3f mm; %.1f sub-steps and %.0f vertices pushed a "
        "frame\n",
        packed.garment.name.c_str(), options.patches ? " by patches" : ", whole cloth",
        cost.chosen.name.c_str(), packed.garment.size(), 1e-6 * static_cast<double>(cost.bytes),
        cost.chosen.all(), t.substeps, t.pushed);
    std::printf("  frame p50 %.3f ms, p99 %.3f ms, best %.3f ms\n", 1e3 * p50, 1e3 * part_of(t.frames, 0.99),
                1e3 * part_of(t.frames, 0));
    std::printf("  one read of the fp32 bases (%.1f MB): %.3f ms (%.0f GB/s); the frame is %.2f of it\n",
                1e-6 * static_cast<double>(bases), 1e3 * stream, 1e-9 * static_cast<double>(bases) / stream,
                p50 / stream);
    for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k) {
      const double s = part_of(stages.stages[k], 0.5);
      std::printf("  %-9s %7.1f us  %4.1f %%\n", billow_frame_stage_name(static_cast<billow_frame_stage>(k)),
                  1e6 * s, 100 * s / part_of(stages.frames, 0.5));
    }
  }
}

}  // namespace

void report_frames() {
  const body::Person person = body::make_person();
  const motion::Clip clip = motion::make_motion(person, {"run", 3, 6, 60, 5});
  using enum pack::Storage;
  for (const pack::SampleOptions& o : {pack::full_size_cape(), pack::full_size_skirt()}) {
    report(person, clip, o, {kMixed, kFloat32});
    report(person, clip, pack::whole_cloth(o), {kMixed});
  }
}

}  // namespace billow::bench
