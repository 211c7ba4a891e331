// Alternatives to Billow that `billow bench` measures at the same mesh size and in the same motion.
#pragma once

#include <optional>
#include <string>

#include "body/person.h"
#include "garment/garment.h"
#include "motion/clip.h"

namespace billow::tool {

struct PeerFigures {
  std::optional<double> frame_ms;  // time of one frame of 1/60 s; empty: not measured
  std::string why;                 // what was measured, or the reason why there is no figure
  std::optional<double> strain_mean = {},
                        strain_p99 = {};  // percent, of the timed frames; empty: not of cloth
  bool networks_only = false;             // the peer runs only the stages infer and expand
};
inline PeerFigures not_measured(const std::string& why) { return {.frame_ms = {}, .why = why}; }

struct PeerTask {
  const garment::Garment& garment;  // the built-in cape, as it is cut
  const body::Person& person;
  const motion::Clip& clip;
  std::string file;  // the cape's garment file; empty: it has random weights
};

struct BenchPeer {
  const char* name;
  PeerFigures (*time)(const PeerTask& task);
};

}  // namespace billow::tool
