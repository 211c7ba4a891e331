// The formats, one a file. Readers have their file opened and their info filled in; writers get path, topology
// and rate from make_cache_writer.
#pragma once

#include <cmath>

#include "cache/cache.h"

namespace billow::cache {

std::unique_ptr<Reader> open_pc2(const std::filesystem::path& path);
std::unique_ptr<Reader> open_mdd(const std::filesystem::path& path);
std::unique_ptr<Reader> open_obj_sequence(const std::filesystem::path& path);
std::unique_ptr<Reader> open_gltf(const std::filesystem::path& path, double fps);

std::unique_ptr<Writer> make_pc2_writer();
std::unique_ptr<Writer> make_mdd_writer();
std::unique_ptr<Writer> make_obj_writer();
std::unique_ptr<Writer> make_gltf_writer();
std::unique_ptr<Writer> make_usda_writer();

std::string lower_extension(const std::filesystem::path& path);
// True for cape_####.obj and cape_%04d.obj.
bool is_pattern(const std::filesystem::path& path);

// Frames a second found from times in float32, which make 29.99999 of 30.
inline double tidy_rate(double rate) {
  if (!std::isfinite(rate)) return 0;
  return std::abs(rate - std::round(rate)) < 1e-3 && rate > 0.5 ? std::round(rate) : rate;
}

}  // namespace billow::cache
