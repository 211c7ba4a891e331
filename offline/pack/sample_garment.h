// A made-up garment with a made-up model: full size if wanted, without a day of simulation and training. For tests and the
// benchmark: what it looks like in motion means nothing, but its sizes and spreads are those of a real one.
#pragma once

#include "body/person.h"
#include "pack/garment_asset.h"

namespace billow::pack {

struct SampleOptions {
  bool ring = false;                // a skirt about the pelvis; else a cape from the neck
  uint32_t across = 12, down = 16;  // vertices
  uint32_t chains = 4, bones_per_chain = 5;
  uint32_t skinning_components = 6, shape_components = 4;  // shape 0: none
  uint32_t units = 24;                                     // of each of two hidden layers
  bool linear = true;
  learn::Activation activation = learn::Activation::kTanh;
  float amplitude = 0.15f;  // m, root mean square over vertices, of the first component
  uint32_t seed = 1;
};

// As large as the built-in ones: 12,690 and 18,546 vertices, 100 components twice, layers of 500.
SampleOptions full_size_cape();
SampleOptions full_size_skirt();

Packed sample_garment(const body::Person& person, const SampleOptions& options);

}  // namespace billow::pack
