#include "motion/measure.h"

#include <algorithm>
#include <cmath>

#include "body/surface.h"
#include "motion/figure.h"
#include "motion/limits.h"

namespace billow::motion {
namespace {

void keep(Most& most, double value, const std::string& where, double seconds) {
  if (value > most.value) most = {value, where, seconds};
}

// Points of the sole, each fixed to the foot or half to the foot and half to the toes.
struct SolePoint {
  V3 at;  // seen from the ankle, of the left foot
  bool toes;
};
std::vector<SolePoint> sole_points(const Sole& sole) {
  std::vector<SolePoint> points;
  for (const double x : {-0.6, 0.0, 0.6})
    for (const double z : {-0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8}) {
      const double y = -std::sqrt(std::max(0.0, 1 - x * x - z * z));
      if (x * x + z * z >= 1) continue;
      for (const Sole::Ball& ball : sole.balls)
        points.push_back({to_float(ball.centre + D3{x, y, z} * ball.radius), false});
      const D3 on = sole.toes_rotation * D3{x * sole.half.x, y * sole.half.y, z * sole.half.z};
      points.push_back({to_float(sole.toes + on), true});
    }
  return points;
}

// A sole in a frame. Its points do not see where ball and toes grow together; the lowest does.
struct SoleState {
  std::vector<D3> points;
  double lowest;  // above the ground
  double offset;  // of the lowest of the points above that

