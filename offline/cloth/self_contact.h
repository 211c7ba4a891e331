// Cloth against itself: vertices keep a distance, as balls about as large as the mesh is fine. Balls that close
// let no vertex through a triangle.
#pragma once

#include <span>
#include <vector>

#include "cloth/sheet.h"
#include "cloth/threads.h"
#include "core/vec.h"

namespace billow::cloth {

class SelfContact {
 public:
  explicit SelfContact(const Sheet& sheet);

  // Looks for pairs that may touch in the next dt seconds, where the last ones may not be all.
  void find_pairs(std::span<const V3> x, std::span<const V3> v, float dt, Threads& threads);
  // Moves vertices apart and stops those that approach each other, with friction. dt: s, since the last time.
  void push_apart(std::span<V3> x, std::span<V3> v, std::span<const float> inverse_mass, float dt,
                  Threads& threads);

  float distance() const { return distance_; }

 private:
  struct Grid {
    V3 low{0, 0, 0};
    float inverse_size = 0;
    int nx = 0, ny = 0;
    int cell(V3 p) const;
  };
  void sort_into_cells(std::span<const V3> x, float reach);

  const Sheet& sheet_;
  float distance_;
  float left_ =
      0;  // m, that vertices may yet move, seen from the cloth as a whole, before pairs are looked for again
  Grid grid_;
  // The vertices of cell c are members_[cell_start_[c]] up to cell_start_[c + 1]; sorted_ has their positions.
  std::vector<uint32_t> cell_start_, cell_of_, members_;
  std::vector<V3> sorted_;
  // Up to kMaxPairs neighbours of each vertex.
  static constexpr size_t kMaxPairs = 24;
  std::vector<uint32_t> pairs_;
  std::vector<uint8_t> pair_count_;
  struct Change {
    V3 x, v;
  };
  std::vector<Change> changes_;
};

}  // namespace billow::cloth
