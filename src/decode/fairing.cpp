#include "decode/fairing.h"

#include <algorithm>
#include <cmath>

#include "decode/point_pairs.h"

namespace billow {
namespace {

// Chosen by trial, so that normals of a skirt and a cape in captured motion turn over 1 to 15 cm as the reference's do.
struct Pass {
  float stride;  // m, within kShortestStride and kLongestStride edges
  bool across;   // the hang, not along it
  float give;    // share of the way that a vertex is moved
  float most;    // m, of the way
};
constexpr Pass kPasses[kFairingPasses] = {
    {0.04f, false, 0.7f, 0.004f}, {0.015f, false, 0.6f, 0.001f}, {0.015f, true, 0.5f, 0.0004f}};
constexpr float kShortestStride = 1.3f, kLongestStride = 4;
constexpr float kReach = 1.25f;      // strides within which vertices are looked for
constexpr float kNear = 0.5f;        // strides from the point before or after a vertex
constexpr uint32_t kMostNear = 128;  // files are untrusted: all their vertices may be in one place
constexpr float kMostWeight = 1.2f;  // a stencil with larger ones is ill-conditioned

struct Near {
  uint32_t vertex;
  float x, y;  // on the pattern, m
};
struct Stencil {
  uint32_t nodes[kFairingNodes];
  float weights[kFairingNodes];
};

// The two vertices nearest to the point (x y), and the squares of their distances in strides.
void find_two(std::span<const Near> all, float x, float y, float stride, const Near* (&two)[2],
              float (&squares)[2]) {
  two[0] = two[1] = nullptr;
  squares[0] = squares[1] = kNear * kNear;
  for (const Near& n : all) {
    const float square = ((n.x - x) * (n.x - x) + (n.y - y) * (n.y - y)) / (stride * stride);
    if (square >= squares[1]) continue;
    const bool first = square < squares[0];
    two[1] = first ? two[0] : &n, squares[1] = first ? squares[0] : square;
    if (first) two[0] = &n, squares[0] = square;
  }
}

// Weights of sum 1 whose mean place on the pattern is the vertex itself, so that flat cloth stays as it is, with the smallest
// sum of squares; nodes near to the two points have more. False: there are none.
bool find_weights(const Near* const (&nodes)[kFairingNodes], const float (&squares)[kFairingNodes],
                  float stride, Stencil& out) {
  V3 rows[3] = {};  // of a symmetric matrix
  const auto place = [&](int j) { return V3{1, nodes[j]->x / stride, nodes[j]->y / stride}; };
  const auto share = [&](int j) { return 1 / (squares[j] + 0.01f); };
  for (int j = 0; j < kFairingNodes; ++j) {
    if (!nodes[j]) continue;
    const V3 p = place(j);
    rows[0] += p * share(j), rows[1] += p * (share(j) * p.y), rows[2] += p * (share(j) * p.z);
  }
  // Nodes on one line leave the direction across it open.
  rows[0].x += 1e-4f, rows[1].y += 1e-4f, rows[2].z += 1e-4f;
  const V3 first_column = cross(rows[1], rows[2]);
  float sum = 0;
  for (int j = 0; j < kFairingNodes; ++j) {
    out.weights[j] = nodes[j] ? share(j) * dot(first_column, place(j)) : 0;
    if (nodes[j]) out.nodes[j] = nodes[j]->vertex;
    sum += out.weights[j];
  }
  for (float& w : out.weights) w /= sum;
  return std::all_of(out.weights, out.weights + kFairingNodes,
                     [](float w) { return std::abs(w) < kMostWeight; });
}

// The vertices around one, and the direction in which depth grows there, on the pattern.
struct Surroundings {
  Near near[kMostNear];
  uint32_t count = 0;
  float x = 0, y = 0;
};

void find_surroundings(uint32_t v, const HangOfCloth& hang, float reach, Unfolding& unfolding,
                       Surroundings& out) {
  out.count = 0, out.x = out.y = 0;
  const auto take = [&](uint32_t other, float x, float y, float distance) {
    if (!(distance > 0)) return;
    out.near[out.count++] = {other, x, y};
    const float slope = (hang.depth[other] - hang.depth[v]) / (distance * distance);
    out.x += x * slope, out.y += y * slope;
  };
  unfolding.around_vertex(v, reach, take, kMostNear);
  const float size = std::sqrt(out.x * out.x + out.y * out.y);
  if (!(size > 0)) out.count = 0;
  out.x /= size, out.y /= size;
}

bool find_stencil(const Surroundings& all, float stride, bool across, Stencil& out) {
  const float x = stride * (across ? -all.y : all.x), y = stride * (across ? all.x : all.y);
  const Near *before[2], *after[2];
  float squares_before[2], squares_after[2];
  find_two({all.near, all.count}, -x, -y, stride, before, squares_before);
  find_two({all.near, all.count}, x, y, stride, after, squares_after);
  if (!before[0] || !after[0]) return false;
  return find_weights({before[0], before[1], after[0], after[1]},
                      {squares_before[0], squares_before[1], squares_after[0], squares_after[1]}, stride,
                      out);
}

size_t values_of(const Fairing& f) { return size_t{kFairingNodes} * kFairingGroup * f.groups; }

BILLOW_ALWAYS_INLINE void fair_group(const uint32_t* nodes, const float* weights, const uint32_t* own,
                                     const Pass& pass, float* points) {
  const F8 x0 = load_two(points, own), x1 = load_two(points, own + 1), x2 = load_two(points, own + 2),
           x3 = load_two(points, own + 3);
  F8 d0 = splat8(0) - x0, d1 = splat8(0) - x1, d2 = splat8(0) - x2, d3 = splat8(0) - x3;
  for (int j = 0; j < kFairingNodes; ++j, nodes += kFairingGroup, weights += kFairingGroup) {
    const F8 w = load8(weights);
    d0 = d0 + load_two(points, nodes) * broadcast<0>(w);
    d1 = d1 + load_two(points, nodes + 1) * broadcast<1>(w);
    d2 = d2 + load_two(points, nodes + 2) * broadcast<2>(w);
    d3 = d3 + load_two(points, nodes + 3) * broadcast<3>(w);
  }
  F8 x = d0, y = d1, z = d2, zero = d3;
  transpose(x, y, z, zero);
  const F8 most = splat8(pass.most), by = splat8(pass.give) * (most / max(sqrt(x * x + y * y + z * z), most));
  store_two(points, own, x0 + d0 * broadcast<0>(by));
  store_two(points, own + 1, x1 + d1 * broadcast<1>(by));
  store_two(points, own + 2, x2 + d2 * broadcast<2>(by));
  store_two(points, own + 3, x3 + d3 * broadcast<3>(by));
}

}  // namespace

Fairing take_fairing(uint32_t vertices, Arena& arena) {
  Fairing f;
  f.vertices = vertices, f.groups = (vertices + kFairingGroup - 1) / kFairingGroup;
  for (FairingPass& pass : f.pass) {
    pass.nodes = arena.take<uint32_t>(values_of(f));
    pass.weights = arena.take<float>(values_of(f));
  }
  return f;
}

void find_fairing(const LengthMesh& mesh, const HangOfCloth& hang, Unfolding& unfolding, Fairing& out) {
  float strides[kFairingPasses], longest = 0;
  for (int p = 0; p < kFairingPasses; ++p) {
    strides[p] = std::clamp(kPasses[p].stride, kShortestStride * hang.edge, kLongestStride * hang.edge);
    longest = std::max(longest, strides[p]);
  }
  for (uint32_t v = 0; v < kFairingGroup * out.groups; ++v) {
    Surroundings all;
    const bool moves = v < mesh.vertices && !hang.attached[v];
    if (moves) find_surroundings(v, hang, kReach * longest, unfolding, all);
    for (int p = 0; p < kFairingPasses; ++p) {
      const uint32_t own = std::min(v, mesh.vertices);
      const Stencil stays{{own, own, own, own}, {1, 0, 0, 0}};
      Stencil stencil = stays;
      if (!moves || !find_stencil(all, strides[p], kPasses[p].across, stencil)) stencil = stays;
      const size_t first = size_t{kFairingNodes} * (v - v % kFairingGroup) + v % kFairingGroup;
      for (size_t j = 0; j < kFairingNodes; ++j) {
        out.pass[p].nodes[first + j * kFairingGroup] = kPointBytes * stencil.nodes[j];
        out.pass[p].weights[first + j * kFairingGroup] = stencil.weights[j];
      }
    }
  }
}

Fairing copy_of(const Fairing& from, Arena& arena) {
  Fairing to = from;
  for (int p = 0; p < kFairingPasses; ++p) {
    to.pass[p].nodes = arena.copied(from.pass[p].nodes, values_of(from));
    to.pass[p].weights = arena.copied(from.pass[p].weights, values_of(from));
  }
  return to;
}

void fair(const Fairing& fairing, float* points) {
  static_assert(kFairingGroup == kLanesOf<F8>);
  for (int p = 0; p < kFairingPasses; ++p)
    for (uint32_t g = 0; g < fairing.groups; ++g) {
      uint32_t own[kFairingGroup];
      for (uint32_t k = 0; k < kFairingGroup; ++k)
        own[k] = kPointBytes * std::min(kFairingGroup * g + k, fairing.vertices);
      const size_t first = size_t{kFairingNodes} * kFairingGroup * g;
      fair_group(fairing.pass[p].nodes + first, fairing.pass[p].weights + first, own, kPasses[p], points);
    }
}

}  // namespace billow
