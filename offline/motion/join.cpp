#include "motion/join.h"

#include <stdexcept>

namespace billow::motion {
namespace {

constexpr double kFade = 0.5;      // s
constexpr double kTurnBack = 0.5;  // s, before and after a turning point

size_t frames_in(const Clip& clip, double seconds) {
  return static_cast<size_t>(std::lround(seconds * static_cast<double>(clip.frames_per_second)));
}

// Ease in and out.
float ease(float t) { return t * t * (3 - 2 * t); }

// Appends poses, moved by `move`, to a motion. The first ones are blended with its last ones.
void append(std::vector<Pose>& out, std::span<const Pose> next, const GroundTransform& move, size_t fade) {
  fade = std::min({fade, out.size(), next.size()});
  for (size_t k = 0; k < next.size(); ++k) {
    const Pose pose = move(next[k]);
    if (k >= fade) {
      out.push_back(pose);
      continue;
    }
    Pose& before = out[out.size() - fade + k];
    before = blend(before, pose, ease(static_cast<float>(k + 1) / static_cast<float>(fade + 1)));
  }
}

// Appends a motion that starts where the fade does.
void go_on(std::vector<Pose>& out, std::span<const Pose> next, size_t fade) {
  if (out.empty())
    out.assign(next.begin(), next.end());
  else
    append(out, next, ground_transform(next[0], out[out.size() - std::min(fade, out.size())]), fade);
}

}  // namespace

Clip join(std::span<const Clip> clips, const Pose& standing, double seconds) {
  if (clips.empty()) throw std::invalid_argument("expected motions to join, found none");
  Clip out{"joined", clips[0].frames_per_second, {}, false};
  const size_t fade = frames_in(out, kFade), stretch = frames_in(out, kJoinedStretch),
               all = frames_in(out, seconds);
  for (const Clip& clip : clips)
    if (clip.frames_per_second != out.frames_per_second || clip.frames.size() <= 2 * fade)
      throw std::invalid_argument("clip '" + clip.name +
                                  "': expected more than a second at the rate of the others, found " +
                                  std::to_string(clip.frames.size()) + " frames");
  const std::vector<Pose> stop(2 * fade + frames_in(out, kJoinedStop), standing);
  const size_t stops = all > stretch ? (all - stretch) / (stretch + stop.size()) : 0;
  if (stops == 0)
    throw std::invalid_argument("expected at least " + std::to_string(2 * stretch + stop.size()) +
                                " frames to join motions in, found " + std::to_string(all));

  // Move and stand still, in equal shares of the time that the last ten seconds leave.
  std::vector<Pose> first;
  for (size_t k = 0, next = 0; k < stops; ++k) {
    const size_t length = (all - stretch) / stops - (stop.size() - fade) + (k > 0 ? fade : 0);
    std::vector<Pose> part;
    while (part.size() < length) go_on(part, clips[next++ % clips.size()].frames, fade);
    part.resize(length);
    if (first.empty()) first.assign(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(stretch));
    go_on(out.frames, part, fade);
    append(out.frames, stop, ground_transform(standing, out.frames.back()), fade);
  }
  // What is faded in is not among the last ten seconds.
  std::vector<Pose> last(fade, first[0]);
  last.insert(last.end(), first.begin(), first.end());
  go_on(out.frames, last, fade);
  return out;
}

Clip there_and_back(const Clip& clip, double seconds) {
  Clip out{clip.name, clip.frames_per_second, {}, false};
  const auto length = static_cast<double>(clip.duration()),
             rate = static_cast<double>(clip.frames_per_second), turn = std::min(kTurnBack, length / 4);
  const size_t frames = frames_in(clip, seconds) + 1;
  for (size_t k = 0; k < frames; ++k) {
    // A triangle wave, its corners rounded by parabolas.
    double t = static_cast<double>(k) / rate;
    if (length > 0) t -= 2 * length * std::floor(t / (2 * length));
    double at = t <= length ? t : 2 * length - t;
    const double to_end = length - at;
    if (to_end < turn) at = length - (to_end * to_end + turn * turn) / (2 * turn);
    if (k >= frames_in(clip, length) && at < turn) at = (at * at + turn * turn) / (2 * turn);
    out.frames.push_back(pose_at(clip, static_cast<float>(at)));
  }
  return out;
}

}  // namespace billow::motion
