#include "decode/expand_tiles_avx2.h"

namespace billow {

#if defined(BILLOW_SIMD_AVX2)

namespace {

struct Method {
  using Products = avx2::Products;
  static constexpr size_t kRegisters = 2;  // more would spill
  static BILLOW_ALWAYS_INLINE void store(float* to, __m128 point) { store_point(to, {point}); }
};

}  // namespace

ExpandTiles expand_tiles_avx2(uint32_t columns) { return avx2::expand_tiles<Method>(columns); }

#else

ExpandTiles expand_tiles_avx2(uint32_t) { return nullptr; }

#endif

}  // namespace billow
