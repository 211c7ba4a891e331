// Reads all motion files of a folder.
#pragma once

#include <string>
#include <vector>

#include "body/person.h"
#include "motion/bundle.h"

namespace billow::tool {

// All clips of the motion files in a folder, on a built-in person, in the order of their file names. A file of one
// clip gives it its stem as name, others "stem:clip". A file that cannot be read is left out and added to `skipped`
// with the reason. Throws std::runtime_error if none can be read.
motion::MotionBundle clips_in_folder(const std::string& folder, const body::Person& person,
                                     std::vector<std::string>& skipped);

}  // namespace billow::tool
