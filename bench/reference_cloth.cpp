// A frame of 1/30 s of the reference cloth: the cape on a running person with self-contact, by vertices and
// threads.
#include <benchmark/benchmark.h>

#include "body/postures.h"
#include "character/clothed_character.h"
#include "garment/tailor.h"
#include "motion/motions.h"

namespace billow {
namespace {

void reference_cloth(benchmark::State& state) {
  const auto vertices = static_cast<size_t>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  static const body::Person person = body::make_person();
  static const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
  static const motion::Clip clip = motion::make_motion(person, {"run", 3, 8, 30, 5});
  const garment::Garment g = garment::make_garment("cape", person, skin, vertices);
  const auto pose = [&](size_t frame) {
    return body::joint_transforms(person.skeleton, clip.frames[std::min(frame, clip.frames.size() - 1)]);
  };
  character::ClothedCharacter clothed(g, character::character_body(person), g.shape, pose(0), {}, threads);
  // Move the attachments into place over one second of standing, then run for two.
  for (int i = 0; i < 30; ++i) clothed.step(1 / 30.0f, pose(0), 1 / static_cast<float>(30 - i));
  size_t frame = 0;
  for (; frame < 60; ++frame) clothed.step(1 / 30.0f, pose(frame));
  for (auto _ : state) clothed.step(1 / 30.0f, pose(frame++));
  state.counters["frames_a_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(reference_cloth)
    ->ArgNames({"vertices", "threads"})
    ->Args({3000, 1})
    ->Args({6000, 1})
    ->Args({12690, 1})
    ->Args({12690, 2})
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Iterations(60)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace billow
