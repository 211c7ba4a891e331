#include "motion/legs.h"

#include <algorithm>

namespace billow::motion {

namespace {

constexpr double kMargin = 0.5;           // s, also solved before and after the requested interval
constexpr double kCorrectionTime = 0.10;  // s, ramp of pelvis and heel corrections
constexpr double kApproachTime = 0.05;    // s, final approach of a foot before it strikes

}  // namespace

Legs::Legs(const MotionPlan& plan, double from, double to) : plan_(plan) {
  const size_t count = static_cast<size_t>((to - from + 2 * kMargin) * pelvis_drop_.rate) + 1;
  lower_pelvis(from - kMargin, count);
  raise_heels(from - kMargin, count);
  for (size_t side = 0; side < kSides; ++side) {
    const std::vector<Contact>& contacts = plan_.feet[side].contacts;
    for (size_t i = 0; i + 1 < contacts.size(); ++i)
      if (contacts[i + 1].from > contacts[i].to && contacts[i + 1].from >= from - kMargin &&
          contacts[i].to <= to + kMargin)
        add_swing(side, contacts[i], contacts[i + 1]);
  }
}

// Lowers the pelvis smoothly where a stance leg would be too short.
void Legs::lower_pelvis(double from, size_t count) {
  std::vector<double> values(count);
  pelvis_drop_.from = from;
  for (size_t k = 0; k < count; ++k) values[k] = shortfall(pelvis_drop_.time(k));
  smooth_envelope(values, static_cast<size_t>(kCorrectionTime * pelvis_drop_.rate));
  pelvis_drop_.values = values;
}

// Raises heels where the ankle would exceed its maximum dorsiflexion.
void Legs::raise_heels(double from, size_t count) {
  constexpr double kMaxAnkle = 27 * kDegree, kMaxPitch = 55 * kDegree;
  for (size_t side = 0; side < kSides; ++side) {
    std::vector<double> values(count);
    heel_raise_[side].from = from;
    for (size_t k = 0; k < count; ++k) {
      const double t = pelvis_drop_.time(k);
      const Contact* contact = contact_at(side, t);
      if (!contact) continue;
      const double pitch = contact->pitch.at(t);
      if (standing(side, *contact, t, pitch)[kAnkle] <= kMaxAnkle) continue;
      double low = 0, high = kMaxPitch;
      for (int round = 0; round < 20; ++round) {
        const double middle = 0.5 * (low + high);
        (standing(side, *contact, t, pitch + middle)[kAnkle] > kMaxAnkle ? low : high) = middle;
      }
      values[k] = high;
    }
    smooth_envelope(values, static_cast<size_t>(0.6 * kCorrectionTime * pelvis_drop_.rate));
    heel_raise_[side].values = values;
  }
}

Frame pelvis_of(const MotionPlan& plan, double t) {
  const auto value = [&](Channel c) { return plan.value_with_sway(c, t); };
  return {{value(kRootX), value(kHeight), value(kRootZ)},
          about_y(value(kHeading) + value(kPelvisTurn)) * about_x(value(kPelvisTilt)) *
              about_z(value(kPelvisList))};
}

D3 ankle_at(const Figure& figure, const GroundPose& foot, double pitch) {
  const GroundPose at = offset_pose(foot, 0, figure.roll.forward(pitch));
  return {at.x, figure.roll.height(pitch), at.z};
}

Frame Legs::pelvis(double t) const {
  Frame frame = pelvis_of(plan_, t);
  frame.position.y -= pelvis_drop_.at(t);
  return frame;
}

const Contact* Legs::contact_at(size_t side, double time) const {
  const std::vector<Contact>& contacts = plan_.feet[side].contacts;
  const auto next = std::upper_bound(contacts.begin(), contacts.end(), time,
                                     [](double t, const Contact& c) { return t < c.from; });
  return next == contacts.begin() || (next - 1)->to < time ? nullptr : &*(next - 1);
}

double Legs::pitch_in(size_t side, const Contact& contact, double time) const {
  return contact.pitch.at(time) + heel_raise_[side].at(time);
}

// World-space pose of a planted foot.
FootPose Legs::foot_in(size_t side, const Contact& contact, double time, double pitch) const {
  const Figure& figure = plan_.figure;
  // Twist about the toe contact, then roll over the sole.
  const GroundPose turned = contact.twisted(figure, side, time);
  return {ankle_at(figure, turned, pitch), about_y(turned.heading) * about_x(pitch)};
}

LegAngles Legs::standing(size_t side, const Contact& contact, double time, double pitch) const {
  const Figure& figure = plan_.figure;
  const Frame hips = pelvis(time);
  const Rotation back = transposed(hips.rotation);
  FootPose foot = foot_in(side, contact, time, pitch);
  const auto solved = [&] {
    return figure.solve(side, {back * (foot.ankle - hips.position), back * foot.rotation});
  };
  LegAngles out = solved();
  // If a leaning leg would tilt the ankle too far, roll the foot onto its edge.
  constexpr double kMaxTilt = 10 * kDegree, kShare = 0.92;
  const double excess = std::fabs(out[kTilt]) - kMaxTilt;
  if (excess > 0) {
    const double edge =
        -std::copysign(kShare * excess * excess / (excess + 3 * kDegree), out[kTilt]) * sign_of(side);
    const Rotation turned = about_y(contact.pose.heading + contact.twist.at(time));
    foot.rotation = turned * about_z(edge) * about_x(pitch);
    // The ankle moves sideways, since the edge does not slip.
    foot.ankle += turned.x * (-edge * foot.ankle.y);
    foot.ankle.y = -figure.sole.lowest(foot.rotation, FootRoll::toes(pitch), side);
    out = solved();
  }
  out[kToes] = FootRoll::toes(pitch);
  return out;
}

// The distance by which the pelvis has to drop for all planted feet to be in reach.
double Legs::shortfall(double time) const {
  constexpr double kMinBend = 3 * kDegree, kMaxDrop = 0.6;  // the latter in leg lengths
  const Figure& figure = plan_.figure;
  double drop = 0;
  for (size_t side = 0; side < kSides; ++side) {
    const Contact* contact = contact_at(side, time);
    if (!contact) continue;
    const Frame hips = pelvis(time);
    const D3 from_ankle = hips.position + hips.rotation * figure.hip[side] -
                          foot_in(side, *contact, time, contact->pitch.at(time)).ankle;
    const double reach = figure.reach(side, kMinBend);
    const double height =
        std::sqrt(std::max(0.0, reach * reach - from_ankle.x * from_ankle.x - from_ankle.z * from_ankle.z));
    drop = std::max(drop, std::min(kMaxDrop * figure.leg, from_ankle.y - height));
  }
  return drop;
}

Legs::SwingState Legs::state_of(size_t side, double time, const LegAngles& angles) const {
  const Frame hips = pelvis(time);
  const Rotation level = about_y(-plan_.value(kHeading, time)) * hips.rotation;
  const D3 to_ankle = level * (plan_.figure.foot_of(side, angles).ankle - plan_.figure.hip[side]);
  // The horizontal axis nearest to the knee's axis.
  const D3 knee = level * thigh_rotation(side, angles).x, down = unit(to_ankle);
  const D3 square = knee - down * dot(knee, down), axis = square * -down.y + down * square.y;
  const double r = length(to_ankle), s = sign_of(side);
  SwingState out{};
  out[kLegForward] = std::atan2(to_ankle.z, -to_ankle.y);
  out[kLegOut] = s * std::asin(std::clamp(to_ankle.x / r, -1.0, 1.0));
  out[kLegTurn] = s * std::atan2(-axis.z, axis.x);
  out[kLegKnee] = r;
  out[kLegAnkle] = angles[kAnkle];
  out[kLegTilt] = angles[kTilt];
  out[kLegToes] = angles[kToes];
  return out;
}

LegAngles Legs::angles_of(size_t side, double time, const SwingState& state) const {
  const Frame hips = pelvis(time);
  const Rotation level = transposed(hips.rotation) * about_y(plan_.value(kHeading, time));
  const double s = sign_of(side), out = s * state[kLegOut], cosine = std::cos(out);
  const D3 to_ankle{std::sin(out), -cosine * std::cos(state[kLegForward]),
                    cosine * std::sin(state[kLegForward])};
  const D3 axis = about_y(s * state[kLegTurn]).x;
  // Approach the straight leg asymptotically (softplus).
  constexpr double kSoft = 0.0004;
  const double max_length = plan_.figure.reach(side, 0.5 * kDegree),
               spare = (max_length - state[kLegKnee]) / kSoft;
  const double r = max_length - kSoft * (spare > 30 ? spare : std::log1p(std::exp(spare)));
  const Figure::Aim aim =
      plan_.figure.aim(side, plan_.figure.hip[side] + level * (to_ankle * r), level * axis);
  LegAngles angles{};
  set_thigh(side, aim.thigh, angles);
  angles[kKnee] = aim.knee;
  angles[kAnkle] = state[kLegAnkle];
  angles[kTilt] = state[kLegTilt];
  angles[kToes] = state[kLegToes];
  return angles;
}

// The leg `before` seconds ahead of the strike, for a foot that decelerates uniformly to its contact pose.
Legs::SwingState Legs::touchdown_state(size_t side, const Contact& contact, double before,
                                       D3 deceleration) const {
  const double t = contact.from - before, pitch = pitch_in(side, contact, contact.from);
  const Frame hips = pelvis(t);
  FootPose foot = foot_in(side, contact, contact.from, pitch);
  foot.ankle += deceleration * (0.5 * before * before);
  const Rotation back = transposed(hips.rotation);
  LegAngles angles = plan_.figure.solve(side, {back * (foot.ankle - hips.position), back * foot.rotation});
  angles[kToes] = FootRoll::toes(pitch);
  return state_of(side, t, angles);
}

void Legs::add_swing(size_t side, const Contact& before, const Contact& after) {
  constexpr double h = 2e-3, kMaxAngular = 40, kMaxLinear = 6, kImpact = 0.35;  // s, rad/s2, m/s2
  Swing swing{before.to, after.from, {}};
  // Match position, velocity and (clamped) acceleration of the stance leg at both ends of the swing.
  const auto key = [&](const Contact& contact, double time, double inwards) {
    SwingState s[3];
    for (size_t k = 0; k < 3; ++k) {
      const double t = time + static_cast<double>(k) * inwards;
      s[k] = state_of(side, t, standing(side, contact, t));
    }
    for (size_t k = 0; k < kSwingAngles; ++k) {
      const double limit = k == kLegKnee ? kMaxLinear : kMaxAngular;
      swing.tracks[k].key(time, s[0][k], (-3 * s[0][k] + 4 * s[1][k] - s[2][k]) / (2 * inwards),
                          std::clamp((s[0][k] - 2 * s[1][k] + s[2][k]) / (h * h), -limit, limit));
    }
  };
  key(before, before.to, -h);
  key(after, after.from, h);
  // The leg strikes with only part of the stance velocity: the rest comes with the impact.
  Track& r = swing.tracks[kLegKnee];
  r.key(after.from, r.at(after.from), kImpact * r.slope(after.from - 1e-6));
  Track& tilt = swing.tracks[kLegTilt];
  tilt.key(0.5 * (swing.from + swing.to),
           std::clamp(0.5 * (tilt.at(swing.from) + tilt.at(swing.to)), -8 * kDegree, 12 * kDegree));
  damp_lift_off(side, swing);
  approach_ground(side, before, after, swing);
  for (const Via& via : plan_.feet[side].vias)
    if (via.time > swing.from + 0.01 && via.time < swing.to - kApproachTime - 0.01)
      swing.tracks[via.angle].key(via.time,
                                  via.angle == kLegKnee ? plan_.figure.reach(side, via.value) : via.value);
  swings_[side].push_back(swing);
}

// Damps the velocities of the stance leg soon after toe-off.
void Legs::damp_lift_off(size_t side, Swing& swing) const {
  constexpr double kSeconds = 0.04, kShare = 0.25;
  const auto damp = [&](SwingAngle angle, double low, double high) {
    Track& track = swing.tracks[angle];
    const double value = track.at(swing.from) + kShare * kSeconds * track.slope(swing.from);
    track.key(swing.from + kSeconds, std::clamp(value, low, high));
  };
  damp(kLegTurn, -1, 1);
  damp(kLegOut, -1, 1);
  damp(kLegAnkle, -42 * kDegree, 1);
  damp(kLegTilt, -17 * kDegree, 17 * kDegree);
  if (swing.tracks[kLegKnee].slope(swing.from) > 0) damp(kLegKnee, 0, plan_.figure.reach(side, 6 * kDegree));
}

// Keys the final approach: the foot comes from behind and above, with the leg not fully straight.
void Legs::approach_ground(size_t side, const Contact& before, const Contact& after, Swing& swing) const {
  constexpr double h = 2e-3;
  const double seconds = swing.to - swing.from;
  const D3 back{before.pose.x - after.pose.x, 0, before.pose.z - after.pose.z};
  const double sinking =
      std::max(0.0, (pelvis(after.from - h).position.y - pelvis(after.from).position.y) / h);
  D3 deceleration = back * (4 / (seconds * seconds)) + D3{0, 12 + 1.3 * sinking / kApproachTime, 0};
  const double max_length = plan_.figure.reach(side, 6 * kDegree);
  SwingState state;
  for (int round = 0; round < 12; ++round, deceleration = deceleration * 1.15) {
    state = touchdown_state(side, after, kApproachTime, deceleration);
    if (state[kLegKnee] <= max_length) break;
  }
  for (size_t k = 0; k < kSwingAngles; ++k)
    if (k != kLegTilt) swing.tracks[k].key(after.from - kApproachTime, state[k]);
}

// Raises a swinging foot that would come closer to the ground than the clearance, with a smooth onset.
void Legs::clear_ground(size_t side, double time, double clearance, LegAngles& angles) const {
  const Frame hips = pelvis(time);
  FootPose foot = plan_.figure.foot_of(side, angles);
  const double low = (hips.position + hips.rotation * foot.ankle).y +
                     plan_.figure.sole.lowest(hips.rotation * foot.rotation, angles[kToes], side) - clearance;
  const double soft = 0.8 * clearance + 0.0005;
  if (low >= soft) return;
  const double up = low > -soft ? (soft - low) * (soft - low) / (4 * soft) : -low;
  foot.ankle += transposed(hips.rotation) * D3{0, up, 0};
  const double toes = angles[kToes];
  angles = plan_.figure.solve(side, foot);
  angles[kToes] = toes;
}

LegAngles Legs::angles(size_t side, double time) const {
  if (const Contact* contact = contact_at(side, time)) return standing(side, *contact, time);
  for (const Swing& swing : swings_[side]) {
    if (time < swing.from || time > swing.to) continue;
    SwingState state;
    for (size_t k = 0; k < kSwingAngles; ++k) state[k] = swing.tracks[k].at(time);
    // Limit plantar flexion smoothly.
    const double beyond = -38 * kDegree - state[kLegAnkle], soft = 6 * kDegree;
    if (beyond > 0) state[kLegAnkle] += beyond - soft * std::tanh(beyond / soft);
    state[kLegToes] = std::clamp(state[kLegToes], -24 * kDegree, 59 * kDegree);
    LegAngles out = angles_of(side, time, state);
    // The clearance fades to 0 at both ends, so that toe-off and strike stay exact.
    constexpr double kClearance = 0.018, kUp = 0.05, kDown = 0.09;  // m, seconds
    const double away = std::min((time - swing.from) / kUp, (swing.to - time) / kDown);
    clear_ground(side, time, kClearance * smooth_step(0, 1, away), out);
    out[kAnkle] = std::min(out[kAnkle], 29 * kDegree);
    return out;
  }
  return {};
}

}  // namespace billow::motion
