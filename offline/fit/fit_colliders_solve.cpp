#include "fit/fit_colliders_solve.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "parallel.h"

namespace billow::fit {
namespace {

// Huber's loss of a residual, and the share of it that counts in the linearised problem.
struct Loss {
  double value, share;
};
Loss huber(double r, double knee) {
  const double size = std::fabs(r);
  if (size <= knee) return {r * r, 1};
  return {2 * knee * size - knee * knee, knee / size};
}

// Calls f for each pose: on all cores where it is worth it.
template <class F> void for_each_pose(std::span<const FitTargets> targets, F f) {
  constexpr size_t kMany = 10000;
  size_t points = 0;
  for (const FitTargets& t : targets) points += t.points.size();
  if (points > kMany) return for_each_in_parallel(targets.size(), f);
  for (size_t p = 0; p < targets.size(); ++p) f(p);
}

double cost_of(const ColliderModel& model, std::span<const FitTargets> targets, double knee) {
  std::vector<double> sums(targets.size(), 0);
  for_each_pose(targets, [&](size_t p) {
    const FitTargets& t = targets[p];
    std::vector<float> phi(t.points.size());
    model.distances(model.place(t.moved), t.points, phi);
    for (size_t i = 0; i < phi.size(); ++i)
      sums[p] += static_cast<double>(t.weight[i]) *
                 huber(static_cast<double>(t.target[i] + t.slope[i] * phi[i]), knee).value;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

struct NormalEquations {
  Eigen::MatrixXd matrix;  // its lower half
  Eigen::VectorXd vector;
  double cost = 0;
};

NormalEquations linearise(const ColliderModel& model, const FitTargets& t, double knee) {
  const auto n = static_cast<Eigen::Index>(model.parameters());
  NormalEquations out{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n), 0};
  model.linearise(model.place(t.moved), t.points, [&](size_t i, const ColliderModel::Linear& at) {
    const double r = static_cast<double>(t.target[i] + t.slope[i] * at.distance);
    const Loss loss = huber(r, knee);
    const double weight = static_cast<double>(t.weight[i]), slope = static_cast<double>(t.slope[i]);
    out.cost += weight * loss.value;
    const double scale = weight * loss.share * slope;
    for (const auto& a : at.slopes) {
      out.vector[a.parameter] += scale * r * a.value;
      for (const auto& b : at.slopes)
        if (b.parameter <= a.parameter)
          out.matrix(a.parameter, b.parameter) += scale * slope * a.value * b.value;
    }
  });
  return out;
}

NormalEquations linearise(const ColliderModel& model, std::span<const FitTargets> targets, double knee) {
  // Sum up in the order of the poses, whoever comes first.
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

double solve(ColliderModel& model, std::span<const FitTargets> targets, float size, const FitSteps& options) {
  const double knee = options.robust * static_cast<double>(size);
  if (model.parameters() == 0 || options.iterations == 0) return cost_of(model, targets, knee);
  const Eigen::VectorXd scales = model.scales();
  // The pull toward the start, as if a point of this weight were off by the scale's share of the size.
  const double unit = options.prior * 0.05 * 0.05 * static_cast<double>(size) * static_cast<double>(size);
  const Eigen::VectorXd pull = unit * scales.array().square().inverse();
  Eigen::VectorXd travelled = Eigen::VectorXd::Zero(scales.size());
  const auto pulled = [&](const Eigen::VectorXd& x) { return (pull.array() * x.array().square()).sum(); };

  NormalEquations equations = linearise(model, targets, knee);
  double cost = equations.cost, damping = 1e-3;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    const Eigen::VectorXd slope = equations.vector + pull.cwiseProduct(travelled);
    const double before = cost + pulled(travelled);
    bool better = false;
    for (int attempt = 0; attempt < 6 && !better; ++attempt) {
      Eigen::MatrixXd matrix = equations.matrix;
      matrix.diagonal() += pull + damping * (matrix.diagonal() + 100 * pull);
      const Eigen::VectorXd step = -matrix.selfadjointView<Eigen::Lower>().ldlt().solve(slope);
      ColliderModel next = model;
      next.move(step);
      const double next_cost = cost_of(next, targets, knee);
      better = next_cost + pulled(travelled + step) < before;
      if (better) {
        model = std::move(next);
        cost = next_cost;
        travelled += step;
      }
      damping *= better ? 0.3 : 5;
    }
    if (!better || before - cost - pulled(travelled) < options.enough * before) break;
    if (iteration + 1 < options.iterations) equations = linearise(model, targets, knee);
  }
  return cost;
}

std::vector<SurfacePoint> surface_points(const billow_collider& c, size_t count) {
  // Take the box about the collider in its own frame: centre, axes and half its sides.
  V3 centre{c.position[0], c.position[1], c.position[2]}, axis[3], half;
  const Quat q = normalized(Quat{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]});
  axis[0] = rotate(q, {1, 0, 0}), axis[1] = rotate(q, {0, 1, 0}), axis[2] = rotate(q, {0, 0, 1});
  half = {c.half_extents[0], c.half_extents[1], c.half_extents[2]};
  if (c.shape == BILLOW_SHAPE_CAPSULE || c.shape == BILLOW_SHAPE_TAPERED_CAPSULE) {
    const V3 way = V3{c.end[0], c.end[1], c.end[2]} - centre;
    const float l = length(way), end = c.shape == BILLOW_SHAPE_CAPSULE ? c.radius : c.radius_end;
    axis[1] = l > 0 ? way * (1 / l) : V3{0, 1, 0};
    axis[0] = std::fabs(axis[1].y) < 0.9f ? cross({0, 1, 0}, axis[1]) : cross({1, 0, 0}, axis[1]);
    axis[0] = axis[0] * (1 / length(axis[0]));
    axis[2] = cross(axis[0], axis[1]);
    // One end may lie within the other.
    const float low = std::min(-c.radius, l - end), high = std::max(c.radius, l + end);
    half = {std::max(c.radius, end), 0.5f * (high - low), std::max(c.radius, end)};
    centre += axis[1] * (0.5f * (low + high));
  } else if (c.shape == BILLOW_SHAPE_SPHERE) {
    half = {c.radius, c.radius, c.radius};
  }
  // Spread directions evenly over the ellipsoid in that box, and find the surface along each of them.
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
  // The area that a solid angle has there, times the angle that each of the even directions has.
  std::vector<SurfacePoint> out;
  const float volume = 4 * 3.14159265f / static_cast<float>(count) * half.x * half.y * half.z;
  for (size_t k = 0; k < count; ++k)
    out.push_back({points[k], volume / (reach[k] * reach[k] * reach[k]) * near[k] * near[k] /
                                  std::max(0.05f, dot(normals[k], directions[k]))});
  return out;
}

std::vector<ZeroPoint> zero_points(const ColliderModel& model,
                                   std::span<const std::vector<SurfacePoint>> surfaces,
                                   std::span<const Transform> moved) {
  const auto placed = model.place(moved);
  std::vector<V3> points;
  std::vector<float> areas;
  float widest = 0;
  for (size_t i = 0; i < placed.size(); ++i) {
    const billow_collider& c = model.colliders()[i];
    if (c.blend_with >= 0) widest = std::max(widest, c.blend_radius);
    const V3 at{c.position[0], c.position[1], c.position[2]};
    const RigidMatrix& turn = placed[i].turn;
    for (const SurfacePoint& p : surfaces[i]) {
      const V3 d = p.point - at;
      points.push_back(placed[i].place + V3{dot(turn.rx, d), dot(turn.ry, d), dot(turn.rz, d)});
      areas.push_back(p.area);
    }
  }
  // Leave out what lies inside another collider (blending lowers a distance by a quarter of its radius at
  // most), and bring the rest onto the blended surface.
  std::vector<char> outside(points.size(), 1);
  for (int step = 0; step < 4; ++step)
    model.linearise(placed, points, [&](size_t i, const ColliderModel::Linear& at) {
      if (step == 0) outside[i] = at.distance > -0.3f * widest - 1e-6f;
      if (outside[i]) points[i] = points[i] - at.gradient * at.distance;
    });
  std::vector<ZeroPoint> out;
  model.linearise(placed, points, [&](size_t i, const ColliderModel::Linear& at) {
    if (outside[i] && std::fabs(at.distance) < 0.05f * widest + 1e-5f)
      out.push_back({points[i], at.gradient, at.distance, areas[i], at.nearest});
  });
  return out;
}

// Makes the surface at a point go to where the skin is: it moves out by what the distance there loses.
void add_pull(const ZeroPoint& p, const body::TriangleTree::Nearest& near, float weight, FitTargets& out) {
  if (!(near.distance > 1e-7f)) return;
  const float facing = dot(p.point - near.point, p.normal) / near.distance;
  out.add(p.point, near.distance + facing * p.distance, -facing, weight);
}

void add_zero_set(const ColliderModel& model, std::span<const std::vector<SurfacePoint>> surfaces,
                  const PosedSkin& skin, float share, FitTargets& out) {
  const std::vector<ZeroPoint> points = zero_points(model, surfaces, skin.moved);
  float total = 0;
  for (const ZeroPoint& p : points) total += p.area;
  for (const ZeroPoint& p : points) add_pull(p, skin.tree.nearest(p.point), share * p.area / total, out);
}

}  // namespace billow::fit
