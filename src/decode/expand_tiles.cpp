#include "decode/expand_tiles.h"

#include "core/processor.h"
#include "decode/sum_tile.h"
#include "net/integer_sums.h"

namespace billow {
namespace {

constexpr uint32_t kTileValues = 3 * kPanelRows;

// Calls add(rows of a block, quantised coefficients of its patch, index of the tile's first value) for each
// axis.
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

// A basis of int8 columns, without SIMD.
struct IntegerSums {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile,
                         const QuantisedCoefficients& coefficients) const {
    int32_t sums[kTileValues] = {};
    for_each_block(basis, tile, coefficients,
                   [&](const PackedMatrix& rows, const QuantisedVector& quantised, uint32_t first) {
                     int32_t block[kPanelRows];
                     sum_integers(rows, quantised, block);
                     for (uint32_t k = 0; k < kPanelRows; ++k) sums[first + k] += block[k];
                   });
    return coordinates_of(sums, coefficients.q_scale);
  }
};
// A basis with float columns or row scales.
struct FloatProducts {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile,
                         const QuantisedCoefficients& coefficients) const {
    float sums[kTileValues] = {};
    for_each_block(basis, tile, coefficients,
                   [&](const PackedMatrix& rows, const QuantisedVector& quantised, uint32_t first) {
                     float block[kPanelRows];
                     multiply(rows, coefficients.q_scale, quantised, block);
                     for (uint32_t k = 0; k < kPanelRows; ++k) sums[first + k] += block[k];
                   });
    return coordinates_of(sums, 1);
  }
};

template <class Method>
void expand(const TiledBasis& basis, size_t first, size_t count, const QuantisedCoefficients& coefficients,
            float* positions) {
  // Float sums have no known bound.
  const bool far = !basis.all_int8() || coefficients.may_be_far();
  sum_tiles(basis, first, count, coefficients, far, positions, Method{});
}

}  // namespace

float quantise_coefficients(const TiledBasis& basis, std::span<float> coefficients,
                            const QuantisedVector& scratch) {
  const RangedVector all = find_range(coefficients.data(), static_cast<uint32_t>(coefficients.size()));
  const float q_scale =
      quantisation_scale(basis.rows, all.max_abs, uint64_t{basis.max_blocks} * basis.rows.int8);
  const size_t stride = round_up_to_panels(basis.rows.columns), stored = basis.rows.stored_count();
  for (size_t k = 0; k < coefficients.size() / stride; ++k)
    quantise_with(basis.rows, all.values + k * stride, q_scale, scratch.of(k, stored));
  return q_scale;
}

ExpandTiles best_expand_tiles(const TiledBasis& basis) {
  if (!basis.all_int8()) return expand<FloatProducts>;
  const billow_processor& has = billow_this_processor;
  if (const ExpandTiles i8mm = has.matrix_product ? expand_tiles_i8mm(basis.rows.int8) : nullptr) return i8mm;
  if (const ExpandTiles vnni = has.vnni ? expand_tiles_vnni(basis.rows.int8) : nullptr) return vnni;
  if (const ExpandTiles avx2 = expand_tiles_avx2(basis.rows.int8)) return avx2;
  if (const ExpandTiles pairs = expand_tiles_pairs()) return pairs;
  return expand<IntegerSums>;
}

}  // namespace billow
