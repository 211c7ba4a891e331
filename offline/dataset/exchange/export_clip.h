// A clip of a data set as a cache of other tools: OBJ sequence, PC2, MDD, glTF or USDA, by the name of the file.
#pragma once

#include <filesystem>
#include <functional>

#include "dataset/reader/dataset_file.h"

namespace billow::dataset {

// The cloth with the garment's triangles, and its pattern as UVs if it has one. `report` is told the share that is done.
// Returns the number of frames. Throws std::invalid_argument for a clip that is not there, std::runtime_error with the
// file for what cannot be read or written; nothing is left then.
size_t export_clip(const DatasetInfo& info, size_t clip, const std::filesystem::path& out,
                   const std::function<void(double)>& report = {});

}  // namespace billow::dataset
