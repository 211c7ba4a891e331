#include "research/comparison/sums.h"

#include <algorithm>
#include <cmath>

#include "evaluate/sted.h"

namespace billow::research {
namespace {

// 0 for an empty set.
double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
double rms(double squares, double count) { return std::sqrt(ratio(squares, count)); }

}  // namespace

void PenetrationSums::add(const PenetrationSums& other) {
  for (size_t k = 0; k < kDepths.size(); ++k) {
    vertices[k] += other.vertices[k];
    edges[k] += other.edges[k];
  }
  frames += other.frames;
  deepest = std::max(deepest, other.deepest);
}

Penetration PenetrationSums::figures(double all_frames, double all_vertices, double all_edges) const {
  Penetration p;
  for (size_t k = 0; k < kDepths.size(); ++k) {
    p.vertices[k] = 100 * ratio(vertices[k], all_frames * all_vertices);
    p.edges[k] = 100 * ratio(edges[k], all_frames * all_edges);
  }
  p.frames = 100 * ratio(frames, all_frames);
  p.deepest_mm = 1000 * deepest;
  return p;
}

void Totals::add(const Totals& o) {
  frames += o.frames, velocity_frames += o.velocity_frames, acceleration_frames += o.acceleration_frames;
  squares += o.squares, pushed_squares += o.pushed_squares;
  max_error = std::max(max_error, o.max_error);
  space += o.space, time += o.time, strain += o.strain;
  inside.add(o.inside), pushed.add(o.pushed);
  velocity += o.velocity, true_velocity += o.true_velocity, velocity_error += o.velocity_error;
  acceleration += o.acceleration, true_acceleration += o.true_acceleration;
  acceleration_error += o.acceleration_error;
  surface_frames += o.surface_frames, hausdorff += o.hausdorff, chamfer += o.chamfer;
}

Figures figures(const Totals& t, const Counts& counts, size_t vertex_count, size_t edge_count,
                double frames_per_second) {
  const auto vertices = static_cast<double>(vertex_count), edges = static_cast<double>(edge_count);
  Figures f;
  f.frames = static_cast<size_t>(t.frames);
  f.rmse_mm = 1000 * rms(t.squares, t.frames * vertices);
  f.p95_mm = counts.errors_mm.percentile(0.95);
  f.max_mm = 1000 * t.max_error;
  for (size_t k = 0; k < kPercentiles; ++k)
    f.percentiles_mm[k] =
        counts.errors_mm.percentile(k + 1 < kPercentiles ? 0.05 * static_cast<double>(k + 1) : 0.99);
  f.sted_space = ratio(t.space, t.frames);
  f.sted_time = ratio(t.time, t.velocity_frames);
  f.sted = evaluate::sted(f.sted_space, f.sted_time);
  f.strain_mean = 100 * ratio(t.strain, t.frames);
  f.strain_p99 = 100 * counts.strains.percentile(0.99);
  f.penetration = t.inside.figures(t.frames, vertices, edges);
  f.pushed_out = t.pushed.figures(t.frames, vertices, edges);
  f.pushed_out_rmse_mm = 1000 * rms(t.pushed_squares, t.frames * vertices);
  f.liveliness.velocity_energy = ratio(t.velocity, t.true_velocity);
  f.liveliness.acceleration_energy = ratio(t.acceleration, t.true_acceleration);
  f.liveliness.velocity_rmse = frames_per_second * rms(t.velocity_error, t.velocity_frames * vertices);
  f.liveliness.acceleration_rmse =
      frames_per_second * frames_per_second * rms(t.acceleration_error, t.acceleration_frames * vertices);
  f.hausdorff_mm = 1000 * ratio(t.hausdorff, t.surface_frames);
  f.chamfer_mm = 1000 * ratio(t.chamfer, t.surface_frames);
  return f;
}

}  // namespace billow::research
