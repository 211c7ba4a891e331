// The built-in motions of the built-in person. Each is made from a seed: the same one gives the same clip, each
// other one a different clip.
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
  double slowest = 0, fastest = 0;  // m/s that can be asked for; 0: speed is of no use
};
// In the order of a table of contents.
const std::vector<MotionKind>& motion_kinds();

struct MotionRequest {
  std::string kind = "walk";
  uint32_t seed = 1;
  double seconds = 8;
  double frames_per_second = 30;
  double speed = 0;  // m/s; 0: as the seed has it
};

// As many frames as fit into the seconds. It starts from standing. Throws std::invalid_argument for a kind, a
// speed, a length or a rate that makes no sense, with what was expected and what was found.
Clip make_motion(const body::Person& person, const MotionRequest& request);

// How often a motion comes among others.
struct MotionShare {
  std::string kind;
  double weight;
};
// Motions that show a garment at its best: "cape" (walking and running), "skirt" (dancing and turning) and "all".
std::vector<MotionShare> motion_mix(std::string_view garment);

// One long clip of motions that go over into one another. The kind "sequence" is this with the mix "all".
// `parts` gets which motion starts when.
struct SequencePart {
  std::string kind;
  double seconds;
};
Clip make_sequence(const body::Person& person, uint32_t seed, size_t frames, double frames_per_second,
                   const std::vector<MotionShare>& mix, std::vector<SequencePart>* parts = nullptr);

// How long clips are, in seconds; the last of several may be as long as both together.
struct ClipLengths {
  double shortest, longest;
};
// To learn from, short: what is learnt from many clips holds for others better than what is learnt from many frames of few.
inline constexpr ClipLengths kLearntClips{2, 3.5};
// To judge by, as long as people watch: what drifts off shows only then.
inline constexpr ClipLengths kJudgedClips{4, 6};
// Many clips for a data set, with seeds of their own, `frames` frames all together.
std::vector<MotionRequest> varied_motions(uint32_t seed, size_t frames, double frames_per_second,
                                          const std::vector<MotionShare>& mix,
                                          ClipLengths lengths = kLearntClips);

}  // namespace billow::motion
