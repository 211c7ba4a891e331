#include "fit/fit_colliders_model.h"

#include <algorithm>
#include <cmath>

namespace billow::fit {
namespace {

V3 load3(const float* v) { return {v[0], v[1], v[2]}; }
Quat rotation_of(const billow_collider& c) {
  return normalized(Quat{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]});
}
V3 transposed(const RigidMatrix& m, V3 v) { return m.rx * v.x + m.ry * v.y + m.rz * v.z; }
bool is_capsule(const billow_collider& c) { return c.shape == BILLOW_SHAPE_TAPERED_CAPSULE; }

// The number of parameters of position and shape, in the order of apply_step().
size_t shape_parameters(billow_shape shape) {
  switch (shape) {
    case BILLOW_SHAPE_SPHERE:
      return 4;
    case BILLOW_SHAPE_TAPERED_CAPSULE:
      return 8;
    case BILLOW_SHAPE_ELLIPSOID:
      return 9;
    default:
      return 10;
  }
}

}  // namespace

ColliderModel::ColliderModel(std::vector<billow_collider> colliders, std::vector<bool> fixed, float size)
    : colliders_(std::move(colliders)), fixed_(std::move(fixed)), size_(size) {
  for (size_t i = 0; i < colliders_.size(); ++i) {
    billow_collider& c = colliders_[i];
    if (c.shape == BILLOW_SHAPE_CAPSULE) c.shape = BILLOW_SHAPE_TAPERED_CAPSULE, c.radius_end = c.radius;
    // Move joints with positive weights to the front and normalise the weights.
    float sum = 0;
    size_t used = 0;
    for (const float w : c.weight) sum += w;
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k)
      if (c.weight[k] > 0) c.joint[used] = c.joint[k], c.weight[used++] = c.weight[k] / sum;
    for (; used < BILLOW_JOINTS_PER_COLLIDER; ++used) c.joint[used] = 0, c.weight[used] = 0;
    first_.push_back(count_);
    if (!fixed_[i]) {
      clamp_parameters(c);
      count_ += shape_parameters(c.shape) + weight_parameters(i) + (c.blend_with >= 0 ? 1 : 0);
    }
  }
}

size_t ColliderModel::weight_parameters(size_t i) const {
  size_t count = 0;
  for (const float w : colliders_[i].weight) count += w > 0;
  return count > 1 ? count : 0;
}

Eigen::VectorXd ColliderModel::scales() const {
  Eigen::VectorXd out(static_cast<Eigen::Index>(count_));
  for (size_t i = 0; i < colliders_.size(); ++i) {
    if (fixed_[i]) continue;
    const billow_collider& c = colliders_[i];
    auto at = static_cast<Eigen::Index>(first_[i]);
    const bool rotates = c.shape == BILLOW_SHAPE_ELLIPSOID || c.shape == BILLOW_SHAPE_BOX;
    for (size_t k = 0; k < shape_parameters(c.shape); ++k)
      out[at++] = rotates && k >= 3 && k < 6 ? 0.3 : 0.05 * static_cast<double>(size_);
    for (size_t k = 0; k < weight_parameters(i); ++k) out[at++] = 0.3;
    if (c.blend_with >= 0) out[at++] = 0.02 * static_cast<double>(size_);
  }
  return out;
}

void ColliderModel::clamp_parameters(billow_collider& c) const {
  // Forbid thin plates, which would fit edges that do not matter.
  const float min_radius = 0.002f * size_, min_extent = 0.005f * size_, max_extent = 2 * size_;
  c.radius = std::clamp(c.radius, min_radius, max_extent);
  c.radius_end = std::clamp(c.radius_end, min_radius, max_extent);
  for (float& h : c.half_extents) h = std::clamp(h, min_extent, max_extent);
  if (c.shape == BILLOW_SHAPE_BOX)
    c.radius = std::min({c.radius, c.half_extents[0], c.half_extents[1], c.half_extents[2]});
  if (is_capsule(c)) {
    // Neither end sphere may contain the other: the API would treat the capsule as a sphere.
    const V3 from = load3(c.position), axis = load3(c.end) - from;
    float l = length(axis);
    if (l < min_radius) {
      store3(from + (l > 0 ? axis * (min_radius / l) : V3{0, min_radius, 0}), c.end);
      l = min_radius;
    }
    float &small = c.radius < c.radius_end ? c.radius : c.radius_end,
          &large = c.radius < c.radius_end ? c.radius_end : c.radius;
    small = std::max(small, large - 0.95f * l);
  }
  if (c.blend_with >= 0) c.blend_radius = std::clamp(c.blend_radius, 0.001f * size_, 0.08f * size_);
}

