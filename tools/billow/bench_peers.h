// Alternatives to Billow, measured by `billow bench` at the same mesh size and in the same motion.
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
  bool networks_only = false;      // the peer runs only the stages infer and expand
};

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
