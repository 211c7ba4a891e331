#include "body/polygonise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

namespace billow::body {
namespace {

class Marcher {
 public:
  Marcher(const Surface& surface, V3 low, V3 high, float spacing) : low_(low), spacing_(spacing) {
    const auto count = [&](float extent) { return static_cast<size_t>(std::ceil(extent / spacing)) + 1; };
    nx_ = count(high.x - low.x), ny_ = count(high.y - low.y), nz_ = count(high.z - low.z);
    std::vector<V3> row(nx_);
    phi_.resize(nx_ * ny_ * nz_);
    for (size_t z = 0; z < nz_; ++z)
      for (size_t y = 0; y < ny_; ++y) {
        for (size_t x = 0; x < nx_; ++x) row[x] = point(index(x, y, z));
        surface.query(row, std::span(phi_).subspan(index(0, y, z), nx_));
      }
  }

  Mesh run() {
    // Each of the six tetrahedra is a path from corner 0 to corner 7 along the axes, one per order of the
    // axes.
    static constexpr size_t kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                             {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const size_t step[3] = {1, nx_, nx_ * ny_};
    for (size_t z = 0; z + 1 < nz_; ++z)
      for (size_t y = 0; y + 1 < ny_; ++y)
        for (size_t x = 0; x + 1 < nx_; ++x) {
          const size_t corner = index(x, y, z);
          for (size_t o = 0; o < 6; ++o) {
            std::array<size_t, 4> tet{corner};
            for (size_t k = 0; k < 3; ++k) tet[k + 1] = tet[k] + step[kOrders[o][k]];
            if (o >= 3) std::swap(tet[2], tet[3]);  // odd orders are left-handed
            cut(tet);
          }
        }
    return std::move(mesh_);
  }

 private:
  size_t index(size_t x, size_t y, size_t z) const { return x + nx_ * (y + ny_ * z); }
  V3 point(size_t i) const {
    const auto at = [&](size_t k) { return static_cast<float>(k) * spacing_; };
    return low_ + V3{at(i % nx_), at(i / nx_ % ny_), at(i / (nx_ * ny_))};
  }
  bool inside(size_t i) const { return phi_[i] < 0; }

  uint32_t crossing(size_t a, size_t b) {
    if (a > b) std::swap(a, b);
    const auto [found, added] = crossings_.try_emplace(a * phi_.size() + b, mesh_.positions.size());
    if (added) {
      // Keep away from the grid points, or triangles could degenerate.
      const float share = std::clamp(phi_[a] / (phi_[a] - phi_[b]), 0.05f, 0.95f);
      mesh_.positions.push_back(point(a) * (1 - share) + point(b) * share);
    }
    return static_cast<uint32_t>(found->second);
  }

  // Emits the triangles of a right-handed tetrahedron.
  void cut(std::array<size_t, 4> t) {
    // Move the inside corners to the front by an even permutation.
    const int count = inside(t[0]) + inside(t[1]) + inside(t[2]) + inside(t[3]);
    if (count == 0 || count == 4) return;
    int swaps = 0;
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 3; j > i; --j)
        if (inside(t[j]) && !inside(t[j - 1])) std::swap(t[j], t[j - 1]), ++swaps;
    if (swaps % 2) count >= 2 ? std::swap(t[0], t[1]) : std::swap(t[2], t[3]);
    const auto [a, b, c, d] = t;
    if (count == 1) {
      mesh_.triangles.push_back({crossing(a, b), crossing(a, c), crossing(a, d)});
    } else if (count == 3) {
      mesh_.triangles.push_back({crossing(d, a), crossing(d, b), crossing(d, c)});
    } else {
      const uint32_t ac = crossing(a, c), ad = crossing(a, d), bd = crossing(b, d), bc = crossing(b, c);
      mesh_.triangles.push_back({ac, ad, bd});
      mesh_.triangles.push_back({ac, bd, bc});
    }
  }

  V3 low_;
  float spacing_;
  size_t nx_, ny_, nz_;
  std::vector<float> phi_;
  std::unordered_map<size_t, size_t> crossings_;
  Mesh mesh_;
};

}  // namespace

Mesh polygonise(const Surface& surface, V3 low, V3 high, float spacing) {
  if (!(spacing > 0) || !((high.x - low.x) / spacing < 2000) || !((high.y - low.y) / spacing < 2000) ||
      !((high.z - low.z) / spacing < 2000))
    throw std::invalid_argument("polygonise: expected a box of at most 2000 spacings a side");
  return Marcher(surface, low, high, spacing).run();
}

void project(std::span<V3> points, const Surface& surface, int steps) {
  constexpr float kConverged = 1e-5f;  // m; a point this close takes one last step
  std::vector<size_t> indices(points.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  std::vector<V3> active(points.begin(), points.end()), gradient(points.size());
  std::vector<float> phi(points.size());
  for (int s = 0; s < steps && !active.empty(); ++s) {
    surface.query(active, phi, gradient);
    // Compact the points that have not converged.
    size_t kept = 0;
    for (size_t i = 0; i < active.size(); ++i) {
      points[indices[i]] = active[i] - gradient[i] * phi[i];
      if (std::fabs(phi[i]) <= kConverged) continue;
      active[kept] = points[indices[i]];
      indices[kept++] = indices[i];
    }
    active.resize(kept);
  }
}

}  // namespace billow::body
