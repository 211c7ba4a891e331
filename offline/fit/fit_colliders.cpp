#include "fit/fit_colliders.h"

#include <algorithm>
#include <cmath>

#include "fit/fit_colliders_fitter.h"
#include "parallel.h"

namespace billow::fit {
namespace {

constexpr float kRestShare = 0.3f;      // of the weight that the rest pose has
constexpr float kBackShare = 1;         // weight of the way from zero set to skin; the other way has 1
constexpr size_t kSurfacePoints = 100;  // a collider

float pose_share(const FitSubject& subject, size_t pose) {
  if (subject.poses.size() == 1) return 1;
  return pose == 0 ? kRestShare : (1 - kRestShare) / static_cast<float>(subject.poses.size() - 1);
}

}  // namespace

float thickness(const billow_collider& c) {
  if (c.shape == BILLOW_SHAPE_ELLIPSOID || c.shape == BILLOW_SHAPE_BOX)
    return std::min({c.half_extents[0], c.half_extents[1], c.half_extents[2]});
  return c.shape == BILLOW_SHAPE_SPHERE ? c.radius : std::min(c.radius, c.radius_end);
}

ColliderFitter::ColliderFitter(const FitSubject& subject, const ColliderFitOptions& options)
    : subject_(subject), options_(options) {
  const double step = options.worth * static_cast<double>(subject.samples.size);
  worth_ = step * step;
}

void ColliderFitter::start() {
  const PartsFound found = find_parts(subject_, std::max<size_t>(1, 5 * options_.most / 6), worth_);
  const std::vector<SkinPart>& parts = found.parts;
  const size_t n = parts.size();
  std::vector<std::vector<uint32_t>> groups;
  for (const SkinPart& part : parts) groups.push_back(part.samples);
  const std::vector<size_t> contacts = contacts_between(subject_, groups);

  // Grow a tree from the largest part along the widest contacts (Prim 1957).
  std::vector<size_t> order, place(n, SIZE_MAX);
  while (order.size() < n) {
    size_t next = SIZE_MAX, from = SIZE_MAX, widest = 0;
    for (const size_t a : order)
      for (size_t b = 0; b < n; ++b)
        if (const size_t both = contacts[a * n + b] + contacts[b * n + a];
            place[b] == SIZE_MAX && both > widest)
          next = b, from = a, widest = both;
    for (size_t b = 0; b < n && from == SIZE_MAX; ++b)
      if (place[b] == SIZE_MAX && (next == SIZE_MAX || parts[b].samples.size() > parts[next].samples.size()))
        next = b;
    place[next] = order.size();
    order.push_back(next);
    NamedCollider c;
    c.name = free_name(subject_.skeleton.joints[parts[next].joints[0]].name);
    c.collider = parts[next].collider();
    if (from != SIZE_MAX) {
      c.collider.blend_with = static_cast<int32_t>(place[from]);
      c.collider.blend_radius = 0.3f * std::min(thickness(c.collider), thickness(parts[from].collider()));
    }
    colliders_.push_back(std::move(c));
  }
  for (size_t i = 0; i < n; ++i)
    if (found.mirror[i] != i && found.mirror[i] != SIZE_MAX)
      mirror_[colliders_[place[i]].name] = colliders_[place[found.mirror[i]]].name;
  tell(0.3);
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
    const float share = pose_share(subject_, p);
    out[p].moved = pose.moved;
    for (size_t i = 0; i < pose.points.size(); ++i)
      if (pose.seen[i]) out[p].add(pose.points[i], 0, 1, share / static_cast<float>(pose.points.size()));
    add_zero_set(model, surfaces, pose, kBackShare * share, out[p]);
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

ColliderFitter::Owned ColliderFitter::owned() const {
  const ColliderModel now = model();
  Owned out;
  out.samples.resize(colliders_.size());
  out.cost.assign(colliders_.size(), 0);
  out.distance.resize(subject_.samples.triangles.size());
  for (size_t p = 0; p < subject_.poses.size(); ++p) {
    const PosedSkin& pose = subject_.poses[p];
    const double share =
        static_cast<double>(pose_share(subject_, p) / static_cast<float>(pose.points.size()));
    now.linearise(now.place(pose.moved), pose.points, [&](size_t i, const ColliderModel::Linear& at) {
      if (pose.seen[i]) out.cost[at.nearest] += share * static_cast<double>(at.distance * at.distance);
      if (p > 0) return;
      out.samples[at.nearest].push_back(static_cast<uint32_t>(i));
      out.distance[i] = at.distance;
    });
  }
  return out;
}

std::vector<NamedCollider> ColliderFitter::finish() {
  for (NamedCollider& named : colliders_) {
    if (named.fixed) continue;
    billow_collider& c = named.collider;
    // A capsule that is nearly round is a sphere.
    const V3 from{c.position[0], c.position[1], c.position[2]}, way = V3{c.end[0], c.end[1], c.end[2]} - from;
    if (c.shape == BILLOW_SHAPE_TAPERED_CAPSULE && length(way) < 0.05f * std::min(c.radius, c.radius_end)) {
      const V3 middle = from + way * 0.5f;
      c.shape = BILLOW_SHAPE_SPHERE;
      c.position[0] = middle.x, c.position[1] = middle.y, c.position[2] = middle.z;
      c.radius = 0.5f * (c.radius + c.radius_end);
    }
    // Drop joints and blends that do nearly nothing, then round to what matters: 0.01 mm, 0.001.
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
  fitter.tidy();
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

}  // namespace billow::fit
