// A data set beside a garment file.
#pragma once

#include <filesystem>

#include "garment/garment.h"
#include "learn/frames.h"

namespace billow::tool {

// The frames of a data set, seen from the rest of a file's garment: what the same cut comes to hang like differs a little wherever it
// is simulated, and what was learnt goes by its own. Throws std::runtime_error for a data set of another garment.
learn::Frames frames_for(const std::filesystem::path& file, const garment::Garment& garment,
                         const std::filesystem::path& data);

// Throws std::runtime_error unless a file's garment is the frames', with the same rest.
void check_same_rest(const std::filesystem::path& file, const garment::Garment& garment,
                     const learn::Frames& frames);

}  // namespace billow::tool
