#include "fit/fit_colliders.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "body/surface.h"
#include "fit/fit_colliders_model.h"
#include "fit/fit_colliders_parts.h"
#include "motion/human.h"
#include "parallel.h"

namespace billow::fit {
namespace {

constexpr float kRestWeight = 0.3f;     // of the rest pose; the other poses share the rest
constexpr float kToSkinWeight = 1;      // of the distances from zero set to skin; the other way has 1
constexpr size_t kSurfacePoints = 100;  // per collider

float pose_weight(const FitSubject& subject, size_t pose) {
  if (subject.poses.size() == 1) return 1;
  return pose == 0 ? kRestWeight : (1 - kRestWeight) / static_cast<float>(subject.poses.size() - 1);
}

}  // namespace

float thickness(const billow_collider& c) {
  if (c.shape == BILLOW_SHAPE_ELLIPSOID || c.shape == BILLOW_SHAPE_BOX)
    return std::min({c.half_extents[0], c.half_extents[1], c.half_extents[2]});
  return c.shape == BILLOW_SHAPE_SPHERE ? c.radius : std::min(c.radius, c.radius_end);
}

ColliderFitter::ColliderFitter(const FitSubject& subject, const ColliderFitOptions& options)
    : subject_(subject), options_(options) {
  const double gain = options.min_gain * static_cast<double>(subject.samples.size);
  min_gain_ = gain * gain;
}

void ColliderFitter::start() {
  const PartsFound found =
      find_parts(subject_, std::max<size_t>(1, 5 * options_.max_colliders / 6), min_gain_);
  const std::vector<SkinPart>& parts = found.parts;
  const size_t n = parts.size();
  std::vector<std::vector<uint32_t>> groups;
  for (const SkinPart& part : parts) groups.push_back(part.samples);
  const std::vector<size_t> contacts = count_contacts(subject_, groups);

  // Order the parts as a maximum spanning tree of contacts, from the largest part (Prim 1957).
  std::vector<size_t> order, rank(n, SIZE_MAX);
  while (order.size() < n) {
    size_t next = SIZE_MAX, from = SIZE_MAX, widest = 0;
    for (const size_t a : order)
      for (size_t b = 0; b < n; ++b)
        if (const size_t both = contacts[a * n + b] + contacts[b * n + a];
            rank[b] == SIZE_MAX && both > widest)
          next = b, from = a, widest = both;
    for (size_t b = 0; b < n && from == SIZE_MAX; ++b)
      if (rank[b] == SIZE_MAX && (next == SIZE_MAX || parts[b].samples.size() > parts[next].samples.size()))
        next = b;
    rank[next] = order.size();
    order.push_back(next);
    NamedCollider c;
    c.name = unique_name(subject_.skeleton.joints[parts[next].joints[0]].name);
    c.collider = parts[next].collider();
    if (from != SIZE_MAX) {
      c.collider.blend_with = static_cast<int32_t>(rank[from]);
      c.collider.blend_radius = 0.3f * std::min(thickness(c.collider), thickness(parts[from].collider()));
    }
    colliders_.push_back(std::move(c));
  }
  for (size_t i = 0; i < n; ++i)
    if (found.mirror[i] != i && found.mirror[i] != SIZE_MAX)
      mirror_[colliders_[rank[i]].name] = colliders_[rank[found.mirror[i]]].name;
  report_progress(0.3);
}

ColliderModel ColliderFitter::model() const {
  std::vector<billow_collider> shapes;
  std::vector<bool> fixed;
  for (const NamedCollider& c : colliders_) shapes.push_back(c.collider), fixed.push_back(c.fixed);
  return {shapes, fixed, subject_.samples.size};
}

std::vector<FitTargets> ColliderFitter::targets(const ColliderModel& model) const {
  std::vector<std::vector<SurfacePoint>> surfaces;
  for (const billow_collider& c : model.colliders()) surfaces.push_back(surface_points(c, kSurfacePoints));
  std::vector<FitTargets> out(subject_.poses.size());
  for_each_in_parallel(out.size(), [&](size_t p) {
    const PosedSkin& pose = subject_.poses[p];
    const float weight = pose_weight(subject_, p);
    out[p].motions = pose.motions;
    for (size_t i = 0; i < pose.points.size(); ++i)
      if (pose.visible[i]) out[p].add(pose.points[i], 0, 1, weight / static_cast<float>(pose.points.size()));
    add_zero_set_targets(model, surfaces, pose, kToSkinWeight * weight, out[p]);
  });
  return out;
}

double ColliderFitter::solve_all(int rounds, int iterations) {
  ColliderModel now = model();
  for (int round = 0; round < rounds; ++round)
    solve(now, targets(now), subject_.samples.size, {.iterations = iterations});
  for (size_t i = 0; i < colliders_.size(); ++i)
    if (!colliders_[i].fixed) colliders_[i].collider = now.colliders()[i];
  return solve(now, targets(now), subject_.samples.size, {.iterations = 0});
}

ColliderFitter::Assignment ColliderFitter::assign_samples() const {
  const ColliderModel now = model();
  Assignment out;
  out.samples.resize(colliders_.size());
  out.cost.assign(colliders_.size(), 0);
  out.distance.resize(subject_.samples.triangles.size());
  for (size_t p = 0; p < subject_.poses.size(); ++p) {
    const PosedSkin& pose = subject_.poses[p];
    const double weight =
        static_cast<double>(pose_weight(subject_, p) / static_cast<float>(pose.points.size()));
    now.linearise(now.pose(pose.motions), pose.points, [&](size_t i, const ColliderModel::Linearisation& at) {
      if (pose.visible[i]) out.cost[at.nearest] += weight * static_cast<double>(at.distance * at.distance);
      if (p > 0) return;
      out.samples[at.nearest].push_back(static_cast<uint32_t>(i));
      out.distance[i] = at.distance;
    });
  }
  return out;
}

std::vector<NamedCollider> ColliderFitter::finish() {
  const std::vector<billow_collider_group> groups = motion::collider_groups(subject_.skeleton);
  for (NamedCollider& named : colliders_) {
    if (named.fixed) continue;
    billow_collider& c = named.collider;
    c.group = groups[c.joint[std::max_element(c.weight, c.weight + BILLOW_JOINTS_PER_COLLIDER) - c.weight]];
    // Replace a very short capsule by a sphere.
    const V3 from{c.position[0], c.position[1], c.position[2]},
        axis = V3{c.end[0], c.end[1], c.end[2]} - from;
    if (c.shape == BILLOW_SHAPE_TAPERED_CAPSULE && length(axis) < 0.05f * std::min(c.radius, c.radius_end)) {
      const V3 middle = from + axis * 0.5f;
      c.shape = BILLOW_SHAPE_SPHERE;
      c.position[0] = middle.x, c.position[1] = middle.y, c.position[2] = middle.z;
      c.radius = 0.5f * (c.radius + c.radius_end);
    }
    // Drop negligible weights and blends, then round: lengths to 0.01 mm, weights to 0.001.
    float sum = 0;
    for (float& w : c.weight) sum += w = w < 0.05f ? 0 : w;
    const auto rounded = [](float v, float steps) { return std::round(v * steps) / steps; };
    for (float& w : c.weight) w = rounded(w / sum, 1000);
    for (float* v : {c.position, c.end, c.half_extents})
      for (int k = 0; k < 3; ++k) v[k] = rounded(v[k], 1e5f);
    for (float& v : c.rotation) v = rounded(v, 1e6f);
    c.radius = rounded(c.radius, 1e5f);
    c.radius_end = rounded(c.radius_end, 1e5f);
    c.blend_radius = rounded(c.blend_radius, 1e5f);
    if (c.blend_radius < 0.0015f * subject_.samples.size) c.blend_with = BILLOW_NO_BLEND;
  }
  return std::move(colliders_);
}

std::vector<NamedCollider> fit_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                                         std::span<const body::Pose> poses,
                                         const ColliderFitOptions& options) {
  const FitSubject subject(skeleton, skin, poses, options.samples, options.boxes);
  ColliderFitter fitter(subject, options);
  fitter.start();
  fitter.refine();
  fitter.clean_up();
  for (const std::string& name : options.split) fitter.split(name);
  if (options.progress) options.progress(0.85);
  fitter.solve_all(6, 6);
  return fitter.finish();
}

