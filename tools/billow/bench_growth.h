// `billow bench --growth`: scaling of frame time and memory with vertices, bones, characters and threads.
#pragma once

#include <nlohmann/json.hpp>

#include "bench_frames.h"

namespace billow::tool {

// Measures synthetic garments of several sizes, and crowds that wear `garment`.
nlohmann::ordered_json bench_growth(const BenchGarment& garment, const body::Person& person,
                                    const motion::Clip& clip);
void print_growth(const nlohmann::ordered_json& growth);

}  // namespace billow::tool
