// The cost of a query of a single collider, by shape. Four points per call.
#include <benchmark/benchmark.h>

#include <vector>

#include "sdf/query.h"

namespace billow {
namespace {

constexpr int kPoints = 1024;

void one_collider(benchmark::State& state, Shape shape, bool tapered) {
  Collider collider;
  collider.shape = shape;
  collider.radius = shape == Shape::kBox ? 0.02f : 0.1f;
  collider.length = 0.4f;
  if (tapered) collider.taper = 0.1f, collider.slope = 0.1005f;
  collider.half = {0.1f, 0.2f, 0.15f};
  const PosedCollider posed = pose_collider(collider, 1, Transform{}, Transform{});
  std::vector<float> x(kPoints), y(kPoints), z(kPoints);
  for (int i = 0; i < kPoints; ++i) {
    x[static_cast<size_t>(i)] = 0.01f * static_cast<float>(i % 37) - 0.18f;
    y[static_cast<size_t>(i)] = 0.01f * static_cast<float>(i % 53) - 0.2f;
    z[static_cast<size_t>(i)] = 0.01f * static_cast<float>(i % 29) - 0.14f;
  }
  for (auto _ : state) {
    F4 sum = zero();
    for (size_t i = 0; i < kPoints; i += kLanes) {
      const Distance4 d = distance_to(posed, {load(&x[i]), load(&y[i]), load(&z[i])});
      sum += d.phi + d.gradient.x;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.counters["ns/query"] = benchmark::Counter(
      kPoints * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(one_collider, capsule, Shape::kCapsule, false);
BENCHMARK_CAPTURE(one_collider, tapered_capsule, Shape::kTaperedCapsule, true);
BENCHMARK_CAPTURE(one_collider, ellipsoid, Shape::kEllipsoid, false);
BENCHMARK_CAPTURE(one_collider, box, Shape::kBox, false);
BENCHMARK_CAPTURE(one_collider, half_space, Shape::kHalfSpace, false);

}  // namespace
}  // namespace billow
