// Assembles the garment data to be packed from the results of training.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "arguments.h"
#include "pack/garment_asset.h"
#include "ropes/simulate_ropes.h"
#include "train/train.h"

namespace billow::tool {

// Trains the force of the rope chains, simulates them over the data set, and trains the correction of their bones.
// Replaces the rope bones of `frames` by cross-fitted corrected ones.
struct CorrectedRopes {
  ropes::ChainDynamics dynamics;
  learn::Network correction;
  learn::Matrix corrected;  // one row per frame, by the final network, not cross-fitted
};
CorrectedRopes simulate_and_correct_ropes(learn::Frames& frames, const Given& given, const train::Run& run,
                                          const std::function<void(const std::string&)>& log);

struct Learnt {
  CorrectedRopes ropes;
  train::Result networks;
  std::map<std::string, std::string> extra;  // sections of what was trained along
};

enum class Figures { kNone, kQuick, kFull };

// Fits blend weights, compares the networks with baselines as `figures` selects, and stores the training record with the
// figures.
pack::GarmentData garment_of(learn::Frames& frames, const Learnt& learnt, Figures figures,
                             const evaluate::Compare& compare,
                             const std::function<void(const std::string&)>& log);

}  // namespace billow::tool