std::vector<NamedCollider> refit_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                                           std::span<const body::Pose> poses,
                                           std::vector<NamedCollider> colliders,
                                           const ColliderFitOptions& options) {
  const FitSubject subject(skeleton, skin, poses, options.samples, options.boxes);
  ColliderFitter fitter(subject, options);
  fitter.start(std::move(colliders));
  for (const std::string& name : options.split) fitter.split(name);
  fitter.solve_all(8, 6);
  return fitter.finish();
}

namespace {

// A distance and the area that it represents.
using Weighted = std::pair<float, float>;

FitDistances summarise(std::vector<Weighted> values) {
  FitDistances out;
  out.points = values.size();
  if (values.empty()) return out;
  std::sort(values.begin(), values.end());
  double total = 0, sum = 0, cumulative = 0;
  for (const auto& [distance, area] : values) {
    total += static_cast<double>(area);
    sum += static_cast<double>(distance) * static_cast<double>(area);
  }
  out.mean = sum / total;
  out.max = static_cast<double>(values.back().first);
  for (const auto& [distance, area] : values) {
    out.p95 = static_cast<double>(distance);
    if ((cumulative += static_cast<double>(area)) >= 0.95 * total) break;
  }
  return out;
}

// Distances in both directions, grouped by the nearest collider.
struct DistancesByCollider {
  std::vector<std::vector<Weighted>> to_zero_set, to_skin;

