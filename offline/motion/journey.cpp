#include "motion/journey.h"

#include "motion/gait.h"
#include "motion/moves.h"

namespace billow::motion {
namespace {

// Where a way leads, roughly: enough to turn back in time.
class Compass {
 public:
  Compass(const Place& start, double reach) : at_(start), reach_(reach) {}

  // The sign to turn by: home when far, else any.
  double turn_sign(Random& random) const {
    if (std::hypot(at_.x, at_.z) < reach_) return random.sign();
    const double home = std::atan2(-at_.x, -at_.z);
    return std::sin(home - at_.heading) > 0 ? 1 : -1;
  }
  bool far() const { return std::hypot(at_.x, at_.z) >= reach_; }
  void go(const Stretch& s) {
    constexpr double kStep = 0.1;
    for (double t = 0; t < s.seconds; t += kStep) {
      at_.x += kStep * s.speed * std::sin(at_.heading);
      at_.z += kStep * s.speed * std::cos(at_.heading);
      at_.heading += kStep * s.turn;
    }
  }

 private:
  Place at_;
  double reach_;
};

// Straight on, round bends, faster and slower.
std::vector<Stretch> draw_way(Score& score, double seconds, double base, double low, double high,
                              double hurry) {
  Random& random = score.random;
  Compass compass(score.root(), 5);
  std::vector<Stretch> way;
  for (double t = 0; t < seconds;) {
    Stretch s;
    s.speed = std::clamp(base * random.uniform(0.86, 1.14), low, high);
    s.seconds = random.uniform(1.2, 3);
    s.acceleration = hurry;
    if (compass.far() || random.chance(0.6))
      s.turn = compass.turn_sign(random) * std::min(random.uniform(0.25, 1.1), 2.8 / s.speed);
    compass.go(s);
    way.push_back(s);
    t += s.seconds;
  }
  return way;
}

}  // namespace

void walk(Score& score, double seconds, double speed) {
  const double base = speed > 0 ? speed : score.random.uniform(0.8, 1.7);
  go(score, draw_way(score, seconds, base, 0.6, 1.8, 1.4));
}

void run(Score& score, double seconds, double speed) {
  const double base = speed > 0 ? speed : score.random.uniform(2.4, 5.2);
  go(score, draw_way(score, seconds, base, 2.2, 6, 2.8));
}

void run_and_stop(Score& score, double seconds, double speed) {
  Random& random = score.random;
  // Sprinters and players of ball games brake with up to 6 m/s2 (Harper, McBurnie et al., "Biomechanical and
  // neuromuscular performance requirements of horizontal deceleration", 2022).
  constexpr double kBrake = 5.5;
  for (const double end = score.now + seconds; score.now < end;) {
    const double base =
        std::clamp((speed > 0 ? speed : random.uniform(2.6, 5)) * random.uniform(0.9, 1.1), 2.2, 6.0);
    std::vector<Stretch> way = draw_way(score, random.uniform(1.4, 3.2), base, 2.2, 6, 3.2);
    way.push_back({0, 0, 0, kBrake});
    go(score, way);
    stand(score, random.uniform(0.2, 1.2));
  }
}

}  // namespace billow::motion
