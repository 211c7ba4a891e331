#include "motion/gait.h"

#include <algorithm>

#include "motion/gait_model.h"
#include "motion/legs.h"

namespace billow::motion {
namespace {

struct Footfall {
  size_t side;
  double strike, lift;               // seconds
  double speed, acceleration, lean;  // m/s, m/s2, tangent of the body's lean to the left
  GroundPose pose;
  GaitParameters g;
};

class Gait {
 public:
  Gait(MotionPlan& plan, const std::vector<PathSegment>& segments)
      : plan_(plan), figure_(plan.figure), path_(plan.root(), plan.now, segments) {}

  void write() {
    plan_.hold();
    plan_steps();
    write_root();
    for (size_t k = 2; k < steps_.size(); ++k) write_body(k);
    write_height();
    finish();
    write_feet();
  }

 private:
  // Seconds. A shorter gap between contacts than kMinFlight is not a flight phase.
  static constexpr double kFirstSwing = 0.42, kMinSwing = 0.33, kMaxFlight = 0.14, kMinFlight = 0.04;

  void plan_steps();
  double lift_time(const Footfall& step, double from) const;
  void vary(GaitParameters& g);
  void place_foot(Footfall& step) const;
  void write_feet();
  void roll_off(const Footfall& step, bool runs);
  D3 hip_at(size_t side, double time) const;
  double knee_angle_over(const Footfall& step, double time) const;
  void write_root();
  void write_height();
  void write_body(size_t k);
  void finish();
  double height_over(const Footfall& step, double time, double pitch, double knee) const;
  double pitch_for(const Footfall& step, double time, double knee) const;

