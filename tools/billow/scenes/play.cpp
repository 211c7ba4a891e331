#include "play.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace billow::tool {
namespace {

// The largest excess of a rope over its maximum length, as a fraction of that length.
double length_excess(const scenes::Scene& scene, const std::vector<float>& positions) {
  double worst = 0;
  for (size_t bone = 0; bone < scene.max_lengths.size(); ++bone) {
    const double max_length = scene.max_lengths[bone];
    if (max_length <= 0) continue;
    const float* p = positions.data() + 3 * bone;
    const double length = std::hypot(double{p[0]} - p[-3], double{p[1]} - p[-2], double{p[2]} - p[-1]);
    worst = std::max(worst, length / max_length - 1);
  }
  return worst;
}

// The smallest signed distance of a non-root bone to the body's surface, negative inside.
std::optional<double> deepest_bone(const scenes::Scene& scene, const std::vector<float>& positions) {
  if (scene.colliders.empty()) return {};
  std::vector<float> distances(positions.size() / 3);
  if (!scene.body.query(positions, distances)) return {};
  double min_distance = 1e30;
  for (size_t bone = 0; bone < distances.size(); ++bone)
    if (scene.max_lengths[bone] > 0) min_distance = std::min(min_distance, double{distances[bone]});
  return min_distance;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace

Snapshot snapshot(const scenes::Scene& scene) { return {scene.time, scene.positions(), scene.joints}; }

Numbers play(scenes::Scene& scene, double seconds, double hz,
             const std::function<void(const scenes::Scene&, uint32_t)>& each_frame) {
  Settings settings = scene.chains.settings();
  settings.profile = 1;
  (void)scene.chains.set(settings);

  Numbers n;
  n.scene = scene.name;
  n.seconds = seconds;
  n.hz = hz;
  n.frames = static_cast<uint32_t>(std::max(1.0, std::round(seconds * hz)));
  n.chains = scene.chains.chain_count();
  n.bones = scene.chains.bone_count();
  std::vector<double> times;
  for (uint32_t frame = 1; frame <= n.frames; ++frame) {
    scene.step(1 / hz);

    // Accumulate maxima of the state, and maxima and sums of the report.
    const std::vector<float> positions = scene.positions();
    n.length_excess = std::max(n.length_excess, length_excess(scene, positions));
    if (const auto depth = deepest_bone(scene, positions))
      n.deepest_bone = std::min(n.deepest_bone.value_or(1e30), *depth);
    const Report report = scene.chains.report();
    n.substeps_mean += report.substeps;
    n.substeps_most = std::max(n.substeps_most, report.substeps);
    n.contacts_mean += report.contacts;
    n.contacts_most = std::max(n.contacts_most, report.contacts);
    n.trapped_most = std::max(n.trapped_most, report.trapped);
    n.enclosed_most = std::max(n.enclosed_most, report.enclosed);
    n.flags |= report.flags;
    double frame_time = 0;
    for (size_t s = 0; s < BILLOW_CHAIN_STAGE_COUNT; ++s) {
      n.stage_mean[s] += 1e6 * report.stage_seconds[s];
      frame_time += 1e6 * report.stage_seconds[s];
    }
    times.push_back(frame_time);
    if (each_frame) each_frame(scene, frame);
  }

  for (double* sum : {&n.substeps_mean, &n.contacts_mean}) *sum /= n.frames;
  for (double& sum : n.stage_mean) sum /= n.frames;
  n.step_p50 = percentile(times, 0.5);
  n.step_p99 = percentile(times, 0.99);
  return n;
}

Numbers play_and_keep(scenes::Scene& scene, double seconds, double hz, uint32_t count,
                      std::vector<Snapshot>& kept) {
  const auto frames = static_cast<uint32_t>(std::max(1.0, std::round(seconds * hz)));
  count = std::clamp<uint32_t>(count, 1, frames);
  return play(scene, seconds, hz, [&](const scenes::Scene& s, uint32_t frame) {
    // Spread the snapshots evenly over frames 1 to the last.
    const uint32_t next_kept =
        count == 1 ? frames : 1 + static_cast<uint32_t>(kept.size()) * (frames - 1) / (count - 1);
    if (kept.size() < count && frame == next_kept) kept.push_back(snapshot(s));
  });
}

double largest(const std::vector<double>& values, double count) {
  return *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace billow::tool
