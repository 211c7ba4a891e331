// The legs of a score: on the ground they reach their feet, which roll and do not slide; in the air they swing
// on through what the score asks for. The pelvis comes down where a leg would be too short, and a heel comes up
// where the ankle would bend too far.
#pragma once

#include <array>
#include <vector>

#include "motion/cover.h"
#include "motion/score.h"

namespace billow::motion {

struct Frame {
  D3 position;
  Rotation rotation;
};

// The pelvis as the score has it.
Frame pelvis_of(const Score& score, double time);
// Where the ankle of a foot on the ground is when its heel is up by a pitch.
D3 ankle_at(const Figure& figure, const Place& place, double pitch);

class Legs {
 public:
  // For times from `from` to `to`. Keeps a reference to the score.
  Legs(const Score& score, double from, double to);

  Frame pelvis(double time) const;
  LegAngles angles(size_t side, double time) const;

 private:
  // A time in the air: from the end of a contact to the next one. The knee's track has the distance from hip
  // to ankle instead, which is smooth where the knee is straight.
  using SwingState = std::array<double, kSwingAngles>;
  struct Swing {
    double from, to;
    std::array<Track, kSwingAngles> tracks;
  };
  const Contact* contact_at(size_t side, double time) const;
  double pitch_in(size_t side, const Contact& contact, double time) const;
  FootPose foot_in(size_t side, const Contact& contact, double time, double pitch) const;
  LegAngles standing(size_t side, const Contact& contact, double time, double pitch) const;
  LegAngles standing(size_t side, const Contact& contact, double time) const {
    return standing(side, contact, time, pitch_in(side, contact, time));
  }
  void lower_pelvis(double from, size_t count);
  void raise_heels(double from, size_t count);
  double shortage(double time) const;
  SwingState state_of(size_t side, double time, const LegAngles& angles) const;
  LegAngles angles_of(size_t side, double time, const SwingState& state) const;
  SwingState coming_down(size_t side, const Contact& contact, double before, D3 slowing) const;
  void run_out(size_t side, Swing& swing) const;
  void come_down(size_t side, const Contact& before, const Contact& after, Swing& swing) const;
  void add_swing(size_t side, const Contact& before, const Contact& after);
  void clear_ground(size_t side, double time, double clearance, LegAngles& angles) const;

  const Score& score_;
  Sampled lower_;                      // the pelvis
  std::array<Sampled, kSides> raise_;  // the heels, as pitch
  std::array<std::vector<Swing>, kSides> swings_;
};

}  // namespace billow::motion
