// Compiled for processors with AVX-512 VNNI, whatever the rest of the library is compiled for.
#include "decode/expand_tiles_avx2.h"

namespace billow {

#if defined(__AVX512VNNI__)

namespace {

struct Method {
  using Products = avx2::DotProducts;
  static constexpr size_t kRegisters = 4;
  static BILLOW_ALWAYS_INLINE void store(float* to, __m128 point) { _mm_mask_storeu_ps(to, 0b111, point); }
};

}  // namespace

ExpandTiles expand_tiles_vnni(uint32_t columns) { return avx2::expand_tiles<Method>(columns); }

#else

ExpandTiles expand_tiles_vnni(uint32_t) { return nullptr; }

#endif

}  // namespace billow
