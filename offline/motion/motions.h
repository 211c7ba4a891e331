// Procedural motions of the built-in person. A clip is a function of its seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "body/person.h"
#include "motion/clip.h"

namespace billow::motion {

struct MotionKind {
  std::string name, about;
  double slowest = 0, fastest = 0;  // m/s, range of MotionRequest::speed; 0: the kind takes no speed
};
// All kinds, in the order they are listed to users.
const std::vector<MotionKind>& motion_kinds();

struct MotionRequest {
  std::string kind = "walk";
  uint32_t seed = 1;
  double seconds = 8;
  double frames_per_second = 30;
  double speed = 0;  // m/s; 0: drawn at random
};

// A clip that starts from standing. Throws std::invalid_argument for an unknown kind or values out of range.
Clip make_motion(const body::Person& person, const MotionRequest& request);

// Relative frequency of a kind in a mix.
struct MotionShare {
  std::string kind;
  double weight;
};
// Mixes for a garment: "cape" (mostly walking and running), "skirt" (mostly dancing and turning) and "all".
std::vector<MotionShare> motion_mix(std::string_view garment);

// One long clip of motions with transitions. The kind "sequence" is this with the mix "all". `parts` receives
// the kind and start time of each motion.
struct SequencePart {
  std::string kind;
  double seconds;
};
Clip make_sequence(const body::Person& person, uint32_t seed, size_t frames, double frames_per_second,
                   const std::vector<MotionShare>& mix, std::vector<SequencePart>* parts = nullptr);

// Range of clip lengths in seconds. The last clip of a list may be as long as shortest + longest.
struct ClipLengths {
  double shortest, longest;
};
// Training clips are short: many short clips generalise better than the same number of frames in few clips.
inline constexpr ClipLengths kTrainingClips{2, 3.5};
// Evaluation clips are long enough for drift to show.
inline constexpr ClipLengths kEvaluationClips{4, 6};
// Requests for the clips of a data set, each with its own seed, `frames` frames in total.
std::vector<MotionRequest> varied_motions(uint32_t seed, size_t frames, double frames_per_second,
                                          const std::vector<MotionShare>& mix,
                                          ClipLengths lengths = kTrainingClips);

}  // namespace billow::motion
