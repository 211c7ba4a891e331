// The chains of a garment file: their settings and their learnt force.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "pack/garment_asset.h"
#include "ropes/simulate_ropes.h"

namespace billow::tool {

// Throws std::runtime_error unless the file is of the same garment as the data set.
inline ropes::ChainDynamics chains_of_file(const std::string& file, const learn::Frames& frames) {
  pack::GarmentData packed = pack::read_garment_asset(file);
  if (packed.garment.chains != frames.garment().chains)
    throw std::runtime_error(file + ": expected the chains of the data set's garment (" +
                             frames.garment().name + "), found those of another one (" + packed.garment.name +
                             ")");
  return {packed.settings, std::move(packed.force)};
}

}  // namespace billow::tool
