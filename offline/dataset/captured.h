// Captured clips as input of data sets.
#pragma once

#include <span>
#include <string>

#include "dataset/plan.h"
#include "motion/bundle.h"

namespace billow::dataset {

// Adds the clips of a bundle to the request, on a character, under the names "captured:07_03". With `only`, which has
// names with or without that prefix, just these, and as they are: see Request::all_captured. Throws
// std::invalid_argument for a name that the bundle does not have.
void add_captured_clips(const motion::MotionBundle& bundle, std::span<const std::string> only,
                        const OwnedCharacterBody& character, Request& request);

// One line on what a plan consists of: clips and frames of each kind.
std::string plan_in_words(std::span<const PlannedClip> clips);

}  // namespace billow::dataset
