#include "motion/motions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "motion/journey.h"
#include "motion/moves.h"
#include "motion/perform.h"

namespace billow::motion {
namespace {

const MotionKind& kind_named(const std::string& name) {
  std::string names;
  for (const MotionKind& kind : motion_kinds()) {
    if (kind.name == name) return kind;
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  throw std::invalid_argument("there is no motion '" + name + "'; there are " + names);
}

void check(const MotionRequest& request) {
  const MotionKind& kind = kind_named(request.kind);
  const auto text = [](double number) {
    char out[32];
    std::snprintf(out, sizeof out, "%g", number);
    return std::string(out);
  };
  const auto fail = [&](const std::string& expected, double found) {
    throw std::invalid_argument("motion '" + request.kind + "': expected " + expected + ", found " +
                                text(found));
  };
  if (!(request.seconds > 0 && request.seconds <= 3600)) fail("0 to 3600 seconds", request.seconds);
  if (!(request.frames_per_second >= 1 && request.frames_per_second <= 1000))
    fail("1 to 1000 frames a second", request.frames_per_second);
  if (request.speed == 0) return;
  if (kind.fastest == 0) fail("no speed", request.speed);
  if (!(request.speed >= kind.slowest && request.speed <= kind.fastest))
    fail("a speed from " + text(kind.slowest) + " to " + text(kind.fastest) + " m/s", request.speed);
}

// Writes one motion for about so many seconds; those on the spot for as long as they take.
void write_motion(Score& score, const std::string& kind, double seconds, double speed) {
  Random& random = score.random;
  if (kind == "walk") return walk(score, seconds, speed);
  if (kind == "run") return run(score, seconds, speed);
  if (kind == "stop") return run_and_stop(score, seconds, speed);
  if (kind == "dance") return dance(score, seconds);
  if (kind == "stand") return stand(score, seconds);
  for (const double end = score.now + seconds; score.now < end;) {
    if (kind == "jump") jump(score, random_jump(random));
    if (kind == "squat") squat(score);
    if (kind == "bend") bend(score);
    if (kind == "spin") spin(score, random.sign() * random.uniform(1, 2.5), random.uniform(0.32, 0.55));
    if (kind == "pirouette")
      pirouette(score, {random.chance(0.5) ? size_t{0} : size_t{1}, random.sign() * (1 + random.below(3)),
                        random.uniform(1.1, 2)});
    if (random.chance(0.3)) stand(score, random.uniform(0.3, 1));
  }
}

// Draws motions at random, each as often as its weight asks for: what has come more often than its share waits, so
// that none is long in coming.
class Draw {
 public:
  explicit Draw(const std::vector<MotionShare>& mix) : mix_(mix), owed_(mix.size(), 0) {}

  // Another than the last, where there is one.
  const std::string& next(Random& random) {
    double sum = 0, open = 0;
    for (const MotionShare& m : mix_) sum += m.weight;
    for (size_t k = 0; k < mix_.size(); ++k) owed_[k] += mix_[k].weight / sum;
    for (size_t k = 0; k < mix_.size(); ++k) open += chance(k);
    double at = random.uniform(0, open);
    size_t drawn = mix_.size();
    for (size_t k = 0; k < mix_.size(); ++k) {
      if (chance(k) <= 0) continue;
      drawn = k;
      if ((at -= chance(k)) <= 0) break;
    }
    // Where only the last is owed, take whatever comes after it.
    if (drawn == mix_.size()) drawn = (last_ + 1) % mix_.size();
    owed_[drawn] -= 1;
    last_ = drawn;
    return mix_[drawn].kind;
  }

 private:
  double chance(size_t k) const { return k == last_ ? 0 : std::max(0.0, owed_[k]); }

  const std::vector<MotionShare>& mix_;
  std::vector<double> owed_;  // how many times it should have come more
  size_t last_ = ~size_t{0};
};

void check(const std::vector<MotionShare>& mix) {
  if (mix.empty()) throw std::invalid_argument("a mix of motions: expected at least one, found none");
  for (const MotionShare& m : mix)
    if (kind_named(m.kind).name == "sequence" || !(m.weight > 0))
      throw std::invalid_argument("a mix of motions: expected motions with weights above 0, found '" +
                                  m.kind + "' with " + std::to_string(m.weight));
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
  Score score(figure, request.seed);
  score.now = 0.25;
  write_motion(score, request.kind, request.seconds, request.speed);
  return {request.kind, static_cast<float>(request.frames_per_second),
          perform(score, 0, frames, request.frames_per_second), false};
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
  throw std::invalid_argument("there is no mix of motions '" + std::string(garment) +
                              "'; there are cape, skirt and all");
}

Clip make_sequence(const body::Person& person, uint32_t seed, size_t frames, double frames_per_second,
                   const std::vector<MotionShare>& mix, std::vector<SequencePart>* parts) {
  check(mix);
  const double seconds = static_cast<double>(frames) / frames_per_second;
  check(MotionRequest{"sequence", seed, seconds, frames_per_second, 0});
  const Figure figure(person);
  Score score(figure, seed);
  score.now = 0.25;
  Draw draw(mix);
  while (score.now < seconds) {
    const std::string& next = draw.next(score.random);
    if (parts) parts->push_back({next, score.now});
    const bool on_the_spot = next != "walk" && next != "run" && next != "dance";
    write_motion(score, next, score.random.uniform(on_the_spot ? 1 : 4, on_the_spot ? 4 : 9), 0);
  }
  return {"sequence", static_cast<float>(frames_per_second), perform(score, 0, frames, frames_per_second),
          false};
}

std::vector<MotionRequest> varied_motions(uint32_t seed, size_t frames, double frames_per_second,
                                          const std::vector<MotionShare>& mix, ClipLengths lengths) {
  check(mix);
  Random random(seed);
  Draw draw(mix);
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
