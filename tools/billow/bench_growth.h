// How a frame's time and memory grow: with vertices, bones, characters and threads. For `billow bench --growth`.
#pragma once

#include <nlohmann/json.hpp>

#include "bench_frames.h"

namespace billow::tool {

// Made-up garments of several sizes, and crowds of the garment given.
nlohmann::ordered_json bench_growth(const BenchGarment& garment, const body::Person& person,
                                    const motion::Clip& clip);
void print_growth(const nlohmann::ordered_json& growth);

}  // namespace billow::tool
