// A dance: moves strung together to a beat of 96 to 124 a minute, chosen so that none comes twice in a row and
// the dancer stays near one place. All amounts are drawn anew each time.
#include <algorithm>
#include <vector>

#include "motion/dancer.h"
#include "motion/moves.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

struct Choice {
  DanceMove move;
  double weight;
};
constexpr Choice kMoves[] = {{side_steps, 1.5},  {walk_steps, 1.2}, {kick, 2.2},       {leg_circle, 0.7},
                             {lunge, 1.6},       {hip_circles, 1},  {hip_turns, 1.2},  {groove, 0.8},
                             {body_wave, 0.6},   {pivot_turn, 1.1}, {dance_jump, 0.8}, {dance_pirouette, 1.5},
                             {rise_on_toes, 0.7}};

// Draws a move, rarer ones the likelier the longer they have not come.
size_t draw_move(Random& random, std::vector<double>& urge) {
  double sum = 0;
  for (const double u : urge) sum += u;
  double at = random.uniform(0, sum);
  size_t chosen = 0;
  while (chosen + 1 < urge.size() && (at -= urge[chosen]) > 0) ++chosen;
  for (size_t k = 0; k < urge.size(); ++k) urge[k] += 0.25 * kMoves[k].weight;
  urge[chosen] = 0;
  return chosen;
}

}  // namespace

void dance(Score& score, double seconds) {
  score.hold();
  Random& random = score.random;
  const Place start = centre(score);
  Dancer dancer{score, 60 / random.uniform(96, 124), random.uniform(0.35, 0.85), start.heading, start};
  std::vector<double> urge;
  for (const Choice& c : kMoves) urge.push_back(c.weight);
  const double end = score.now + seconds;
  while (score.now < end) {
    // Let the dance swell and calm down.
    dancer.energy = std::clamp(dancer.energy + random.uniform(-0.15, 0.17), 0.25, 0.95);
    score.hold();
    kMoves[draw_move(random, urge)].move(dancer);
  }
  const double rest = score.now + 0.8;
  score.move_root(rest, centre(score));
  score.key(kHeight, rest, score.figure.stand_height);
  for (size_t side = 0; side < kSides; ++side) score.heel(side, rest, 0);
  score.at_ease(rest);
  score.now = rest + 0.1;
}

}  // namespace billow::motion
