#include "motion/legs.h"

#include <algorithm>

namespace billow::motion {

namespace {

constexpr double kBefore = 0.5;       // seconds looked at before and after what is asked for
constexpr double kCorrecting = 0.10;  // seconds in which corrections come and go
constexpr double kNearTime = 0.05;    // seconds before it comes down that a foot is near its place

}  // namespace

Legs::Legs(const Score& score, double from, double to) : score_(score) {
  const size_t count = static_cast<size_t>((to - from + 2 * kBefore) * lower_.rate) + 1;
  lower_pelvis(from - kBefore, count);
  raise_heels(from - kBefore, count);
  for (size_t side = 0; side < kSides; ++side) {
    const std::vector<Contact>& contacts = score_.feet[side].contacts;
    for (size_t i = 0; i + 1 < contacts.size(); ++i)
      if (contacts[i + 1].from > contacts[i].to && contacts[i + 1].from >= from - kBefore &&
          contacts[i].to <= to + kBefore)
        add_swing(side, contacts[i], contacts[i + 1]);
  }
}

// Lowers the pelvis smoothly where a leg on the ground would be too short.
void Legs::lower_pelvis(double from, size_t count) {
  std::vector<double> values(count);
  lower_.from = from;
  for (size_t k = 0; k < count; ++k) values[k] = shortage(lower_.time(k));
  cover(values, static_cast<size_t>(kCorrecting * lower_.rate));
  lower_.values = values;
}

// Raises heels where the ankle would bend up farther than it can.
void Legs::raise_heels(double from, size_t count) {
  constexpr double kMaxAnkle = 27 * kDegree, kMaxPitch = 55 * kDegree;
  for (size_t side = 0; side < kSides; ++side) {
    std::vector<double> values(count);
    raise_[side].from = from;
    for (size_t k = 0; k < count; ++k) {
      const double t = lower_.time(k);
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
    cover(values, static_cast<size_t>(0.6 * kCorrecting * lower_.rate));
    raise_[side].values = values;
  }
}

Frame pelvis_of(const Score& score, double t) {
  const auto value = [&](Channel c) { return score.lived(c, t); };
  return {{value(kRootX), value(kHeight), value(kRootZ)},
          about_y(value(kHeading) + value(kPelvisTurn)) * about_x(value(kPelvisTilt)) *
              about_z(value(kPelvisList))};
}

D3 ankle_at(const Figure& figure, const Place& place, double pitch) {
  const Place at = beside(place, 0, figure.roll.forward(pitch));
  return {at.x, figure.roll.height(pitch), at.z};
}

Frame Legs::pelvis(double t) const {
  Frame frame = pelvis_of(score_, t);
  frame.position.y -= lower_.at(t);
  return frame;
}

const Contact* Legs::contact_at(size_t side, double time) const {
  const std::vector<Contact>& contacts = score_.feet[side].contacts;
  const auto next = std::upper_bound(contacts.begin(), contacts.end(), time,
                                     [](double t, const Contact& c) { return t < c.from; });
  return next == contacts.begin() || (next - 1)->to < time ? nullptr : &*(next - 1);
}

double Legs::pitch_in(size_t side, const Contact& contact, double time) const {
  return contact.pitch.at(time) + raise_[side].at(time);
}

// Where a foot on the ground is, in the world.
FootPose Legs::foot_in(size_t side, const Contact& contact, double time, double pitch) const {
  const Figure& figure = score_.figure;
  // Turn on the toes, then roll over the sole.
  const Place turned = contact.turned(figure, side, time);
  return {ankle_at(figure, turned, pitch), about_y(turned.heading) * about_x(pitch)};
}

LegAngles Legs::standing(size_t side, const Contact& contact, double time, double pitch) const {
  const Figure& figure = score_.figure;
  const Frame hips = pelvis(time);
  const Rotation back = transposed(hips.rotation);
  FootPose foot = foot_in(side, contact, time, pitch);
  const auto solved = [&] {
    return figure.solve(side, {back * (foot.ankle - hips.position), back * foot.rotation});
  };
  LegAngles out = solved();
  // A leg that leans takes its foot onto the edge with it, as far as the ankle would tilt too much.
  constexpr double kMaxTilt = 10 * kDegree, kShare = 0.92;
  const double excess = std::fabs(out[kTilt]) - kMaxTilt;
  if (excess > 0) {
    const double edge =
        -std::copysign(kShare * excess * excess / (excess + 3 * kDegree), out[kTilt]) * sign_of(side);
    const Rotation turned = about_y(contact.place.heading + contact.twist.at(time));
    foot.rotation = turned * about_z(edge) * about_x(pitch);
    // Roll onto the edge without slipping.
    foot.ankle += turned.x * (-edge * foot.ankle.y);
    foot.ankle.y = -figure.sole.lowest(foot.rotation, FootRoll::toes(pitch), side);
    out = solved();
  }
  out[kToes] = FootRoll::toes(pitch);
  return out;
}

// How far the pelvis has to come down for all feet on the ground to be in reach.
double Legs::shortage(double time) const {
  constexpr double kMinBend = 3 * kDegree, kMost = 0.6;
  const Figure& figure = score_.figure;
  double most = 0;
  for (size_t side = 0; side < kSides; ++side) {
    const Contact* contact = contact_at(side, time);
    if (!contact) continue;
    const Frame hips = pelvis(time);
    const D3 way = hips.position + hips.rotation * figure.hip[side] -
                   foot_in(side, *contact, time, contact->pitch.at(time)).ankle;
    const double reach = figure.reach(side, kMinBend);
    const double height = std::sqrt(std::max(0.0, reach * reach - way.x * way.x - way.z * way.z));
    most = std::max(most, std::min(kMost * figure.leg, way.y - height));
  }
  return most;
}

Legs::SwingState Legs::state_of(size_t side, double time, const LegAngles& angles) const {
  const Frame hips = pelvis(time);
  const Rotation level = about_y(-score_.value(kHeading, time)) * hips.rotation;
  const D3 way = level * (score_.figure.foot_of(side, angles).ankle - score_.figure.hip[side]);
  // The level axis that the knee's is as near to as it gets.
  const D3 knee = level * thigh_rotation(side, angles).x, down = unit(way);
  const D3 square = knee - down * dot(knee, down), axis = square * -down.y + down * square.y;
  const double r = length(way), s = sign_of(side);
  SwingState out{};
  out[kLegForward] = std::atan2(way.z, -way.y);
  out[kLegOut] = s * std::asin(std::clamp(way.x / r, -1.0, 1.0));
  out[kLegTurn] = s * std::atan2(-axis.z, axis.x);
  out[kLegKnee] = r;
  out[kLegAnkle] = angles[kAnkle];
  out[kLegTilt] = angles[kTilt];
  out[kLegToes] = angles[kToes];
  return out;
}

LegAngles Legs::angles_of(size_t side, double time, const SwingState& state) const {
  const Frame hips = pelvis(time);
  const Rotation level = transposed(hips.rotation) * about_y(score_.value(kHeading, time));
  const double s = sign_of(side), out = s * state[kLegOut], pattern_uvs = std::cos(out);
  const D3 way{std::sin(out), -pattern_uvs * std::cos(state[kLegForward]),
               pattern_uvs * std::sin(state[kLegForward])};
  const D3 axis = about_y(s * state[kLegTurn]).x;
  // Straighten the knee ever more slowly.
  constexpr double kSoft = 0.0004;
  const double most = score_.figure.reach(side, 0.5 * kDegree), spare = (most - state[kLegKnee]) / kSoft;
  const double r = most - kSoft * (spare > 30 ? spare : std::log1p(std::exp(spare)));
  const Figure::Aim aim = score_.figure.aim(side, score_.figure.hip[side] + level * (way * r), level * axis);
  LegAngles angles{};
  set_thigh(side, aim.thigh, angles);
  angles[kKnee] = aim.knee;
  angles[kAnkle] = state[kLegAnkle];
  angles[kTilt] = state[kLegTilt];
  angles[kToes] = state[kLegToes];
  return angles;
}

// The leg a little before its foot comes down: the foot slows down to where it will be, from behind and above.
Legs::SwingState Legs::coming_down(size_t side, const Contact& contact, double before, D3 slowing) const {
  const double t = contact.from - before, pitch = pitch_in(side, contact, contact.from);
  const Frame hips = pelvis(t);
  FootPose foot = foot_in(side, contact, contact.from, pitch);
  foot.ankle += slowing * (0.5 * before * before);
  const Rotation back = transposed(hips.rotation);
  LegAngles angles = score_.figure.solve(side, {back * (foot.ankle - hips.position), back * foot.rotation});
  angles[kToes] = FootRoll::toes(pitch);
  return state_of(side, t, angles);
}

void Legs::add_swing(size_t side, const Contact& before, const Contact& after) {
  constexpr double h = 2e-3, kMaxBend = 40, kMaxStretch = 6, kImpact = 0.35;
  Swing swing{before.to, after.from, {}};
  // Leave the ground and come down with the speed and, within reason, the acceleration the leg has on it.
  const auto key = [&](const Contact& contact, double time, double inwards) {
    SwingState s[3];
    for (size_t k = 0; k < 3; ++k) {
      const double t = time + static_cast<double>(k) * inwards;
      s[k] = state_of(side, t, standing(side, contact, t));
    }
    for (size_t k = 0; k < kSwingAngles; ++k) {
      const double most = k == kLegKnee ? kMaxStretch : kMaxBend;
      swing.tracks[k].key(time, s[0][k], (-3 * s[0][k] + 4 * s[1][k] - s[2][k]) / (2 * inwards),
                          std::clamp((s[0][k] - 2 * s[1][k] + s[2][k]) / (h * h), -most, most));
    }
  };
  key(before, before.to, -h);
  key(after, after.from, h);
  // A leg strikes while it still lengthens: what the body sinks onto it comes with the impact.
  Track& r = swing.tracks[kLegKnee];
  r.key(after.from, r.at(after.from), kImpact * r.slope(after.from - 1e-6));
  Track& tilt = swing.tracks[kLegTilt];
  tilt.key(0.5 * (swing.from + swing.to),
           std::clamp(0.5 * (tilt.at(swing.from) + tilt.at(swing.to)), -8 * kDegree, 12 * kDegree));
  run_out(side, swing);
  come_down(side, before, after, swing);
  for (const Via& via : score_.feet[side].vias)
    if (via.time > swing.from + 0.01 && via.time < swing.to - kNearTime - 0.01)
      swing.tracks[via.angle].key(via.time,
                                  via.angle == kLegKnee ? score_.figure.reach(side, via.value) : via.value);
  swings_[side].push_back(swing);
}

// Stops what the foot does last on the ground soon after it has left.
void Legs::run_out(size_t side, Swing& swing) const {
  constexpr double kSeconds = 0.04, kShare = 0.25;
  const auto on = [&](SwingAngle angle, double low, double high) {
    Track& track = swing.tracks[angle];
    const double value = track.at(swing.from) + kShare * kSeconds * track.slope(swing.from);
    track.key(swing.from + kSeconds, std::clamp(value, low, high));
  };
  on(kLegTurn, -1, 1);
  on(kLegOut, -1, 1);
  on(kLegAnkle, -42 * kDegree, 1);
  on(kLegTilt, -17 * kDegree, 17 * kDegree);
  if (swing.tracks[kLegKnee].slope(swing.from) > 0) on(kLegKnee, 0, score_.figure.reach(side, 6 * kDegree));
}

// Brings the foot down from behind and above, with its leg not quite straight.
void Legs::come_down(size_t side, const Contact& before, const Contact& after, Swing& swing) const {
  constexpr double h = 2e-3;
  const double seconds = swing.to - swing.from;
  const D3 back{before.place.x - after.place.x, 0, before.place.z - after.place.z};
  const double sinking =
      std::max(0.0, (pelvis(after.from - h).position.y - pelvis(after.from).position.y) / h);
  D3 slowing = back * (4 / (seconds * seconds)) + D3{0, 12 + 1.3 * sinking / kNearTime, 0};
  const double most = score_.figure.reach(side, 6 * kDegree);
  SwingState state;
  for (int round = 0; round < 12; ++round, slowing = slowing * 1.15) {
    state = coming_down(side, after, kNearTime, slowing);
    if (state[kLegKnee] <= most) break;
  }
  for (size_t k = 0; k < kSwingAngles; ++k)
    if (k != kLegTilt) swing.tracks[k].key(after.from - kNearTime, state[k]);
}

// Keeps a foot in the air clear of the ground: raises it by what it lacks, softly.
void Legs::clear_ground(size_t side, double time, double clearance, LegAngles& angles) const {
  const Frame hips = pelvis(time);
  FootPose foot = score_.figure.foot_of(side, angles);
  const double low = (hips.position + hips.rotation * foot.ankle).y +
                     score_.figure.sole.lowest(hips.rotation * foot.rotation, angles[kToes], side) -
                     clearance;
  const double soft = 0.8 * clearance + 0.0005;
  if (low >= soft) return;
  const double up = low > -soft ? (soft - low) * (soft - low) / (4 * soft) : -low;
  foot.ankle += transposed(hips.rotation) * D3{0, up, 0};
  const double toes = angles[kToes];
  angles = score_.figure.solve(side, foot);
  angles[kToes] = toes;
}

LegAngles Legs::angles(size_t side, double time) const {
  if (const Contact* contact = contact_at(side, time)) return standing(side, *contact, time);
  for (const Swing& swing : swings_[side]) {
    if (time < swing.from || time > swing.to) continue;
    SwingState state;
    for (size_t k = 0; k < kSwingAngles; ++k) state[k] = swing.tracks[k].at(time);
    // Point the foot ever more slowly.
    const double beyond = -38 * kDegree - state[kLegAnkle], soft = 6 * kDegree;
    if (beyond > 0) state[kLegAnkle] += beyond - soft * std::tanh(beyond / soft);
    state[kLegToes] = std::clamp(state[kLegToes], -24 * kDegree, 59 * kDegree);
    LegAngles out = angles_of(side, time, state);
    // Leave and meet the ground exactly, and be clear of it between.
    constexpr double kClearance = 0.018, kUp = 0.05, kDown = 0.09;  // m, seconds
    const double away = std::min((time - swing.from) / kUp, (swing.to - time) / kDown);
    clear_ground(side, time, kClearance * smooth_step(0, 1, away), out);
    out[kAnkle] = std::min(out[kAnkle], 29 * kDegree);
    return out;
  }
  return {};
}

}  // namespace billow::motion
