// A query of the posed person's body at the vertices of a cape, as colliders, grids and networks. The speed
// does not depend on the quality of parts and networks, so both are made quickly here; `billow body sdf`
// makes good ones and measures their accuracy. billow_bench_scalar has the same rows with the scalar
// back-end.
#include <benchmark/benchmark.h>

#include <vector>

#include "body/postures.h"
#include "body/surface.h"
#include "fit/grid_sdf.h"
#include "fit/sdf_body.h"
#include "fit/sdf_table.h"

namespace billow {
namespace {

const body::Person& person() {
  static const body::Person person = body::make_person();
  return person;
}

const std::vector<fit::BodyPart>& parts() {
  static const std::vector<fit::BodyPart> parts = [] {
    const body::Skin skin = body::make_skin(person());
    std::vector<body::Pose> poses{body::rest_pose(person().skeleton)};
    for (uint32_t k = 1; k < 4; ++k) poses.push_back(body::random_pose(person(), k));
    fit::BodyPartOptions options;
    options.spacing = 0.012f;
    return find_body_parts(person().skeleton, skin, poses, options);
  }();
  return parts;
}

void query(benchmark::State& state, std::span<const billow_collider> colliders, size_t bytes) {
  body::Surface surface(person().skeleton, colliders);
  surface.pose(joint_transforms(person().skeleton, body::sample_poses(person())[1].pose));
  const std::vector<V3> cloud = fit::cape_cloud();
  std::vector<float> distances(cloud.size());
  std::vector<V3> gradients(cloud.size());
  const float limit = static_cast<float>(state.range(0)) * 0.01f;
  for (auto _ : state) {
    billow_body_query(surface.get(), BILLOW_ALL_GROUPS, &cloud[0].x, static_cast<uint32_t>(cloud.size()),
                      limit, distances.data(), &gradients[0].x, nullptr);
    benchmark::DoNotOptimize(distances.data());
    benchmark::ClobberMemory();
  }
  state.counters["KB"] = static_cast<double>(bytes + colliders.size_bytes()) / 1000;
  state.counters["ns/query"] =
      benchmark::Counter(static_cast<double>(cloud.size()) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void sdf_colliders(benchmark::State& state) { query(state, person().colliders, 0); }

void sdf_grids(benchmark::State& state) {
  if (!fit::have_level_sets()) return state.SkipWithError("needs OpenVDB");
  const float spacing = static_cast<float>(state.range(1)) * 0.001f;
  const fit::SdfBody body = make_grids(parts(), {.spacing = spacing, .margin = 0.02f});
  query(state, fit::SdfColliders(body).colliders(), body.bytes());
}

void sdf_networks(benchmark::State& state) {
  if (!fit::have_level_sets()) return state.SkipWithError("needs OpenVDB");
  fit::TrainOptions training;
  training.width = static_cast<uint32_t>(state.range(1));
  training.points = 2000;
  training.steps = 1000;
  const fit::SdfBody body = train_networks(parts(), training);
  query(state, fit::SdfColliders(body).colliders(), body.bytes());
}

// Arguments: distance limit in centimetres (100: all distances), then grid spacing in millimetres or network
// width.
BENCHMARK(sdf_colliders)->ArgNames({"limit_cm"})->Arg(100)->Arg(5)->Unit(benchmark::kMicrosecond);
BENCHMARK(sdf_grids)
    ->ArgNames({"limit_cm", "spacing_mm"})
    ->ArgsProduct({{100, 5}, {20, 15, 10}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(sdf_networks)
    ->ArgNames({"limit_cm", "width"})
    ->ArgsProduct({{100, 5}, {8, 16, 32}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace billow
