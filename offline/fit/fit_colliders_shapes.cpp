// Fits a single collider to a part of the skin.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

#include "fit/fit_colliders_model.h"
#include "fit/fit_colliders_parts.h"
#include "parallel.h"

namespace billow::fit {
namespace {

constexpr size_t kMaxPoints = 240;   // of a part per pose
constexpr size_t kMaxPoses = 5;      // more poses change little
constexpr float kMinWeight = 0.15f;  // of a joint of a collider

V3 to_v3(const Eigen::Vector3d& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

float quantile(std::vector<float> values, float q) {
  const auto at = std::min(values.size() - 1, static_cast<size_t>(q * static_cast<float>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// Mean and principal axes of points, in descending order of variance.
struct Frame {
  V3 centre;
  V3 axes[3];
};
Frame frame_of(std::span<const V3> points) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const V3& p : points) mean += Eigen::Vector3f(p.x, p.y, p.z).cast<double>();
  mean /= static_cast<double>(points.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const V3& p : points) {
    const Eigen::Vector3d d = Eigen::Vector3f(p.x, p.y, p.z).cast<double>() - mean;
    spread += d * d.transpose();
  }
  const Eigen::Matrix3d vectors = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors();
  Frame out{to_v3(mean), {to_v3(vectors.col(2)), to_v3(vectors.col(1)), {}}};
  out.axes[2] = cross(out.axes[0], out.axes[1]);
  return out;
}

Quat rotation_from(const V3 axes[3]) {
  Eigen::Matrix3f m;
  for (int k = 0; k < 3; ++k) m.col(k) = Eigen::Vector3f(axes[k].x, axes[k].y, axes[k].z);
  const Eigen::Quaternionf q(m);
  return {q.x(), q.y(), q.z(), q.w()};
}

// An initial capsule along an axis.
billow_collider initial_capsule(std::span<const V3> points, V3 centre, V3 axis) {
  std::vector<float> along, from_axis;
  for (const V3& p : points) {
    const float t = dot(p - centre, axis);
    along.push_back(t);
    from_axis.push_back(length(p - centre - axis * t));
  }
  const float low = quantile(along, 0.02f), high = quantile(along, 0.98f), middle = quantile(along, 0.5f);
  float ends[2], radii[2];
  for (int side = 0; side < 2; ++side) {
    std::vector<float> half, tip;
    const float end = side == 0 ? low : high;
    for (size_t i = 0; i < points.size(); ++i) {
      if ((along[i] < middle) == (side == 0)) half.push_back(from_axis[i]);
      if (std::fabs(along[i] - end) < 0.12f * (high - low)) tip.push_back(from_axis[i]);
    }
    radii[side] = half.empty() ? quantile(from_axis, 0.5f) : quantile(half, 0.5f);
    // A closed end has points near the axis: there the cap ends at the skin.
    const bool closed = !tip.empty() && quantile(tip, 0.1f) < 0.45f * radii[side];
    ends[side] = closed ? end + (side == 0 ? 0.8f : -0.8f) * radii[side] : end;
  }
  if (ends[1] < ends[0] + 0.02f * (high - low))
    ends[0] = ends[1] = 0.5f * (ends[0] + ends[1]), ends[0] -= 0.01f * (high - low);
  billow_collider c = billow_collider_default();
  c.shape = BILLOW_SHAPE_TAPERED_CAPSULE;
  store3(centre + axis * ends[0], c.position);
  store3(centre + axis * ends[1], c.end);
  c.radius = radii[0], c.radius_end = radii[1];
  return c;
}

// An initial ellipsoid or box from the extents along the axes.
billow_collider initial_from_extents(std::span<const V3> points, const Frame& frame, billow_shape shape) {
  billow_collider c = billow_collider_default();
  c.shape = shape;
  V3 centre = frame.centre;
  for (size_t k = 0; k < 3; ++k) {
    std::vector<float> along;
    for (const V3& p : points) along.push_back(dot(p - frame.centre, frame.axes[k]));
    const float low = quantile(along, 0.02f), high = quantile(along, 0.98f);
    centre += frame.axes[k] * (0.5f * (low + high));
    c.half_extents[k] = std::max(1e-6f, 0.5f * (high - low));
  }
  store3(centre, c.position);
  const Quat q = rotation_from(frame.axes);
  c.rotation[0] = q.x, c.rotation[1] = q.y, c.rotation[2] = q.z, c.rotation[3] = q.w;
  c.radius = 0.5f * std::min({c.half_extents[0], c.half_extents[1], c.half_extents[2]});
  return c;
}

// Sets the collider's joints to those that move the part's skin most.
void assign_joints(const FitSubject& subject, const SkinPart& part, billow_collider& c) {
  std::map<uint32_t, float> sums;
  for (const uint32_t s : part.samples)
    for (const auto& [joint, weight] : weights_of(subject.skin, subject.samples, s)) sums[joint] += weight;
  std::vector<std::pair<uint32_t, float>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) c.joint[k] = 0, c.weight[k] = 0;
  for (size_t k = 0; k < std::min<size_t>(order.size(), BILLOW_JOINTS_PER_COLLIDER); ++k) {
    const float weight = order[k].second / static_cast<float>(part.samples.size());
    if (k > 0 && weight < kMinWeight) break;
    c.joint[k] = order[k].first, c.weight[k] = weight;
  }
}

}  // namespace

namespace {

// Targets at the samples of a part, with equal weight for each pose and a total weight of `weight`.
std::vector<FitTargets> targets_of(const FitSubject& subject, const SkinPart& part, float weight) {
  std::vector<FitTargets> out;
  const size_t step = part.samples.size() / kMaxPoints + 1;
  const size_t poses = std::min(kMaxPoses, subject.poses.size());
  for (size_t p = 0; p < poses; ++p) {
    const PosedSkin& pose = subject.poses[p];
    FitTargets t;
    t.motions = pose.motions;
    for (size_t i = 0; i < part.samples.size(); i += step)
      if (pose.visible[part.samples[i]]) t.add(pose.points[part.samples[i]], 0, 1, 1);
    for (float& w : t.weight) w = weight / static_cast<float>(t.weight.size() * poses);
    out.push_back(std::move(t));
  }
  return out;
}

// Adds targets for the collider's surface where it is outside the skin at rest. Inside it may overlap other
// parts.
void add_protruding(const FitSubject& subject, const ColliderModel& model, float weight, FitTargets& out) {
  constexpr size_t kPoints = 64;
  const std::vector<SurfacePoint> surface[] = {surface_points(model.colliders()[0], kPoints)};
  const std::vector<ZeroPoint> points = zero_points(model, surface, subject.poses[0].motions);
  float total = 0;
  for (const ZeroPoint& p : points) total += p.area;
  for (const ZeroPoint& p : points)
    if (!subject.inside(p.point))
      add_surface_target(p, subject.poses[0].tree.nearest(p.point), weight * p.area / total, out);
}

// Fits a collider from an initial guess.
SkinPart::Candidate fit_candidate(const FitSubject& subject, const std::vector<FitTargets>& targets,
                                  const billow_collider& initial, float weight) {
  const SolveOptions options{.iterations = 8, .min_gain = 1e-3, .prior = 1e-3 * static_cast<double>(weight)};
  ColliderModel model({initial}, {false}, subject.samples.size);
  solve(model, targets, subject.samples.size, options);
  double cost = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<FitTargets> all = targets;
    add_protruding(subject, model, weight, all[0]);
    cost = solve(model, all, subject.samples.size, options);
  }
  return {model.colliders()[0], cost, cost};
}

}  // namespace

void fit_part(const FitSubject& subject, SkinPart& part) {
  constexpr double kBoxHandicap = 1.6;
  const float weight =
      static_cast<float>(part.samples.size()) / static_cast<float>(subject.samples.triangles.size());
  const std::vector<FitTargets> targets = targets_of(subject, part, weight);
  std::vector<V3> rest;
  for (const uint32_t s : part.samples) rest.push_back(subject.poses[0].points[s]);
  const Frame frame = frame_of(rest);
  // Try two initial guesses for a capsule, one for the others.
  std::vector<billow_collider> initial{initial_capsule(rest, frame.centre, frame.axes[0]),
                                       initial_capsule(rest, frame.centre, frame.axes[1]),
                                       initial_from_extents(rest, frame, BILLOW_SHAPE_ELLIPSOID)};
  if (subject.boxes) initial.push_back(initial_from_extents(rest, frame, BILLOW_SHAPE_BOX));
  std::vector<SkinPart::Candidate> fitted(initial.size());
  for_each_in_parallel(initial.size(), [&](size_t k) {
    assign_joints(subject, part, initial[k]);
    fitted[k] = fit_candidate(subject, targets, initial[k], weight);
  });
  part.candidates.assign(fitted.begin() + 1, fitted.end());
  if (fitted[0].cost <= fitted[1].cost) part.candidates[0] = fitted[0];
  if (subject.boxes) part.candidates.back().score *= kBoxHandicap;
  part.chosen = 0;
  for (size_t k = 1; k < part.candidates.size(); ++k)
    if (part.candidates[k].score < part.candidates[part.chosen].score) part.chosen = k;
}

void choose_same_shape(SkinPart& a, SkinPart& b) {
  a.chosen = 0;
  for (size_t k = 1; k < a.candidates.size(); ++k)
    if (a.candidates[k].score + b.candidates[k].score <
        a.candidates[a.chosen].score + b.candidates[a.chosen].score)
      a.chosen = k;
  b.chosen = a.chosen;
}

Halves split_part(const FitSubject& subject, const std::vector<uint32_t>& samples, int axis) {
  constexpr size_t kMinSamples = 12;
  std::vector<V3> rest;
  for (const uint32_t s : samples) rest.push_back(subject.poses[0].points[s]);
  Halves best;
  if (rest.size() < 2 * kMinSamples) return best;
  const Frame frame = frame_of(rest);
  double cost = 1e300;
  for (int k = 0; k < 3; ++k) {
    if (axis >= 0 && axis != k) continue;
    std::vector<float> along;
    for (const V3& p : rest) along.push_back(dot(p - frame.centre, frame.axes[k]));
    const float middle = quantile(along, 0.5f);
    Halves halves;
    halves.axis = k;
    for (size_t i = 0; i < rest.size(); ++i)
      halves.parts[along[i] < middle ? 0 : 1].samples.push_back(samples[i]);
    if (std::min(halves.parts[0].samples.size(), halves.parts[1].samples.size()) < kMinSamples) continue;
    for (SkinPart& part : halves.parts) fit_part(subject, part);
    const double both = halves.parts[0].cost() + halves.parts[1].cost();
    if (both < cost) cost = both, best = std::move(halves);
  }
  return best;
}

}  // namespace billow::fit
