#include "motion/continuity.h"

#include <cmath>

#include "motion/actor.h"

namespace billow::motion {
namespace {

// No thigh or foot turns as fast: kicks reach 1000 to 1500 degrees a second.
constexpr float kJumpSpeed = 44;  // radians a second, 2500 degrees
constexpr float kJump = 0.35f;    // radians
constexpr float kHold = 0.25f;    // s, most jumps of the CMU data are back by then
constexpr float kFade = 0.12f;    // s

bool is_jump(float radians, float seconds) {
  return std::fabs(radians) > kJump && std::fabs(radians) > kJumpSpeed * seconds;
}

}  // namespace

float Fade::next(float seconds) {
  since_ += seconds;
  return since_ < kHold ? 1 : std::exp(-seconds / kFade);
}

Quat SteadyTurn::next(Quat turn, float seconds) {
  turn = normalized(turn);
  const bool first = !(dot(last_, last_) > 0);
  const float angle = first ? 0 : 2 * std::acos(std::min(1.0f, std::fabs(dot(turn, last_))));
  if (is_jump(angle, seconds)) {
    offset_ = normalized(offset_ * last_ * conjugate(turn));
    fade_.restart();
  }
  last_ = turn;
  offset_ = nlerp({0, 0, 0, 1}, offset_, fade_.next(seconds));
  return normalized(offset_ * turn);
}

V3 SteadyKnee::next(V3 hip, V3 knee, V3 ankle, float seconds) {
  const V3 line = unit_or_zero(ankle - hip);
  const V3 aside = (knee - hip) - line * dot(knee - hip, line);
  offset_ *= fade_.next(seconds);
  // A straight leg does not say where its knee would be.
  if (length(aside) < 0.05f * length(knee - hip)) {
    last_aside_ = {0, 0, 0};
    return knee;
  }
  if (length(last_aside_) > 0) {
    const V3 before = rotate(turn_between(last_line_, line), last_aside_);
    const float by = std::atan2(dot(cross(before, aside), line), dot(before, aside));
    if (is_jump(by, seconds)) {
      offset_ = std::remainder(offset_ - by, 6.2831853f);
      fade_.restart();
    }
  }
  last_line_ = line;
  last_aside_ = aside;
  return knee - aside + rotate(body::turn_about(line, offset_), aside);
}

}  // namespace billow::motion
