#include "decode/expand_tiles.h"

#include "core/processor.h"
#include "decode/sum_tile.h"
#include "net/integer_sums.h"

namespace billow {
namespace {

constexpr uint32_t kTileNumbers = 3 * kPanelRows;

// Calls add(rows of a block, factors, numbers of its tile) for each coordinate.
template <class Add>
void for_each_block(const TiledBasis& basis, const TileRecord& tile, const PatchesSaid& said, Add add) {
  for (size_t b = tile.first_block; b < tile.first_block + tile.blocks; ++b) {
    const PackedMatrix rows = basis.rows.block(kPanelRows * b, kPanelRows);
    for (uint32_t axis = 0; axis < 3; ++axis)
      add(rows, said.factors.of(3 * size_t{basis.blocks[b]} + axis, rows.stored_count()), axis * kPanelRows);
  }
}

struct SumsInMemory {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile, const PatchesSaid& said) const {
    int32_t sums[kTileNumbers] = {};
    for_each_block(basis, tile, said, [&](const PackedMatrix& rows, const Factors& factors, uint32_t first) {
      int32_t block[kPanelRows];
      sum_integers(rows, factors, block);
      for (uint32_t k = 0; k < kPanelRows; ++k) sums[first + k] += block[k];
    });
    return coordinates_of(sums, said.step);
  }
};
struct Products {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile, const PatchesSaid& said) const {
    float sums[kTileNumbers] = {};
    for_each_block(basis, tile, said, [&](const PackedMatrix& rows, const Factors& factors, uint32_t first) {
      float block[kPanelRows];
      multiply(rows, said.step, factors, block);
      for (uint32_t k = 0; k < kPanelRows; ++k) sums[first + k] += block[k];
    });
    return coordinates_of(sums, 1);
  }
};

template <class Found>
void expand(const TiledBasis& basis, size_t first, size_t count, const PatchesSaid& said, float* positions) {
  // Sums of floats are not known to be within anything.
  const bool far = !basis.in_steps() || said.may_be_far();
  sum_tiles(basis, first, count, said, far, positions, Found{});
}

}  // namespace

float find_said(const TiledBasis& basis, std::span<float> directions, const Factors& room) {
  const Entries all = find_entries(directions.data(), static_cast<uint32_t>(directions.size()));
  const float step = find_step(basis.rows, all.largest, uint64_t{basis.most_blocks} * basis.rows.int8);
  const size_t stride = in_panels(basis.rows.columns), stored = basis.rows.stored_count();
  for (size_t k = 0; k < directions.size() / stride; ++k)
    put_factors(basis.rows, all.at + k * stride, step, room.of(k, stored));
  return step;
}

ExpandTiles best_expand_tiles(const TiledBasis& basis) {
  if (!basis.in_steps()) return expand<Products>;
  const billow_processor& has = billow_this_processor;
  if (const ExpandTiles i8mm = has.matrix_product ? expand_tiles_i8mm(basis.rows.int8) : nullptr) return i8mm;
  if (const ExpandTiles vnni = has.vnni ? expand_tiles_vnni(basis.rows.int8) : nullptr) return vnni;
  if (const ExpandTiles avx2 = expand_tiles_avx2(basis.rows.int8)) return avx2;
  if (const ExpandTiles pairs = expand_tiles_pairs()) return pairs;
  return expand<SumsInMemory>;
}

}  // namespace billow