  explicit DistancesByCollider(size_t colliders) : to_zero_set(colliders), to_skin(colliders) {}
  TwoWayDistances of(size_t collider) const {
    return {summarise(to_zero_set[collider]), summarise(to_skin[collider])};
  }
  TwoWayDistances all() const {
    std::vector<Weighted> all_to_zero_set, all_to_skin;
    for (const auto& v : to_zero_set) all_to_zero_set.insert(all_to_zero_set.end(), v.begin(), v.end());
    for (const auto& v : to_skin) all_to_skin.insert(all_to_skin.end(), v.begin(), v.end());
    return {summarise(std::move(all_to_zero_set)), summarise(std::move(all_to_skin))};
  }
};

void measure_pose(const PosedSkin& pose, body::Surface& surface, const ColliderModel& model,
                  std::span<const std::vector<SurfacePoint>> surfaces, DistancesByCollider& into) {
  surface.pose(pose.joints);
  std::vector<V3> points;
  for (size_t i = 0; i < pose.points.size(); ++i)
    if (pose.visible[i]) points.push_back(pose.points[i]);
  std::vector<float> phi(points.size());
  std::vector<int32_t> nearest(points.size());
  if (!points.empty())
    billow_body_query(surface.get(), BILLOW_ALL_GROUPS, &points[0].x, static_cast<uint32_t>(points.size()),
                      BILLOW_NO_LIMIT, phi.data(), nullptr, nearest.data());
  for (size_t i = 0; i < points.size(); ++i)
    into.to_zero_set[static_cast<size_t>(std::max(0, nearest[i]))].push_back({std::fabs(phi[i]), 1.0f});
  for (const ZeroPoint& p : zero_points(model, surfaces, pose.motions))
    into.to_skin[p.collider].push_back({pose.tree.nearest(p.point).distance, p.area});
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

  // Spread the same number of points over the zero set, in proportion to the colliders' areas.
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

  DistancesByCollider rest(shapes.size()), posed(shapes.size());
  const body::Pose rest_poses[] = {rest_pose(skeleton)};
  measure_pose(pose_samples(skeleton, skin, on_skin, rest_poses)[0], surface, model, surfaces, rest);
  ColliderFitError out;
  out.size = on_skin.size;
  out.hidden_fraction = on_skin.hidden_area / (on_skin.hidden_area + on_skin.area);
  out.vertex_distances.resize(skin.mesh.positions.size());
  surface.query(skin.mesh.positions, out.vertex_distances);
  for (const PosedSkin& pose : pose_samples(skeleton, skin, on_skin, poses))
    measure_pose(pose, surface, model, surfaces, posed);
  out.rest = rest.all();
  out.posed = posed.all();
  for (size_t i = 0; i < shapes.size(); ++i) {
    const size_t heaviest = static_cast<size_t>(
        std::max_element(std::begin(shapes[i].weight), std::end(shapes[i].weight)) - shapes[i].weight);
    out.colliders.push_back(
        {colliders[i].name, skeleton.joints[shapes[i].joint[heaviest]].name,
         static_cast<double>(rest.to_zero_set[i].size()) / static_cast<double>(out.rest.to_zero_set.points),
         rest.of(i), posed.of(i)});
  }
  return out;
}

std::vector<std::string> poor_fits(const ColliderFitError& error) {
  constexpr double kPoor = 0.015;  // times the character's size
  std::vector<std::string> out;
  for (const ColliderFitError::Collider& c : error.colliders) {
    const double size = static_cast<double>(error.size);
    const double worst =
        std::max({c.rest.to_zero_set.p95, c.rest.to_skin.p95, c.posed.to_zero_set.p95, c.posed.to_skin.p95});
    if (worst < kPoor * size) continue;
    char text[400];
    const bool at_rest = worst == c.rest.to_zero_set.p95 || worst == c.rest.to_skin.p95;
    const bool from_skin = worst == c.rest.to_zero_set.p95 || worst == c.posed.to_zero_set.p95;
    std::snprintf(text, sizeof text,
                  "%s (joint %s): %s is p95 %.0f mm from %s %s; consider --split %s, or edit its collider in "
                  "body.json, mark it \"fixed\": true and fit again with --keep",
                  c.name.c_str(), c.joint.c_str(), from_skin ? "the skin" : "the zero set", 1000 * worst,
                  from_skin ? "the zero set" : "the skin", at_rest ? "at rest" : "in poses", c.name.c_str());
    out.push_back(text);
  }
  return out;
}

}  // namespace billow::fit
