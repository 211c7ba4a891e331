#include "motion/retarget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>

#include "motion/actor.h"
#include "motion/continuity.h"
#include "motion/ground.h"
#include "motion/smooth.h"

namespace billow::motion {
namespace {

using body::kNoJoint;

constexpr float kMaxClavicle = 0.55f;  // radians it turns against the chest
constexpr float kMaxAnkle = 1.2f;      // radians a foot points away from where its calf has it at rest
constexpr float kToesDown = -0.4f, kToesUp = 1.0f;  // radians

float smooth_step(float low, float high, float x) {
  const float u = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return u * u * (3 - 2 * u);
}

// Two bones with a hinge between them.
struct Limb {
  Part top, middle, end;
  bool is_arm() const { return end == Part::hand; }
};
constexpr Limb kArm{Part::upper_arm, Part::forearm, Part::hand}, kLeg{Part::thigh, Part::calf, Part::foot};

// Makes poses of the target from those of the source, one after the other.
class Retargeter {
 public:
  Retargeter(const Actor& from, const Actor& to, float frame_time);

  Pose pose(std::span<const Transform> source);
  void report(RetargetReport& out) const;

 private:
  using Turns = std::vector<Quat>;  // of the target's joints in the model, as far as they are known
  struct Follow {
    int first, second;                       // joints of the source, for the report
    std::function<Quat(const Turns&)> turn;  // in the model
    bool may_jump = true;                    // limbs have no jumps left: they are aimed
    SteadyTurn steady = {};
    std::function<Quat(const Turns&, Quat)> hold = {};  // brings what is steady into a joint's range
  };

  // Turns as the source's joint has been turned from its rest; `align` brings the target's rest to the source's.
  Quat taken_over(size_t source, size_t target, Quat align) const {
    return from_.turned(source_, source) * align * base_ * to_.rest[target].rotation;
  }
  // Goes along with another joint of the target as if both were one piece.
  Quat carried(const Turns& turns, size_t by, size_t target) const {
    return turns[by] * conjugate(to_.rest[by].rotation) * to_.rest[target].rotation;
  }
  // The line between two parts: at rest in the target, and now in the source.
  V3 line_at_rest(Part a, Part b, size_t side) const {
    return unit_or_zero(to_.at_rest(b, side) - to_.at_rest(a, side));
  }
  V3 line_now(Part a, Part b, size_t side) const { return unit_or_zero(now(b, side) - now(a, side)); }
  V3 now(Part part, size_t side) const {
    return part == Part::calf ? knee_[side] : source_[from_.joint(part, side)].position;
  }
  bool both_have(Part part, size_t side) const { return from_.has(part, side) && to_.has(part, side); }
  // Turns further until a direction, given at rest, points another way.
  Quat aimed(Quat turn, size_t target, V3 rest_way, V3 wanted) const {
    if (!(length(wanted) > 0)) return turn;
    const V3 way = rotate(turn * conjugate(to_.rest[target].rotation), rest_way);
    return normalized(turn_between(unit_or_zero(way), wanted) * turn);
  }
  void set(Part part, size_t side, std::function<Quat(const Turns&)> turn) {
    const int j = from_.human.of(part, side);
    const bool is_aimed =
        part == Part::upper_arm || part == Part::forearm || part == Part::thigh || part == Part::calf;
    follows_[to_.joint(part, side)] = Follow{j, j, std::move(turn), !is_aimed};
  }
  Quat alignment(Part a, Part b, size_t side) const;
  void follow_trunk();
  void follow_clavicle(size_t side);
  void follow_limb(const Limb& limb, size_t side);
  void follow_hand(size_t side);
  void follow_foot(size_t side);
  Quat fold_now(const Limb& limb, size_t side) const;
  Quat rolled_to_hinge(Quat turn, const Limb& limb, size_t side);
  Quat held_foot(const Turns& turns, size_t side, Quat free);
  Quat toes_turn(const Turns& turns, size_t side) const;

