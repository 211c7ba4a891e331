#include "dataset/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cloth/simulator.h"
#include "dataset/triangle_grid.h"

namespace billow::dataset {

Crossings count_crossings(const cloth::Sheet& sheet, std::span<const V3> x) {
  std::vector<Box> boxes;
  for (const cloth::Triangle& v : sheet.triangles) boxes.push_back(box_of({x[v[0]], x[v[1]], x[v[2]]}));
  const TriangleGrid grid(boxes, 2 * sheet.spacing);
  const float min_distance = cloth::kMinRestDistance * sheet.spacing;
  const auto apart = [&](uint32_t a, uint32_t b) {
    const V3 d = sheet.rest_position[a] - sheet.rest_position[b];
    return dot(d, d) > min_distance * min_distance;
  };
  Crossings count;
  for (const cloth::StretchEdge& e : sheet.edges)
    grid.for_each_overlap(box_of({x[e.a], x[e.b]}), [&](uint32_t t) {
      const cloth::Triangle& v = sheet.triangles[t];
      const bool touches = std::any_of(v.begin(), v.end(), [&](uint32_t c) { return c == e.a || c == e.b; });
      if (touches || !segment_hits_triangle(x[e.a], x[e.b], x[v[0]], x[v[1]], x[v[2]])) return;
      ++count.all;
      count.tangled +=
          std::all_of(v.begin(), v.end(), [&](uint32_t c) { return apart(c, e.a) && apart(c, e.b); });
    });
  return count;
}

ClothMeasures measure(const cloth::Sheet& sheet, std::span<const V3> x, std::span<const float> distances,
                      bool with_crossings) {
  ClothMeasures f;
  std::vector<float> strains;
  strains.reserve(sheet.edges.size());
  double sum = 0;
  for (const cloth::StretchEdge& e : sheet.edges) {
    strains.push_back(std::fabs(length(x[e.a] - x[e.b]) / e.length - 1));
    sum += static_cast<double>(strains.back());
  }
  // Cloth that blew up can be neither sorted nor searched for crossings.
  if (!std::isfinite(sum)) {
    f.strain_mean = f.strain_p99 = f.strain_max = std::numeric_limits<double>::infinity();
    return f;
  }
  const auto p99 = strains.begin() + static_cast<std::ptrdiff_t>(strains.size() * 99 / 100);
  std::nth_element(strains.begin(), p99, strains.end());
  f.strain_mean = sum / static_cast<double>(strains.size());
  f.strain_p99 = static_cast<double>(*p99);
  f.strain_max = static_cast<double>(*std::max_element(p99, strains.end()));
  for (const float d : distances) {
    f.penetrating += d < -0.001f ? 1.0 / static_cast<double>(distances.size()) : 0;
    f.deepest = std::max(f.deepest, -static_cast<double>(d));
  }
  if (!with_crossings) return f;
  const Crossings crossings = count_crossings(sheet, x);
  f.crossings = static_cast<double>(crossings.all), f.tangled = static_cast<double>(crossings.tangled);
  return f;
}

void MeasureSum::add(const ClothMeasures& f, bool with_crossings) {
  const size_t frame = frames_++;
  const auto keep_worst = [frame](double value, double& worst, size_t& at) {
    if (at == kUnknownFrame || value > worst) worst = value, at = frame;
  };
  sum_.strain_mean += f.strain_mean;
  sum_.strain_p99 += f.strain_p99;
  sum_.strain_max = std::max(sum_.strain_max, f.strain_max);
  sum_.penetrating += f.penetrating;
  sum_.deepest = std::max(sum_.deepest, f.deepest);
  keep_worst(f.strain_p99, worst_.strain, worst_.strain_frame);
  keep_worst(f.deepest, worst_.deepest, worst_.deepest_frame);
  if (!with_crossings) return;
  keep_worst(f.tangled, most_tangled_, worst_.tangled_frame);
  ++crossing_frames_;
  sum_.crossings += f.crossings, sum_.tangled += f.tangled;
}

ClothMeasures MeasureSum::mean() const {
  ClothMeasures f = sum_;
  const auto frames = static_cast<double>(std::max<size_t>(1, frames_)),
             crossing_frames = static_cast<double>(std::max<size_t>(1, crossing_frames_));
  f.strain_mean /= frames, f.strain_p99 /= frames, f.penetrating /= frames;
  f.crossings /= crossing_frames, f.tangled /= crossing_frames;
  return f;
}

ClipQuality MeasureSum::quality() const {
  ClipQuality q = worst_;
  q.tangled = mean().tangled;
  return q;
}

}  // namespace billow::dataset
