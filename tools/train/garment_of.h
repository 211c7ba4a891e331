// From what was learnt to what is written.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "learn/gru.h"
#include "pack/garment_asset.h"
#include "train/train.h"

namespace billow::tool {

// How the garment's rope chains are set, and what their bones are off. These, corrected by networks that have not seen their
// clips, replace those that the data set was made with.
struct RopeRun {
  billow_settings settings;
  learn::Network correction;
  learn::Matrix corrected;  // a row a frame, as the garment will have them
};
RopeRun run_ropes(learn::Frames& frames, const train::Run& run);

struct Learnt {
  RopeRun ropes;
  train::Result networks;
  std::optional<learn::Gru> gru;
  std::string gru_bytes;
};

enum class Figures { kNone, kQuick, kFull };

// With a report: the record of the training, and figures of what was learnt.
pack::Packed garment_of(learn::Frames& frames, const Learnt& learnt, Figures figures,
                        const std::function<void(const std::string&)>& say);

}  // namespace billow::tool
