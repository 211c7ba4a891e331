// Writes what was learnt.
#pragma once

#include <filesystem>

#include "learn/gru.h"
#include "train/train.h"

namespace billow::tool {

// A folder of arrays (.npy), one for each matrix and vector of the model, and record.json. Throws std::runtime_error
// that names the file.
void save_model(const learn::Model& model, const train::Record& record, const std::filesystem::path& path);
// The same for the recurrent baseline.
void save_gru(const learn::Gru& gru, const std::filesystem::path& path);

}  // namespace billow::tool