  MotionPlan& plan_;
  const Figure& figure_;
  GaitPath path_;
  double rest_ = 0;              // time at which standing is reached
  double look_ = 0;              // random gaze offset
  std::vector<Footfall> steps_;  // the first two are the initial stance
};

void Gait::plan_steps() {
  const double start = plan_.now;
  const auto seconds = [&](double t) {
    const double hurry = 1 + 0.04 * std::fabs(path_.acceleration(t));
    return 1 / (gait_at(path_.speed(t + 0.2), figure_.size).frequency * hurry);
  };
  // Start with either foot. The initial stance counts as two steps in rhythm with the next.
  size_t side = plan_.random.chance(0.5) ? 0 : 1;
  const double first = seconds(start + 0.3);
  double strike = start + 0.12 + first;
  for (const double before : {2.0, 1.0}) {
    const size_t s = before > 1.5 ? side : 1 - side;
    steps_.push_back({s, strike - before * first, 0, 0, 0, 0, plan_.foot_pose(s), gait_at(0, figure_.size)});
    steps_.back().lift = before > 1.5 ? strike - kFirstSwing : lift_time(steps_.back(), strike + 0.05);
  }
  for (int arrived = 0; arrived < 2; side = 1 - side) {
    Footfall step{side, strike, 0, path_.speed(strike), path_.acceleration(strike), 0, {}, {}};
    step.g = gait_at(step.speed, figure_.size);
    vary(step.g);
    place_foot(step);
    step.lift = lift_time(step, strike + 0.08);
    steps_.push_back(step);
    // Two steps after the end of the path bring the feet side by side.
    arrived = strike + step.g.ahead * step.g.contact >= path_.end() - 0.05 ? arrived + 1 : 0;
    // In walking the other foot strikes before this one lifts, in running after a flight phase.
    const double run = smooth_step(1.8, 2.2, path_.speed(step.lift) / std::sqrt(figure_.size));
    const double latest = step.lift + mix(-0.05, kMaxFlight, run);
    strike = std::max(strike + 0.2,
                      std::min(strike + seconds(strike) * plan_.random.uniform(0.985, 1.015), latest));
  }
  rest_ = std::max(steps_.back().strike + 0.45, path_.end() + 0.4);
  for (size_t k = 0; k < steps_.size(); ++k) {
    const bool last = k + 2 >= steps_.size();
    Footfall& step = steps_[k];
    step.lift = last ? kForever : std::min(step.lift, steps_[k + 2].strike - kMinSwing);
    // Limit the pitch at toe-off by how far the body has advanced past the foot.
    const GroundPose root = path_.at(step.lift);
    const double gone =
        (root.x - step.pose.x) * std::sin(root.heading) + (root.z - step.pose.z) * std::cos(root.heading);
    step.g.off_pitch =
        std::min(step.g.off_pitch, mix(18, 76, smooth_step(0, 0.6, gone / figure_.size)) * kDegree);
  }
}

// Step-to-step variability: strides vary by 2 to 3 %, their width by 2 cm (Owings and Grabiner, "Variability
// of step kinematics in young and older adults", 2004).
void Gait::vary(GaitParameters& g) {
  Random& random = plan_.random;
  for (double GaitParameters::*member :
       {&GaitParameters::knee, &GaitParameters::off_pitch, &GaitParameters::leg_back})
    g.*member *= random.uniform(0.97, 1.03);
  for (double GaitParameters::*member :
       {&GaitParameters::arm_forward, &GaitParameters::arm_back, &GaitParameters::elbow,
        &GaitParameters::pelvis_turn, &GaitParameters::trunk_turn, &GaitParameters::list,
        &GaitParameters::sway, &GaitParameters::lean})
    g.*member *= random.uniform(0.88, 1.12);
  // Heavy people walk with their feet farther apart (Spyropoulos et al., "Biomechanic gait analysis in obese
  // men", 1991).
  g.width += figure_.spread + random.uniform(-0.02, 0.02) * figure_.size;
  g.arm_turn += random.uniform(-3, 3) * kDegree;
}

// Time of toe-off: after the contact time for the speed, or earlier once the body has advanced as far as it
// normally does in that time.
double Gait::lift_time(const Footfall& step, double from) const {
  constexpr double kStep = 1.0 / 240;
  for (double t = from; t < step.strike + step.g.contact; t += kStep) {
    const GaitParameters g = gait_at(path_.speed(t), figure_.size);
    const GroundPose root = path_.at(t);
    const double max_distance =
        std::max(0.3 * figure_.size, 0.99 * (1 - g.ahead) * g.contact * path_.speed(t));
    if (std::hypot(root.x - step.pose.x, root.z - step.pose.z) > max_distance) return t;
  }
  return std::max(from, step.strike + step.g.contact);
}

// Places a foot where the hip will pass over it: farther ahead when braking, towards the outside of a curve,
// and never crossing the other foot.
void Gait::place_foot(Footfall& step) const {
  const double over = step.strike + step.g.ahead * step.g.contact;
  const GroundPose root = path_.at(over);
  const double v = path_.speed(over), moving = smooth_step(0.1, 0.7, v), left = sign_of(step.side);
  // The body leans into a curve slightly less than balance requires; arms and ankles compensate.
  step.lean = 0.7 * v * path_.turn(over) / kGravity;
  const double aside = mix(figure_.stance, 0.5 * step.g.width, moving);
  const double slowing = -path_.acceleration(over) / kGravity * moving;
  const double ahead = 0.4 * figure_.stand_height * slowing;
  // When braking, swing the leg farther and strike with a flexed knee; a straight one would buckle at once.
  step.g.leg_front += 0.7 * std::atan(ahead / figure_.leg);
  step.g.strike_knee += 16 * kDegree * std::max(0.0, slowing);
  step.pose = offset_pose(root, left * aside - 0.95 * figure_.stand_height * step.lean, ahead);
  const GroundPose& other = steps_.back().pose;
  const double heading = 0.5 * (other.heading + step.pose.heading);
  const double apart =
      left * ((step.pose.x - other.x) * std::cos(heading) - (step.pose.z - other.z) * std::sin(heading));
  const double min_apart = mix(2 * figure_.stance, 0.6 * step.g.width, moving);
  if (apart < min_apart) step.pose = offset_pose(step.pose, left * (min_apart - apart), 0);
}

// Keys the heel rise that the trailing leg requires. In walking the knee stays nearly straight, then flexes
// until toe-off; in running it extends.
void Gait::roll_off(const Footfall& step, bool runs) {
  constexpr int kKeys = 10;
  Track& pitch = plan_.feet[step.side].contacts.back().pitch;
  const double from = mix(step.strike, step.lift, step.g.heel_off), bent = knee_angle_over(step, from);
  pitch.cut(from);
  if (pitch.empty() || pitch.last_time() < from - 0.01) pitch.key(from, 0);
  double before = 0;
  for (int k = 1; k <= kKeys; ++k) {
    const double share = static_cast<double>(k) / kKeys, t = mix(from, step.lift, share);
    const double walked = step.g.late_knee + (step.g.off_knee - step.g.late_knee) * share * share * share +
                          (bent - step.g.late_knee) * (1 - share) * (1 - share);
    const double knee = runs ? mix(bent, step.g.off_knee, std::pow(share, 1.15)) : walked;
    const double now = std::clamp(pitch_for(step, t, knee), before, 78 * kDegree * std::pow(share, 1.25));
    if (k < kKeys)
      pitch.key(t, now);
    else
      pitch.key(t, now, (now - before) / (step.lift - from) * kKeys);
    before = now;
  }
}

D3 Gait::hip_at(size_t side, double time) const {
  const Frame pelvis = pelvis_of(plan_, time);
  return pelvis.position + pelvis.rotation * figure_.hip[side];
}

// Knee angle over a flat foot, by bisection.
double Gait::knee_angle_over(const Footfall& step, double time) const {
  const double apart = length(hip_at(step.side, time) - ankle_at(figure_, step.pose, 0));
  double low = 0, high = 2;
  for (int round = 0; round < 30; ++round) {
    const double middle = 0.5 * (low + high);
    (figure_.reach(step.side, middle) > apart ? low : high) = middle;
  }
  return low;
}

void Gait::write_feet() {
  for (size_t k = 0; k + 2 < steps_.size(); ++k) {
    const Footfall &from = steps_[k], &next = steps_[k + 1], &to = steps_[k + 2];
    const GaitParameters& g = to.g;
    StepStyle style;
    style.off_pitch = from.g.off_pitch;
    style.roll = k == 0 ? 0.25 : (1 - from.g.heel_off) * (from.lift - from.strike);
    style.strike_pitch = g.strike_pitch;
    style.flat_after = g.flat_foot * g.contact;
    // A short swing has less knee flexion.
    style.knee = g.knee * (k < 2 ? 0.85 : 1) * std::clamp(1.6 * (to.strike - from.lift) / 0.66, 0.7, 1.0);
    plan_.lift(from.side, from.lift, style);
    if (k >= 1) roll_off(from, from.lift < next.strike);
    const double rolled = plan_.feet[from.side].contacts.back().pitch.at(from.lift) / (60 * kDegree);
    plan_.plant(from.side, to.strike, to.pose, style);
    const auto via = [&](double share, SwingAngle angle, double value) {
      plan_.via(from.side, mix(from.lift, to.strike, share), angle, value);
    };
    via(g.knee_share, kLegKnee, style.knee);
    via(g.knee_share, kLegForward, g.leg_back);
    via(0.72, kLegForward, g.leg_front);
    via(0.25, kLegAnkle, g.off_ankle * std::min(1.0, rolled));
    via(0.43, kLegAnkle, 2 * kDegree);
    via(0.42, kLegToes, 6 * kDegree);
    via(0.4, kLegTurn, 2 * kDegree);
    via(0.45, kLegOut,
        1 * kDegree + 0.5 * figure_.spread / figure_.leg -
            sign_of(from.side) * std::atan(0.5 * (from.lean + to.lean)));
  }
}

void Gait::write_root() {
  Track sway;
  sway.key(plan_.now, 0);
  for (size_t k = 2; k + 2 < steps_.size(); ++k) {
    const Footfall& s = steps_[k];
    const double middle = 0.5 * (s.strike + std::min(s.lift, s.strike + s.g.contact));
    sway.key(middle, sign_of(s.side) * s.g.sway);
  }
  // Shift the weight onto the stance foot before the first step.
  const double first = steps_[0].lift;
  sway.key(first + 0.05, -sign_of(steps_[0].side) * 0.035 * figure_.size);
  sway.key(rest_ - 0.1, 0);
  for (double t = plan_.now; t < rest_ + 0.02; t += 1.0 / 30)
    plan_.move_root(t, offset_pose(path_.at(t), sway.at(t), 0));
}

// Pelvis height for a knee angle over a planted foot.
double Gait::height_over(const Footfall& step, double time, double pitch, double knee) const {
  const D3 hip = hip_at(step.side, time), ankle = ankle_at(figure_, step.pose, pitch);
  const double reach = figure_.reach(step.side, knee), x = hip.x - ankle.x, z = hip.z - ankle.z;
  const double up = std::sqrt(std::max(0.05 * reach * reach, reach * reach - x * x - z * z));
  return ankle.y + up + plan_.value(kHeight, time) - hip.y;
}

// Foot pitch for a knee angle, by bisection.
double Gait::pitch_for(const Footfall& step, double time, double knee) const {
  const D3 hip = hip_at(step.side, time);
  const double reach = figure_.reach(step.side, knee);
  double low = 0, high = 76 * kDegree;
  for (int round = 0; round < 30; ++round) {
    const double middle = 0.5 * (low + high);
    (length(hip - ankle_at(figure_, step.pose, middle)) > reach ? low : high) = middle;
  }
  return low;
}

void Gait::write_height() {
  Track& height = plan_.channels[kHeight];
  for (size_t k = 1; k + 1 < steps_.size(); ++k) {
    const Footfall &before = steps_[k - 1], &step = steps_[k], &after = steps_[k + 1];
    const double flight = after.strike - step.lift;
    if (flight > kMinFlight) {
      // Flight: a ballistic parabola from toe-off to the next strike, with a bounded height difference.
      const double apart = 0.2 * flight;
      double down = height_over(after, after.strike, after.g.strike_pitch, after.g.strike_knee);
      const double off =
          std::min(down + apart, height_over(step, step.lift, step.g.off_pitch, step.g.off_knee));
      down = std::min(down, off + apart);
      const double up = (down - off) / flight + 0.5 * kGravity * flight;
      height.key(step.lift, off, up, -kGravity);
      height.key(after.strike, down, up - kGravity * flight, -kGravity);
      // Before the first flight flex the knee as in running.
      const double middle = mix(step.strike, step.lift, 0.45);
      if (k >= 2 && before.lift > step.strike - kMinFlight)
        height.key(middle, height_over(step, middle, 0, 0.9 * step.g.mid_knee));
      continue;
    }
    // Walking: vault over the stance leg, then sink slightly onto the next one.
    if (k >= 2 && before.lift > step.strike) {
      const double middle = 0.5 * (before.lift + after.strike);
      height.key(middle, height_over(step, middle, 0, step.g.mid_knee));
    }
    const double loaded = std::min(step.lift, after.strike + 0.2);
    height.key(after.strike, height_over(after, after.strike, after.g.strike_pitch, after.g.strike_knee));
    if (loaded > after.strike + 0.06) height.key(loaded, height_over(after, loaded, 0, after.g.load_knee));
  }
}

void Gait::write_body(size_t k) {
  const Footfall& s = steps_[k];
  const GaitParameters& g = s.g;
  const double left = sign_of(s.side), t = s.strike;
  const double middle = 0.5 * (t + std::min(s.lift, t + g.contact));
  const double push = 0.45 * std::atan(s.acceleration / kGravity), lean = g.lean + push;
  const double tilt = std::atan(s.lean);
  // Rotate the pelvis forward on the striking side, the shoulders on the other.
  plan_.key(kPelvisTurn, t, -left * g.pelvis_turn);
  plan_.key(kTrunkTurn, t, left * (g.pelvis_turn + g.trunk_turn));
  plan_.key(kPelvisTilt, t, 2 * kDegree + 0.45 * lean);
  plan_.key(kTrunkFlex, t, 0.55 * lean);
  plan_.key(kPelvisList, middle, left * g.list - tilt);
  plan_.key(kTrunkLean, middle, left * g.list);
  plan_.key(kGazeLean, middle, 0.4 * tilt);
  plan_.key(kGazeFlex, t, 4 * kDegree + 0.3 * lean);
  plan_.key(kGazeTurn, t, std::clamp(0.35 * path_.turn(t + 0.3) + look_, -0.5, 0.5));
  if (plan_.random.chance(0.12)) look_ = plan_.random.uniform(-0.3, 0.3);
  look_ *= 0.9;
  for (size_t side = 0; side < kSides; ++side) {
    const bool forward = side != s.side;
    ArmPose arm = plan_.hanging;
    arm[kForward] = (forward ? g.arm_forward : -g.arm_back) + 0.5 * lean;
    arm[kOut] = std::max(g.arm_out, arm[kOut]);
    arm[kElbow] = g.elbow + (forward ? g.elbow_swing : -g.elbow_swing);
    arm[kArmTurn] = g.arm_turn + (forward ? 8 : -8) * kDegree;
    arm[kWrist] = 5 * kDegree;
    plan_.arm(side, t, arm);
  }
}

void Gait::finish() {
  plan_.key(kHeight, rest_, figure_.stand_height);
  plan_.relax(rest_ + 0.2);
  plan_.now = rest_ + 0.2;
}

}  // namespace

void follow_path(MotionPlan& plan, const std::vector<PathSegment>& segments) { Gait(plan, segments).write(); }

}  // namespace billow::motion