void ColliderModel::apply_step(const Eigen::VectorXd& step) {
  for (size_t i = 0; i < colliders_.size(); ++i) {
    if (fixed_[i]) continue;
    billow_collider& c = colliders_[i];
    auto at = static_cast<Eigen::Index>(first_[i]);
    const auto next = [&] { return static_cast<float>(step[at++]); };
    for (float& v : c.position) v += next();
    if (is_capsule(c))
      for (float& v : c.end) v += next();
    if (c.shape == BILLOW_SHAPE_ELLIPSOID || c.shape == BILLOW_SHAPE_BOX) {
      const float x = next(), y = next(), z = next(), angle = std::sqrt(x * x + y * y + z * z);
      const float s = angle > 1e-6f ? std::sin(0.5f * angle) / angle : 0.5f;
      const Quat q = normalized(Quat{s * x, s * y, s * z, std::cos(0.5f * angle)} * rotation_of(c));
      c.rotation[0] = q.x, c.rotation[1] = q.y, c.rotation[2] = q.z, c.rotation[3] = q.w;
      for (float& v : c.half_extents) v += next();
    }
    if (c.shape != BILLOW_SHAPE_ELLIPSOID) c.radius += next();
    if (is_capsule(c)) c.radius_end += next();
    if (const size_t joints = weight_parameters(i)) {
      // Keep all joints; finish() drops negligible ones.
      float sum = 0;
      for (size_t k = 0; k < joints; ++k) sum += c.weight[k] = std::max(1e-3f, c.weight[k] + next());
      for (size_t k = 0; k < joints; ++k) c.weight[k] /= sum;
    }
    if (c.blend_with >= 0) c.blend_radius += next();
    clamp_parameters(c);
  }
}

namespace {

// A bounding sphere of a collider at rest.
std::pair<V3, float> bound_of(const billow_collider& c) {
  const V3 at = load3(c.position), half = load3(c.half_extents);
  switch (c.shape) {
    case BILLOW_SHAPE_SPHERE:
      return {at, c.radius};
    case BILLOW_SHAPE_TAPERED_CAPSULE:
      return {(at + load3(c.end)) * 0.5f,
              0.5f * length(load3(c.end) - at) + std::max(c.radius, c.radius_end)};
    default:
      return {at, length(half)};
  }
}

// Queries a subset of the points.
void query_subset(const body::Surface& surface, std::span<const V3> points,
                  const std::vector<uint32_t>& subset, std::vector<float>& phi, std::vector<V3>& gradient) {
  std::vector<V3> queried, gradients(gradient.empty() ? 0 : subset.size());
  std::vector<float> distances(subset.size());
  for (const uint32_t i : subset) queried.push_back(points[i]);
  surface.query(queried, distances, gradients);
  for (size_t k = 0; k < subset.size(); ++k) {
    phi[subset[k]] = distances[k];
    if (!gradient.empty()) gradient[subset[k]] = gradients[k];
  }
}

Quat operator*(float s, Quat q) { return {s * q.x, s * q.y, s * q.z, s * q.w}; }
Quat operator+(Quat a, Quat b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

}  // namespace

body::Surface surface_of(billow_collider c, const Transform& motion) {
  static const body::Skeleton one{{{"joint", body::kNoJoint, {}}}};
  c.blend_with = BILLOW_NO_BLEND;
  for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) c.joint[k] = 0, c.weight[k] = k == 0;
  body::Surface surface(one, {&c, 1});
  surface.pose({&motion, 1});
  return surface;
}

