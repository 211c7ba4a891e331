#include "dataset/plan.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace billow::dataset {
namespace {

constexpr uint32_t kUnseenSeed = 0x10000u;  // added to the seed for unseen clips

PlannedClip planned(const motion::MotionRequest& request) {
  PlannedClip clip;
  clip.name = request.kind + " " + std::to_string(request.seed);
  clip.frames = static_cast<size_t>(std::lround(request.seconds * request.frames_per_second));
  clip.make = [request](const OwnedCharacterBody& character_body) {
    const body::Person person = person_of(character_body);
    return on_character(character_body, person, motion::make_motion(person, request));
  };
  return clip;
}

PlannedClip planned(const motion::Clip& source, float frames_per_second) {
  const motion::Clip clip = motion::resample(source, frames_per_second);
  return {clip.name, clip.frames.size(), "", [clip](const OwnedCharacterBody&) { return clip; }};
}

// Frames `begin` to `end` of a captured clip.
PlannedClip piece_of(const motion::Clip& clip, const std::string& subject, size_t begin, size_t end) {
  auto piece = std::make_shared<motion::Clip>(motion::Clip{clip.name, clip.frames_per_second, {}, false});
  if (begin > 0) {
    char text[32];
    std::snprintf(text, sizeof text, " from %.2f s",
                  static_cast<double>(begin) / static_cast<double>(clip.frames_per_second));
    piece->name += text;
  }
  const auto at = [&](size_t frame) { return clip.frames.begin() + static_cast<std::ptrdiff_t>(frame); };
  piece->frames.assign(at(begin), at(end));
  return {piece->name, end - begin, "", [piece](const OwnedCharacterBody&) { return *piece; },
          subject,     piece};
}

// All captured clips of one part as pieces of about equal length, at most half longer than `longest`.
std::vector<PlannedClip> pieces(const Request& request, bool test, double longest) {
  std::vector<PlannedClip> out;
  for (const CapturedClip& captured : request.captured) {
    if (captured.test != test) continue;
    const motion::Clip clip = motion::resample(captured.clip, request.frames_per_second);
    const size_t frames = clip.frames.size(),
                 count = std::clamp<size_t>(
                     static_cast<size_t>(std::lround(static_cast<double>(frames) / longest)), 1, frames);
    for (size_t k = 0; k < count; ++k)
      out.push_back(piece_of(clip, captured.subject, k * frames / count, (k + 1) * frames / count));
  }
  return out;
}

void shuffle_pieces(std::vector<PlannedClip>& clips, uint32_t seed) {
  std::mt19937 engine(seed);
  for (size_t i = clips.size(); i > 1; --i) std::swap(clips[i - 1], clips[engine() % i]);
}

double longest_piece(const Request& request, size_t frames) {
  return std::clamp(static_cast<double>(frames) / 10, 1.0,
                    kLongestPiece * static_cast<double>(request.frames_per_second));
}

// Appends up to `frames` frames of captured clips, and returns their number. With built-in motions beside them,
// which make up the difference, the last piece is not cut.
size_t add_captured(const Request& request, size_t frames, std::vector<PlannedClip>& clips) {
  std::vector<PlannedClip> all = pieces(request, false, longest_piece(request, request.frames));
  shuffle_pieces(all, request.seed);
  size_t sum = 0;
  for (PlannedClip& clip : all) {
    if (sum == frames) break;
    if (const size_t left = frames - sum; clip.frames > left) {
      if (request.built_in_share > 0) continue;
      clip = piece_of(*clip.captured, clip.group, 0, left);
    }
    sum += clip.frames;
    clips.push_back(std::move(clip));
  }
  if (sum < frames && request.built_in_share <= 0)
    throw std::invalid_argument("data set: expected captured clips of " + std::to_string(frames) +
                                " frames, found " + std::to_string(sum) +
                                "; ask for fewer frames, or for built-in motions beside them");
  return sum;
}

// Appends whole test clips while they come closer to the number of unseen frames; the first is cut if too long.
void add_test_clips(const Request& request, std::vector<PlannedClip>& clips) {
  std::vector<PlannedClip> all =
      pieces(request, true, kLongestPiece * static_cast<double>(request.frames_per_second));
  shuffle_pieces(all, request.seed + kUnseenSeed);
  size_t sum = 0;
  for (PlannedClip& clip : all) {
    if (sum == 0 && clip.frames > request.unseen)
      clip = piece_of(*clip.captured, clip.group, 0, request.unseen);
    if (2 * sum + clip.frames > 2 * request.unseen) break;
    sum += clip.frames;
    clips.push_back(std::move(clip));
  }
}

std::vector<motion::MotionShare> mix_of(const Request& request) {
  return motion::motion_mix(request.mix.empty() ? request.garment : request.mix);
}

// Clips to learn from: the user's own, then captured ones, then built-in motions.
std::vector<PlannedClip> seen_clips(const Request& request) {
  std::vector<PlannedClip> clips;
  size_t frames = 0;
  for (const motion::Clip& clip : request.clips) {
    clips.push_back(planned(clip, request.frames_per_second));
    frames += clips.back().frames;
  }
  const bool captured = std::any_of(request.captured.begin(), request.captured.end(),
                                    [](const CapturedClip& clip) { return !clip.test; });
  if (captured && frames < request.frames) {
    const auto built_in =
        static_cast<size_t>(std::lround(request.built_in_share * static_cast<double>(request.frames)));
    const size_t left = request.frames - frames;
    frames += add_captured(request, left - std::min(left, built_in), clips);
  }
  if (frames < request.frames)
    for (const auto& m :
         motion::varied_motions(request.seed, request.frames - frames,
                                static_cast<double>(request.frames_per_second), mix_of(request)))
      clips.push_back(planned(m));
  return clips;
}

std::vector<PlannedClip> unseen_clips(const Request& request) {
  std::vector<PlannedClip> clips;
  if (request.unseen == 0) return clips;
  add_test_clips(request, clips);
  if (clips.empty())
    for (const auto& m : motion::varied_motions(request.seed + kUnseenSeed, request.unseen,
                                                static_cast<double>(request.frames_per_second),
                                                mix_of(request), motion::kEvaluationClips))
      clips.push_back(planned(m));
  return clips;
}

void check_request(const Request& request) {
  const size_t frames = request.all_captured ? captured_frames(request, false) : request.frames,
               unseen = request.all_captured ? captured_frames(request, true) : request.unseen;
  const bool test_only = frames == 0 && unseen > 0 && captured_frames(request, true) > 0;
  if ((frames == 0 && !test_only) || frames > 10'000'000 || unseen > 10'000'000)
    throw std::invalid_argument("data set: expected 1 to 10,000,000 frames, found " + std::to_string(frames) +
                                " and " + std::to_string(unseen));
  if (!(request.frames_per_second >= 1 && request.frames_per_second <= 240))
    throw std::invalid_argument("data set: expected 1 to 240 frames per second, found " +
                                std::to_string(request.frames_per_second));
  if (!(request.built_in_share >= 0 && request.built_in_share <= 1))
    throw std::invalid_argument("data set: expected a share of built-in motions from 0 to 1, found " +
                                std::to_string(request.built_in_share));
  mix_of(request);
}

}  // namespace

size_t captured_frames(const Request& request, bool test) {
  size_t sum = 0;
  for (const CapturedClip& captured : request.captured)
    if (captured.test == test)
      sum += motion::resample(captured.clip, request.frames_per_second).frames.size();
  return sum;
}

std::vector<PlannedClip> plan(const Request& request) {
  check_request(request);
  constexpr double kWhole = 1e9;  // frames
  std::vector<PlannedClip> clips =
      request.all_captured ? pieces(request, false, kWhole) : seen_clips(request);
  std::vector<size_t> frames;
  std::vector<std::string> groups;
  for (const PlannedClip& clip : clips) frames.push_back(clip.frames), groups.push_back(clip.group);
  const std::vector<std::string> parts = request.captured.empty() ? split_frames(frames, request.seed)
                                                                  : split_clips(frames, groups, request.seed);
  for (size_t c = 0; c < clips.size(); ++c) clips[c].parts = parts[c];
  for (PlannedClip& clip : request.all_captured ? pieces(request, true, kWhole) : unseen_clips(request)) {
    clip.parts.assign(clip.frames, static_cast<char>(Part::kUnseen));
    clips.push_back(std::move(clip));
  }
  return clips;
}

}  // namespace billow::dataset
