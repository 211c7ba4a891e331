// A synthetic garment with random networks, of any size, for tests and the benchmark. Its motion is meaningless, but
// sizes and value distributions are those of a trained one.
#pragma once

#include "body/person.h"
#include "pack/garment_asset.h"

namespace billow::pack {

struct SampleOptions {
  bool closed = false;              // a skirt around the pelvis; else a cape at the neck
  uint32_t across = 12, down = 16;  // vertices
  uint32_t chains = 4, bones_per_chain = 5;
  bool patches = true;                                     // else the whole-cloth model
  uint32_t components = 6;                                 // of a patch
  uint32_t skinning_components = 6, shape_components = 4;  // of the whole cloth; shape 0: none
  uint32_t hidden = 2;                                     // hidden layers
  uint32_t units = 24;                                     // of a hidden layer
  bool linear = true;
  learn::Activation activation = learn::Activation::kTanh;
  bool blend = true;        // weights for linear blend skinning
  float amplitude = 0.15f;  // m, RMS over vertices, of the first component
  uint32_t seed = 1;
};

// The sizes of the built-in garments: 12,690 and 18,546 vertices; patches with 8 components and layers of 96.
SampleOptions full_size_cape();
SampleOptions full_size_skirt();
// The same as whole-cloth models: 100 components for each stage, layers of 500.
SampleOptions whole_cloth(SampleOptions options);

GarmentData sample_garment(const body::Person& person, const SampleOptions& options);

}  // namespace billow::pack
