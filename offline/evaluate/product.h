// Plays a garment file on the motions of a data set through the public API: rope chains, networks and all
// other stages, as an engine runs them.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <string>
#include <vector>

#include "learn/frames.h"

namespace billow::evaluate {

using learn::Frames;

// Indices of the garment's joints in a skeleton, in the garment's order. Throws std::runtime_error naming the
// file and the first joint that is missing; `character` says whose skeleton it is.
std::vector<size_t> joints_needed(const billow_garment* garment, const body::Skeleton& skeleton,
                                  const std::string& file, const std::string& character);

class Product {
 public:
  // `rate`: frames per second of the runtime; it becomes the nearest multiple of the data set's rate, at least
  // that rate itself. Throws std::runtime_error for a file that cannot be loaded or is for another character.
  Product(const std::string& file, const Frames& frames, double rate);

  double rate() const { return steps_ * frames_.info().frames_per_second; }
  // The vertices in world space in each frame of a clip. Joints between frames are interpolated, as the
  // reference cloth does it. The lead-in is that of the data set. Thread-safe.
  std::vector<std::vector<V3>> play(const Frames::ClipRange& clip) const;

 private:
  struct Destroy {
    void operator()(billow_garment* g) const { billow_garment_destroy(g); }
  };
  std::string file_;
  const Frames& frames_;
  int steps_ = 1;  // of the runtime per frame of the data set
  std::unique_ptr<billow_garment, Destroy> garment_;
  std::vector<size_t> needed_;
};

}  // namespace billow::evaluate
