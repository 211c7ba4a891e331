#include "garment/garment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace billow::garment {
namespace {

void expect_vertex(const Garment& garment, uint32_t vertex, const std::string& where) {
  if (vertex >= garment.size())
    refuse(garment, where + ": expected a vertex below " + std::to_string(garment.size()) + ", found " +
                        std::to_string(vertex));
}

void expect_finite(const Garment& garment, std::span<const V3> positions, const char* what) {
  for (size_t v = 0; v < positions.size(); ++v)
    if (!std::isfinite(positions[v].x + positions[v].y + positions[v].z))
      refuse(garment, std::string(what) + ": vertex " + std::to_string(v) + " is not finite");
}

void validate_weights(const Garment& garment, std::span<const float> weights, const std::string& where) {
  float sum = 0;
  for (const float w : weights) {
    if (!(w >= -1e-4f)) refuse(garment, where + ": expected weights from 0 to 1, found " + std::to_string(w));
    sum += w;
  }
  if (!(std::fabs(sum - 1) < 1e-3f))
    refuse(garment, where + ": expected weights that sum to 1, found " + std::to_string(sum));
}

// The pattern in the xy plane, or the shape as modelled without one.
std::vector<V3> flat_positions(const Garment& g) {
  std::vector<V3> positions = g.shape;
  for (size_t v = 0; v < g.pattern_uvs.size(); ++v)
    positions[v] = {g.pattern_uvs[v][0], g.pattern_uvs[v][1], 0};
  return positions;
}

// Assigns the area of each triangle to the bone nearest to its centroid.
std::vector<float> areas_around(const Garment& g, const std::vector<uint32_t>& bones) {
  const std::vector<V3> cloth = flat_positions(g);
  std::vector<V3> positions;
  for (const uint32_t b : bones) positions.push_back(position_of(g.bones[b], cloth));
  std::vector<float> areas(bones.size());
  for (const Triangle& t : g.triangles) {
    const V3 a = cloth[t[0]], b = cloth[t[1]], c = cloth[t[2]], middle = (a + b + c) * (1.0f / 3);
    size_t nearest = 0;
    float best_squared = std::numeric_limits<float>::max();
    for (size_t i = 0; i < positions.size(); ++i) {
      const V3 d = positions[i] - middle;
      if (const float squared = dot(d, d); squared < best_squared) best_squared = squared, nearest = i;
    }
    areas[nearest] += 0.5f * length(cross(b - a, c - a));
  }
  return areas;
}

}  // namespace

void refuse(const Garment& garment, const std::string& message) {
  throw std::invalid_argument("garment '" + garment.name + "': " + message);
}

body::Contacts default_contacts(const Garment& garment) {
  body::Contacts out;
  out.softness[BILLOW_COLLIDER_GROUP_FOREARM] = 0.5f;
  if (garment.closed) out.softness[BILLOW_COLLIDER_GROUP_UPPER_ARM] = 0.5f;
  return out;
}

void validate(const Garment& garment, size_t joints) {
  if (garment.shape.empty() || garment.triangles.empty()) refuse(garment, "expected vertices and triangles");
  expect_finite(garment, garment.shape, "shape");
  for (size_t t = 0; t < garment.triangles.size(); ++t)
    for (const uint32_t v : garment.triangles[t]) expect_vertex(garment, v, "triangle " + std::to_string(t));
  for (const size_t n : {garment.pattern_uvs.size(), garment.rest.size()})
    if (n != 0 && n != garment.size())
      refuse(garment,
             "expected " + std::to_string(garment.size()) + " positions, found " + std::to_string(n));
  expect_finite(garment, garment.rest, "rest");
  for (size_t i = 0; i < garment.attachments.size(); ++i) {
    const Attachment& a = garment.attachments[i];
    const std::string where = "attachment " + std::to_string(i);
    expect_vertex(garment, a.vertex, where);
    validate_weights(garment, a.weights, where);
    for (const uint32_t j : a.joints)
      if (j >= joints)
        refuse(garment,
               where + ": expected a joint below " + std::to_string(joints) + ", found " + std::to_string(j));
  }
  for (size_t i = 0; i < garment.bones.size(); ++i) {
    const std::string where = "bone " + std::to_string(i);
    for (const uint32_t v : garment.bones[i].vertices) expect_vertex(garment, v, where);
    validate_weights(garment, garment.bones[i].weights, where);
  }
  std::vector<bool> used(garment.bones.size(), false);
  for (size_t c = 0; c < garment.chains.size(); ++c) {
    const std::string where = "chain " + std::to_string(c);
    if (garment.chains[c].size() < 2)
      refuse(garment, where + ": expected at least a root and one bone, found " +
                          std::to_string(garment.chains[c].size()));
    for (const uint32_t b : garment.chains[c]) {
      if (b >= garment.bones.size() || used[b])
        refuse(garment, where + ": expected bones that are in no other chain, found " + std::to_string(b));
      used[b] = true;
    }
  }
}

