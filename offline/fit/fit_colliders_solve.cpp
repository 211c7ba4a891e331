#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/fit_colliders_model.h"
#include "parallel.h"

namespace billow::fit {
namespace {

// Huber loss of a residual, and its weight in the linearised problem (iteratively reweighted least squares).
struct Loss {
  double value, weight;
};
Loss huber(double r, double knee) {
  const double size = std::fabs(r);
  if (size <= knee) return {r * r, 1};
  return {2 * knee * size - knee * knee, knee / size};
}

// Calls f for each pose, in parallel if there are many points.
template <class F> void for_each_pose(std::span<const FitTargets> targets, F f) {
  constexpr size_t kMinPoints = 10000;
  size_t points = 0;
  for (const FitTargets& t : targets) points += t.points.size();
  if (points > kMinPoints) return for_each_in_parallel(targets.size(), f);
  for (size_t p = 0; p < targets.size(); ++p) f(p);
}

double cost_of(const ColliderModel& model, std::span<const FitTargets> targets, double knee) {
  std::vector<double> sums(targets.size(), 0);
  for_each_pose(targets, [&](size_t p) {
    const FitTargets& t = targets[p];
    std::vector<float> phi(t.points.size());
    model.distances(model.pose(t.motions), t.points, phi);
    for (size_t i = 0; i < phi.size(); ++i)
      sums[p] += static_cast<double>(t.weight[i]) *
                 huber(static_cast<double>(t.target[i] + t.slope[i] * phi[i]), knee).value;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

struct NormalEquations {
  Eigen::MatrixXd matrix;  // lower triangle only
  Eigen::VectorXd vector;
  double cost = 0;
};

NormalEquations linearise(const ColliderModel& model, const FitTargets& t, double knee) {
  const auto n = static_cast<Eigen::Index>(model.parameters());
  NormalEquations out{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n), 0};
  model.linearise(model.pose(t.motions), t.points, [&](size_t i, const ColliderModel::Linearisation& at) {
    const double r = static_cast<double>(t.target[i] + t.slope[i] * at.distance);
    const Loss loss = huber(r, knee);
    const double weight = static_cast<double>(t.weight[i]), slope = static_cast<double>(t.slope[i]);
    out.cost += weight * loss.value;
    const double scale = weight * loss.weight * slope;
    for (const auto& a : at.derivatives) {
      out.vector[a.parameter] += scale * r * a.value;
      for (const auto& b : at.derivatives)
        if (b.parameter <= a.parameter)
          out.matrix(a.parameter, b.parameter) += scale * slope * a.value * b.value;
    }
  });
  return out;
}

NormalEquations linearise(const ColliderModel& model, std::span<const FitTargets> targets, double knee) {
  // Sum in the order of the poses, so that the result does not depend on the threads.
  std::vector<NormalEquations> parts(targets.size());
  for_each_pose(targets, [&](size_t p) { parts[p] = linearise(model, targets[p], knee); });
  for (size_t p = 1; p < parts.size(); ++p) {
    parts[0].matrix += parts[p].matrix;
    parts[0].vector += parts[p].vector;
    parts[0].cost += parts[p].cost;
  }
  return std::move(parts[0]);
}

}  // namespace

double solve(ColliderModel& model, std::span<const FitTargets> targets, float size,
             const SolveOptions& options) {
  const double knee = options.huber * static_cast<double>(size);
  if (model.parameters() == 0 || options.iterations == 0) return cost_of(model, targets, knee);
  const Eigen::VectorXd scales = model.scales();
  // The prior: moving a parameter by its scale costs as much as a point of weight `prior` that is off by 5 %
  // of the size.
  const double unit = options.prior * 0.05 * 0.05 * static_cast<double>(size) * static_cast<double>(size);
  const Eigen::VectorXd prior = unit * scales.array().square().inverse();
  Eigen::VectorXd total_step = Eigen::VectorXd::Zero(scales.size());
  const auto prior_cost = [&](const Eigen::VectorXd& x) {
    return (prior.array() * x.array().square()).sum();
  };

  NormalEquations equations = linearise(model, targets, knee);
  double cost = equations.cost, damping = 1e-3;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    const Eigen::VectorXd gradient = equations.vector + prior.cwiseProduct(total_step);
    const double before = cost + prior_cost(total_step);
    bool better = false;
    for (int attempt = 0; attempt < 6 && !better; ++attempt) {
      Eigen::MatrixXd matrix = equations.matrix;
      matrix.diagonal() += prior + damping * (matrix.diagonal() + 100 * prior);
      const Eigen::VectorXd step = -matrix.selfadjointView<Eigen::Lower>().ldlt().solve(gradient);
      ColliderModel next = model;
      next.apply_step(step);
      const double next_cost = cost_of(next, targets, knee);
      better = next_cost + prior_cost(total_step + step) < before;
      if (better) {
        model = std::move(next);
        cost = next_cost;
        total_step += step;
      }
      damping *= better ? 0.3 : 5;
    }
    if (!better || before - cost - prior_cost(total_step) < options.min_gain * before) break;
    if (iteration + 1 < options.iterations) equations = linearise(model, targets, knee);
  }
  return cost;
}

std::vector<SurfacePoint> surface_points(const billow_collider& c, size_t count) {
  // Find the bounding box in the collider's frame: centre, axes and half extents.
  V3 centre{c.position[0], c.position[1], c.position[2]}, axis[3], half;
  const Quat q = normalized(Quat{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]});
  axis[0] = rotate(q, {1, 0, 0}), axis[1] = rotate(q, {0, 1, 0}), axis[2] = rotate(q, {0, 0, 1});
  half = {c.half_extents[0], c.half_extents[1], c.half_extents[2]};
  if (c.shape == BILLOW_SHAPE_CAPSULE || c.shape == BILLOW_SHAPE_TAPERED_CAPSULE) {
    const V3 segment = V3{c.end[0], c.end[1], c.end[2]} - centre;
    const float l = length(segment), end = c.shape == BILLOW_SHAPE_CAPSULE ? c.radius : c.radius_end;
    axis[1] = l > 0 ? segment * (1 / l) : V3{0, 1, 0};
    axis[0] = std::fabs(axis[1].y) < 0.9f ? cross({0, 1, 0}, axis[1]) : cross({1, 0, 0}, axis[1]);
    axis[0] = axis[0] * (1 / length(axis[0]));
    axis[2] = cross(axis[0], axis[1]);
    // One end sphere may contain the other.
    const float low = std::min(-c.radius, l - end), high = std::max(c.radius, l + end);
    half = {std::max(c.radius, end), 0.5f * (high - low), std::max(c.radius, end)};
    centre += axis[1] * (0.5f * (low + high));
  } else if (c.shape == BILLOW_SHAPE_SPHERE) {
    half = {c.radius, c.radius, c.radius};
  }
  // Spread directions over the ellipsoid in that box, and find the surface along each by bisection.
  const body::Surface surface = surface_of(c);
  std::vector<V3> directions, points(count), normals(count);
  std::vector<float> reach, near(count, 0), far(count, 2 * length(half)), phi(count);
  for (size_t k = 0; k < count; ++k) {
    const auto i = static_cast<float>(k);
    const float y = 1 - 2 * (i + 0.5f) / static_cast<float>(count), r = std::sqrt(1 - y * y);
    const V3 s{r * std::cos(2.39996323f * i), y, r * std::sin(2.39996323f * i)};
    const V3 stretched = axis[0] * (half.x * s.x) + axis[1] * (half.y * s.y) + axis[2] * (half.z * s.z);
    reach.push_back(length(stretched));
    directions.push_back(stretched * (1 / reach[k]));
  }
  for (int step = 0; step < 20; ++step) {
    for (size_t k = 0; k < count; ++k) points[k] = centre + directions[k] * (0.5f * (near[k] + far[k]));
    surface.query(points, phi, normals);
    for (size_t k = 0; k < count; ++k) (phi[k] < 0 ? near : far)[k] = 0.5f * (near[k] + far[k]);
  }
  // Area: the surface area per solid angle, times the solid angle of each direction.
  std::vector<SurfacePoint> out;
  const float volume = 4 * 3.14159265f / static_cast<float>(count) * half.x * half.y * half.z;
  for (size_t k = 0; k < count; ++k)
    out.push_back({points[k], volume / (reach[k] * reach[k] * reach[k]) * near[k] * near[k] /
                                  std::max(0.05f, dot(normals[k], directions[k]))});
  return out;
}

std::vector<ZeroPoint> zero_points(const ColliderModel& model,
                                   std::span<const std::vector<SurfacePoint>> surfaces,
                                   std::span<const Transform> motions) {
  const auto posed = model.pose(motions);
  std::vector<V3> points;
  std::vector<float> areas;
  float max_blend_radius = 0;
  for (size_t i = 0; i < posed.size(); ++i) {
    const billow_collider& c = model.colliders()[i];
    if (c.blend_with >= 0) max_blend_radius = std::max(max_blend_radius, c.blend_radius);
    const V3 at{c.position[0], c.position[1], c.position[2]};
    const RigidMatrix& rotation = posed[i].rotation;
    for (const SurfacePoint& p : surfaces[i]) {
      const V3 d = p.point - at;
      points.push_back(posed[i].position + V3{dot(rotation.rx, d), dot(rotation.ry, d), dot(rotation.rz, d)});
      areas.push_back(p.area);
    }
  }
  // Drop points inside another collider (blending lowers a distance by a quarter of its radius at most), and
  // project the others onto the blended surface.
  std::vector<char> outside(points.size(), 1);
  for (int step = 0; step < 4; ++step)
    model.linearise(posed, points, [&](size_t i, const ColliderModel::Linearisation& at) {
      if (step == 0) outside[i] = at.distance > -0.3f * max_blend_radius - 1e-6f;
      if (outside[i]) points[i] = points[i] - at.gradient * at.distance;
    });
  std::vector<ZeroPoint> out;
  model.linearise(posed, points, [&](size_t i, const ColliderModel::Linearisation& at) {
    if (outside[i] && std::fabs(at.distance) < 0.05f * max_blend_radius + 1e-5f)
      out.push_back({points[i], at.gradient, at.distance, areas[i], at.nearest});
  });
  return out;
}

// Moving the surface outwards by d lowers the distance at a fixed point by d, hence the negative slope.
void add_surface_target(const ZeroPoint& p, const body::TriangleTree::Nearest& near, float weight,
                        FitTargets& out) {
  if (!(near.distance > 1e-7f)) return;
  const float facing = dot(p.point - near.point, p.normal) / near.distance;
  out.add(p.point, near.distance + facing * p.distance, -facing, weight);
}

void add_zero_set_targets(const ColliderModel& model, std::span<const std::vector<SurfacePoint>> surfaces,
                          const PosedSkin& skin, float weight, FitTargets& out) {
  const std::vector<ZeroPoint> points = zero_points(model, surfaces, skin.motions);
  float total = 0;
  for (const ZeroPoint& p : points) total += p.area;
  for (const ZeroPoint& p : points)
    add_surface_target(p, skin.tree.nearest(p.point), weight * p.area / total, out);
}

}  // namespace billow::fit
