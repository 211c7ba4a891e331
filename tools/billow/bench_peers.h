// Alternatives to Billow, measured by `billow bench` at the same mesh size and in the same motion.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

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

// A cloth by another method: it moves by 1/60 s to these joints, its attached vertices by a share of their distance to the body.
struct PeerCloth {
  std::function<void(const std::vector<Transform>& joints, float attachment_share)> step;
  std::function<std::vector<V3>()> positions;
};
// Half a second of standing in which the seam is pulled to the body, half a second of running, then a second that is timed.
PeerFigures time_cloth(const PeerCloth& cloth, const std::string& what, const garment::Garment& garment,
                       const body::Person& person, const motion::Clip& clip);

// The project's own reference cloth, on one thread.
PeerFigures time_reference(const garment::Garment& garment, const body::Person& person,
                           const motion::Clip& clip);
// Bullet's soft body with 10 iterations; colliders are approximated by capsules.
PeerFigures time_bullet(const garment::Garment& garment, const body::Person& person,
                        const motion::Clip& clip);
// The garment's networks and bases, evaluated by other inference libraries.
PeerFigures time_libtorch(const std::string& garment_file);
PeerFigures time_onnxruntime(const std::string& garment_file);

}  // namespace billow::tool
