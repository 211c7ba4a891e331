#include "motion/retarget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>

#include "motion/actor.h"
#include "motion/filter.h"
#include "motion/ground.h"

namespace billow::motion {
namespace {

using body::kNoJoint;

constexpr float kMaxClavicle = 0.55f;               // radians, relative to the chest
constexpr float kMaxAnkle = 1.2f;                   // radians, relative to the calf
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

// Maps source poses to target poses, frame by frame.
class Retargeter {
 public:
  Retargeter(const Actor& from, const Actor& to, float frame_time);

  Pose pose(std::span<const Transform> source);
  void report(RetargetReport& out) const;

 private:
  using Rotations = std::vector<Quat>;  // of target joints in model space, as far as computed
  struct Driver {
    int first, second;                               // source joints, for the report
    std::function<Quat(const Rotations&)> rotation;  // in model space
    bool may_jump = true;                            // aimed limbs do not: their knees are filtered already
    RotationJumpFilter jump_filter = {};
    std::function<Quat(const Rotations&, Quat)> limit = {};  // applied after the filter
  };

  // Rotates a target joint as the source joint from its rest pose; `align` maps the target's rest to the
  // source's.
  Quat transferred(size_t source, size_t target, Quat align) const {
    return from_.rotation_from_rest(source_, source) * align * base_ * to_.rest[target].rotation;
  }
  // Rotation of a target joint rigidly attached to another.
  Quat attached_to(const Rotations& rotations, size_t by, size_t target) const {
    return rotations[by] * conjugate(to_.rest[by].rotation) * to_.rest[target].rotation;
  }
  // Unit direction between two parts: at rest in the target, and now in the source.
  V3 line_at_rest(Part a, Part b, size_t side) const {
    return unit_or_zero(to_.at_rest(b, side) - to_.at_rest(a, side));
  }
  V3 line_now(Part a, Part b, size_t side) const { return unit_or_zero(now(b, side) - now(a, side)); }
  V3 now(Part part, size_t side) const {
    return part == Part::calf ? knee_[side] : source_[from_.joint(part, side)].position;
  }
  bool both_have(Part part, size_t side) const { return from_.has(part, side) && to_.has(part, side); }
  // Rotates further until a direction given at rest points along target_direction.
  Quat aimed(Quat rotation, size_t target, V3 rest_way, V3 target_direction) const {
    if (!(length(target_direction) > 0)) return rotation;
    const V3 way = rotate(rotation * conjugate(to_.rest[target].rotation), rest_way);
    return normalized(rotation_between(unit_or_zero(way), target_direction) * rotation);
  }
  void set(Part part, size_t side, std::function<Quat(const Rotations&)> rotation) {
    const int j = from_.human.of(part, side);
    const bool is_aimed =
        part == Part::upper_arm || part == Part::forearm || part == Part::thigh || part == Part::calf;
    drivers_[to_.joint(part, side)] = Driver{j, j, std::move(rotation), !is_aimed};
  }
  Quat alignment(Part a, Part b, size_t side) const;
  void drive_trunk();
  void drive_clavicle(size_t side);
  void drive_limb(const Limb& limb, size_t side);
  void drive_hand(size_t side);
  void drive_foot(size_t side);
  Quat hinge_rotation(const Limb& limb, size_t side) const;
  Quat rolled_to_hinge(Quat rotation, const Limb& limb, size_t side);
  Quat limited_foot(const Rotations& rotations, size_t side, Quat unlimited);
  Quat toes_rotation(const Rotations& rotations, size_t side) const;

