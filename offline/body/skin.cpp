#include "body/skin.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "body/polygonise.h"
#include "body/skin_weights.h"
#include "body/surface.h"

namespace billow::body {
namespace {

struct Bounds {
  V3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  void include(V3 p, float r) {
    low = {std::min(low.x, p.x - r), std::min(low.y, p.y - r), std::min(low.z, p.z - r)};
    high = {std::max(high.x, p.x + r), std::max(high.y, p.y + r), std::max(high.z, p.z + r)};
  }
};

Bounds bounds_of(std::span<const billow_collider> colliders) {
  Bounds bounds;
  for (const billow_collider& c : colliders) {
    const V3 at{c.position[0], c.position[1], c.position[2]}, end{c.end[0], c.end[1], c.end[2]};
    switch (c.shape) {
      case BILLOW_SHAPE_SPHERE:
        bounds.include(at, c.radius);
        break;
      case BILLOW_SHAPE_CAPSULE:
      case BILLOW_SHAPE_TAPERED_CAPSULE:
        bounds.include(at, c.radius);
        bounds.include(end, c.shape == BILLOW_SHAPE_CAPSULE ? c.radius : c.radius_end);
        break;
      case BILLOW_SHAPE_ELLIPSOID:
      case BILLOW_SHAPE_BOX:
        bounds.include(at, length(V3{c.half_extents[0], c.half_extents[1], c.half_extents[2]}));
        break;
      case BILLOW_SHAPE_GRID:
        bounds.include(at,
                       0.5f * c.grid->spacing *
                           length(V3{static_cast<float>(c.grid->size[0]), static_cast<float>(c.grid->size[1]),
                                     static_cast<float>(c.grid->size[2])}));
        break;
      case BILLOW_SHAPE_NEURAL:
        bounds.include(at, length(V3{c.network->half_extents[0], c.network->half_extents[1],
                                     c.network->half_extents[2]}));
        break;
      case BILLOW_SHAPE_HALF_SPACE:
      case BILLOW_SHAPE_CUSTOM:
        throw std::invalid_argument(
            "skin: half spaces and custom colliders have no surface to make a skin from");
    }
  }
  return bounds;
}

}  // namespace

Skin make_skin(const Skeleton& skeleton, std::span<const billow_collider> colliders,
               const SkinOptions& options) {
  validate(skeleton);
  if (colliders.empty()) throw std::invalid_argument("skin: expected colliders, found none");
  const Surface surface(skeleton, colliders);
  Bounds bounds = bounds_of(colliders);
  for (const billow_collider& c : colliders)
    bounds.include({c.position[0], c.position[1], c.position[2]}, 2 * options.spacing + c.blend_radius);
  const V3 rim{2 * options.spacing, 2 * options.spacing, 2 * options.spacing};

  Skin skin;
  skin.mesh = polygonise(surface, bounds.low - rim, bounds.high + rim, options.spacing);
  if (const Topology t = topology_of(skin.mesh); t.components != 1)
    throw std::runtime_error("skin: expected one closed piece, found " + std::to_string(t.components));
  RemeshOptions remeshing;
  remeshing.vertices = options.vertices;
  remesh(skin.mesh, surface, remeshing);

  weigh_by_colliders(skin, skeleton, colliders, options);
  skin.joint_rest = rest_transforms(skeleton);
  return skin;
}

void skin_vertices(const Skin& skin, std::span<const Transform> joints, std::span<V3> out) {
  if (joints.size() != skin.joint_rest.size() || out.size() != skin.mesh.positions.size())
    throw std::invalid_argument("skin: expected " + std::to_string(skin.joint_rest.size()) + " joints and " +
                                std::to_string(skin.mesh.positions.size()) + " vertices");
  std::vector<Transform> moved;
  moved.reserve(joints.size());
  for (size_t j = 0; j < joints.size(); ++j) moved.push_back(joints[j] * inverse(skin.joint_rest[j]));
  for (size_t v = 0; v < out.size(); ++v) {
    V3 sum{0, 0, 0};
    for (size_t k = 0; k < kJointsPerVertex; ++k)
      if (skin.weights[v][k] > 0)
        sum += apply(moved[skin.joints[v][k]], skin.mesh.positions[v]) * skin.weights[v][k];
    out[v] = sum;
  }
}

RestAgreement rest_agreement(const Skin& skin, const Skeleton& skeleton,
                             std::span<const billow_collider> colliders) {
  const Surface surface(skeleton, colliders);
  const std::vector<V3>& p = skin.mesh.positions;
  RestAgreement out{};
  double sum = 0;
  size_t count = 0;
  const auto measure = [&](const std::vector<V3>& points) {
    std::vector<float> phi(points.size());
    surface.query(points, phi);
    float most = 0;
    for (const float d : phi) {
      most = std::max(most, std::fabs(d));
      sum += static_cast<double>(std::fabs(d));
    }
    count += points.size();
    return most;
  };
  out.vertices = measure(p);
  std::vector<V3> middles;
  for (const Edge& e : edges_of(skin.mesh)) middles.push_back((p[e.a] + p[e.b]) * 0.5f);
  out.edges = measure(middles);
  middles.clear();
  for (const Triangle& t : skin.mesh.triangles) middles.push_back((p[t[0]] + p[t[1]] + p[t[2]]) * (1.0f / 3));
  out.faces = measure(middles);
  out.mean = static_cast<float>(sum / static_cast<double>(count));
  return out;
}

}  // namespace billow::body
