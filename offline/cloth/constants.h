// Constants of the reference cloth that its two implementations share: cloth::Simulator and
// cloth::BatchSimulator.
#pragma once

#include <cstddef>

#include "sdf/soft_contact.h"

namespace billow::cloth {

inline constexpr float kAirStep = 1.0f / 240;   // s, interval between updates of the air forces
inline constexpr float kMaxSpeed = 30;          // m/s
inline constexpr float kContactMargin = 0.01f;  // m, approach of cloth and body in a step

// Push-out at the end of a frame.
inline constexpr int kMaxPushOuts = 30;
inline constexpr float kPushOutClearance = 1e-4f;  // m

// In mean edge lengths: vertices closer than this on the unstretched cloth do not collide; bending separates
// them.
inline constexpr float kMinRestDistance = 2.2f;
// In mean edge lengths: vertices collide as spheres of this diameter.
inline constexpr float kSelfContactDistance = 0.8f;
inline constexpr size_t kMaxPairs = 24;               // candidates per vertex
inline constexpr size_t kMaxCells = size_t{1} << 21;  // of the grid that finds them

}  // namespace billow::cloth
