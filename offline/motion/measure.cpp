#include "motion/measure.h"

#include <algorithm>
#include <cmath>

#include "body/postures.h"
#include "body/surface.h"
#include "motion/figure.h"
#include "motion/rotation.h"

namespace billow::motion {
namespace {

class Margin {
 public:
  void check(const std::string& joint, const char* name, double angle, double low, double high) {
    // Allow for rounding in angles without a range.
    constexpr double kRounding = 0.5 * kDegree;
    const double margin = std::min(angle - low, high - angle) + (low == high ? kRounding : 0);
    if (low == high && margin > 0) return;
    if (margin < result.radians) result = {margin, joint + " " + name};
  }
  LimitMargin result{1e30, ""};
};

Rotation rotation_at(const body::Skeleton& person, const body::Pose& pose, const std::string& joint) {
  return to_rotation(pose.rotations[static_cast<size_t>(person.at(joint))]);
}

// Checks joints whose angles are about x, z and y, in this order. Arms have other axes: see check_arm.
void check_ranges(const body::Skeleton& person, const body::Pose& pose, Margin& margin) {
  for (const body::JointRange& range : body::joint_ranges(person)) {
    const std::string& joint = person.joints[static_cast<size_t>(range.joint)].name;
    if (joint.find("arm") != std::string::npos || joint.find("hand") != std::string::npos) continue;
    const AnglesXzy angles = angles_xzy(rotation_at(person, pose, joint));
    const double values[3] = {angles.x, angles.z, angles.y};
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, sign[3] = {1, 1, 1};
    const char* names[3] = {"about x", "about z", "about y"};
    for (size_t k = 0; k < 3; ++k) {
      if (!range.names[k]) continue;
      const V3 a = range.axes[k];
      const size_t axis = a.x != 0 ? 0 : a.z != 0 ? 1 : 2;
      names[axis] = range.names[k];
      sign[axis] = static_cast<double>(a.x + a.y + a.z);
      low[axis] = static_cast<double>(range.low[k]), high[axis] = static_cast<double>(range.high[k]);
    }
    if (joint.find("foot") != std::string::npos) high[0] = 30 * kDegree;
    for (size_t k = 0; k < 3; ++k) margin.check(joint, names[k], sign[k] * values[k], low[k], high[k]);
  }
}

void check_arm(const body::Skeleton& person, const body::Pose& pose, const std::string& side, double s,
               Margin& margin) {
  const double slant = std::sqrt(0.5);
  const D3 down{s * slant, -slant, 0}, elbow{-slant, -s * slant, 0}, front{0, 0, 1};
  // Shoulder: elevation, extension and adduction, then the twist relative to the shortest rotation from
  // hanging.
  const Rotation arm = rotation_at(person, pose, side + "upper_arm");
  const D3 direction = arm * down, hang{0, -1, 0};
  const double up = std::acos(std::clamp(-direction.y, -1.0, 1.0));
  margin.check(side + "upper_arm", "up", up, -1, 165 * kDegree);
  margin.check(side + "upper_arm", "back", std::asin(std::clamp(-direction.z, -1.0, 1.0)), -9,
               mix(60, 25, smooth_step(30 * kDegree, 150 * kDegree, up)) * kDegree);
  margin.check(side + "upper_arm", "across", std::asin(std::clamp(-s * direction.x, -1.0, 1.0)), -9,
               45 * kDegree);
  const D3 axis = cross(hang, direction);
  const Rotation swing = length(axis) > 1e-6 ? about(unit(axis), up) : Rotation{};
  const D3 local_front = transposed(swing * about_z(-s * 45 * kDegree)) * (arm * front);
  if (up < 110 * kDegree)  // above, the shortest rotation becomes ambiguous
    margin.check(side + "upper_arm", "turn", std::atan2(dot(local_front, cross(down, front)), local_front.z),
                 -90 * kDegree, 90 * kDegree);
  const D3 bent = rotation_at(person, pose, side + "forearm") * down;
  margin.check(side + "forearm", "flex", std::atan2(bent.z, dot(bent, down)), -0.5 * kDegree, 145 * kDegree);
  margin.check(side + "forearm", "aside", dot(bent, elbow), 0, 0);
  // Hand: rotation with the forearm, then flexion.
  const Rotation hand = rotation_at(person, pose, side + "hand");
  const D3 fingers = hand * down, palm = hand * front;
  margin.check(side + "hand", "flex", std::acos(std::clamp(dot(fingers, down), -1.0, 1.0)), -1, 70 * kDegree);
  margin.check(side + "hand", "turn", std::atan2(dot(palm, cross(down, front)), palm.z), -80 * kDegree,
               80 * kDegree);
}

void update(Peak& most, double value, const std::string& where, double seconds) {
  if (value > most.value) most = {value, where, seconds};
}

// A sample point of the sole, skinned to the foot, or half to the foot and half to the toes.
struct SolePoint {
  V3 at;  // relative to the ankle, of the left foot
  bool toes;
};
std::vector<SolePoint> sole_points(const Sole& sole) {
  std::vector<SolePoint> points;
  for (const double x : {-0.6, 0.0, 0.6})
    for (const double z : {-0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8}) {
      const double y = -std::sqrt(std::max(0.0, 1 - x * x - z * z));
      if (x * x + z * z >= 1) continue;
      for (const Sole::Sphere& sphere : sole.spheres)
        points.push_back({to_float(sphere.centre + D3{x, y, z} * sphere.radius), false});
      const D3 on = sole.toes_rotation * D3{x * sole.half.x, y * sole.half.y, z * sole.half.z};
      points.push_back({to_float(sole.toes + on), true});
    }
  return points;
}

// A sole in one frame. `lowest` includes the smooth union of ball and toes, which the sample points do not.
struct SoleState {
  std::vector<D3> points;
  double lowest;  // m above the ground
  double offset;  // m, height of the lowest sample point above `lowest`

