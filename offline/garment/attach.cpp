#include "garment/attach.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "motion/human.h"

namespace billow::garment {
namespace {

std::string names_of(const std::vector<MeshPart>& parts) {
  std::string out;
  for (const MeshPart& part : parts) out += (out.empty() ? "" : ", ") + part.name;
  return out.empty() ? "none" : out;
}

Region region_of(const GarmentMesh& mesh, const std::vector<MeshPart>& parts, std::string_view name,
                 const char* kind) {
  Region region(mesh.positions.size(), false);
  bool found = false;
  for (const MeshPart& part : parts) {
    if (part.name != name) continue;
    found = true;
    for (const uint32_t t : part.triangles)
      for (const uint32_t v : mesh.triangles[t]) region[v] = true;
  }
  if (!found)
    throw std::invalid_argument("garment: expected a " + std::string(kind) + " (" + names_of(parts) +
                                "), found '" + std::string(name) + "'");
  return region;
}

size_t nearest_vertex(const body::Skin& skin, V3 position, float* square = nullptr) {
  size_t nearest = 0;
  float best_squared = 1e30f;
  for (size_t v = 0; v < skin.mesh.positions.size(); ++v) {
    const V3 d = skin.mesh.positions[v] - position;
    if (dot(d, d) < best_squared) best_squared = dot(d, d), nearest = v;
  }
  if (square) *square = best_squared;
  return nearest;
}

// Keeps the largest weights of a dense row, normalised.
void keep_heaviest(const std::vector<float>& row, Attachment& a) {
  std::vector<uint32_t> order(row.size());
  for (uint32_t j = 0; j < row.size(); ++j) order[j] = j;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t p, uint32_t q) { return row[p] > row[q]; });
  const size_t kept = std::min(row.size(), body::kJointsPerVertex);
  float sum = 0;
  for (size_t k = 0; k < kept; ++k) sum += row[order[k]];
  a.joints = {}, a.weights = {};
  for (size_t k = 0; k < kept; ++k) a.joints[k] = order[k], a.weights[k] = row[order[k]] / sum;
}

}  // namespace

Attachment attach(const body::Skin& skin, uint32_t vertex, V3 position) {
  const size_t nearest = nearest_vertex(skin, position);
  return {vertex, skin.joints[nearest], skin.weights[nearest], position};
}

void smooth_weights(std::span<Attachment> attachments, size_t joints,
                    const std::vector<std::vector<uint32_t>>& neighbours) {
  constexpr int kRounds = 12;
  const size_t n = attachments.size();
  std::vector<std::vector<float>> w(n, std::vector<float>(joints, 0)), next = w;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < body::kJointsPerVertex; ++k)
      w[i][attachments[i].joints[k]] += attachments[i].weights[k];
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < n; ++i) {
      const size_t count = neighbours[i].size();
      for (size_t j = 0; j < joints; ++j) {
        float sum = 0;
        for (const uint32_t other : neighbours[i]) sum += w[other][j];
        next[i][j] = count > 0 ? 0.5f / static_cast<float>(count) * sum + 0.5f * w[i][j] : w[i][j];
      }
    }
    w.swap(next);
  }
  for (size_t i = 0; i < n; ++i) keep_heaviest(w[i], attachments[i]);
}

Region region_of_group(const GarmentMesh& mesh, std::string_view name) {
  return region_of(mesh, mesh.groups, name, "group");
}

Region region_of_material(const GarmentMesh& mesh, std::string_view name) {
  return region_of(mesh, mesh.materials, name, "material");
}

Region region_above(const GarmentMesh& mesh, float height) {
  Region region(mesh.positions.size(), false);
  float low = INFINITY, high = -INFINITY;
  for (size_t v = 0; v < region.size(); ++v) {
    const float y = mesh.positions[v].y;
    region[v] = y > height;
    low = std::min(low, y), high = std::max(high, y);
  }
  if (!(high > height) || !(low <= height))
    throw std::invalid_argument("garment: expected some but not all vertices above " +
                                std::to_string(height) + " m, found heights from " + std::to_string(low) +
                                " to " + std::to_string(high) + " m");
  return region;
}

