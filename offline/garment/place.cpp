#include "garment/place.h"

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

#include "body/mesh_distance.h"

namespace billow::garment {
namespace {

constexpr float kGap = 0.004f;   // m, of attached cloth from the skin
constexpr float kDeep = 0.01f;   // m, from which on cloth lies in the body
constexpr float kReach = 0.15f;  // m, up to which free cloth is taken to be in the body and not behind it
constexpr int kFittingRounds = 6;
constexpr double kHold = 1, kSmooth = 4;  // weights of reaching a target, and of moving like the neighbours

// A skin with the side on which a point lies. Skins may be open, so the nearest triangle says it.
class Skin {
 public:
  explicit Skin(const body::Mesh& mesh) : mesh_(mesh), tree_(mesh.positions, mesh.triangles) {}
  struct Place {
    V3 point, normal;
    float distance;  // negative: under the skin
  };
  Place nearest(V3 p) const {
    const body::TriangleTree::Nearest found = tree_.nearest(p);
    const V3 n = body::area_normal(mesh_.positions, mesh_.triangles[found.triangle]);
    const V3 normal = n * (1 / std::max(1e-20f, length(n)));
    const float side = dot(p - found.point, normal) < 0 ? -1.0f : 1.0f;
    return {found.point, normal, side * found.distance};
  }

