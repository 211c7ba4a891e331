// Bones that a limb holds: the failure that a viewer sees first, and that distances to the reference hide.
//
// A bone is held while it stays within 3 cm of a hand or forearm, or, at the hem, above half its chain's
// resting drop, for more than half a second. It is caught if at that time neither the reference's bone is held
// nor that of rope chains that ignore hands and forearms: a bone beside which a hand happens to rest is not.
#pragma once

#include <vector>

#include "character/clothed_character.h"
#include "learn/frames.h"
#include "motion/clip.h"
#include "ropes/simulate_ropes.h"

namespace billow::ropes {

struct Held {
  uint32_t bone = 0;           // of the garment
  bool lifted = false;         // above half the resting drop; else near a hand or forearm
  double from = 0, until = 0;  // s
};

// Follows bones over the frames of a clip.
class HeldBones {
 public:
  HeldBones(const garment::Garment& garment, const character::CharacterBody& character_body,
            double frames_per_second);

  // Adds a frame: positions of all bones in world space.
  void add(std::span<const V3> bones, std::span<const Transform> joints);
  std::vector<Held> finish();

 private:
  struct Watched {
    uint32_t bone, root;
    float drop;                               // m, from the root at rest; 0: not at the hem
    size_t near_since = 0, lifted_since = 0;  // frame after the last one in which it was not
  };
  void close(const Watched& bone, bool lifted, size_t since);

  body::Surface limbs_;
  double rate_;
  size_t frame_ = 0;
  std::vector<Watched> watched_;
  std::vector<Held> held_;
};

// Rope chains over a clip, with the lead-in of data sets, at a frame rate.
std::vector<Held> held_on_ropes(const garment::Garment& garment,
                                const character::CharacterBody& character_body, const ChainDynamics& dynamics,
                                const motion::Clip& clip, float frames_per_second);

// Those of `ropes` whose bone is not held in `free` at any moment of the same time.
std::vector<Held> caught(const std::vector<Held>& ropes, const std::vector<Held>& free);

// The clips of a data set in which bones are caught at a frame rate.
struct CaughtClip {
  size_t clip = 0;
  float frames_per_second = 0;
  std::vector<Held> bones;
};
std::vector<CaughtClip> find_caught(const learn::Frames& frames, const ChainDynamics& dynamics,
                                    std::span<const float> rates, size_t threads);

}  // namespace billow::ropes
