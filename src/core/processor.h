// What this processor has that not every one has. In no namespace, as a frame may be in the library twice (runtime/frame_entry.h),
// and both ask.
#pragma once

struct billow_processor {
  bool dot_product, matrix_product;  // ARM's, of bytes
  bool avx2;
  bool vnni;  // AVX-512's dot products
};

// Found at start; before that it has nothing. In the environment, BILLOW_PROCESSOR=any asks for what every processor has, and
// BILLOW_PROCESSOR=avx2 for no more than that; anything else there is ignored. The bits are the same.
extern const billow_processor billow_this_processor;