  const Actor& from_;
  const Actor& to_;
  float frame_time_;
  Quat base_;  // takes the target at rest to where the source faces
  std::vector<std::optional<Follow>> follows_;
  std::vector<size_t> order_;          // joints after those they look at
  std::span<const Transform> source_;  // the frame at hand
  std::array<V3, 2> knee_{};
  std::array<float, 2> foot_roll_{};
  std::array<std::array<float, 2>, 2> hinge_roll_{};  // of the frame before: legs and arms
  std::array<SteadyKnee, 2> steady_knee_;
};

Retargeter::Retargeter(const Actor& from, const Actor& to, float frame_time)
    : from_(from),
      to_(to),
      frame_time_(frame_time),
      base_(from.facing * conjugate(to.facing)),
      follows_(to.skeleton.size()),
      order_(to.joints_in_order()) {
  follow_trunk();
  for (const size_t side : {kLeft, kRight}) {
    if (both_have(Part::clavicle, side)) follow_clavicle(side);
    if (both_have(Part::upper_arm, side) && both_have(Part::forearm, side) && both_have(Part::hand, side)) {
      follow_limb(kArm, side);
      follow_hand(side);
    }
    follow_limb(kLeg, side);
    follow_foot(side);
  }
}

// Spreads the source's spine over the target's, whatever their numbers of joints. The neck is half way from
// the chest to the head, since some have none, others three joints there.
void Retargeter::follow_trunk() {
  const std::vector<int>&from = from_.human.spine, &to = to_.human.spine;
  const auto follow = [this](int target, int first, int second, float share) {
    follows_[place_of(target)] =
        Follow{first, second, [=, this](const Turns&) {
                 return nlerp(taken_over(place_of(first), place_of(target), kUnturned),
                              taken_over(place_of(second), place_of(target), kUnturned), share);
               }};
  };
  for (size_t k = 0; k < to.size(); ++k) {
    const float last = static_cast<float>(from.size() - 1);
    const float place = to.size() < 2 ? 0 : static_cast<float>(k) * last / static_cast<float>(to.size() - 1);
    const size_t first = std::min(static_cast<size_t>(place), from.size() - 1);
    const size_t second = std::min(first + 1, from.size() - 1);
    follow(to[k], from[first], from[second], place - static_cast<float>(first));
  }
  const int head = from_.human.of(Part::head);
  if (head == kNoJoint) return;
  if (to_.has(Part::neck, kLeft)) follow(to_.human.of(Part::neck), from.back(), head, 0.5f);
  if (to_.has(Part::head, kLeft)) follow(to_.human.of(Part::head), head, head, 0);
}

// Some characters' clavicles are the first part of their arms and turn far: they are held back.
void Retargeter::follow_clavicle(size_t side) {
  set(Part::clavicle, side, [=, this](const Turns& turns) {
    const size_t target = to_.joint(Part::clavicle, side), chest = place_of(to_.human.spine.back());
    const Quat along = carried(turns, chest, target);
    const Quat free = taken_over(from_.joint(Part::clavicle, side), target, kUnturned);
    const float angle = angle_between(normalized(along), normalized(free));
    return angle > kMaxClavicle ? nlerp(along, free, kMaxClavicle / angle) : free;
  });
}

// The turn that makes the target's line between two parts at rest point as the source's does.
Quat Retargeter::alignment(Part a, Part b, size_t side) const {
  const V3 wanted = unit_or_zero(from_.at_rest(b, side) - from_.at_rest(a, side));
  return turn_between(rotate(base_, line_at_rest(a, b, side)), wanted);
}

// How the lower bone of a limb is folded against the upper one, from the rest pose: about the hinge of elbow or
// knee, as far as the source's is bent. Elbows fold forward, knees backward.
Quat Retargeter::fold_now(const Limb& limb, size_t side) const {
  const V3 upper = line_at_rest(limb.top, limb.middle, side),
           lower = line_at_rest(limb.middle, limb.end, side);
  const V3 hinge =
      limb.is_arm() ? unit_or_zero(cross(upper, to_.forward())) : rotate(to_.facing, V3{1, 0, 0});
  const V3 a = upper - hinge * dot(upper, hinge), b = lower - hinge * dot(lower, hinge);
  const float beside = dot(upper, hinge) * dot(lower, hinge), size = std::max(1e-6f, length(a) * length(b));
  const float bent = dot(line_now(limb.top, limb.middle, side), line_now(limb.middle, limb.end, side));
  const float angle = std::acos(std::clamp((bent - beside) / size, -1.0f, 1.0f));
  return body::turn_about(hinge, angle - std::atan2(dot(cross(a, b), hinge), dot(a, b)));
}

// Rolls the upper bone of a limb about itself until the lower one, folded, lies where the source's does. A limb
// that is nearly straight does not say where that is, and keeps its roll.
Quat Retargeter::rolled_to_hinge(Quat turn, const Limb& limb, size_t side) {
  const V3 upper = line_now(limb.top, limb.middle, side), lower = line_now(limb.middle, limb.end, side);
  const V3 bend = lower - upper * dot(lower, upper);
  const float weight = smooth_step(0.1f, 0.5f, length(bend));
  float& before = hinge_roll_[limb.is_arm()][side];
  if (!(weight > 0)) {
    before = 0;
    return turn;
  }
  const Quat from_rest = turn * conjugate(to_.rest[to_.joint(limb.top, side)].rotation);
  const V3 folded = rotate(from_rest * fold_now(limb, side), line_at_rest(limb.middle, limb.end, side));
  // Go on from the frame before: a roll of 181 degrees is not one of -179.
  float roll = std::atan2(dot(cross(folded, bend), upper), dot(folded, bend));
  roll += 6.2831853f * std::round((before - roll) / 6.2831853f);
  before = roll;
  return normalized(body::turn_about(upper, roll * weight) * turn);
}

// Both bones of a limb point as the source's, and bend as a hinge does. What the source's lower bone turns about
// itself is left to the hand or foot.
void Retargeter::follow_limb(const Limb& limb, size_t side) {
  const Quat align = alignment(limb.top, limb.middle, side);
  set(limb.top, side, [=, this](const Turns&) {
    const size_t target = to_.joint(limb.top, side);
    const Quat turn = aimed(taken_over(from_.joint(limb.top, side), target, align), target,
                            line_at_rest(limb.top, limb.middle, side), line_now(limb.top, limb.middle, side));
    return rolled_to_hinge(turn, limb, side);
  });
  set(limb.middle, side, [=, this](const Turns& turns) {
    const size_t above = to_.joint(limb.top, side), target = to_.joint(limb.middle, side);
    const Quat folded =
        turns[above] * conjugate(to_.rest[above].rotation) * fold_now(limb, side) * to_.rest[target].rotation;
    return aimed(folded, target, line_at_rest(limb.middle, limb.end, side),
                 line_now(limb.middle, limb.end, side));
  });
}

// Hands turn as the source's, from where they are in line with their forearms.
void Retargeter::follow_hand(size_t side) {
  const Quat align = alignment(Part::forearm, Part::hand, side);
  set(Part::hand, side, [=, this](const Turns&) {
    return taken_over(from_.joint(Part::hand, side), to_.joint(Part::hand, side), align);
  });
}

// Soles are flat at rest in both: feet are aligned about the vertical only, until they point the same way.
void Retargeter::follow_foot(size_t side) {
  const Quat align = turn_between(unit_or_zero(rotate(base_, to_.heading(side))), from_.heading(side));
  set(Part::foot, side, [=, this](const Turns&) {
    return taken_over(from_.joint(Part::foot, side), to_.joint(Part::foot, side), align);
  });
  follows_[to_.joint(Part::foot, side)]->hold = [=, this](const Turns& turns, Quat free) {
    return held_foot(turns, side, free);
  };
  if (both_have(Part::toes, side))
    set(Part::toes, side, [=, this](const Turns& turns) { return toes_turn(turns, side); });
}

// A direction as far from another one as an ankle can bend. Recorded feet may point backward for seconds (CMU
// 05_06): the farther beyond they are the less is taken over, so that a foot does not jump from side to side.
V3 within_ankle(V3 straight, V3 ahead) {
  constexpr float kHalfTurn = 3.1415927f;
  const float angle = std::acos(std::clamp(dot(straight, ahead), -1.0f, 1.0f));
  const V3 axis = unit_or_zero(cross(straight, ahead));
  if (angle <= kMaxAnkle || !(length(axis) > 0)) return angle <= kMaxAnkle ? ahead : straight;
  const float taken = kMaxAnkle * (kHalfTurn - angle) / (kHalfTurn - kMaxAnkle);
  return rotate(body::turn_about(axis, taken), straight);
}

// Points the foot as the source's. Its roll about itself is taken as half the sine of twice the angle: recorded
// feet may be upside down too, which then does no harm, and small angles stay.
Quat Retargeter::held_foot(const Turns& turns, size_t side, Quat free) {
  const size_t target = to_.joint(Part::foot, side);
  const Quat along = carried(turns, to_.joint(Part::calf, side), target);
  const auto heading = [&](Quat turn) {
    return unit_or_zero(rotate(turn * conjugate(to_.rest[target].rotation), to_.heading(side)));
  };
  const V3 ahead = within_ankle(heading(along), heading(free));
  const Quat level = aimed(along, target, to_.heading(side), ahead);
  const float roll = angle_about(free * conjugate(level), ahead);
  foot_roll_[side] = roll;
  return body::turn_about(ahead, 0.5f * std::sin(2 * roll)) * level;
}

// Bends the toes up or down against the foot as the source's; those of a foot upside down the other way.
Quat Retargeter::toes_turn(const Turns& turns, size_t side) const {
  const size_t foot = from_.joint(Part::foot, side), toes = from_.joint(Part::toes, side);
  const Quat back_to_rest = from_.rest[foot].rotation * conjugate(source_[foot].rotation);
  const V3 tip = rotate(back_to_rest * from_.turned(source_, toes), from_.heading(side));
  const float bend = std::asin(std::clamp(tip.y, -1.0f, 1.0f)) * std::cos(foot_roll_[side]);
  const size_t own_foot = to_.joint(Part::foot, side), own_toes = to_.joint(Part::toes, side);
  const Quat up =
      body::turn_about(cross(to_.heading(side), V3{0, 1, 0}), std::clamp(bend, kToesDown, kToesUp));
  return turns[own_foot] * conjugate(to_.rest[own_foot].rotation) * up * to_.rest[own_toes].rotation;
}

Pose Retargeter::pose(std::span<const Transform> source) {
  source_ = source;
  for (const size_t side : {kLeft, kRight}) {
    const auto at = [&](Part part) { return source[from_.joint(part, side)].position; };
    knee_[side] = steady_knee_[side].next(at(Part::thigh), at(Part::calf), at(Part::foot), frame_time_);
  }
  Pose pose = body::rest_pose(to_.skeleton);
  Turns turns(to_.skeleton.size(), kUnturned);
  for (const size_t j : order_) {
    const int parent = to_.skeleton.joints[j].parent;
    const Quat above = parent == kNoJoint ? kUnturned : turns[place_of(parent)];
    if (std::optional<Follow>& follow = follows_[j]) {
      turns[j] = normalized(follow->turn(turns));
      if (follow->may_jump) turns[j] = follow->steady.next(turns[j], frame_time_);
      if (follow->hold) turns[j] = normalized(follow->hold(turns, turns[j]));
    } else {
      turns[j] = normalized(above * normalized(to_.skeleton.joints[j].rest.rotation));
    }
    pose.rotations[j] = normalized(conjugate(above) * turns[j]);
  }
  return pose;
}

void Retargeter::report(RetargetReport& out) const {
  std::set<int> used;
  for (size_t j = 0; j < follows_.size(); ++j) {
    const std::string& name = to_.skeleton.joints[j].name;
    if (!follows_[j]) {
      out.kept.push_back(name);
      continue;
    }
    used.insert({follows_[j]->first, follows_[j]->second});
    out.mapped.push_back({name, from_.skeleton.joints[place_of(follows_[j]->first)].name});
  }
  for (size_t j = 0; j < from_.skeleton.size(); ++j)
    if (!used.count(static_cast<int>(j))) out.unused.push_back(from_.skeleton.joints[j].name);
}

}  // namespace

Clip retarget(const Skeleton& from, const Clip& clip, const Skeleton& to, const RetargetOptions& options,
              RetargetReport* report) {
  validate(from, clip);
  const Actor source(from, options.from_parts, "the clip's skeleton");
  const Actor target(to, options.to_parts, "the skeleton to retarget to");
  const Clip clean = without_outliers(clip);
  Retargeter retargeter(source, target, 1 / clip.frames_per_second);
  const GroundedMotion motion(source, target, clean);
  Clip out{clip.name, clip.frames_per_second, {}, clip.loops};
  for (size_t k = 0; k < clip.frames.size(); ++k) {
    out.frames.push_back(retargeter.pose(motion.source(k)));
    motion.place_hips(k, out.frames.back());
  }
  out = low_pass(out, options.low_pass);
  if (options.place_feet) motion.place_feet(out.frames);
  if (report) {
    *report = {};
    retargeter.report(*report);
    report->scale = motion.scale();
  }
  return options.frames_per_second > 0 ? resample(out, options.frames_per_second) : out;
}

}  // namespace billow::motion
