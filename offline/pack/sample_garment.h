// A made-up garment with a made-up model: full size if wanted, without a day of simulation and training. For tests and the
// benchmark: what it looks like in motion means nothing, but its sizes and spreads are those of a real one.
#pragma once

#include "body/person.h"
#include "pack/garment_asset.h"

namespace billow::pack {

struct SampleOptions {
  bool closed = false;              // a skirt about the pelvis; else a cape from the neck
  uint32_t across = 12, down = 16;  // vertices
  uint32_t chains = 4, bones_per_chain = 5;
  bool patches = true;                                     // else the paper's form: the whole cloth
  uint32_t components = 6;                                 // of a patch
  uint32_t skinning_components = 6, shape_components = 4;  // of the whole cloth; shape 0: none
  uint32_t hidden = 2;                                     // layers between inputs and coefficients
  uint32_t units = 24;                                     // of each of them
  bool linear = true;
  learn::Activation activation = learn::Activation::kTanh;
  bool blend = true;        // weights for linear blend skinning
  float amplitude = 0.15f;  // m, root mean square over vertices, of the first component
  uint32_t seed = 1;
};

// As large as the built-in ones: 12,690 and 18,546 vertices; patches with 24 components and layers of 96.
SampleOptions full_size_cape();
SampleOptions full_size_skirt();
// The same in the paper's form: 100 components twice, layers of 500.
SampleOptions whole_cloth(SampleOptions options);

Packed sample_garment(const body::Person& person, const SampleOptions& options);

}  // namespace billow::pack
