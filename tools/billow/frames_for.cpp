#include "frames_for.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace billow::tool {
namespace {

void check_same_mesh(const std::string& file, const garment::Garment& garment, const std::string& data,
                     const garment::Garment& of_data) {
  const auto check = [&](const std::string& what, size_t expected, size_t found) {
    if (expected != found)
      throw std::runtime_error(file + ": expected the garment of " + data + " with " +
                               std::to_string(expected) + " " + what + ", found " + std::to_string(found));
  };
  check("vertices", of_data.size(), garment.size());
  check("bones", of_data.bones.size(), garment.bones.size());
  check("triangles", of_data.triangles.size(), garment.triangles.size());
  if (of_data.triangles != garment.triangles || of_data.chains != garment.chains)
    throw std::runtime_error(file + ": expected the garment of " + data +
                             ", found one with other triangles or chains");
}

}  // namespace

learn::Frames frames_for(const std::filesystem::path& file, const garment::Garment& garment,
                         const std::filesystem::path& data) {
  learn::Frames frames(data);
  check_same_mesh(file.string(), garment, data.string(), frames.garment());
  frames.set_rest(garment.rest);
  return frames;
}

void check_same_rest(const std::filesystem::path& file, const garment::Garment& garment,
                     const learn::Frames& frames) {
  constexpr float kTolerance = 1e-3f;  // m
  check_same_mesh(file.string(), garment, "the other file", frames.garment());
  const auto same = [](V3 a, V3 b) { return length(a - b) < kTolerance; };
  if (!std::ranges::equal(garment.rest, frames.rest(), same))
    throw std::runtime_error(file.string() +
                             ": expected the rest of the other file, found vertices elsewhere: it was "
                             "trained on another data set");
}

}  // namespace billow::tool
