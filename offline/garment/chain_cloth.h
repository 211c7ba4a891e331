// The cloth around the bones of a garment's chains: what rope chains have to know of it to move as it does.
#pragma once

#include <vector>

#include "garment/garment.h"

namespace billow::garment {

// One number a bone, chain after chain from root to hem, as billow_chains_desc has them.
struct ChainCloth {
  std::vector<float>
      lateral_lengths;  // m, along the cloth to the bone of its level on the next chain; 0: there is none
  std::vector<float> areas;         // m2 that are nearer to the bone than to any other
  std::vector<float> mass_factors;  // areas by their mean over the simulated bones
  float mean_area = 0;              // m2, of a simulated bone
};

ChainCloth chain_cloth(const Garment& garment);

}  // namespace billow::garment
