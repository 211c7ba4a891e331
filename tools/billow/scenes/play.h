// Simulates a scene with the runtime and measures it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenes.h"

namespace billow::tool {

struct Numbers {
  std::string scene;
  double seconds = 0, hz = 0;
  uint32_t frames = 0, chains = 0, bones = 0;
  double substeps_mean = 0;
  uint32_t substeps_most = 0;
  double length_excess = 0;  // largest excess of a rope over its maximum length, as a fraction of that length
  std::optional<double>
      deepest_bone;  // smallest signed distance to the body in m, negative inside; empty without a body
  double contacts_mean = 0;  // bones in contact per frame
  uint32_t contacts_most = 0, trapped_most = 0, enclosed_most = 0;
  uint32_t flags = 0;                                         // billow_flag values, OR over all frames
  double step_p50 = 0, step_p99 = 0;                          // microseconds per frame, sum of all stages
  std::array<double, BILLOW_CHAIN_STAGE_COUNT> stage_mean{};  // microseconds per frame
};

// The state of a scene at one time, as needed to draw it.
struct Snapshot {
  double time = 0;
  std::vector<float> positions;
  std::vector<Transform> joints;
};
Snapshot snapshot(const scenes::Scene& scene);

// Simulates `seconds` in frames of 1/hz. `each_frame` may be empty; it is called after each frame with the frame number,
// counted from 1.
Numbers play(scenes::Scene& scene, double seconds, double hz,
             const std::function<void(const scenes::Scene&, uint32_t)>& each_frame = {});

// As play(), and keeps `count` snapshots spread evenly from the first frame to the last.
Numbers play_and_keep(scenes::Scene& scene, double seconds, double hz, uint32_t count,
                      std::vector<Snapshot>& kept);

// The maximum of the first `count` values.
double largest(const std::vector<double>& values, double count);

// The measurements as a table of two columns, or as one JSON object; both end with a newline.
std::string as_table(const Numbers& numbers);
std::string as_json(const Numbers& numbers, const std::string& picture);

// "17.3" for 17.34 and 1 decimal.
std::string rounded(double value, int decimals);

}  // namespace billow::tool
