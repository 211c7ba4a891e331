// Plans a data set: its motions, and the split of frames into training, validation, holdout and unseen.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "body/person.h"
#include "motion/clip.h"

namespace billow::dataset {

struct Request {
  std::string garment = "cape";
  std::string preset = "average";  // of the built-in person
  size_t vertices = 0;             // of the garment; 0: its default
  size_t frames = 5000;            // of clips used for learning
  size_t unseen = 900;             // additional frames, of unseen clips
  float frames_per_second = 30;
  uint32_t seed = 1;
  std::string mix;                  // of built-in motions; empty: that of the garment
  std::vector<motion::Clip> clips;  // user clips on the character's skeleton; they come before built-in ones
};

// The split that a frame belongs to, stored as one letter. Unseen frames are those of whole clips left out of
// learning.
enum class Part : char { kTrain = 't', kValidation = 'v', kHoldout = 'h', kUnseen = 'u' };

// The fewest frames that give training, validation and holdout one each.
inline constexpr size_t kMinFrames = 3;

// Random split of the frames of seen clips, one string of letters per clip: 80 % training, 10 % validation,
// 10 % holdout, at least one frame of each from kMinFrames on.
std::vector<std::string> split_frames(std::span<const size_t> frames, uint32_t seed);

struct PlannedClip {
  std::string name;
  size_t frames = 0;
  std::string parts;  // split, one letter per frame
  std::function<motion::Clip(const body::Person&)> make;
};

// Deterministic. Throws std::invalid_argument for an invalid request.
std::vector<PlannedClip> plan(const Request& request);

}  // namespace billow::dataset
