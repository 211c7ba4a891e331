#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>

#include "garment/seam.h"

namespace billow::garment {
namespace {

// Weight of changes of the coordinate across the gradient of the distance, relative to changes along it.
// Small: level lines follow the gradient and spread evenly towards the hem; large: they are smoother.
constexpr double kCrossWeight = 0.1;

const double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Integer offsets of triangle corners relative to their vertices: a closed garment is cut along a path of
// triangles from the closing edge of its seam to the hem.
using Corners = std::vector<std::array<double, 3>>;

struct Cut {
  Corners offsets;
  uint32_t hem_vertex = 0;  // end of the path, where the coordinate of the hem starts
};

bool is_hem_edge(const FreeCloth& cloth, const std::vector<bool>& in_hem, uint32_t t, size_t k) {
  return cloth.topology.is_border(t, k) && in_hem[cloth.triangles[t][k]] &&
         in_hem[cloth.triangles[t][(k + 1) % 3]];
}

// State of a triangle in the breadth-first search.
struct SearchNode {
  uint32_t from = kNoTriangle;  // predecessor
  size_t entered = 0;           // own edge through which it was entered
  bool seen = false;
};

// Walks back along the path. In each of its triangles the corners on one side of the path, from the second
// end of the entry edge up to the exit edge, get an offset of 1.
Corners corner_offsets(const FreeCloth& cloth, const std::vector<SearchNode>& nodes, uint32_t last,
                       size_t left) {
  Corners offsets(cloth.triangles.size(), {0, 0, 0});
  for (uint32_t at = last; at != kNoTriangle;) {
    const size_t entered = nodes[at].entered;
    for (size_t c = (entered + 1) % 3; c != (left + 1) % 3; c = (c + 1) % 3) offsets[at][c] = 1;
    const uint32_t from = nodes[at].from;
    for (size_t e = 0; e < 3 && from != kNoTriangle; ++e)
      if (cloth.topology.across[from][e] == at &&
          cloth.triangles[from][e] == cloth.triangles[at][(entered + 1) % 3])
        left = e;
    at = from;
  }
  return offsets;
}

Cut cut_open(const FreeCloth& cloth, size_t vertices) {
  std::vector<bool> in_hem(vertices, false);
  for (const uint32_t v : cloth.hem) in_hem[v] = true;
  // Start at the edge from the last to the first vertex of the seam.
  std::vector<SearchNode> nodes(cloth.triangles.size());
  std::queue<uint32_t> queue;
  for (uint32_t t = 0; t < cloth.triangles.size() && queue.empty(); ++t)
    for (size_t k = 0; k < 3; ++k)
      if (cloth.topology.is_border(t, k) && cloth.triangles[t][k] == cloth.seam.back() &&
          cloth.triangles[t][(k + 1) % 3] == cloth.seam.front())
        nodes[t] = {kNoTriangle, k, true}, queue.push(t);
  // Search breadth-first for an edge of the hem.
  while (!queue.empty()) {
    const uint32_t t = queue.front();
    queue.pop();
    for (size_t k = 0; k < 3; ++k) {
      if (is_hem_edge(cloth, in_hem, t, k))
        return {corner_offsets(cloth, nodes, t, k), cloth.triangles[t][k]};
      const uint32_t next = cloth.topology.across[t][k];
      if (next == kNoTriangle || nodes[next].seen) continue;
      size_t entered = 0;
      while (cloth.triangles[next][entered] != cloth.triangles[t][(k + 1) % 3]) ++entered;
      nodes[next] = {t, entered, true};
      queue.push(next);
    }
  }
  throw std::invalid_argument("garment: found no path from the seam to the hem");
}

// Direction of the distance's gradient in each triangle, smoothed over neighbours: it is noisy in irregular
// meshes.
std::vector<V3> smoothed_gradients(const Garment& garment, const FreeCloth& cloth) {
  constexpr int kRounds = 3;
  std::vector<V3> down(cloth.triangles.size());
  const auto corner = [&](size_t i, size_t k) { return garment.shape[cloth.triangles[i][k]]; };
  for (size_t i = 0; i < down.size(); ++i) {
    const Triangle& t = cloth.triangles[i];
    down[i] = gradient(corner(i, 0), corner(i, 1), corner(i, 2), cloth.distance[t[0]], cloth.distance[t[1]],
                       cloth.distance[t[2]]);
  }
  std::vector<V3> at_vertex(garment.size());
  for (int round = 0; round < kRounds; ++round) {
    std::fill(at_vertex.begin(), at_vertex.end(), V3{0, 0, 0});
    for (size_t i = 0; i < down.size(); ++i) {
      const float area = length(cross(corner(i, 1) - corner(i, 0), corner(i, 2) - corner(i, 0)));
      for (const uint32_t v : cloth.triangles[i]) at_vertex[v] += down[i] * area;
    }
    for (size_t i = 0; i < down.size(); ++i) {
      V3 sum{0, 0, 0};
      for (const uint32_t v : cloth.triangles[i]) {
        const float size = length(at_vertex[v]);
        if (size > 0) sum += at_vertex[v] * (1 / size);
      }
      // Project into the triangle's plane.
      const V3 normal = cross(corner(i, 1) - corner(i, 0), corner(i, 2) - corner(i, 0));
      const float square = dot(normal, normal);
      if (square > 0) sum -= normal * (dot(normal, sum) / square);
      const float size = length(sum);
      down[i] = size > 1e-6f ? sum * (1 / size) : V3{0, 0, 0};
    }
  }
  return down;
}

// Anisotropic Laplace equation by linear finite elements: minimises the integral of |gradient|^2, where the
// component across the distance's gradient has weight kCrossWeight. Entries of `fixed` that are not NaN are
// Dirichlet values.
std::vector<double> solve(const Garment& garment, const FreeCloth& cloth, const Corners& offsets,
                          const std::vector<double>& fixed) {
  const std::vector<V3> gradients = smoothed_gradients(garment, cloth);
  std::vector<int> row(garment.size(), -1);
  int unknowns = 0;
  for (const Triangle& t : cloth.triangles)
    for (const uint32_t v : t)
      if (row[v] < 0 && std::isnan(fixed[v])) row[v] = unknowns++;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(unknowns);
  for (size_t i = 0; i < cloth.triangles.size(); ++i) {
    const Triangle& t = cloth.triangles[i];
    const V3 p[3] = {garment.shape[t[0]], garment.shape[t[1]], garment.shape[t[2]]};
    const double area = 0.5 * static_cast<double>(length(cross(p[1] - p[0], p[2] - p[0])));
    if (!(area > 1e-12)) continue;
    const V3 down = gradients[i];
    V3 basis[3];
    for (size_t k = 0; k < 3; ++k)
      basis[k] = gradient(p[0], p[1], p[2], k == 0 ? 1.0f : 0, k == 1 ? 1.0f : 0, k == 2 ? 1.0f : 0);
    for (size_t a = 0; a < 3; ++a)
      for (size_t b = 0; b < 3; ++b) {
        if (row[t[a]] < 0) continue;
        const double stiff = area * (kCrossWeight * static_cast<double>(dot(basis[a], basis[b])) +
                                     (1 - kCrossWeight) * static_cast<double>(dot(basis[a], down)) *
                                         static_cast<double>(dot(basis[b], down)));
        right[row[t[a]]] -= stiff * (offsets[i][b] + (row[t[b]] < 0 ? fixed[t[b]] : 0));
        if (row[t[b]] >= 0) entries.emplace_back(row[t[a]], row[t[b]], stiff);
      }
  }
  // A tiny diagonal keeps the system regular for vertices of degenerate triangles.
  for (int r = 0; r < unknowns; ++r) entries.emplace_back(r, r, 1e-12);
  Eigen::SparseMatrix<double> matrix(unknowns, unknowns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
  const Eigen::VectorXd x = solver.solve(right);
  if (solver.info() != Eigen::Success || !x.allFinite())
    throw std::invalid_argument("garment '" + garment.name +
                                "': its triangles are too degenerate for a layout of chains");
  std::vector<double> out = fixed;
  for (size_t v = 0; v < out.size(); ++v)
    if (row[v] >= 0) out[v] = x[row[v]];
  return out;
}

// Fixes the values of a polyline's vertices that are still unknown.
void fix_values(std::vector<double>& fixed, const std::vector<uint32_t>& line,
                const std::vector<double>& values) {
  for (size_t i = 0; i < line.size(); ++i)
    if (std::isnan(fixed[line[i]])) fixed[line[i]] = values[i];
}

std::vector<double> solve_open(const Garment& garment, const FreeCloth& cloth, const Corners& offsets) {
  std::vector<double> fixed(garment.size(), kUnknown);
  fix_values(fixed, cloth.seam, shares_along(garment, cloth.seam, false));
  fix_values(fixed, cloth.side_after, std::vector<double>(cloth.side_after.size(), 1));
  fix_values(fixed, cloth.side_before, std::vector<double>(cloth.side_before.size(), 0));
  std::vector<double> hem = shares_along(garment, cloth.hem, false);
  for (double& share : hem) share = 1 - share;  // it runs in the opposite direction
  fix_values(fixed, cloth.hem, hem);
  return solve(garment, cloth, offsets, fixed);
}

std::vector<double> solve_closed(const Garment& garment, const FreeCloth& cloth, const Cut& cut) {
  std::vector<double> fixed(garment.size(), kUnknown);
  fix_values(fixed, cloth.seam, shares_along(garment, cloth.seam, true));
  // Start the hem at the end of the cut, in the direction of the seam.
  std::vector<uint32_t> hem(cloth.hem.rbegin(), cloth.hem.rend());
  std::rotate(hem.begin(), std::find(hem.begin(), hem.end(), cut.hem_vertex), hem.end());
  std::vector<double> shares = shares_along(garment, hem, true);
  // Shift the hem by the mean of the solution without hem constraints, so that chains do not spiral round the
  // body.
  const std::vector<double> unconstrained = solve(garment, cloth, cut.offsets, fixed);
  double turn = 0;
  for (size_t i = 0; i < hem.size(); ++i) {
    const double weight =
        0.5 * ((i + 1 < hem.size() ? shares[i + 1] : 1) - (i > 0 ? shares[i - 1] : shares.back() - 1));
    turn += weight * (unconstrained[hem[i]] - shares[i]);
  }
  for (double& share : shares) share += turn;
  fix_values(fixed, hem, shares);
  return solve(garment, cloth, cut.offsets, fixed);
}

}  // namespace

std::vector<double> shares_along(const Garment& garment, const std::vector<uint32_t>& line, bool closed) {
  std::vector<double> out{0};
  for (size_t i = 1; i < line.size() + (closed ? 1 : 0); ++i)
    out.push_back(out.back() + static_cast<double>(length(garment.shape[line[i % line.size()]] -
                                                          garment.shape[line[i - 1]])));
  const double total = out.back();
  if (closed) out.pop_back();
  for (double& share : out) share /= total;
  return out;
}

std::vector<std::array<double, 3>> coordinate_along(const Garment& garment, const FreeCloth& cloth) {
  Cut cut;
  if (cloth.closed)
    cut = cut_open(cloth, garment.size());
  else
    cut.offsets.assign(cloth.triangles.size(), {0, 0, 0});
  const std::vector<double> at_vertices =
      cloth.closed ? solve_closed(garment, cloth, cut) : solve_open(garment, cloth, cut.offsets);
  Corners out = cut.offsets;
  for (size_t i = 0; i < out.size(); ++i)
    for (size_t k = 0; k < 3; ++k) out[i][k] += at_vertices[cloth.triangles[i][k]];
  return out;
}

}  // namespace billow::garment