  bool touches(size_t point) const {
    constexpr double kMaxHeight = 0.001, kNear = 0.003;
    return lowest < kMaxHeight && points[point].y - offset < kNear;
  }
};

class Measurer {
 public:
  Measurer(const body::Person& person, const Clip& clip)
      : person_(person),
        clip_(clip),
        figure_(person),
        rest_(body::rest_transforms(person.skeleton)),
        soles_(sole_points(figure_.sole)) {}

  MotionMeasures run();

 private:
  double time(size_t frame) const {
    return static_cast<double>(frame) / static_cast<double>(clip_.frames_per_second);
  }
  size_t joint(const std::string& name) const { return static_cast<size_t>(person_.skeleton.at(name)); }
  D3 at(size_t frame, const std::string& name) const {
    return to_double(joints_[frame][joint(name)].position);
  }
  void measure_limits();
  void measure_joints();
  void measure_point(const std::string& name, Peak& speed, Peak& acceleration);
  void measure_soles();
  SoleState sole_at(size_t frame, size_t side) const;
  void measure_slide(size_t side, const std::vector<SoleState>& soles);
  void measure_inside();

  const body::Person& person_;
  const Clip& clip_;
  Figure figure_;
  std::vector<Transform> rest_;
  std::vector<SolePoint> soles_;
  std::vector<std::vector<Transform>> joints_;
  MotionMeasures out_;
};

void Measurer::measure_limits() {
  out_.limit_margin = 1e30;
  for (size_t k = 0; k < clip_.frames.size(); ++k) {
    const LimitMargin margin = limit_margin(person_.skeleton, clip_.frames[k]);
    if (margin.radians >= out_.limit_margin) continue;
    out_.limit_margin = margin.radians;
    out_.limit_angle = margin.angle;
    out_.limit_seconds = time(k);
  }
}

// Rotation from one frame to the next as a rotation vector.
D3 rotation_vector(Quat a, Quat b) {
  const Quat q = normalized(b * conjugate(a));
  const double s = q.w < 0 ? -1 : 1, w = std::min(1.0, s * static_cast<double>(q.w));
  const D3 v = to_double(V3{q.x, q.y, q.z}) * s;
  const double l = length(v);
  return l > 1e-12 ? v * (2 * std::atan2(l, w) / l) : v * 2.0;
}

void Measurer::measure_joints() {
  const double rate = static_cast<double>(clip_.frames_per_second);
  for (size_t j = 0; j < person_.skeleton.size(); ++j) {
    D3 before{0, 0, 0};
    for (size_t k = 1; k < clip_.frames.size(); ++k) {
      const D3 now = rotation_vector(clip_.frames[k - 1].rotations[j], clip_.frames[k].rotations[j]) * rate;
      update(out_.joint_speed, length(now), person_.skeleton.joints[j].name, time(k));
      if (k > 1)
        update(out_.joint_acceleration, length(now - before) * rate, person_.skeleton.joints[j].name,
               time(k));
      before = now;
    }
  }
}

void Measurer::measure_point(const std::string& name, Peak& speed, Peak& acceleration) {
  const double rate = static_cast<double>(clip_.frames_per_second);
  for (size_t k = 1; k < joints_.size(); ++k) {
    const D3 now = (at(k, name) - at(k - 1, name)) * rate;
    update(speed, length(now), name, time(k));
    if (k > 1)
      update(acceleration, length(now - (at(k - 1, name) - at(k - 2, name)) * rate) * rate, name, time(k));
  }
}

SoleState Measurer::sole_at(size_t frame, size_t side) const {
  const std::string name = kSideNames[side];
  const size_t foot = joint(name + "foot"), toes = joint(name + "toes");
  const V3 to_toes = rest_[toes].position - rest_[foot].position;
  SoleState out;
  double low = 1e30;
  for (const SolePoint& p : soles_) {
    const V3 local{static_cast<float>(sign_of(side)) * p.at.x, p.at.y, p.at.z};
    const V3 on_foot = apply(joints_[frame][foot], local);
    const V3 on_toes = p.toes ? apply(joints_[frame][toes], local - to_toes) : on_foot;
    out.points.push_back(to_double((on_foot + on_toes) * 0.5f));
    low = std::min(low, out.points.back().y);
  }
  const double flex = -angles_xzy(to_rotation(clip_.frames[frame].rotations[toes])).x;
  out.lowest = static_cast<double>(joints_[frame][foot].position.y) +
               figure_.sole.lowest(to_rotation(joints_[frame][foot].rotation), flex, side);
  out.offset = std::max(0.0, low - out.lowest);
  return out;
}

// Instantaneous centre of a foot's rotation from one frame to the next.
D3 centre_of_turn(const Transform& before, const Transform& now, double turn) {
  const D3 at = to_double(before.position), moved = to_double(now.position) - at;
  const double half = 0.5 / std::tan(0.5 * turn);
  return {at.x + 0.5 * moved.x + half * moved.z, 0, at.z + 0.5 * moved.z - half * moved.x};
}

// Tracks each sole point from where it touched the ground. While the foot twists, its points are allowed to
// rotate with it; only the distance of the rotation centre from the contact patch counts.
void Measurer::measure_slide(size_t side, const std::vector<SoleState>& soles) {
  constexpr double kContactRadius = 0.012, kMinTwist = 0.004;  // m, rad per frame
  const std::string name = kSideNames[side] + std::string("foot");
  const size_t foot = joint(name);
  std::vector<D3> anchors = soles[0].points;
  double pivot_slide = 0;
  for (size_t k = 1; k < soles.size(); ++k) {
    const std::vector<D3>&before = soles[k - 1].points, &now = soles[k].points;
    const double turn = rotation_vector(joints_[k - 1][foot].rotation, joints_[k][foot].rotation).y;
    const bool twists = std::fabs(turn) > kMinTwist;
    const D3 pivot = twists ? centre_of_turn(joints_[k - 1][foot], joints_[k][foot], turn) : D3{};
    double slid = 0, nearest = 1e30, max_step = 0;
    for (size_t i = 0; i < now.size(); ++i) {
      if (!soles[k - 1].touches(i) || !soles[k].touches(i)) {
        anchors[i] = now[i];
        continue;
      }
      nearest = std::min(nearest, std::hypot(pivot.x - before[i].x, pivot.z - before[i].z));
      max_step = std::max(max_step, std::hypot(now[i].x - before[i].x, now[i].z - before[i].z));
      if (twists) anchors[i] += now[i] - before[i];
      slid = std::max(slid, std::hypot(now[i].x - anchors[i].x, now[i].z - anchors[i].z));
    }
    const bool touches = nearest < 1e30;
    if (touches && twists)
      pivot_slide += std::min(max_step, std::max(0.0, nearest - kContactRadius) * std::fabs(turn));
    if (!touches) pivot_slide = 0;
    update(out_.slide, slid + pivot_slide, name, time(k));
  }
}

void Measurer::measure_soles() {
  std::vector<double> lowest(joints_.size(), 1e30);
  for (size_t side = 0; side < kSides; ++side) {
    std::vector<SoleState> soles;
    for (size_t k = 0; k < joints_.size(); ++k) {
      soles.push_back(sole_at(k, side));
      lowest[k] = std::min(lowest[k], soles.back().lowest);
      update(out_.ground_penetration, -soles.back().lowest, kSideNames[side] + std::string("foot"), time(k));
    }
    measure_slide(side, soles);
  }
  const double rate = static_cast<double>(clip_.frames_per_second);
  for (size_t k = 1; k + 1 < joints_.size(); ++k) {
    const auto height = [&](size_t frame) { return static_cast<double>(joints_[frame][0].position.y); };
    const double fall = (height(k - 1) + height(k + 1) - 2 * height(k)) * rate * rate;
    if (fall > -0.6 * kGravity) update(out_.floating, lowest[k], "feet", time(k));
  }
}

bool has_word(const std::string& name, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* w) { return name.find(w) != std::string::npos; });
}

