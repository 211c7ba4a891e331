// billow_cloth_cuda_check: compares the reference cloth on a CUDA device with that on the processor, then measures
// frames per second of full-size garments. Exits with 1 if they differ.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "body/postures.h"
#include "character/batch_agreement.h"
#include "character/clothed_batch.h"
#include "garment/tailor.h"
#include "motion/motions.h"
#include "parallel.h"

namespace {

using namespace billow;

constexpr const char* kHelp =
    "billow_cloth_cuda_check [VERTICES [FRAMES [CLIPS]]]\n\n"
    "Compares 3 clips of VERTICES (default 3000) with the processor over FRAMES (default 10), and times "
    "CLIPS\n"
    "(default 132) full-size ones.\n";

// Rounding of the device differs from that of the processor in no operation of the cloth. The mean velocity is
// summed in another order, which leaves room for this much.
constexpr double kTolerance = 1e-4;  // m

bool check_agreement(const char* name, const body::Person& person, const body::Skin& skin, size_t vertices,
                     size_t frames) {
  const garment::Garment g = garment::make_garment(name, person, skin, vertices);
  const character::BatchAgreement found =
      character::compare_with_reference(g, person, 3, frames, cloth::make_cuda_backend());
  const bool good = found.largest <= kTolerance;
  std::printf(
      "%-5s %zu vertices, %zu frames: largest difference %.3g mm, RMS %.3g mm, %.4f %% the same bits: %s\n",
      name, g.size(), frames, 1000 * found.largest, 1000 * found.rms, 100 * found.equal,
      good ? "good" : "TOO MUCH");
  std::fflush(stdout);
  return good;
}

void measure_speed(const char* name, const body::Person& person, const body::Skin& skin, size_t clips) {
  constexpr size_t kFrames = 8, kFirst = 3;  // the first ones are not measured
  const garment::Garment g = garment::make_garment(name, person, skin);
  std::vector<motion::Clip> motions(clips);
  std::vector<character::ClothedBatch::Start> starts(clips);
  for_each_in_parallel(clips, [&](size_t c) {
    motions[c] = motion::make_sequence(person, static_cast<uint32_t>(c + 1), kFrames + 1, 30,
                                       motion::motion_mix(name));
    starts[c].joints = body::joint_transforms(person.skeleton, motions[c].frames[0]);
    const Transform root = starts[c].joints[0] * inverse(body::rest_transforms(person.skeleton)[0]);
    for (const V3& p : g.shape) starts[c].vertices.push_back(apply(root, p));
  });
  character::ClothedBatch batch(g, character::character_body(person), starts, {}, cloth::make_cuda_backend());
  double simulating = 0;
  for (size_t f = 1; f <= kFrames; ++f) {
    for_each_in_parallel(clips, [&](size_t c) {
      batch.prepare(c, 1.0f / 30, body::joint_transforms(person.skeleton, motions[c].frames[f]));
    });
    const auto start = std::chrono::steady_clock::now();
    batch.start();
    batch.finish();
    if (f > kFirst)
      simulating += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const double frames = static_cast<double>(kFrames - kFirst);
  std::printf("%-5s %zu vertices, %zu clips: %.2f ms per frame of all, %.0f frames/s\n", name, g.size(),
              clips, 1000 * simulating / frames, static_cast<double>(clips) * frames / simulating);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--help") return std::fputs(kHelp, stdout) < 0;
  const auto argument = [&](int index, size_t default_value) {
    return argc > index ? static_cast<size_t>(std::strtoul(argv[index], nullptr, 10)) : default_value;
  };
  try {
    const body::Person person = body::make_person(body::person_preset("average"));
    const body::Skin skin = body::make_skin(person);
    bool good = true;
    for (const char* name : {"cape", "skirt"})
      good = check_agreement(name, person, skin, argument(1, 3000), argument(2, 10)) && good;
    for (const char* name : {"cape", "skirt"}) measure_speed(name, person, skin, argument(3, 132));
    return good ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow_cloth_cuda_check: %s\n", e.what());
    return 1;
  }
}
