#include "motion/motions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "motion/gait.h"
#include "motion/motion_plan.h"
#include "motion/moves.h"

namespace billow::motion {
namespace {

const MotionKind& find_kind(const std::string& name) {
  std::string names;
  for (const MotionKind& kind : motion_kinds()) {
    if (kind.name == name) return kind;
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  throw std::invalid_argument("motion: expected one of " + names + ", found '" + name + "'");
}

void check(const MotionRequest& request) {
  const MotionKind& kind = find_kind(request.kind);
  const auto format = [](double number) {
    char out[32];
    std::snprintf(out, sizeof out, "%g", number);
    return std::string(out);
  };
  const auto fail = [&](const std::string& expected, double found) {
    throw std::invalid_argument("motion '" + request.kind + "': expected " + expected + ", found " +
                                format(found));
  };
  if (!(request.seconds > 0 && request.seconds <= 3600)) fail("0 to 3600 seconds", request.seconds);
  if (!(request.frames_per_second >= 1 && request.frames_per_second <= 1000))
    fail("1 to 1000 frames a second", request.frames_per_second);
  if (request.speed == 0) return;
  if (kind.fastest == 0) fail("no speed", request.speed);
  if (!(request.speed >= kind.slowest && request.speed <= kind.fastest))
    fail("a speed from " + format(kind.slowest) + " to " + format(kind.fastest) + " m/s", request.speed);
}

// Dead reckoning along a route, accurate enough to turn back in time.
class PositionEstimate {
 public:
  PositionEstimate(const GroundPose& start, double reach) : at_(start), reach_(reach) {}

  // Sign of the next turn: towards the origin when far from it, else random.
  double turn_sign(Random& random) const {
    if (std::hypot(at_.x, at_.z) < reach_) return random.sign();
    const double home = std::atan2(-at_.x, -at_.z);
    return std::sin(home - at_.heading) > 0 ? 1 : -1;
  }
  bool far() const { return std::hypot(at_.x, at_.z) >= reach_; }
  void advance(const PathSegment& s) {
    constexpr double kStep = 0.1;
    for (double t = 0; t < s.seconds; t += kStep) {
      at_.x += kStep * s.speed * std::sin(at_.heading);
      at_.z += kStep * s.speed * std::cos(at_.heading);
      at_.heading += kStep * s.turn;
    }
  }

 private:
  GroundPose at_;
  double reach_;
};

// A random route of straight and curved segments at varying speeds, within some metres of the origin.
std::vector<PathSegment> random_route(MotionPlan& plan, double seconds, double base, double low, double high,
                                      double acceleration) {
  Random& random = plan.random;
  PositionEstimate estimate(plan.root(), 5);
  std::vector<PathSegment> route;
  for (double t = 0; t < seconds;) {
    PathSegment s;
    s.speed = std::clamp(base * random.uniform(0.86, 1.14), low, high);
    s.seconds = random.uniform(1.2, 3);
    s.acceleration = acceleration;
    if (estimate.far() || random.chance(0.6))
      s.turn = estimate.turn_sign(random) * std::min(random.uniform(0.25, 1.1), 2.8 / s.speed);
    estimate.advance(s);
    route.push_back(s);
    t += s.seconds;
  }
  return route;
}

// A speed of 0 is drawn at random.
void walk(MotionPlan& plan, double seconds, double speed) {
  const double base = speed > 0 ? speed : plan.random.uniform(0.8, 1.7);
  follow_path(plan, random_route(plan, seconds, base, 0.6, 1.8, 1.4));
}

void run(MotionPlan& plan, double seconds, double speed) {
  const double base = speed > 0 ? speed : plan.random.uniform(2.4, 5.2);
  follow_path(plan, random_route(plan, seconds, base, 2.2, 6, 2.8));
}

// Runs, brakes hard, waits, and starts again.
void run_and_stop(MotionPlan& plan, double seconds, double speed) {
  Random& random = plan.random;
  // Sprinters and players of ball games brake with up to 6 m/s2 (Harper, McBurnie et al., "Biomechanical and
  // neuromuscular performance requirements of horizontal deceleration", 2022).
  constexpr double kBrake = 5.5;
  for (const double end = plan.now + seconds; plan.now < end;) {
    const double base =
        std::clamp((speed > 0 ? speed : random.uniform(2.6, 5)) * random.uniform(0.9, 1.1), 2.2, 6.0);
    std::vector<PathSegment> route = random_route(plan, random.uniform(1.4, 3.2), base, 2.2, 6, 3.2);
    route.push_back({0, 0, 0, kBrake});
    follow_path(plan, route);
    stand(plan, random.uniform(0.2, 1.2));
  }
}

// Appends one motion of about the given duration. Motions on the spot repeat until it is exceeded.
void write_motion(MotionPlan& plan, const std::string& kind, double seconds, double speed) {
  Random& random = plan.random;
  if (kind == "walk") return walk(plan, seconds, speed);
  if (kind == "run") return run(plan, seconds, speed);
  if (kind == "stop") return run_and_stop(plan, seconds, speed);
  if (kind == "dance") return dance(plan, seconds);
  if (kind == "stand") return stand(plan, seconds);
  for (const double end = plan.now + seconds; plan.now < end;) {
    if (kind == "jump") jump(plan, random_jump(random));
    if (kind == "squat") squat(plan);
    if (kind == "bend") bend(plan);
    if (kind == "spin") spin(plan, random.sign() * random.uniform(1, 2.5), random.uniform(0.32, 0.55));
    if (kind == "pirouette")
      pirouette(plan, {random.chance(0.5) ? size_t{0} : size_t{1}, random.sign() * (1 + random.below(3)),
                       random.uniform(1.1, 2)});
    if (random.chance(0.3)) stand(plan, random.uniform(0.3, 1));
  }
}

// Weighted random draws with low discrepancy: a kind drawn more often than its weight is held back, so that
// none is absent for long.
class WeightedDraw {
 public:
  explicit WeightedDraw(const std::vector<MotionShare>& mix) : mix_(mix), deficit_(mix.size(), 0) {}

  // Never the same kind twice in a row, unless the mix has only one.
  const std::string& next(Random& random) {
    double sum = 0, total = 0;
    for (const MotionShare& m : mix_) sum += m.weight;
    for (size_t k = 0; k < mix_.size(); ++k) deficit_[k] += mix_[k].weight / sum;
    for (size_t k = 0; k < mix_.size(); ++k) total += chance(k);
    double threshold = random.uniform(0, total);
    size_t drawn = mix_.size();
    for (size_t k = 0; k < mix_.size(); ++k) {
      if (chance(k) <= 0) continue;
      drawn = k;
      if ((threshold -= chance(k)) <= 0) break;
    }
    // If only the last kind has a deficit, take its successor.
    if (drawn == mix_.size()) drawn = (last_ + 1) % mix_.size();
    deficit_[drawn] -= 1;
    last_ = drawn;
    return mix_[drawn].kind;
  }

 private:
  double chance(size_t k) const { return k == last_ ? 0 : std::max(0.0, deficit_[k]); }

  const std::vector<MotionShare>& mix_;
  std::vector<double> deficit_;  // draws that a kind is behind its weight
  size_t last_ = ~size_t{0};
};

void check(const std::vector<MotionShare>& mix) {
  if (mix.empty()) throw std::invalid_argument("motion mix: expected at least one motion, found none");
  for (const MotionShare& m : mix)
    if (find_kind(m.kind).name == "sequence" || !(m.weight > 0))
      throw std::invalid_argument("motion mix: expected motions with weights above 0, found '" + m.kind +
                                  "' with " + std::to_string(m.weight));
}

}  // namespace

const std::vector<MotionKind>& motion_kinds() {
  static const std::vector<MotionKind> kinds{
      {"stand", "stands: sways, breathes, shifts the weight, looks about"},
      {"walk", "walks with turns and changes of speed", 0.6, 1.8},
      {"run", "runs with turns and changes of speed", 2.2, 6},
      {"stop", "runs, stops suddenly, and sets off again", 2.2, 6},
      {"jump", "jumps: up, forward, turning, with knees up, with legs apart"},
      {"squat", "goes down in the knees and up again, picks things up"},
      {"bend", "bends forward, aside and back, turns the trunk"},
      {"spin", "turns on the spot by stepping round"},
      {"pirouette", "turns on one foot, one to three times at up to two turns a second"},
      {"dance", "dances: kicks, lunges, hip turns, pirouettes, jumps, steps to a beat"},
      {"sequence", "one motion after another, with transitions"},
  };
  return kinds;
}

Clip make_motion(const body::Person& person, const MotionRequest& request) {
  check(request);
  const size_t frames =
      std::max<size_t>(1, static_cast<size_t>(std::lround(request.seconds * request.frames_per_second)));
  if (request.kind == "sequence")
    return make_sequence(person, request.seed, frames, request.frames_per_second, motion_mix("all"));
  const Figure figure(person);
  MotionPlan plan(figure, request.seed);
  plan.now = 0.25;
  write_motion(plan, request.kind, request.seconds, request.speed);
  return {request.kind, static_cast<float>(request.frames_per_second),
          solve_poses(plan, 0, frames, request.frames_per_second), false};
}

std::vector<MotionShare> motion_mix(std::string_view garment) {
  if (garment == "cape")
    return {{"walk", 2.5}, {"run", 3},     {"stop", 1.5},  {"jump", 1},
            {"spin", 0.8}, {"dance", 1.5}, {"stand", 0.3}, {"bend", 0.7}};
  if (garment == "skirt")
    return {{"dance", 5},  {"pirouette", 1.2}, {"spin", 1},   {"walk", 1.2}, {"run", 0.6},
            {"jump", 0.9}, {"squat", 0.7},     {"bend", 0.5}, {"stand", 0.3}};
  if (garment == "all") {
    std::vector<MotionShare> all;
    for (const MotionKind& kind : motion_kinds())
      if (kind.name != "sequence") all.push_back({kind.name, 1});
    return all;
  }
  throw std::invalid_argument("motion mix: expected cape, skirt or all, found '" + std::string(garment) +
                              "'");
}

Clip make_sequence(const body::Person& person, uint32_t seed, size_t frames, double frames_per_second,
                   const std::vector<MotionShare>& mix, std::vector<SequencePart>* parts) {
  check(mix);
  const double seconds = static_cast<double>(frames) / frames_per_second;
  check(MotionRequest{"sequence", seed, seconds, frames_per_second, 0});
  const Figure figure(person);
  MotionPlan plan(figure, seed);
  plan.now = 0.25;
  WeightedDraw draw(mix);
  while (plan.now < seconds) {
    const std::string& next = draw.next(plan.random);
    if (parts) parts->push_back({next, plan.now});
    const bool on_the_spot = next != "walk" && next != "run" && next != "dance";
    write_motion(plan, next, plan.random.uniform(on_the_spot ? 1 : 4, on_the_spot ? 4 : 9), 0);
  }
  return {"sequence", static_cast<float>(frames_per_second), solve_poses(plan, 0, frames, frames_per_second),
          false};
}

std::vector<MotionRequest> varied_motions(uint32_t seed, size_t frames, double frames_per_second,
                                          const std::vector<MotionShare>& mix, ClipLengths lengths) {
  check(mix);
  Random random(seed);
  WeightedDraw draw(mix);
  std::vector<MotionRequest> out;
  while (frames > 0) {
    const size_t wanted =
        static_cast<size_t>(random.uniform(lengths.shortest, lengths.longest) * frames_per_second);
    const size_t count =
        frames < wanted + static_cast<size_t>(lengths.shortest * frames_per_second) ? frames : wanted;
    MotionRequest request{draw.next(random), seed * 1000003u + static_cast<uint32_t>(out.size()),
                          static_cast<double>(count) / frames_per_second, frames_per_second, 0};
    out.push_back(request);
    frames -= count;
  }
  return out;
}

}  // namespace billow::motion