  const Actor& from_;
  const Actor& to_;
  float frame_time_;
  Quat base_;  // rotates the target at rest to face as the source
  std::vector<std::optional<Driver>> drivers_;
  std::vector<size_t> order_;          // evaluation order: joints after those they depend on
  std::span<const Transform> source_;  // current frame
  std::array<V3, 2> knee_{};
  std::array<float, 2> foot_roll_{};
  std::array<std::array<float, 2>, 2> hinge_roll_{};  // of the last frame: [is arm][side]
  std::array<KneeJumpFilter, 2> knee_filter_;
};

Retargeter::Retargeter(const Actor& from, const Actor& to, float frame_time)
    : from_(from),
      to_(to),
      frame_time_(frame_time),
      base_(from.facing * conjugate(to.facing)),
      drivers_(to.skeleton.size()),
      order_(to.joints_in_order()) {
  drive_trunk();
  for (const size_t side : {kLeft, kRight}) {
    if (both_have(Part::clavicle, side)) drive_clavicle(side);
    if (both_have(Part::upper_arm, side) && both_have(Part::forearm, side) && both_have(Part::hand, side)) {
      drive_limb(kArm, side);
      drive_hand(side);
    }
    drive_limb(kLeg, side);
    drive_foot(side);
  }
}

// Resamples the source's spine over the target's joints. The neck is half way from chest to head, since
// skeletons have none to three joints there.
void Retargeter::drive_trunk() {
  const std::vector<int>&from = from_.human.spine, &to = to_.human.spine;
  const auto follow = [this](int target, int first, int second, float share) {
    drivers_[index_of(target)] =
        Driver{first, second, [=, this](const Rotations&) {
                 return nlerp(transferred(index_of(first), index_of(target), kIdentity),
                              transferred(index_of(second), index_of(target), kIdentity), share);
               }};
  };
  for (size_t k = 0; k < to.size(); ++k) {
    const float last = static_cast<float>(from.size() - 1);
    const float position =
        to.size() < 2 ? 0 : static_cast<float>(k) * last / static_cast<float>(to.size() - 1);
    const size_t first = std::min(static_cast<size_t>(position), from.size() - 1);
    const size_t second = std::min(first + 1, from.size() - 1);
    follow(to[k], from[first], from[second], position - static_cast<float>(first));
  }
  const int head = from_.human.of(Part::head);
  if (head == kNoJoint) return;
  if (to_.has(Part::neck, kLeft)) follow(to_.human.of(Part::neck), from.back(), head, 0.5f);
  if (to_.has(Part::head, kLeft)) follow(to_.human.of(Part::head), head, head, 0);
}

// In some rigs the clavicle is the first joint of the arm and rotates far: limit it.
void Retargeter::drive_clavicle(size_t side) {
  set(Part::clavicle, side, [=, this](const Rotations& rotations) {
    const size_t target = to_.joint(Part::clavicle, side), chest = index_of(to_.human.spine.back());
    const Quat attached = attached_to(rotations, chest, target);
    const Quat unlimited = transferred(from_.joint(Part::clavicle, side), target, kIdentity);
    const float angle = angle_between(normalized(attached), normalized(unlimited));
    return angle > kMaxClavicle ? nlerp(attached, unlimited, kMaxClavicle / angle) : unlimited;
  });
}

// The rotation that aligns the direction between two parts at rest with the source's.
Quat Retargeter::alignment(Part a, Part b, size_t side) const {
  const V3 target_direction = unit_or_zero(from_.at_rest(b, side) - from_.at_rest(a, side));
  return rotation_between(rotate(base_, line_at_rest(a, b, side)), target_direction);
}

// Rotation of a limb's lower bone about the hinge of elbow or knee, from the rest pose to the source's bend.
// Elbows flex forward, knees backward.
Quat Retargeter::hinge_rotation(const Limb& limb, size_t side) const {
  const V3 upper = line_at_rest(limb.top, limb.middle, side),
           lower = line_at_rest(limb.middle, limb.end, side);
  const V3 hinge =
      limb.is_arm() ? unit_or_zero(cross(upper, to_.forward())) : rotate(to_.facing, V3{1, 0, 0});
  const V3 a = upper - hinge * dot(upper, hinge), b = lower - hinge * dot(lower, hinge);
  const float axial = dot(upper, hinge) * dot(lower, hinge), size = std::max(1e-6f, length(a) * length(b));
  const float bent = dot(line_now(limb.top, limb.middle, side), line_now(limb.middle, limb.end, side));
  const float angle = std::acos(std::clamp((bent - axial) / size, -1.0f, 1.0f));
  return body::rotation_about(hinge, angle - std::atan2(dot(cross(a, b), hinge), dot(a, b)));
}

// Rolls the upper bone about its axis until the flexed lower bone lies in the source's bending plane. A
// nearly straight limb has no such plane and keeps its roll.
Quat Retargeter::rolled_to_hinge(Quat rotation, const Limb& limb, size_t side) {
  const V3 upper = line_now(limb.top, limb.middle, side), lower = line_now(limb.middle, limb.end, side);
  const V3 bend = lower - upper * dot(lower, upper);
  const float weight = smooth_step(0.1f, 0.5f, length(bend));
  float& before = hinge_roll_[limb.is_arm()][side];
  if (!(weight > 0)) {
    before = 0;
    return rotation;
  }
  const Quat from_rest = rotation * conjugate(to_.rest[to_.joint(limb.top, side)].rotation);
  const V3 folded = rotate(from_rest * hinge_rotation(limb, side), line_at_rest(limb.middle, limb.end, side));
  // Unwrap relative to the last frame.
  float roll = std::atan2(dot(cross(folded, bend), upper), dot(folded, bend));
  roll += 6.2831853f * std::round((before - roll) / 6.2831853f);
  before = roll;
  return normalized(body::rotation_about(upper, roll * weight) * rotation);
}

// Both bones of a limb point along the source's and bend as a hinge. The twist of the source's lower bone is
// left to the hand or foot.
void Retargeter::drive_limb(const Limb& limb, size_t side) {
  const Quat align = alignment(limb.top, limb.middle, side);
  set(limb.top, side, [=, this](const Rotations&) {
    const size_t target = to_.joint(limb.top, side);
    const Quat rotation =
        aimed(transferred(from_.joint(limb.top, side), target, align), target,
              line_at_rest(limb.top, limb.middle, side), line_now(limb.top, limb.middle, side));
    return rolled_to_hinge(rotation, limb, side);
  });
  set(limb.middle, side, [=, this](const Rotations& rotations) {
    const size_t above = to_.joint(limb.top, side), target = to_.joint(limb.middle, side);
    const Quat folded = rotations[above] * conjugate(to_.rest[above].rotation) * hinge_rotation(limb, side) *
                        to_.rest[target].rotation;
    return aimed(folded, target, line_at_rest(limb.middle, limb.end, side),
                 line_now(limb.middle, limb.end, side));
  });
}

// Hands rotate as the source's, relative to the direction of the forearms.
void Retargeter::drive_hand(size_t side) {
  const Quat align = alignment(Part::forearm, Part::hand, side);
  set(Part::hand, side, [=, this](const Rotations&) {
    return transferred(from_.joint(Part::hand, side), to_.joint(Part::hand, side), align);
  });
}

// Soles are flat at rest in both skeletons, so feet are aligned about the vertical only.
void Retargeter::drive_foot(size_t side) {
  const Quat align = rotation_between(unit_or_zero(rotate(base_, to_.heading(side))), from_.heading(side));
  set(Part::foot, side, [=, this](const Rotations&) {
    return transferred(from_.joint(Part::foot, side), to_.joint(Part::foot, side), align);
  });
  drivers_[to_.joint(Part::foot, side)]->limit = [=, this](const Rotations& rotations, Quat unlimited) {
    return limited_foot(rotations, side, unlimited);
  };
  if (both_have(Part::toes, side))
    set(Part::toes, side, [=, this](const Rotations& rotations) { return toes_rotation(rotations, side); });
}

// Limits a foot direction to the ankle's range. Captured feet may point backwards for seconds (CMU 05_06):
// the farther beyond the limit, the smaller the result, so that the foot does not jump from side to side.
V3 within_ankle(V3 straight, V3 ahead) {
  constexpr float kHalfTurn = 3.1415927f;
  const float angle = std::acos(std::clamp(dot(straight, ahead), -1.0f, 1.0f));
  const V3 axis = unit_or_zero(cross(straight, ahead));
  if (angle <= kMaxAnkle || !(length(axis) > 0)) return angle <= kMaxAnkle ? ahead : straight;
  const float limited_angle = kMaxAnkle * (kHalfTurn - angle) / (kHalfTurn - kMaxAnkle);
  return rotate(body::rotation_about(axis, limited_angle), straight);
}

// Points the foot along the source's. Its roll is replaced by half the sine of twice the angle: captured feet
// may be upside down, which then has no effect, and small angles are kept.
Quat Retargeter::limited_foot(const Rotations& rotations, size_t side, Quat unlimited) {
  const size_t target = to_.joint(Part::foot, side);
  const Quat attached = attached_to(rotations, to_.joint(Part::calf, side), target);
  const auto heading = [&](Quat rotation) {
    return unit_or_zero(rotate(rotation * conjugate(to_.rest[target].rotation), to_.heading(side)));
  };
  const V3 ahead = within_ankle(heading(attached), heading(unlimited));
  const Quat level = aimed(attached, target, to_.heading(side), ahead);
  const float roll = twist_angle(unlimited * conjugate(level), ahead);
  foot_roll_[side] = roll;
  return body::rotation_about(ahead, 0.5f * std::sin(2 * roll)) * level;
}

// Flexes the toes relative to the foot as the source's; inverted for a foot that is upside down.
Quat Retargeter::toes_rotation(const Rotations& rotations, size_t side) const {
  const size_t foot = from_.joint(Part::foot, side), toes = from_.joint(Part::toes, side);
  const Quat back_to_rest = from_.rest[foot].rotation * conjugate(source_[foot].rotation);
  const V3 tip = rotate(back_to_rest * from_.rotation_from_rest(source_, toes), from_.heading(side));
  const float bend = std::asin(std::clamp(tip.y, -1.0f, 1.0f)) * std::cos(foot_roll_[side]);
  const size_t target_foot = to_.joint(Part::foot, side), target_toes = to_.joint(Part::toes, side);
  const Quat up =
      body::rotation_about(cross(to_.heading(side), V3{0, 1, 0}), std::clamp(bend, kToesDown, kToesUp));
  return rotations[target_foot] * conjugate(to_.rest[target_foot].rotation) * up *
         to_.rest[target_toes].rotation;
}

Pose Retargeter::pose(std::span<const Transform> source) {
  source_ = source;
  for (const size_t side : {kLeft, kRight}) {
    const auto at = [&](Part part) { return source[from_.joint(part, side)].position; };
    knee_[side] = knee_filter_[side].next(at(Part::thigh), at(Part::calf), at(Part::foot), frame_time_);
  }
  Pose pose = body::rest_pose(to_.skeleton);
  Rotations rotations(to_.skeleton.size(), kIdentity);
  for (const size_t j : order_) {
    const int parent = to_.skeleton.joints[j].parent;
    const Quat above = parent == kNoJoint ? kIdentity : rotations[index_of(parent)];
    if (std::optional<Driver>& follow = drivers_[j]) {
      rotations[j] = normalized(follow->rotation(rotations));
      if (follow->may_jump) rotations[j] = follow->jump_filter.next(rotations[j], frame_time_);
      if (follow->limit) rotations[j] = normalized(follow->limit(rotations, rotations[j]));
    } else {
      rotations[j] = normalized(above * normalized(to_.skeleton.joints[j].rest.rotation));
    }
    pose.rotations[j] = normalized(conjugate(above) * rotations[j]);
  }
  return pose;
}

void Retargeter::report(RetargetReport& out) const {
  std::set<int> used;
  for (size_t j = 0; j < drivers_.size(); ++j) {
    const std::string& name = to_.skeleton.joints[j].name;
    if (!drivers_[j]) {
      out.kept.push_back(name);
      continue;
    }
    used.insert({drivers_[j]->first, drivers_[j]->second});
    out.mapped.push_back({name, from_.skeleton.joints[index_of(drivers_[j]->first)].name});
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
