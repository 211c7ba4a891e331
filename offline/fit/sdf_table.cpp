#include "fit/sdf_table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>

#include "body/surface.h"

namespace billow::fit {
namespace {

// |grad phi| by central differences over a millimetre.
std::vector<float> slopes_of(const body::Surface& surface, std::span<const V3> points) {
  constexpr float kStep = 0.0005f;
  const V3 steps[3] = {{kStep, 0, 0}, {0, kStep, 0}, {0, 0, kStep}};
  std::vector<float> squares(points.size(), 0), ahead(points.size()), behind(points.size());
  std::vector<V3> shifted(points.begin(), points.end());
  for (const V3& step : steps) {
    for (size_t i = 0; i < points.size(); ++i) shifted[i] = points[i] + step;
    surface.query(shifted, ahead);
    for (size_t i = 0; i < points.size(); ++i) shifted[i] = points[i] - step;
    surface.query(shifted, behind);
    for (size_t i = 0; i < points.size(); ++i) {
      const float s = (ahead[i] - behind[i]) / (2 * kStep);
      squares[i] += s * s;
    }
  }
  for (float& s : squares) s = std::sqrt(s);
  return squares;
}

struct MeanAndP95 {
  double mean = 0, p95 = 0;
};
MeanAndP95 summary_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double v : values) sum += v;
  return {sum / static_cast<double>(values.size()), values[values.size() * 95 / 100]};
}

// The shortest time of several runs, in seconds.
template <class F> double best_time(F f) {
  double best = 1e30;
  for (int k = 0; k < 15; ++k) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

SdfErrors measure_errors(const body::Skeleton& skeleton, const body::Skin& skin,
                         std::span<const billow_collider> colliders, const SdfPoints& points) {
  body::Surface surface(skeleton, colliders);
  std::vector<body::PosedAgreement> parts;
  std::vector<double> slopes, angles;
  for (const body::PointsNearSkin& near : points) {
    surface.pose(near.joints);
    std::vector<float> distances(near.points.size());
    std::vector<V3> gradients(near.points.size());
    surface.query(near.points, distances, gradients);
    parts.push_back(agreement_of(skin, near, distances));
    const std::vector<float> found = slopes_of(surface, near.points);
    for (size_t i = 0; i < near.points.size(); ++i) {
      if (dot(near.gradients[i], near.gradients[i]) == 0) continue;  // the exact distance is not smooth here
      slopes.push_back(static_cast<double>(std::fabs(found[i] - 1)));
      angles.push_back(
          static_cast<double>(std::acos(std::clamp(dot(gradients[i], near.gradients[i]), -1.0f, 1.0f))));
    }
  }
  const body::PosedAgreement all = combine(parts);
  const MeanAndP95 slope = summary_of(slopes), angle = summary_of(angles);
  return {all.mean,
          all.p95,
          all.max,
          static_cast<double>(all.wrong_side) / static_cast<double>(std::max<size_t>(1, all.points)),
          all.max_wrong_depth,
          slope.mean,
          slope.p95,
          angle.mean,
          angle.p95};
}

SdfRow measure(const SdfCandidate& candidate, const body::Skeleton& skeleton, const body::Skin& skin,
               const SdfPoints& rest, const SdfPoints& posed, std::span<const Transform> joints,
               std::span<const V3> cloud) {
  SdfRow row;
  row.name = candidate.name;
  row.colliders = candidate.colliders.size();
  row.bytes = candidate.bytes + candidate.colliders.size() * sizeof(billow_collider);
  row.rest = measure_errors(skeleton, skin, candidate.colliders, rest);
  row.posed = measure_errors(skeleton, skin, candidate.colliders, posed);

  body::Surface surface(skeleton, candidate.colliders);
  surface.pose(joints);
  const uint32_t count = static_cast<uint32_t>(cloud.size());
  std::vector<float> distances(count), gradients(3 * cloud.size());
  const auto seconds = [&](float limit) {
    return best_time([&] {
             billow_body_query(surface.get(), BILLOW_ALL_GROUPS, &cloud[0].x, count, limit, distances.data(),
                               gradients.data(), nullptr);
           }) /
           static_cast<double>(count);
  };
  row.seconds_all = seconds(BILLOW_NO_LIMIT);
  row.seconds_near = seconds(0.05f);
  return row;
}

std::vector<V3> cape_cloud() {
  constexpr int kColumns = 94, kRows = 135;
  std::vector<V3> points;
  const auto add = [&](int row, int column) {
    const float down = static_cast<float>(row) / (kRows - 1);
    const float round =
        (static_cast<float>(column) / (kColumns - 1) - 0.5f) * 1.2f * std::numbers::pi_v<float>;
    const float fold = 0.03f * down * std::sin(9 * round);
    points.push_back({(0.2f + 0.15f * down + fold) * std::sin(round), 1.42f - 1.1f * down,
                      -(0.14f + 0.22f * down + fold) * std::cos(round) - 0.02f});
  };
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

std::string to_markdown(std::span<const SdfRow> rows) {
  std::string out =
      "| | bytes | rest: mean, p95 | poses: mean, p95, max | wrong side, deepest | slope error: mean, p95 | "
      "angle error: mean, p95 | ns per point: all, within 5 cm |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const SdfRow& r : rows) {
    char line[512];
    const auto mm = [](double metres) { return 1000 * metres; };
    const auto degrees = [](double radians) { return 57.29578 * radians; };
    const auto ns = [](double seconds) { return 1e9 * seconds; };
    std::snprintf(
        line, sizeof line,
        "| %s | %.1f KB | %.2f, %.2f mm | %.2f, %.2f, %.0f mm | %.2f %%, %.1f mm | %.3f, %.3f | %.1f, %.1f "
        "deg | %.0f, %.0f |\n",
        r.name.c_str(), static_cast<double>(r.bytes) / 1000, mm(r.rest.mean), mm(r.rest.p95),
        mm(r.posed.mean), mm(r.posed.p95), mm(r.posed.max), 100 * r.posed.wrong_fraction,
        mm(r.posed.max_wrong_depth), r.posed.slope_mean, r.posed.slope_p95, degrees(r.posed.angle_mean),
        degrees(r.posed.angle_p95), ns(r.seconds_all), ns(r.seconds_near));
    out += line;
  }
  return out;
}

std::string to_json(std::span<const SdfRow> rows) {
  const auto errors = [](const SdfErrors& e) {
    return nlohmann::ordered_json{{"mean", e.mean},
                                  {"p95", e.p95},
                                  {"max", e.max},
                                  {"wrong_side_share", e.wrong_fraction},
                                  {"wrong_side_deepest", e.max_wrong_depth},
                                  {"slope_error_mean", e.slope_mean},
                                  {"slope_error_p95", e.slope_p95},
                                  {"angle_mean", e.angle_mean},
                                  {"angle_p95", e.angle_p95}};
  };
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const SdfRow& r : rows)
    out.push_back({{"name", r.name},
                   {"colliders", r.colliders},
                   {"bytes", r.bytes},
                   {"rest", errors(r.rest)},
                   {"posed", errors(r.posed)},
                   {"seconds_per_point", {{"all", r.seconds_all}, {"within_5_cm", r.seconds_near}}}});
  return out.dump(2) + "\n";
}

}  // namespace billow::fit