// A point inside a forearm, a hand or the left leg, and how far it is from the surface of that.
struct LimbProbe {
  size_t collider;
  bool arm;
  V3 rest;
  float radius;
};

std::vector<LimbProbe> limb_probes(const body::Person& person) {
  std::vector<LimbProbe> probes;
  for (size_t i = 0; i < person.colliders.size(); ++i) {
    const std::string& name = person.collider_names[i];
    const bool arm = has_word(name, {"forearm", "hand"});
    const bool leg = has_word(name, {"left_thigh", "left_shin", "left_calf", "left_foot"});
    if (!arm && !leg) continue;
    const billow_collider& c = person.colliders[i];
    V3 from{c.position[0], c.position[1], c.position[2]}, to{c.end[0], c.end[1], c.end[2]};
    float r0 = c.radius, r1 = c.radius_end;
    if (c.shape == BILLOW_SHAPE_ELLIPSOID) {
      const Quat q{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]};
      const V3 along = rotate(q, V3{0, 0.7f * c.half_extents[1], 0});
      to = from + along, from = from - along;
      r0 = r1 = std::min(c.half_extents[0], c.half_extents[2]);
    }
    for (const float share : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
      if (name.find("thigh") != std::string::npos && share < 0.5f)
        continue;  // thighs always touch at the top
      probes.push_back({i, arm, from + (to - from) * share, r0 + (r1 - r0) * share});
    }
  }
  return probes;
}