Region region_near_joint(const GarmentMesh& mesh, const body::Skeleton& skeleton, const body::Skin& skin,
                         std::string_view joint, float reach) {
  const auto target = static_cast<uint32_t>(skeleton.at(joint));
  Region region(mesh.positions.size(), false);
  bool any = false;
  for (size_t v = 0; v < region.size(); ++v) {
    float square = 0;
    const size_t nearest = nearest_vertex(skin, mesh.positions[v], &square);
    if (square > reach * reach) continue;
    const auto& weights = skin.weights[nearest];
    const auto heaviest =
        static_cast<size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    region[v] = skin.joints[nearest][heaviest] == target;
    any |= region[v];
  }
  if (!any)
    throw std::invalid_argument("garment: expected vertices within " + std::to_string(1000 * reach) +
                                " mm of the skin of '" + std::string(joint) + "', found none");
  return region;
}

const std::vector<std::string>& attachment_sites() {
  static const std::vector<std::string> sites{"waist", "neck", "shoulders"};
  return sites;
}

float attach_height(const body::Skeleton& skeleton, std::string_view position) {
  const motion::Human human = motion::find_human(skeleton);
  const std::vector<Transform> rest = body::rest_transforms(skeleton);
  const auto height_of = [&](int joint, const char* what) {
    if (joint == body::kNoJoint)
      throw std::invalid_argument("expected a character with " + std::string(what) + " to attach at the " +
                                  std::string(position) + ", found none; give a height or a joint instead");
    return rest[static_cast<size_t>(joint)].position.y;
  };
  // Offsets are for a person of 1.75 m, with neck and head joints at 1.449 m and 1.549 m; scale them by the
  // height.
  const int neck = human.of(motion::Part::neck), head = human.of(motion::Part::head);
  const float size = neck != body::kNoJoint   ? height_of(neck, "") / 1.449f
                     : head != body::kNoJoint ? height_of(head, "") / 1.549f
                                              : 1;
  if (position == "waist")
    return height_of(human.spine.size() > 1 ? human.spine[1] : body::kNoJoint, "a spine") + 0.005f * size;
  if (position == "neck")
    return height_of(neck != body::kNoJoint ? neck : head, "a neck or a head") - 0.03f * size;
  if (position == "shoulders")
    return height_of(human.of(motion::Part::upper_arm), "upper arms") + 0.02f * size;
  throw std::invalid_argument("attachment site: expected waist, neck or shoulders, found '" +
                              std::string(position) + "'");
}

std::optional<body::Skin> own_weights(body::Skin mesh, const body::Skeleton& from, const body::Skeleton& to) {
  if (mesh.weights.empty()) return std::nullopt;
  for (size_t v = 0; v < mesh.weights.size(); ++v)
    for (size_t k = 0; k < body::kJointsPerVertex; ++k) {
      uint32_t& joint = mesh.joints[v][k];
      const int same = mesh.weights[v][k] > 0 ? to.find(from.joints[joint].name) : 0;
      if (same == body::kNoJoint) return std::nullopt;
      joint = static_cast<uint32_t>(same);
    }
  mesh.joint_rest = body::rest_transforms(to);
  return mesh;
}

void attach_region(Garment& garment, const Region& region, const body::Skin& skin) {
  if (skin.mesh.positions.empty())
    throw std::invalid_argument("garment '" + garment.name +
                                "': expected a character with a skin, found none");
  constexpr uint32_t kNone = ~0u;
  std::vector<uint32_t> position(garment.size(), kNone);
  garment.attachments.clear();
  for (uint32_t v = 0; v < garment.size(); ++v) {
    if (!region[v]) continue;
    position[v] = static_cast<uint32_t>(garment.attachments.size());
    garment.attachments.push_back(attach(skin, v, garment.shape[v]));
  }
  if (garment.attachments.empty() || garment.attachments.size() == garment.size())
    throw std::invalid_argument("garment '" + garment.name + "': expected some of its " +
                                std::to_string(garment.size()) + " vertices to be attached, found " +
                                (garment.attachments.empty() ? "none" : "all"));
  std::vector<std::vector<uint32_t>> neighbours(garment.attachments.size());
  for (const Triangle& t : garment.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t a = position[t[k]], b = position[t[(k + 1) % 3]];
      if (a != kNone && b != kNone) neighbours[a].push_back(b), neighbours[b].push_back(a);
    }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  smooth_weights(garment.attachments, skin.joint_rest.size(), neighbours);
}

}  // namespace billow::garment
