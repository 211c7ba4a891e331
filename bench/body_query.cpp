// A query of the built-in person's body at the vertices of a cape.
#include <benchmark/benchmark.h>

#include <vector>

#include "body/person.h"
#include "body/postures.h"
#include "fit/sdf_table.h"

namespace billow {
namespace {

void body_query(benchmark::State& state, float limit) {
  const body::Person person = body::make_person();
  const body::Pose pose = body::sample_poses(person)[1].pose;
  const std::vector<billow_transform> rest = body::to_api(body::rest_transforms(person.skeleton));
  billow_body_desc desc{};
  desc.joint_count = static_cast<uint32_t>(rest.size());
  desc.joint_rest = rest.data();
  desc.collider_count = static_cast<uint32_t>(person.colliders.size());
  desc.colliders = person.colliders.data();
  billow_body* handle = nullptr;
  if (billow_body_create(&desc, &handle)) return state.SkipWithError(billow_last_error());
  const auto joints = body::to_api(body::joint_transforms(person.skeleton, pose));
  billow_body_pose(handle, joints.data(), desc.joint_count, 1);
  const std::vector<V3> points = fit::cape_cloud();
  const uint32_t count = static_cast<uint32_t>(points.size());
  std::vector<float> distances(count), gradients(3 * count);
  for (auto _ : state) {
    billow_body_query(handle, BILLOW_ALL_GROUPS, &points[0].x, count, limit, distances.data(),
                      gradients.data(), nullptr);
    benchmark::DoNotOptimize(distances.data());
    benchmark::ClobberMemory();
  }
  state.counters["points"] = count;
  state.counters["ns/query"] = benchmark::Counter(
      count * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  billow_body_destroy(handle);
}
BENCHMARK_CAPTURE(body_query, everywhere, BILLOW_NO_LIMIT)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(body_query, within_10_cm, 0.1f)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(body_query, within_2_cm, 0.02f)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace billow