float rest_distance(const Garment& garment, uint32_t a, uint32_t b) {
  if (garment.pattern_uvs.empty()) return length(garment.shape[a] - garment.shape[b]);
  const auto &p = garment.pattern_uvs[a], &q = garment.pattern_uvs[b];
  return std::hypot(p[0] - q[0], p[1] - q[1]);
}

float rope_length(const Garment& garment, const Embedding& a, const Embedding& b) {
  if (garment.pattern_uvs.empty()) return length(position_of(a, garment.rest) - position_of(b, garment.rest));
  V3 pa{0, 0, 0}, pb{0, 0, 0};
  for (size_t k = 0; k < 3; ++k) {
    pa += V3{garment.pattern_uvs[a.vertices[k]][0], garment.pattern_uvs[a.vertices[k]][1], 0} * a.weights[k];
    pb += V3{garment.pattern_uvs[b.vertices[k]][0], garment.pattern_uvs[b.vertices[k]][1], 0} * b.weights[k];
  }
  return length(pa - pb);
}

void follow_body(const Garment& garment, std::span<const Transform> skinning, std::span<V3> out) {
  for (size_t i = 0; i < garment.attachments.size(); ++i) {
    const Attachment& a = garment.attachments[i];
    V3 sum{0, 0, 0};
    for (size_t k = 0; k < a.joints.size(); ++k)
      if (a.weights[k] > 0) sum += apply(skinning[a.joints[k]], a.rest) * a.weights[k];
    out[i] = sum;
  }
}

V3 position_of(const Embedding& bone, std::span<const V3> vertices) {
  V3 sum{0, 0, 0};
  for (size_t k = 0; k < 3; ++k) sum += vertices[bone.vertices[k]] * bone.weights[k];
  return sum;
}

void bone_positions(const Garment& garment, std::span<const V3> vertices, std::span<V3> out) {
  for (size_t b = 0; b < garment.bones.size(); ++b) out[b] = position_of(garment.bones[b], vertices);
}

size_t simulated_bones(const Garment& garment) {
  size_t count = 0;
  for (const auto& chain : garment.chains) count += chain.size() - 1;
  return count;
}

ChainCloth chain_cloth(const Garment& g) {
  ChainCloth cloth;
  std::vector<uint32_t> bones;
  for (size_t c = 0; c < g.chains.size(); ++c) {
    const auto &chain = g.chains[c], &next = g.chains[c + 1 < g.chains.size() ? c + 1 : 0];
    const bool has_next = c + 1 < g.chains.size() || g.closed;
    bones.insert(bones.end(), chain.begin(), chain.end());
    for (size_t k = 0; k < chain.size(); ++k)
      cloth.lateral_lengths.push_back(
          has_next && k < next.size() ? rope_length(g, g.bones[chain[k]], g.bones[next[k]]) : 0);
  }
  cloth.areas = areas_around(g, bones);
  size_t at = 0, simulated = 0;
  for (const auto& chain : g.chains)
    for (size_t k = 0; k < chain.size(); ++k, ++at)
      if (k > 0) cloth.mean_area += cloth.areas[at], ++simulated;
  cloth.mean_area /= static_cast<float>(std::max<size_t>(1, simulated));
  // Bones without cloth keep a minimal mass.
  for (const float area : cloth.areas)
    cloth.mass_factors.push_back(std::max(0.05f, area / std::max(cloth.mean_area, 1e-12f)));
  return cloth;
}

}  // namespace billow::garment
