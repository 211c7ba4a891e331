// The reference's check: whether the cloth of a simulated or imported clip can be learnt from, and if not, why and
// when. This is the only place of its limits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace billow::dataset {

// Clips beyond these limits are unusable: the cloth was torn, caught or tangled.
inline constexpr double kMaxWorstStrain = 0.25;   // of a frame's 99th percentile
inline constexpr double kMaxDepth = 0.02;         // m, of a vertex in the body
inline constexpr double kMaxTangledShare = 0.01;  // of the edges, which are about three per vertex

inline constexpr size_t kUnknownFrame = ~size_t{0};  // of data sets that did not record it

// The worst of a clip by each measure, and the frame it is in.
struct ClipQuality {
  double strain = 0;   // 99th percentile of the worst frame; a fraction
  double deepest = 0;  // m
  double tangled = 0;  // edges of tangled cloth, mean of the frames in which they were counted
  size_t strain_frame = kUnknownFrame, deepest_frame = kUnknownFrame, tangled_frame = kUnknownFrame;
};

// A measure that is beyond its limit.
struct Rejection {
  std::string measure;  // "stretched", "caught" or "tangled"
  std::string reason;   // what was found and what is allowed, in words
  double seconds = -1;  // time of the worst frame; -1: unknown
};
std::vector<Rejection> rejections(const ClipQuality& quality, size_t vertices, double frames_per_second);

inline bool is_usable(const ClipQuality& quality, size_t vertices) {
  return rejections(quality, vertices, 1).empty();
}

// A clip of a data set that was made, and how it fared.
struct ClipResult {
  size_t index = 0;
  std::string name;
  size_t frames = 0;
  bool unseen = false, usable = true;
  ClipQuality quality;
  std::vector<Rejection> rejections;  // empty if usable
};

// "cloth stretched: 63 % ..., worst at 1.20 s; tangled: ..."; for a usable clip "passes".
std::string in_words(const ClipResult& result);
// One line for all, then one for each rejected clip.
std::string summary_in_words(std::span<const ClipResult> results);
// The same, with all figures. `folder` is that of the data set.
std::string summary_as_json(std::span<const ClipResult> results, const std::string& folder,
                            double frames_per_second);

size_t usable_frames(std::span<const ClipResult> results);

}  // namespace billow::dataset
