#include <algorithm>
#include <cmath>

#include "cloth/simulator.h"

namespace billow::cloth {
namespace {

int to_cell(float x, float low, float inverse_size) { return static_cast<int>((x - low) * inverse_size); }

}  // namespace

SelfContact::SelfContact(const Sheet& sheet)
    : sheet_(sheet),
      distance_(kSelfContactDistance * sheet.spacing),
      cell_of_(sheet.size()),
      members_(sheet.size()),
      sorted_(sheet.size()),
      pairs_(sheet.size() * kMaxPairs),
      pair_count_(sheet.size(), 0),
      changes_(sheet.size()) {}

// Uniform grid over the bounding box, by counting sort. Cells are as large as the search radius, so three
// neighbours along x are one contiguous range of members.
void SelfContact::build_grid(std::span<const V3> x, float reach) {
  V3 low = x[0], high = x[0];
  for (const V3& p : x) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  // Leave one empty cell on each side.
  float size = reach;
  size_t count = 0;
  for (;; size *= 1.5f) {
    grid_.inverse_size = 1 / size;
    grid_.low = low - V3{size, size, size} * 1.01f;  // slightly more than one cell, for rounding
    grid_.nx = to_cell(high.x, grid_.low.x, grid_.inverse_size) + 2;
    grid_.ny = to_cell(high.y, grid_.low.y, grid_.inverse_size) + 2;
    const int nz = to_cell(high.z, grid_.low.z, grid_.inverse_size) + 2;
    count = static_cast<size_t>(grid_.nx) * static_cast<size_t>(grid_.ny) * static_cast<size_t>(nz);
    if (count <= kMaxCells) break;
  }
  cell_start_.assign(count + 1, 0);
  for (size_t v = 0; v < x.size(); ++v) {
    cell_of_[v] = static_cast<uint32_t>(grid_.cell(x[v]));
    ++cell_start_[cell_of_[v] + 1];
  }
  for (size_t c = 0; c < count; ++c) cell_start_[c + 1] += cell_start_[c];
  // Fill backwards, so that the members of a cell ascend and each start ends at its final value.
  for (size_t v = x.size(); v-- > 0;) members_[--cell_start_[cell_of_[v] + 1]] = static_cast<uint32_t>(v);
  for (size_t c = 0; c < count; ++c) cell_start_[c] = cell_start_[c + 1];
  cell_start_[count] = static_cast<uint32_t>(x.size());
  for (size_t m = 0; m < x.size(); ++m) sorted_[m] = x[members_[m]];
}

int SelfContact::Grid::cell(V3 p) const {
  return (to_cell(p.z, low.z, inverse_size) * ny + to_cell(p.y, low.y, inverse_size)) * nx +
         to_cell(p.x, low.x, inverse_size);
}

void SelfContact::find_pairs(std::span<const V3> x, std::span<const V3> velocity, float dt,
                             ThreadTeam& threads) {
  V3 mean{0, 0, 0};
  for (const V3& v : velocity) mean += v;
  mean = mean * (1 / static_cast<float>(velocity.size()));
  float fastest2 = 0;
  for (const V3& v : velocity) fastest2 = std::max(fastest2, dot(v - mean, v - mean));
  margin_left_ -= std::sqrt(fastest2) * dt;
  if (margin_left_ > 0) return;
  const float margin = 0.5f * distance_;
  margin_left_ = margin - std::sqrt(fastest2) * dt;
  const float reach = distance_ + 2 * margin;
  const float min_rest_distance = kMinRestDistance * sheet_.spacing;
  build_grid(x, reach);
  threads.for_range(x.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      size_t count = 0;
      for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
          const int cell = static_cast<int>(cell_of_[v]) + (dz * grid_.ny + dy) * grid_.nx;
          const uint32_t last = cell_start_[static_cast<size_t>(cell) + 2];
          for (uint32_t m = cell_start_[static_cast<size_t>(cell) - 1]; m < last; ++m) {
            const V3 d = x[v] - sorted_[m];
            if (dot(d, d) >= reach * reach) continue;
            const V3 rest_offset = sheet_.rest_position[v] - sheet_.rest_position[members_[m]];
            if (dot(rest_offset, rest_offset) > min_rest_distance * min_rest_distance && count < kMaxPairs)
              pairs_[v * kMaxPairs + count++] = members_[m];
          }
        }
      pair_count_[v] = static_cast<uint8_t>(count);
    }
  });
}

void SelfContact::resolve(std::span<V3> x, std::span<V3> velocity, std::span<const float> inverse_mass,
                          float dt, ThreadTeam& threads) {
  const float friction = sheet_.material.self_friction;
  threads.for_range(x.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      Change change{{0, 0, 0}, {0, 0, 0}};
      int contacts = 0;
      for (size_t k = 0; k < pair_count_[v] && inverse_mass[v] > 0; ++k) {
        const uint32_t o = pairs_[v * kMaxPairs + k];
        const V3 d = x[v] - x[o];
        const float l2 = dot(d, d);
        if (l2 >= distance_ * distance_ || l2 < 1e-16f) continue;
        // Divide the correction by inverse mass.
        const float l = std::sqrt(l2), own_share = inverse_mass[v] / (inverse_mass[v] + inverse_mass[o]);
        const V3 n = d * (1 / l), relative = velocity[v] - velocity[o];
        const float depth = distance_ - l, normal = dot(relative, n), approach = std::max(0.0f, -normal);
        change.x += n * (depth * own_share);
        change.v += n * (approach * own_share);
        // Friction.
        const V3 tangential = relative - n * normal;
        const float tangential_speed = length(tangential), max_friction = friction * (approach + depth / dt);
        if (tangential_speed > 1e-9f)
          change.v -= tangential * (own_share * std::min(max_friction, tangential_speed) / tangential_speed);
        ++contacts;
      }
      // Under-relax vertices with several contacts (Jacobi).
      const float share = contacts > 1 ? 1.5f / static_cast<float>(contacts + 1) : 1;
      changes_[v] = {change.x * share, change.v * share};
    }
  });
  threads.for_range(x.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      x[v] += changes_[v].x;
      velocity[v] += changes_[v].v;
    }
  });
}

}  // namespace billow::cloth
