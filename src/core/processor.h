// Instruction-set extensions of the processor that the program runs on. In the global namespace, because the
// library may contain the frame code twice (runtime/frame_entry.h) and both copies read the same flags.
#pragma once

struct billow_processor {
  bool dot_product, matrix_product;  // ARM: dot products (SDOT) and matrix products (I8MM) of int8
  bool avx2;
  bool vnni;  // AVX-512: dot products of int16 (VNNI)
};

// Detected during static initialisation; all false before. The environment variable BILLOW_PROCESSOR=any
// disables all extensions, BILLOW_PROCESSOR=avx2 those beyond AVX2; other values are ignored. Results have
// the same bits with any of them.
extern const billow_processor billow_this_processor;