std::vector<ColliderModel::Posed> ColliderModel::pose(std::span<const Transform> motions) const {
  std::vector<Posed> out;
  for (const billow_collider& c : colliders_) {
    // Blend the joints' motions as the runtime does (src/sdf/body.cpp).
    const V3 at = load3(c.position);
    V3 position{0, 0, 0};
    Quat sum{0, 0, 0, 0}, aligned[BILLOW_JOINTS_PER_COLLIDER]{};
    RigidMatrix jacobian{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) {
      const float w = c.weight[k];
      if (!(w > 0)) continue;
      const Transform& m = motions[c.joint[k]];
      const RigidMatrix r = to_matrix(m);
      aligned[k] = (dot(motions[c.joint[0]].rotation, m.rotation) < 0 ? -1.0f : 1.0f) * m.rotation;
      position += apply(m, at) * w;
      sum = sum + w * aligned[k];
      jacobian.rx += r.rx * w, jacobian.ry += r.ry * w, jacobian.rz += r.rz * w;
    }
    const Quat rotation = normalized(sum);
    const Transform motion{position - rotate(rotation, at), rotation};
    const auto [bound, radius] = bound_of(c);
    Posed p{surface_of(c, motion),
            apply(motion, bound),
            radius,
            position,
            to_matrix({{0, 0, 0}, rotation}),
            jacobian,
            {},
            {}};
    // Differentiate position and rotation by the weight of joint k, at a constant sum of weights.
    const float inverse_length = 1 / std::sqrt(std::max(1e-12f, dot(sum, sum)));
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) {
      if (!(c.weight[k] > 0)) continue;
      const Quat change =
          inverse_length * (aligned[k] + -dot(aligned[k], rotation) * rotation) * conjugate(rotation);
      p.position_by_weight[k] = apply(motions[c.joint[k]], at) - position;
      p.rotation_by_weight[k] = V3{change.x, change.y, change.z} * 2.0f;
    }
    out.push_back(std::move(p));
  }
  return out;
}

ColliderModel::Distances ColliderModel::all_distances(std::span<const Posed> posed,
                                                      std::span<const V3> points, bool gradients) const {
  Distances out;
  float max_blend_radius = 0;
  for (const billow_collider& c : colliders_)
    if (c.blend_with >= 0) max_blend_radius = std::max(max_blend_radius, c.blend_radius);
  for (size_t c = 0; c < posed.size(); ++c) {
    out.phi.emplace_back(points.size(), 1e30f);
    out.gradient.emplace_back(gradients ? points.size() : 0);
  }
  // Query the collider with the nearest bounding sphere first, then those that may be nearer or close enough
  // to blend.
  const auto distance_to_bound = [&](size_t c, V3 p) {
    return length(p - posed[c].bound) - posed[c].bound_radius;
  };
  std::vector<std::vector<uint32_t>> first(posed.size()), then(posed.size());
  std::vector<size_t> nearest_bound(points.size(), 0);
  for (uint32_t i = 0; i < points.size(); ++i) {
    float best = 1e30f;
    for (size_t c = 0; c < posed.size(); ++c)
      if (const float d = distance_to_bound(c, points[i]); d < best) best = d, nearest_bound[i] = c;
    first[nearest_bound[i]].push_back(i);
  }
  for (size_t c = 0; c < posed.size(); ++c)
    query_subset(posed[c].surface, points, first[c], out.phi[c], out.gradient[c]);
  for (uint32_t i = 0; i < points.size(); ++i)
    for (size_t c = 0; c < posed.size(); ++c)
      if (c != nearest_bound[i] &&
          distance_to_bound(c, points[i]) < out.phi[nearest_bound[i]][i] + 1.5f * max_blend_radius)
        then[c].push_back(i);
  for (size_t c = 0; c < posed.size(); ++c)
    query_subset(posed[c].surface, points, then[c], out.phi[c], out.gradient[c]);
  return out;
}

ColliderModel::Nearest ColliderModel::nearest(const Distances& d, size_t point) const {
  Nearest best{0, -1, 1e30f, 0};
  for (size_t i = 0; i < colliders_.size(); ++i) {
    const billow_collider& c = colliders_[i];
    Nearest w{static_cast<int>(i), -1, d.phi[i][point], 0};
    if (c.blend_with >= 0) {
      const float other = d.phi[static_cast<size_t>(c.blend_with)][point], k = c.blend_radius;
      if (std::fabs(other - w.phi) < k) {
        w.other = c.blend_with;
        w.blend = 0.5f + 0.5f * (w.phi - other) / k;
        w.phi += (other - w.phi) * w.blend - k * w.blend * (1 - w.blend);
      }
    }
    if (w.phi < best.phi) best = w;
  }
  return best;
}

