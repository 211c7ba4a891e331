// Reads all motion files of a folder.
#pragma once

#include <string>
#include <vector>

#include "body/skeleton.h"
#include "motion/bundle.h"

namespace billow::tool {

struct FolderClip {
  std::string motion_name;   // as on the command line: run.bvh, robot.glb:Running, with the folder
  motion::BundledClip clip;  // its name: the file's stem, with ":" and the clip's if the file has several
};

// All clips of the motion files in a folder, on a character, in the order of their file names. A file that cannot be read is
// left out and added to `skipped` with the reason. Throws std::runtime_error if none can be read.
std::vector<FolderClip> clips_in_folder(const std::string& folder, const body::Skeleton& skeleton,
                                        std::vector<std::string>& skipped);

}  // namespace billow::tool
