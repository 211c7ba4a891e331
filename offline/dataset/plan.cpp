#include "dataset/plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "motion/motions.h"

namespace billow::dataset {
namespace {

PlannedClip planned(const motion::MotionRequest& request) {
  PlannedClip clip;
  clip.name = request.kind + " " + std::to_string(request.seed);
  clip.frames = static_cast<size_t>(std::lround(request.seconds * request.frames_per_second));
  clip.make = [request](const body::Person& person) { return motion::make_motion(person, request); };
  return clip;
}

PlannedClip planned(const motion::Clip& source, float frames_per_second) {
  const motion::Clip clip = motion::resample(source, frames_per_second);
  return {clip.name, clip.frames.size(), "", [clip](const body::Person&) { return clip; }};
}

}  // namespace

std::vector<std::string> split_frames(std::span<const size_t> frames, uint32_t seed) {
  // Shuffle exact counts of letters (Fisher-Yates).
  const size_t total = std::accumulate(frames.begin(), frames.end(), size_t{0});
  const size_t tenth = total < kMinFrames ? 0 : std::max<size_t>(1, total / 10);
  std::string letters(total, static_cast<char>(Part::kTrain));
  std::fill_n(letters.begin(), tenth, static_cast<char>(Part::kValidation));
  std::fill_n(letters.begin() + static_cast<std::ptrdiff_t>(tenth), tenth, static_cast<char>(Part::kHoldout));
  std::mt19937 engine(seed);
  for (size_t i = total; i > 1; --i) std::swap(letters[i - 1], letters[engine() % i]);
  std::vector<std::string> parts;
  size_t next = 0;
  for (const size_t n : frames) parts.push_back(letters.substr(next, n)), next += n;
  return parts;
}

std::vector<PlannedClip> plan(const Request& request) {
  if (request.frames == 0 || request.frames > 10'000'000 || request.unseen > 10'000'000)
    throw std::invalid_argument("data set: expected 1 to 10,000,000 frames, found " +
                                std::to_string(request.frames) + " and " + std::to_string(request.unseen));
  if (!(request.frames_per_second >= 1 && request.frames_per_second <= 240))
    throw std::invalid_argument("data set: expected 1 to 240 frames per second, found " +
                                std::to_string(request.frames_per_second));
  const auto mix = motion::motion_mix(request.mix.empty() ? request.garment : request.mix);
  const auto rate = static_cast<double>(request.frames_per_second);
  std::vector<PlannedClip> clips;
  size_t own_frames = 0;
  for (const motion::Clip& clip : request.clips) {
    clips.push_back(planned(clip, request.frames_per_second));
    own_frames += clips.back().frames;
  }
  if (own_frames < request.frames)
    for (const auto& m : motion::varied_motions(request.seed, request.frames - own_frames, rate, mix))
      clips.push_back(planned(m));
  const size_t seen = clips.size();
  if (request.unseen > 0)
    for (const auto& m :
         motion::varied_motions(request.seed + 0x10000u, request.unseen, rate, mix, motion::kEvaluationClips))
      clips.push_back(planned(m));

  std::vector<size_t> frames;
  for (size_t c = 0; c < seen; ++c) frames.push_back(clips[c].frames);
  const std::vector<std::string> parts = split_frames(frames, request.seed);
  for (size_t c = 0; c < clips.size(); ++c)
    clips[c].parts = c < seen ? parts[c] : std::string(clips[c].frames, static_cast<char>(Part::kUnseen));
  return clips;
}

}  // namespace billow::dataset
