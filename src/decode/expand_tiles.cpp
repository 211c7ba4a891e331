#include "decode/expand_tiles.h"

#include "decode/sum_tile.h"
#include "net/integer_sums.h"

namespace billow {
namespace {

template <class Number> Coordinates coordinates_of(const Number* rows) {
  const auto eight = [&](uint32_t first) {
    return F8{load_whole(rows + first), load_whole(rows + first + kLanes)};
  };
  return {eight(0), eight(kPanelRows), eight(2 * kPanelRows)};
}

constexpr uint32_t kBlockRows = 3 * kPanelRows;

struct SumsInMemory {
  Coordinates operator()(const TiledBasis& basis, size_t block, const PatchSaid& said) const {
    int32_t sums[kBlockRows];
    sum_integers(basis.rows.block(kBlockRows * block, kBlockRows), said.factors, sums);
    return coordinates_of(sums);
  }
};
struct Products {
  Coordinates operator()(const TiledBasis& basis, size_t block, const PatchSaid& said) const {
    float products[kBlockRows];
    multiply(basis.rows.block(kBlockRows * block, kBlockRows), said.step, said.factors, products);
    return coordinates_of(products);
  }
};

template <class Found>
void expand(const TiledBasis& basis, size_t first, size_t count, const PatchSaid* said, V3 key_joint,
            float* positions) {
  sum_tiles(basis, first, count, said, key_joint, positions, Found{});
}

}  // namespace

ExpandTiles best_expand_tiles(const TiledBasis& basis) {
  if (!basis.in_steps()) return expand<Products>;
  const ExpandTiles fast = has_matrix_product() ? expand_tiles_i8mm(basis.rows.int8) : nullptr;
  return fast ? fast : expand<SumsInMemory>;
}

}  // namespace billow
