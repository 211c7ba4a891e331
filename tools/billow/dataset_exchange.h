// `billow dataset import` and `billow dataset export`.
#pragma once

#include <CLI/CLI.hpp>

#include "dataset/reader/dataset_file.h"

namespace billow::tool {

void add_dataset_import(CLI::App* command);
void add_dataset_export(CLI::App* command);

// Prints one line for each clip that is excluded from training, with the reason.
void print_left_out(const dataset::DatasetInfo& info);

}  // namespace billow::tool
