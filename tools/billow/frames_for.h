// Loads a data set for use with a garment file.
#pragma once

#include <filesystem>

#include "garment/garment.h"
#include "learn/frames.h"

namespace billow::tool {

// The frames of a data set, relative to the rest of the file's garment. The drape of one garment differs
// slightly between simulations, and networks predict displacements from the rest they were trained with.
// Throws std::runtime_error for a data set of another garment.
learn::Frames frames_for(const std::filesystem::path& file, const garment::Garment& garment,
                         const std::filesystem::path& data);

// Throws std::runtime_error unless the file's garment equals that of the frames and has the same rest.
void check_same_rest(const std::filesystem::path& file, const garment::Garment& garment,
                     const learn::Frames& frames);

}  // namespace billow::tool
