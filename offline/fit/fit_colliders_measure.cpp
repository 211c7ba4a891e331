// How far skin and colliders are apart. Distances to the zero set are the public API's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "body/surface.h"
#include "fit/fit_colliders.h"
#include "fit/fit_colliders_solve.h"

namespace billow::fit {
namespace {

// A distance and the area that it stands for.
using Weighted = std::pair<float, float>;

FitDistances summarise(std::vector<Weighted> values) {
  FitDistances out;
  out.points = values.size();
  if (values.empty()) return out;
  std::sort(values.begin(), values.end());
  double area = 0, sum = 0, passed = 0;
  for (const auto& [distance, share] : values) {
    area += static_cast<double>(share);
    sum += static_cast<double>(distance) * static_cast<double>(share);
  }
  out.mean = sum / area;
  out.most = static_cast<double>(values.back().first);
  for (const auto& [distance, share] : values) {
    out.p95 = static_cast<double>(distance);
    if ((passed += static_cast<double>(share)) >= 0.95 * area) break;
  }
  return out;
}

// Distances both ways, by the collider that is the nearest.
struct Collected {
  std::vector<std::vector<Weighted>> out, back;

  explicit Collected(size_t colliders) : out(colliders), back(colliders) {}
  BothWays of(size_t collider) const { return {summarise(out[collider]), summarise(back[collider])}; }
  BothWays all() const {
    std::vector<Weighted> all_out, all_back;
    for (const auto& v : out) all_out.insert(all_out.end(), v.begin(), v.end());
    for (const auto& v : back) all_back.insert(all_back.end(), v.begin(), v.end());
    return {summarise(std::move(all_out)), summarise(std::move(all_back))};
  }
};

void measure_pose(const PosedSkin& pose, body::Surface& surface, const ColliderModel& model,
                  std::span<const std::vector<SurfacePoint>> surfaces, Collected& into) {
  surface.pose(pose.joints);
  std::vector<V3> points;
  for (size_t i = 0; i < pose.points.size(); ++i)
    if (pose.seen[i]) points.push_back(pose.points[i]);
  std::vector<float> phi(points.size());
  std::vector<int32_t> nearest(points.size());
  if (!points.empty())
    billow_body_query(surface.get(), &points[0].x, static_cast<uint32_t>(points.size()), BILLOW_NO_LIMIT,
                      phi.data(), nullptr, nearest.data());
  for (size_t i = 0; i < points.size(); ++i)
    into.out[static_cast<size_t>(std::max(0, nearest[i]))].push_back({std::fabs(phi[i]), 1.0f});
  for (const ZeroPoint& p : zero_points(model, surfaces, pose.moved))
    into.back[p.collider].push_back({pose.tree.nearest(p.point).distance, p.area});
}

}  // namespace

ColliderFitError measure_fit(const body::Skeleton& skeleton, const body::Skin& skin,
                             std::span<const NamedCollider> colliders, std::span<const body::Pose> poses,
                             size_t samples) {
  if (colliders.empty()) throw std::invalid_argument("fit: expected colliders to measure, found none");
  const SkinSamples on_skin = sample_skin(skin, samples);
  std::vector<billow_collider> shapes;
  for (const NamedCollider& c : colliders) shapes.push_back(c.collider);
  body::Surface surface(skeleton, shapes);
  const ColliderModel model(shapes, std::vector<bool>(shapes.size(), true), on_skin.size);

  // Spread as many points over the zero set, each collider with its share of the area.
  std::vector<std::vector<SurfacePoint>> surfaces;
  std::vector<double> areas(shapes.size(), 0);
  double area = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (const SurfacePoint& p : surface_points(shapes[i], 100)) areas[i] += static_cast<double>(p.area);
    area += areas[i];
  }
  for (size_t i = 0; i < shapes.size(); ++i)
    surfaces.push_back(
        surface_points(shapes[i], 50 + static_cast<size_t>(static_cast<double>(samples) * areas[i] / area)));

  Collected rest(shapes.size()), posed(shapes.size());
  const body::Pose resting[] = {rest_pose(skeleton)};
  measure_pose(pose_samples(skeleton, skin, on_skin, resting)[0], surface, model, surfaces, rest);
  ColliderFitError out;
  out.size = on_skin.size;
  out.hidden = on_skin.hidden / (on_skin.hidden + on_skin.area);
  out.at_vertices.resize(skin.mesh.positions.size());
  surface.query(skin.mesh.positions, out.at_vertices);
  for (const PosedSkin& pose : pose_samples(skeleton, skin, on_skin, poses))
    measure_pose(pose, surface, model, surfaces, posed);
  out.rest = rest.all();
  out.posed = posed.all();
  for (size_t i = 0; i < shapes.size(); ++i) {
    const size_t heaviest = static_cast<size_t>(
        std::max_element(std::begin(shapes[i].weight), std::end(shapes[i].weight)) - shapes[i].weight);
    out.colliders.push_back(
        {colliders[i].name, skeleton.joints[shapes[i].joint[heaviest]].name,
         static_cast<double>(rest.out[i].size()) / static_cast<double>(out.rest.out.points), rest.of(i),
         posed.of(i)});
  }
  return out;
}

std::vector<std::string> poor_fits(const ColliderFitError& error) {
  constexpr double kPoor = 0.015;  // of the character's size
  std::vector<std::string> out;
  for (const ColliderFitError::Collider& c : error.colliders) {
    const double size = static_cast<double>(error.size);
    const double worst = std::max({c.rest.out.p95, c.rest.back.p95, c.posed.out.p95, c.posed.back.p95});
    if (worst < kPoor * size) continue;
    char text[400];
    const bool at_rest = worst == c.rest.out.p95 || worst == c.rest.back.p95;
    const bool outward = worst == c.rest.out.p95 || worst == c.posed.out.p95;
    std::snprintf(text, sizeof text,
                  "%s (joint %s): %s is p95 %.0f mm from %s %s; consider --split %s, or edit its collider in "
                  "body.json, mark it \"fixed\": true and fit again with --keep",
                  c.name.c_str(), c.joint.c_str(), outward ? "the skin" : "the zero set", 1000 * worst,
                  outward ? "the zero set" : "the skin", at_rest ? "at rest" : "in poses", c.name.c_str());
    out.push_back(text);
  }
  return out;
}

}  // namespace billow::fit
