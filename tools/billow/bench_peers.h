// What else a user could pick, at the same size, in the same motion: for `billow bench`.
#pragma once

#include <optional>
#include <string>

#include "body/person.h"
#include "garment/garment.h"
#include "motion/clip.h"

namespace billow::tool {

struct PeerFigures {
  std::optional<double> frame_ms;  // of 1/60 s
  std::string why;                 // where there is none; or what was measured
  bool networks_only = false;      // infer and expand, and nothing else of a frame
};

// The project's own reference cloth, on one thread.
PeerFigures time_reference(const garment::Garment& garment, const body::Person& person,
                           const motion::Clip& clip);
// Bullet's soft body with 10 iterations, colliders as capsules.
PeerFigures time_bullet(const garment::Garment& garment, const body::Person& person,
                        const motion::Clip& clip);
// A garment's own networks and bases in other libraries.
PeerFigures time_libtorch(const std::string& garment_file);
PeerFigures time_onnxruntime(const std::string& garment_file);

}  // namespace billow::tool
