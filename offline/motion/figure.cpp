#include "motion/figure.h"

#include <stdexcept>
#include <string>

namespace billow::motion {
namespace {

D3 load(const float* p) {
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

D3 mirrored(D3 v, size_t side) { return {sign_of(side) * v.x, v.y, v.z}; }

Sole sole_of(const body::Person& person) {
  const std::vector<Transform> rest = body::rest_transforms(person.skeleton);
  const auto joint = [&](const char* name) {
    return to_double(rest[static_cast<size_t>(person.skeleton.at(name))].position);
  };
  const auto collider = [&](const std::string& name) -> const billow_collider& {
    for (size_t i = 0; i < person.colliders.size(); ++i)
      if (person.collider_names[i] == name) return person.colliders[i];
    throw std::invalid_argument("motion: expected a person with a collider '" + name + "', found none");
  };
  const D3 ankle = joint("left_foot");
  const billow_collider &foot = collider("left_foot"), &toes = collider("left_toes");
  Sole sole;
  sole.spheres[0] = {load(foot.position) - ankle, static_cast<double>(foot.radius)};
  sole.spheres[1] = {load(foot.end) - ankle, static_cast<double>(foot.radius_end)};
  sole.toes = load(toes.position) - ankle;
  sole.half = load(toes.half_extents);
  sole.toes_rotation = to_rotation({toes.rotation[0], toes.rotation[1], toes.rotation[2], toes.rotation[3]});
  sole.toe_joint = joint("left_toes") - ankle;
  sole.blend = static_cast<double>(toes.blend_radius);
  return sole;
}

}  // namespace

double Sole::lowest(const Rotation& foot, double toes_flex, size_t side, double* on_toes) const {
  // Smooth minimum over the parts, with a width of a millimetre, so that the contact moves continuously.
  constexpr double kSoft = 0.001;
  std::array<double, 3> y;
  for (size_t k = 0; k < 2; ++k) y[k] = (foot * mirrored(spheres[k].centre, side)).y - spheres[k].radius;
  const D3 joint = mirrored(toe_joint, side), centre = mirrored(toes, side);
  const D3 bent = joint + about_x(-toes_flex) * (centre - joint);
  const Rotation turned = foot * about_x(-0.5 * toes_flex);
  const D3 along{half.x * (turned * mirrored(toes_rotation.x, side)).y,
                 half.y * (turned * mirrored(toes_rotation.y, side)).y,
                 half.z * (turned * mirrored(toes_rotation.z, side)).y};
  y[2] = (foot * ((centre + bent) * 0.5)).y - length(along);
  // Where ball and toes are about equally low, their smooth union bulges by up to a quarter of its radius;
  // less, as they are a little apart.
  constexpr double kSeparation = 0.8;
  const double even = std::max(0.0, 1 - std::fabs(y[1] - y[2]) / blend);
  for (const size_t k : {1, 2}) y[k] -= kSeparation * 0.25 * blend * even * even;
  const double minimum = std::min({y[0], y[1], y[2]});
  double sum = 0;
  for (const double v : y) sum += std::exp((minimum - v) / kSoft);
  if (on_toes) *on_toes = std::exp((minimum - y[2]) / kSoft) / sum;
  return minimum - kSoft * std::log(sum);
}

D3 Sole::lowest_of_toes(double pitch, double toes_flex) const {
  const D3 bent = toe_joint + about_x(-toes_flex) * (toes - toe_joint);
  const Rotation turned = about_x(pitch - 0.5 * toes_flex) * toes_rotation;
  const D3 along{half.x * turned.x.y, half.y * turned.y.y, half.z * turned.z.y};
  const D3 down =
      turned.x * (half.x * along.x) + turned.y * (half.y * along.y) + turned.z * (half.z * along.z);
  return about_x(pitch) * ((toes + bent) * 0.5) - down * (1 / length(along));
}

double FootRoll::toes(double pitch) {
  // Follow the pitch, saturating at the maximum flexion.
  constexpr double kMaxFlex = 58 * kDegree;
  return pitch <= 0 ? 0 : kMaxFlex * std::tanh(pitch / kMaxFlex * (1 + 0.35 * pitch / kMaxFlex));
}

FootRoll::FootRoll(const Sole& sole) {
  constexpr double kStep = 0.5 * kDegree;
  constexpr int kLow = -80, kHigh = 180;  // steps: from -40 to 90 degrees
  // Rolling without slipping: the ankle rotates about the contact point, so it advances by its height above
  // that per radian. On the toes, flexion also moves the toe joint, about which the foot rotates.
  const auto advance = [&](double pitch) {
    double on_toes = 0;
    const double h = -sole.lowest(about_x(pitch), toes(pitch), 0, &on_toes);
    const double joint = h + (about_x(pitch) * sole.toe_joint).y;
    const double toes_turn = 1 - 0.5 * (toes(pitch + 1e-4) - toes(pitch - 1e-4)) / 2e-4;
    return mix(h, h - joint + toes_turn * joint, on_toes);
  };
  std::vector<double> forward{0};
  for (int k = kLow; k < kHigh; ++k) forward.push_back(forward.back() + kStep * advance((k + 0.5) * kStep));
  for (int k = kLow; k <= kHigh; ++k) {
    const double pitch = k * kStep;
    height_.key(pitch, -sole.lowest(about_x(pitch), toes(pitch), 0));
    forward_.key(pitch, forward[static_cast<size_t>(k - kLow)] - forward[static_cast<size_t>(-kLow)]);
    const D3 touching = sole.lowest_of_toes(pitch, toes(pitch));
    aside_.key(pitch, touching.x);
    ahead_.key(pitch, touching.z + forward_.at(pitch));
  }
}

Figure::Figure(const body::Person& of) : person(of), sole(sole_of(of)), roll(sole) {
  const body::Skeleton& s = person.skeleton;
  const auto offset = [&](const std::string& joint) {
    return to_double(s.joints[static_cast<size_t>(s.at(joint))].rest.position);
  };
  for (size_t side = 0; side < kSides; ++side) {
    const std::string name = kSideNames[side];
    hip[side] = offset(name + "thigh");
    thigh[side] = offset(name + "calf");
    shin[side] = offset(name + "foot");
  }
  leg = length(thigh[0] + shin[0]);
  size = static_cast<double>(person.shape.height) / 1.75;
  // Stand with the feet under the hips, farther apart for thick thighs.
  spread = 0.04 * std::max(0.0, static_cast<double>(person.shape.build)) * size;
  stance = hip[0].x + 0.005 * size + 0.5 * spread;
  stand_height = pelvis_height(6 * kDegree, stance - hip[0].x, roll.height(0));
}

double Figure::reach(size_t side, double knee) const {
  return length(thigh[side] + about_x(knee) * shin[side]);
}

double Figure::pelvis_height(double knee, double apart, double ankle_height) const {
  const double d = reach(0, knee);
  return ankle_height + std::sqrt(std::max(0.01 * d * d, d * d - apart * apart)) - hip[0].y;
}

Rotation thigh_rotation(size_t side, const LegAngles& angles) {
  const double s = sign_of(side);
  return from_xzy({-angles[kHip], s * angles[kAbduct], s * angles[kHipTurn]});
}

void set_thigh(size_t side, const Rotation& thigh, LegAngles& angles) {
  const AnglesXzy a = angles_xzy(thigh);
  angles[kHip] = -a.x;
  angles[kAbduct] = sign_of(side) * a.z;
  angles[kHipTurn] = sign_of(side) * a.y;
}

Figure::Aim Figure::aim(size_t side, D3 ankle, D3 axis) const {
  constexpr double kStraight = 0.5 * kDegree, kBent = 134 * kDegree;
  const D3 a = thigh[side], b = shin[side], to_ankle = ankle - hip[side], x{1, 0, 0};
  // Law of cosines for the knee, a hinge about x.
  const double p = a.y * b.y + a.z * b.z, q = a.z * b.y - a.y * b.z;
  const double wanted = 0.5 * (dot(to_ankle, to_ankle) - dot(a, a) - dot(b, b)) - a.x * b.x;
  const double knee = std::clamp(
      std::atan2(q, p) + std::acos(std::clamp(wanted / std::hypot(p, q), -1.0, 1.0)), kStraight, kBent);
  // Rotate the flexed leg towards the ankle, then about that line.
  const D3 from = unit(a + about_x(knee) * b), to = unit(to_ankle);
  const D3 from2 = unit(x - from * dot(x, from)), to2 = unit(axis - to * dot(axis, to));
  return {knee, Rotation{to, to2, cross(to, to2)} * transposed({from, from2, cross(from, from2)})};
}

LegAngles Figure::solve(size_t side, const FootPose& foot) const {
  Aim leg_at = aim(side, foot.ankle, foot.rotation.x);
  // Rotate the leg about the line from hip to ankle until the knee's axis is perpendicular to the foot, so
  // that the ankle need not twist. The axis moves on a circle c + u cos + v sin.
  const D3 direction = unit(foot.ankle - hip[side]), axis = leg_at.thigh.x,
           c = direction * dot(axis, direction);
  const D3 u = axis - c, v = cross(direction, u), f = foot.rotation.z;
  const double along = dot(u, f), aside = dot(v, f), radius = std::hypot(along, aside);
  if (radius > 0.05) {
    const double at = std::atan2(aside, along),
                 offset = std::acos(std::clamp(-dot(c, f) / radius, -1.0, 1.0));
    const double one = std::remainder(at + offset, 2 * kPi), other = std::remainder(at - offset, 2 * kPi);
    const double twist = std::fabs(one) < std::fabs(other) ? one : other;
    leg_at.thigh = about(direction, twist * smooth_step(0.15, 0.4, radius)) * leg_at.thigh;
  }
  LegAngles out{};
  set_thigh(side, leg_at.thigh, out);
  out[kKnee] = leg_at.knee;
  const AnglesXzy ankle = angles_xzy(transposed(leg_at.thigh * about_x(leg_at.knee)) * foot.rotation);
  out[kAnkle] = -ankle.x;
  out[kTilt] = sign_of(side) * ankle.z;
  return out;
}

FootPose Figure::foot_of(size_t side, const LegAngles& angles) const {
  const Rotation thigh_turn = thigh_rotation(side, angles), shin_turn = thigh_turn * about_x(angles[kKnee]);
  return {hip[side] + thigh_turn * thigh[side] + shin_turn * shin[side],
          shin_turn * about_x(-angles[kAnkle]) * about_z(sign_of(side) * angles[kTilt])};
}

}  // namespace billow::motion