  bool touches(size_t point) const {
    constexpr double kTouches = 0.001, kNear = 0.003;
    return lowest < kTouches && points[point].y - offset < kNear;
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

  MotionFigures run();

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
  void measure_point(const std::string& name, Most& speed, Most& acceleration);
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
  MotionFigures out_;
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

// The turn from one frame's joint to the next as a vector.
D3 rotation_between(Quat a, Quat b) {
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
      const D3 now = rotation_between(clip_.frames[k - 1].rotations[j], clip_.frames[k].rotations[j]) * rate;
      keep(out_.joint_speed, length(now), person_.skeleton.joints[j].name, time(k));
      if (k > 1)
        keep(out_.joint_acceleration, length(now - before) * rate, person_.skeleton.joints[j].name, time(k));
      before = now;
    }
  }
}

void Measurer::measure_point(const std::string& name, Most& speed, Most& acceleration) {
  const double rate = static_cast<double>(clip_.frames_per_second);
  for (size_t k = 1; k < joints_.size(); ++k) {
    const D3 now = (at(k, name) - at(k - 1, name)) * rate;
    keep(speed, length(now), name, time(k));
    if (k > 1)
      keep(acceleration, length(now - (at(k - 1, name) - at(k - 2, name)) * rate) * rate, name, time(k));
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

// Where a foot turns about from one frame to the next: the point that stays where it is.
D3 centre_of_turn(const Transform& before, const Transform& now, double turn) {
  const D3 at = to_double(before.position), moved = to_double(now.position) - at;
  const double half = 0.5 / std::tan(0.5 * turn);
  return {at.x + 0.5 * moved.x + half * moved.z, 0, at.z + 0.5 * moved.z - half * moved.x};
}

// Follows the points of a sole from where each touched the ground. Where the foot turns on the spot they go
// round with it, and only what its centre of turning is beside them counts.
void Measurer::measure_slide(size_t side, const std::vector<SoleState>& soles) {
  constexpr double kPatch = 0.012, kTurns = 0.004;  // m, rad in a frame
  const std::string name = kSideNames[side] + std::string("foot");
  const size_t foot = joint(name);
  std::vector<D3> anchors = soles[0].points;
  double beside = 0;
  for (size_t k = 1; k < soles.size(); ++k) {
    const std::vector<D3>&before = soles[k - 1].points, &now = soles[k].points;
    const double turn = rotation_between(joints_[k - 1][foot].rotation, joints_[k][foot].rotation).y;
    const bool turns = std::fabs(turn) > kTurns;
    const D3 about = turns ? centre_of_turn(joints_[k - 1][foot], joints_[k][foot], turn) : D3{};
    double slid = 0, nearest = 1e30, most = 0;
    for (size_t i = 0; i < now.size(); ++i) {
      if (!soles[k - 1].touches(i) || !soles[k].touches(i)) {
        anchors[i] = now[i];
        continue;
      }
      nearest = std::min(nearest, std::hypot(about.x - before[i].x, about.z - before[i].z));
      most = std::max(most, std::hypot(now[i].x - before[i].x, now[i].z - before[i].z));
      if (turns) anchors[i] += now[i] - before[i];
      slid = std::max(slid, std::hypot(now[i].x - anchors[i].x, now[i].z - anchors[i].z));
    }
    const bool touches = nearest < 1e30;
    if (touches && turns) beside += std::min(most, std::max(0.0, nearest - kPatch) * std::fabs(turn));
    if (!touches) beside = 0;
    keep(out_.slide, slid + beside, name, time(k));
  }
}

void Measurer::measure_soles() {
  std::vector<double> lowest(joints_.size(), 1e30);
  for (size_t side = 0; side < kSides; ++side) {
    std::vector<SoleState> soles;
    for (size_t k = 0; k < joints_.size(); ++k) {
      soles.push_back(sole_at(k, side));
      lowest[k] = std::min(lowest[k], soles.back().lowest);
      keep(out_.sink, -soles.back().lowest, kSideNames[side] + std::string("foot"), time(k));
    }
    measure_slide(side, soles);
  }
  const double rate = static_cast<double>(clip_.frames_per_second);
  for (size_t k = 1; k + 1 < joints_.size(); ++k) {
    const auto height = [&](size_t frame) { return static_cast<double>(joints_[frame][0].position.y); };
    const double fall = (height(k - 1) + height(k + 1) - 2 * height(k)) * rate * rate;
    if (fall > -0.6 * kGravity) keep(out_.afloat, lowest[k], "feet", time(k));
  }
}

// Limbs as balls against the rest of the body.
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
  const auto has = [](const std::string& name, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* w) { return name.find(w) != std::string::npos; });
  };
  body::Surface trunk = part([&](const std::string& n) {
    return !has(n, {"arm", "hand", "thumb", "shoulder", "nose"});
  });
  body::Surface right_leg = part([&](const std::string& n) {
    return has(n, {"right_thigh", "right_shin", "right_calf", "right_foot", "right_toes"});
  });
  for (size_t k = 0; k < joints_.size(); ++k) {
    trunk.pose(joints_[k]);
    right_leg.pose(joints_[k]);
    for (size_t i = 0; i < person_.colliders.size(); ++i) {
      const std::string& name = person_.collider_names[i];
      const bool arm = has(name, {"forearm", "hand"});
      const bool leg = has(name, {"left_thigh", "left_shin", "left_calf", "left_foot"});
      if (!arm && !leg) continue;
      const billow_collider& c = person_.colliders[i];
      const Transform moved = joints_[k][c.joint[0]] * inverse(rest_[c.joint[0]]);
      V3 from{c.position[0], c.position[1], c.position[2]}, to{c.end[0], c.end[1], c.end[2]};
      float r0 = c.radius, r1 = c.radius_end;
      if (c.shape == BILLOW_SHAPE_ELLIPSOID) {
        const Quat q{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]};
        const V3 along = rotate(q, V3{0, 0.7f * c.half_extents[1], 0});
        to = from + along, from = from - along;
        r0 = r1 = std::min(c.half_extents[0], c.half_extents[2]);
      }
      for (const float share : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
        if (name.find("thigh") != std::string::npos && share < 0.5f) continue;  // thighs touch at the crotch
        const V3 point = apply(moved, from + (to - from) * share);
        const float depth = r0 + (r1 - r0) * share - (arm ? trunk : right_leg).at(point).distance;
        keep(out_.inside, static_cast<double>(depth), name, time(k));
      }
    }
  }
}

MotionFigures Measurer::run() {
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

MotionFigures measure(const body::Person& person, const Clip& clip) {
  validate(person.skeleton, clip);
  return Measurer(person, clip).run();
}

}  // namespace billow::motion
