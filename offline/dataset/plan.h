// Plans a data set: its motions, and the split of frames into training, validation, holdout and unseen.
//
// Built-in motions alone are split by random frames. Frames 1/30 s apart are near copies of each other, so that such
// a holdout measures little but the fit. A data set with captured clips is therefore split by whole clips, and clips
// of one subject go to one part where that is possible.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "body/contacts.h"
#include "dataset/character.h"
#include "motion/clip.h"

namespace billow::dataset {

// A recorded clip that a plan may draw from, on the character's skeleton.
struct CapturedClip {
  motion::Clip clip;
  std::string subject;  // clips of one subject resemble each other
  bool test = false;    // never learnt from: it can become an unseen clip only
};

struct Request {
  std::string garment = "cape";            // its name
  std::string preset = "average";          // of the built-in person
  size_t vertices = 0;                     // of the garment; 0: its default
  std::optional<body::Contacts> contacts;  // instead of the garment's own
  size_t frames = 5000;                    // of clips used for learning; 0 only with captured test clips
  size_t unseen = 900;                     // additional frames, of unseen clips
  float frames_per_second = 30;
  uint32_t seed = 1;
  std::string mix;                  // of built-in motions; empty: that of the built-in garment
  std::vector<motion::Clip> clips;  // user clips on the character's skeleton; they come before all others

  // Captured clips to draw from at random. Long ones are cut into pieces of at most kLongestPiece seconds and a tenth
  // of `frames`. Test clips give the unseen frames, to within half a clip; built-in motions do if
  // there are none.
  std::vector<CapturedClip> captured;
  double built_in_share = 0.25;  // share of `frames` in built-in motions, beside captured clips
  bool all_captured =
      false;  // all captured clips as they are; frames, unseen and built_in_share are not used
};
inline constexpr double kLongestPiece = 6;

// The split that a frame belongs to, stored as one letter. Unseen frames are those of whole clips left out of
// learning.
enum class Part : char { kTrain = 't', kValidation = 'v', kHoldout = 'h', kUnseen = 'u' };

// The fewest frames that give training, validation and holdout one each.
inline constexpr size_t kMinFrames = 3;

// Random split of the frames of seen clips, one string of letters per clip: 80 % training, 10 % validation,
// 10 % holdout, at least one frame of each from kMinFrames on.
std::vector<std::string> split_frames(std::span<const size_t> frames, uint32_t seed);

// The same split by whole clips, about 80, 10 and 10 %. `groups` names the subject of each clip: subjects are not
// shared between parts unless there are too few. Falls back on split_frames() for fewer than three clips.
std::vector<std::string> split_clips(std::span<const size_t> frames, std::span<const std::string> groups,
                                     uint32_t seed);

struct PlannedClip {
  std::string name;
  size_t frames = 0;
  std::string parts;  // split, one letter per frame
  std::function<motion::Clip(const OwnedCharacterBody&)> make;
  std::string group = {};                                  // subject of a captured clip, else empty
  std::shared_ptr<const motion::Clip> captured = nullptr;  // its poses at the rate of the data set
};

// Deterministic. Throws std::invalid_argument for an invalid request.
std::vector<PlannedClip> plan(const Request& request);

// The frames of all captured clips, of those to learn from or of those for tests.
size_t captured_frames(const Request& request, bool test);

}  // namespace billow::dataset
