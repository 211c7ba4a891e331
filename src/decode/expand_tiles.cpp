#include "decode/expand_tiles.h"

#include "core/processor.h"
#include "decode/sum_tile.h"
#include "net/integer_sums.h"

namespace billow {
namespace {

constexpr uint32_t kTileNumbers = 3 * kPanelRows;

// Calls add(rows of a block, factors, numbers of its tile) for each coordinate.
template <class Add>
void for_each_block(const TiledBasis& basis, const TileRecord& tile,
                    const QuantisedCoefficients& coefficients, Add add) {
  for (size_t b = tile.first_block; b < tile.first_block + tile.blocks; ++b) {
    const PackedMatrix rows = basis.rows.block(kPanelRows * b, kPanelRows);
    for (uint32_t axis = 0; axis < 3; ++axis)
      add(rows, coefficients.quantised.of(3 * size_t{basis.blocks[b]} + axis, rows.stored_count()),
          axis * kPanelRows);
  }
}

struct SumsInMemory {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile,
                         const QuantisedCoefficients& coefficients) const {
    int32_t sums[kTileNumbers] = {};
    for_each_block(basis, tile, coefficients,
                   [&](const PackedMatrix& rows, const QuantisedVector& quantised, uint32_t first) {
                     int32_t block[kPanelRows];
                     sum_integers(rows, quantised, block);
                     for (uint32_t k = 0; k < kPanelRows; ++k) sums[first + k] += block[k];
                   });
    return coordinates_of(sums, coefficients.q_scale);
  }
};
struct Products {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile,
                         const QuantisedCoefficients& coefficients) const {
    float sums[kTileNumbers] = {};
    for_each_block(basis, tile, coefficients,
                   [&](const PackedMatrix& rows, const QuantisedVector& quantised, uint32_t first) {
                     float block[kPanelRows];
                     multiply(rows, coefficients.q_scale, quantised, block);
                     for (uint32_t k = 0; k < kPanelRows; ++k) sums[first + k] += block[k];
                   });
    return coordinates_of(sums, 1);
  }
};

template <class Found>
void expand(const TiledBasis& basis, size_t first, size_t count, const QuantisedCoefficients& coefficients,
            float* positions) {
  // Sums of floats are not known to be within anything.
  const bool far = !basis.all_int8() || coefficients.may_be_far();
  sum_tiles(basis, first, count, coefficients, far, positions, Found{});
}

}  // namespace

float quantise_coefficients(const TiledBasis& basis, std::span<float> directions,
                            const QuantisedVector& scratch) {
  const RangedVector all = find_range(directions.data(), static_cast<uint32_t>(directions.size()));
  const float q_scale =
      quantisation_scale(basis.rows, all.largest, uint64_t{basis.most_blocks} * basis.rows.int8);
  const size_t stride = round_up_to_panels(basis.rows.columns), stored = basis.rows.stored_count();
  for (size_t k = 0; k < directions.size() / stride; ++k)
    quantise_with(basis.rows, all.at + k * stride, q_scale, scratch.of(k, stored));
  return q_scale;
}

ExpandTiles best_expand_tiles(const TiledBasis& basis) {
  if (!basis.all_int8()) return expand<Products>;
  const billow_processor& has = billow_this_processor;
  if (const ExpandTiles i8mm = has.matrix_product ? expand_tiles_i8mm(basis.rows.int8) : nullptr) return i8mm;
  if (const ExpandTiles vnni = has.vnni ? expand_tiles_vnni(basis.rows.int8) : nullptr) return vnni;
  if (const ExpandTiles avx2 = expand_tiles_avx2(basis.rows.int8)) return avx2;
  if (const ExpandTiles pairs = expand_tiles_pairs()) return pairs;
  return expand<SumsInMemory>;
}

}  // namespace billow