// Penetration of limbs, sampled as spheres, into the rest of the body.
void Measurer::measure_inside() {
  const auto part = [&](auto keep_collider) {
    std::vector<billow_collider> some;
    for (size_t i = 0; i < person_.colliders.size(); ++i)
      if (keep_collider(person_.collider_names[i])) {
        some.push_back(person_.colliders[i]);
        some.back().blend_with = -1, some.back().blend_radius = 0;
      }
    return body::Surface(person_.skeleton, some);
  };
  body::Surface trunk = part([&](const std::string& n) {
    return !has_word(n, {"arm", "hand", "thumb", "shoulder", "nose"});
  });
  body::Surface right_leg = part([&](const std::string& n) {
    return has_word(n, {"right_thigh", "right_shin", "right_calf", "right_foot", "right_toes"});
  });
  const std::vector<LimbProbe> probes = limb_probes(person_);
  // All points of a frame in one query of each part: a query of one point costs as much as one of thirty.
  std::vector<V3> points[2];
  std::vector<float> distances[2];
  for (size_t k = 0; k < joints_.size(); ++k) {
    for (const bool arm : {false, true}) points[arm].clear();
    for (const LimbProbe& p : probes) {
      const uint32_t joint = person_.colliders[p.collider].joint[0];
      points[p.arm].push_back(apply(joints_[k][joint] * inverse(rest_[joint]), p.rest));
    }
    for (const bool arm : {false, true}) {
      body::Surface& surface = arm ? trunk : right_leg;
      surface.pose(joints_[k]);
      distances[arm].resize(points[arm].size());
      surface.query(points[arm], distances[arm]);
    }
    size_t next[2] = {0, 0};
    for (const LimbProbe& p : probes)
      update(out_.self_penetration, static_cast<double>(p.radius - distances[p.arm][next[p.arm]++]),
             person_.collider_names[p.collider], time(k));
  }
}

MotionMeasures Measurer::run() {
  out_.frames = clip_.frames.size();
  out_.seconds = static_cast<double>(clip_.duration());
  for (const Pose& pose : clip_.frames) joints_.push_back(body::joint_transforms(person_.skeleton, pose));
  for (size_t k = 1; k < joints_.size(); ++k) {
    const D3 step = at(k, "pelvis") - at(k - 1, "pelvis");
    out_.distance += std::hypot(step.x, step.z);
  }
  measure_limits();
  measure_joints();
  measure_point("pelvis", out_.pelvis_speed, out_.pelvis_acceleration);
  for (const std::string side : kSideNames) {
    measure_point(side + "hand", out_.hand_speed, out_.hand_acceleration);
    measure_point(side + "foot", out_.foot_speed, out_.foot_acceleration);
  }
  measure_soles();
  measure_inside();
  return out_;
}

}  // namespace

LimitMargin limit_margin(const body::Skeleton& person, const body::Pose& pose) {
  Margin margin;
  check_ranges(person, pose, margin);
  check_arm(person, pose, "left_", 1, margin);
  check_arm(person, pose, "right_", -1, margin);
  return margin.result;
}

MotionMeasures measure(const body::Person& person, const Clip& clip) {
  validate(person.skeleton, clip);
  return Measurer(person, clip).run();
}

}  // namespace billow::motion
