// From what was learnt to what is written.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "learn/gru.h"
#include "pack/garment_asset.h"
#include "train/train.h"

namespace billow::tool {

// Settings of the garment's rope chains and the correction of their bones. Replaces the rope bones of the data set by
// cross-fitted corrected ones.
struct CorrectedRopes {
  billow_settings settings;
  learn::Network correction;
  learn::Matrix corrected;  // one row a frame, corrected by the garment's own network
};
CorrectedRopes simulate_and_correct_ropes(learn::Frames& frames, const train::Run& run);

struct Learnt {
  CorrectedRopes ropes;
  train::Result networks;
  std::optional<learn::Gru> gru;
  std::string gru_bytes;
};

enum class Figures { kNone, kQuick, kFull };

// With a report: the record of the training, and figures of what was learnt.
pack::GarmentData garment_of(learn::Frames& frames, const Learnt& learnt, Figures figures,
                             const std::function<void(const std::string&)>& say);

}  // namespace billow::tool