 private:
  const body::Mesh& mesh_;
  body::TriangleTree tree_;
};

float height_of(std::span<const V3> positions) {
  V3 low = positions[0], high = low;
  for (const V3& p : positions) low = body::component_min(low, p), high = body::component_max(high, p);
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

}  // namespace

float guess_unit(std::span<const V3> positions, float character_height) {
  constexpr float kUnits[] = {1, 0.3048f, 0.1f, 0.0254f, 0.01f, 0.001f};
  constexpr float kLeast = 0.1f, kMost = 1.15f, kUsual = 0.45f;  // of the character's height
  const float size = height_of(positions) / character_height;
  if (size >= kLeast && size <= kMost) return 1;
  float best = 0;
  for (const float unit : kUnits)
    if (size * unit >= kLeast && size * unit <= kMost &&
        (best == 0 || std::fabs(std::log(size * unit / kUsual)) < std::fabs(std::log(size * best / kUsual))))
      best = unit;
  return best;
}

float place(GarmentMesh& mesh, const Placement& placement, float character_height) {
  if (mesh.positions.empty()) throw std::invalid_argument("expected vertices, found none");
  const float unit = placement.scale > 0 ? placement.scale : guess_unit(mesh.positions, character_height);
  if (unit == 0)
    throw std::invalid_argument("expected a mesh of about the size of its character, " +
                                std::to_string(character_height) + " m, found one of " +
                                std::to_string(height_of(mesh.positions)) +
                                " units; --scale says how many metres a unit is");
  const float angle = placement.turn * std::numbers::pi_v<float> / 180, c = std::cos(angle),
              s = std::sin(angle);
  for (V3& p : mesh.positions) {
    p = p * unit;
    if (placement.z_up) p = {p.x, p.z, -p.y};
    if (placement.turn != 0) p = {c * p.x + s * p.z, p.y, c * p.z - s * p.x};
    p += placement.move;
  }
  return unit;
}

void refine(GarmentMesh& mesh, float longest) {
  const auto longest_edge = [&] {
    float most = 0;
    for (const Triangle& t : mesh.triangles)
      for (size_t k = 0; k < 3; ++k)
        most = std::max(most, length(mesh.positions[t[k]] - mesh.positions[t[(k + 1) % 3]]));
    return most;
  };
  while (longest_edge() > longest) {
    if (4 * mesh.positions.size() > kMaxMeshVertices)
      throw std::invalid_argument("expected edges that a mesh of at most " +
                                  std::to_string(kMaxMeshVertices) + " vertices can have, found " +
                                  std::to_string(longest) + " m");
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> middles;
    const auto middle = [&](uint32_t a, uint32_t b) {
      const auto [at, is_new] =
          middles.insert({std::minmax(a, b), static_cast<uint32_t>(mesh.positions.size())});
      if (!is_new) return at->second;
      mesh.positions.push_back((mesh.positions[a] + mesh.positions[b]) * 0.5f);
      if (!mesh.uv.empty())
        mesh.uv.push_back({0.5f * (mesh.uv[a][0] + mesh.uv[b][0]), 0.5f * (mesh.uv[a][1] + mesh.uv[b][1])});
      return at->second;
    };
    std::vector<Triangle> triangles;
    for (const Triangle& t : mesh.triangles) {
      const uint32_t ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
      for (const Triangle& part : {Triangle{t[0], ab, ca}, {ab, t[1], bc}, {ca, bc, t[2]}, {ab, bc, ca}})
        triangles.push_back(part);
    }
    mesh.triangles = std::move(triangles);
    for (std::vector<MeshPart>* parts : {&mesh.groups, &mesh.materials})
      for (MeshPart& part : *parts) {
        std::vector<uint32_t> split;
        for (const uint32_t t : part.triangles)
          for (uint32_t k = 0; k < 4; ++k) split.push_back(4 * t + k);
        part.triangles = std::move(split);
      }
  }
}

Fit measure_fit(std::span<const V3> positions, const Region& attached, const body::Mesh& mesh) {
  const Skin skin(mesh);
  Fit fit;
  for (size_t v = 0; v < positions.size(); ++v) {
    const float distance = skin.nearest(positions[v]).distance;
    if (attached[v]) {
      ++fit.attached;
      fit.gap += std::fabs(distance);
      fit.farthest = std::max(fit.farthest, std::fabs(distance));
    } else {
      ++fit.free;
      fit.inside += distance < -kDeep;
      fit.deepest = std::max(fit.deepest, -distance);
    }
  }
  if (fit.attached > 0) fit.gap /= static_cast<float>(fit.attached);
  return fit;
}

float fit_on_body(std::vector<V3>& positions, std::span<const Triangle> triangles, const Region& attached,
                  const body::Mesh& mesh) {
  using Matrix = Eigen::SparseMatrix<double>;
  const Skin skin(mesh);
  const auto n = static_cast<Eigen::Index>(positions.size());
  const std::vector<V3> before = positions;
  std::vector<Eigen::Triplet<double>> smooth;
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      const int a = static_cast<int>(t[k]), b = static_cast<int>(t[(k + 1) % 3]);
      smooth.emplace_back(a, a, kSmooth), smooth.emplace_back(b, b, kSmooth);
      smooth.emplace_back(a, b, -kSmooth), smooth.emplace_back(b, a, -kSmooth);
    }
  for (int round = 0; round < kFittingRounds; ++round) {
    std::vector<Eigen::Triplet<double>> entries = smooth;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n, 3);
    for (Eigen::Index v = 0; v < n; ++v) {
      const auto i = static_cast<size_t>(v);
      const Skin::Place at = skin.nearest(positions[i]);
      const bool held = attached[i] || (at.distance < kGap && at.distance > -kReach);
      // Vertices far from all others still have to have a solution.
      entries.emplace_back(static_cast<int>(v), static_cast<int>(v), held ? kHold : 1e-6);
      if (!held) continue;
      const V3 move = at.point + at.normal * kGap - positions[i];
      right.row(v) = kHold * Eigen::RowVector3d(static_cast<double>(move.x), static_cast<double>(move.y),
                                                static_cast<double>(move.z));
    }
    Matrix system(n, n);
    system.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Matrix> solver(system);
    const Eigen::MatrixXd found = solver.solve(right);
    for (Eigen::Index v = 0; v < n; ++v)
      positions[static_cast<size_t>(v)] += V3{
          static_cast<float>(found(v, 0)), static_cast<float>(found(v, 1)), static_cast<float>(found(v, 2))};
  }
  float largest = 0;
  for (size_t v = 0; v < positions.size(); ++v) largest = std::max(largest, length(positions[v] - before[v]));
  return largest;
}

}  // namespace billow::garment
