#include "dataset/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "cloth/simulator.h"

namespace billow::dataset {
namespace {

// Intersection of the segment pq with a triangle (Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle
// Intersection", 1997).
bool segment_hits_triangle(V3 p, V3 q, V3 a, V3 b, V3 c) {
  const V3 direction = q - p, e1 = b - a, e2 = c - a, n = cross(direction, e2);
  const float det = dot(e1, n);
  if (std::fabs(det) < 1e-20f) return false;
  const float inverse = 1 / det;
  const V3 from = p - a;
  const float u = dot(from, n) * inverse;
  if (u < 0 || u > 1) return false;
  const V3 m = cross(from, e1);
  const float v = dot(direction, m) * inverse;
  if (v < 0 || u + v > 1) return false;
  const float t = dot(e2, m) * inverse;
  return t > 0 && t < 1;
}

struct Box {
  V3 low, high;
};
Box box_of(std::initializer_list<V3> points) {
  Box b{*points.begin(), *points.begin()};
  for (const V3& p : points) {
    b.low = {std::min(b.low.x, p.x), std::min(b.low.y, p.y), std::min(b.low.z, p.z)};
    b.high = {std::max(b.high.x, p.x), std::max(b.high.y, p.y), std::max(b.high.z, p.z)};
  }
  return b;
}
bool overlap(const Box& a, const Box& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

}  // namespace

Crossings count_crossings(const cloth::Sheet& sheet, std::span<const V3> x) {
  const float size = 2 * sheet.spacing;
  const auto cell = [&](float v) { return static_cast<int64_t>(std::floor(v / size)); };
  const auto key = [](int64_t i, int64_t j, int64_t k) {
    return (i * 73856093) ^ (j * 19349663) ^ (k * 83492791);
  };
  const auto visit = [&](const Box& b, const auto& at) {
    for (int64_t k = cell(b.low.z); k <= cell(b.high.z); ++k)
      for (int64_t j = cell(b.low.y); j <= cell(b.high.y); ++j)
        for (int64_t i = cell(b.low.x); i <= cell(b.high.x); ++i) at(key(i, j, k));
  };
  std::unordered_map<int64_t, std::vector<uint32_t>> cells;
  std::vector<Box> boxes;
  for (uint32_t t = 0; t < sheet.triangles.size(); ++t) {
    const cloth::Triangle& v = sheet.triangles[t];
    boxes.push_back(box_of({x[v[0]], x[v[1]], x[v[2]]}));
    visit(boxes.back(), [&](int64_t at) { cells[at].push_back(t); });
  }
  const float min_distance = cloth::kMinRestDistance * sheet.spacing;
  const auto apart = [&](uint32_t a, uint32_t b) {
    const V3 d = sheet.rest_position[a] - sheet.rest_position[b];
    return dot(d, d) > min_distance * min_distance;
  };
  Crossings count;
  std::vector<uint32_t> candidates;
  for (const cloth::StretchEdge& e : sheet.edges) {
    const Box box = box_of({x[e.a], x[e.b]});
    candidates.clear();
    visit(box, [&](int64_t at) {
      const auto found = cells.find(at);
      if (found != cells.end())
        candidates.insert(candidates.end(), found->second.begin(), found->second.end());
    });
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const uint32_t t : candidates) {
      const cloth::Triangle& v = sheet.triangles[t];
      const bool touches = std::any_of(v.begin(), v.end(), [&](uint32_t c) { return c == e.a || c == e.b; });
      if (touches || !overlap(box, boxes[t]) ||
          !segment_hits_triangle(x[e.a], x[e.b], x[v[0]], x[v[1]], x[v[2]]))
        continue;
      ++count.all;
      count.tangled +=
          std::all_of(v.begin(), v.end(), [&](uint32_t c) { return apart(c, e.a) && apart(c, e.b); });
    }
  }
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
