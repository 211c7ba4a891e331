// What a data set is made of: which motions, and which frames are for what.
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
  size_t vertices = 0;             // 0: as the garment has them
  size_t frames = 5000;            // of clips that are learnt from
  size_t unseen = 900;             // more, of clips that are not
  float frames_per_second = 30;
  uint32_t seed = 1;
  std::string mix;  // of built-in motions; empty: the garment's
  std::vector<motion::Clip>
      clips;  // the user's own, already on the character's skeleton: taken before built-in ones
};

// A frame's part, as one letter: of learning (train), of choosing (validation), of judging (holdout); or in a clip that is
// never seen while learning.
enum class Part : char { kTrain = 't', kValidation = 'v', kHoldout = 'h', kUnseen = 'u' };

// Parts for the frames of clips that are learnt from, a string of letters a clip: 80, 10 and 10 % of all frames.
std::vector<std::string> deal_out(std::span<const size_t> frames, uint32_t seed);

struct PlannedClip {
  std::string name;
  size_t frames = 0;
  std::string parts;  // a letter a frame
  std::function<motion::Clip(const body::Person&)> make;
};

// The same request gives the same plan. Throws std::invalid_argument for one that makes no sense.
std::vector<PlannedClip> plan(const Request& request);

}  // namespace billow::dataset
