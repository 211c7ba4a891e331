#include "train/train.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace billow::train {
namespace {

using dataset::Part;

template <class T> void shuffle(std::vector<T>& items, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace

Choice choose_frames(const learn::Frames& frames, const Options& options) {
  Choice choice;
  if (options.validation == Validation::kFrames) {
    choice = {frames.of(Part::kTrain), frames.of(Part::kValidation)};
  } else {
    std::vector<learn::Frames::Run> clips;
    for (const auto& clip : frames.clips())
      if (frames.part(clip.begin) != Part::kUnseen) clips.push_back(clip);
    if (clips.size() < 2)
      throw std::invalid_argument("validation: expected two clips or more to keep one from learning, found " +
                                  std::to_string(clips.size()));
    shuffle(clips, options.seed);
    const auto kept = std::clamp<size_t>(
        static_cast<size_t>(std::lround(options.validation_clips * static_cast<double>(clips.size()))), 1,
        clips.size() - 1);
    // Frames of the holdout are for judging in any clip.
    for (size_t c = 0; c < clips.size(); ++c)
      for (uint32_t f = clips[c].begin; f < clips[c].end; ++f) {
        const Part part = frames.part(f);
        if (c < kept && (part == Part::kTrain || part == Part::kValidation)) choice.validation.push_back(f);
        if (c >= kept && part == Part::kTrain) choice.train.push_back(f);
      }
  }
  if (options.frames > 0 && options.frames < choice.train.size()) {
    shuffle(choice.train, options.seed);
    choice.train.resize(options.frames);
  }
  std::sort(choice.train.begin(), choice.train.end());
  std::sort(choice.validation.begin(), choice.validation.end());
  return choice;
}

Result train(const learn::Frames& frames, const Options& options, const TrainRun& run) {
  validate(options);
  return (options.form == Form::kPatches ? train_by_patches : train_whole)(frames, options, run);
}

}  // namespace billow::train
