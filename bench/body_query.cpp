// One query of the whole built-in person for the vertices of a cape.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "body/person.h"
#include "body/postures.h"
#include "sdf/query_points.h"

namespace billow {
namespace {

// 12,690 points, as a cape hangs: from the shoulders down the back, up to 40 cm off the body.
std::vector<float> cape_points() {
  constexpr int kColumns = 94, kRows = 135;
  std::vector<float> points;
  const auto add = [&](int row, int column) {
    const float down = static_cast<float>(row) / (kRows - 1);
    const float round =
        (static_cast<float>(column) / (kColumns - 1) - 0.5f) * 1.2f * std::numbers::pi_v<float>;
    const float fold = 0.03f * down * std::sin(9 * round);
    points.push_back((0.2f + 0.15f * down + fold) * std::sin(round));
    points.push_back(1.42f - 1.1f * down);
    points.push_back(-(0.14f + 0.22f * down + fold) * std::cos(round) - 0.02f);
  };
  // Along a Z-curve, so that any few in a row are near each other.
  for (unsigned code = 0; code < 256 * 256; ++code) {
    int row = 0, column = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      column |= static_cast<int>(code >> (2 * bit) & 1) << bit;
      row |= static_cast<int>(code >> (2 * bit + 1) & 1) << bit;
    }
    if (row < kRows && column < kColumns) add(row, column);
  }
  return points;
}

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
  const std::vector<float> points = cape_points();
  const uint32_t count = static_cast<uint32_t>(points.size() / 3);
  std::vector<float> distances(count), gradients(3 * count);
  for (auto _ : state) {
    billow_body_query(handle, points.data(), count, limit, distances.data(), gradients.data(), nullptr);
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
