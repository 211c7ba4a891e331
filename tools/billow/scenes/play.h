// Plays a scene through the runtime and measures it.
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
  double length_excess = 0;            // the most a rope was longer than its maximum, as a share of it
  std::optional<double> deepest_bone;  // m to the body's surface, negative inside; none without a body
  double contacts_mean = 0;            // bones a frame
  uint32_t contacts_most = 0, trapped_most = 0, enclosed_most = 0;
  uint32_t flags = 0;                                         // billow_flag values of all frames
  double step_p50 = 0, step_p99 = 0;                          // microseconds a frame, all stages together
  std::array<double, BILLOW_CHAIN_STAGE_COUNT> stage_mean{};  // microseconds a frame
};

// What a picture of one moment needs besides the scene.
struct Snapshot {
  double time = 0;
  std::vector<float> positions;
  std::vector<Transform> joints;
};
Snapshot snapshot(const scenes::Scene& scene);

// Advances by frames of 1/hz for `seconds`. `each_frame` may be empty; it is called after each frame, from 1
// on.
Numbers play(scenes::Scene& scene, double seconds, double hz,
             const std::function<void(const scenes::Scene&, uint32_t)>& each_frame = {});

// Plays and keeps `count` moments, from the first frame to the last.
Numbers play_and_keep(scenes::Scene& scene, double seconds, double hz, uint32_t count,
                      std::vector<Snapshot>& kept);

// The largest of so many values, from the first on.
double largest(const std::vector<double>& values, double count);

// As a table of two columns, or as one JSON object; each ends with a new line.
std::string as_table(const Numbers& numbers);
std::string as_json(const Numbers& numbers, const std::string& picture);

// "17.3" for 17.34 and 1 decimal.
std::string rounded(double value, int decimals);

}  // namespace billow::tool