void ColliderModel::distances(std::span<const Posed> posed, std::span<const V3> points,
                              std::span<float> out) const {
  const Distances d = all_distances(posed, points, false);
  for (size_t i = 0; i < points.size(); ++i) out[i] = nearest(d, i).phi;
}

void ColliderModel::differentiate(std::span<const Posed> posed, const Distances& d, size_t at, V3 point,
                                  Linearisation& out) const {
  const Nearest w = nearest(d, at);
  const auto i = static_cast<size_t>(w.collider);
  out.derivatives.clear();
  out.distance = w.phi;
  out.gradient = d.gradient[i][at];
  out.nearest = static_cast<uint32_t>(i);
  add_derivatives(posed[i], i, point, d.phi[i][at], d.gradient[i][at], 1 - w.blend, out.derivatives);
  if (w.other < 0) return;
  const auto j = static_cast<size_t>(w.other);
  out.gradient = out.gradient + (d.gradient[j][at] - out.gradient) * w.blend;
  if (w.blend > 0.5f) out.nearest = static_cast<uint32_t>(j);
  add_derivatives(posed[j], j, point, d.phi[j][at], d.gradient[j][at], w.blend, out.derivatives);
  if (!fixed_[i]) {
    const size_t last = first_[i] + shape_parameters(colliders_[i].shape) + weight_parameters(i);
    out.derivatives.push_back({static_cast<uint32_t>(last), -static_cast<double>(w.blend * (1 - w.blend))});
  }
}

void ColliderModel::add_derivatives(const Posed& p, size_t i, V3 point, float phi, V3 n, float factor,
                                    std::vector<Derivative>& out) const {
  if (fixed_[i]) return;
  const billow_collider& c = colliders_[i];
  auto at = static_cast<uint32_t>(first_[i]);
  const auto add = [&](float v) { out.push_back({at++, static_cast<double>(factor * v)}); };
  const auto add3 = [&](V3 v) { add(v.x), add(v.y), add(v.z); };
  // Bring the normal, and the vector to the nearest surface point, back to the rest pose.
  const V3 rest_n = transposed(p.rotation, n), by_position = transposed(p.position_jacobian, n);
  const V3 arm = point - n * phi - p.position, rest_arm = transposed(p.rotation, arm);
  if (is_capsule(c)) {
    // Find the parameter t of the nearest sphere along the axis, whose radius depends on t:
    // arm . axis = t l + (n . axis) (r + t (r_end - r)).
    const V3 segment = load3(c.end) - load3(c.position), axis = segment * (1 / length(segment));
    const float along = dot(rest_n, axis), reach = length(segment) + along * (c.radius_end - c.radius);
    const float t = std::clamp((dot(rest_arm, axis) - along * c.radius) / reach, 0.0f, 1.0f);
    add3(rest_n * t - by_position);
    add3(rest_n * -t);
    add(t - 1);
    add(-t);
  } else {
    add3(-by_position);
    if (c.shape == BILLOW_SHAPE_SPHERE) {
      add(-1);
    } else {
      add3(-cross(rest_arm, rest_n));
      const Quat to_local = conjugate(rotation_of(c));
      const V3 local = rotate(to_local, rest_n), on = rotate(to_local, rest_arm);
      const V3 half = load3(c.half_extents);
      if (c.shape == BILLOW_SHAPE_ELLIPSOID) {
        add3({-local.x * on.x / half.x, -local.y * on.y / half.y, -local.z * on.z / half.z});
      } else {
        const V3 size{std::fabs(local.x), std::fabs(local.y), std::fabs(local.z)};
        add3(-size);
        add(size.x + size.y + size.z - 1);
      }
    }
  }
  for (size_t k = 0; k < weight_parameters(i); ++k)
    add(-dot(n, p.position_by_weight[k] + cross(p.rotation_by_weight[k], arm)));
}

}  // namespace billow::fit
