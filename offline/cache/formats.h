// Internals of the cache formats. Reader constructors open their file and fill in their Info; writers get
// path, topology and rate from make_cache_writer.
#pragma once

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

// Rounds a frame rate that was computed from float32 times: 29.99999 becomes 30.
inline double tidy_rate(double rate) {
  if (!std::isfinite(rate)) return 0;
  return std::abs(rate - std::round(rate)) < 1e-3 && rate > 0.5 ? std::round(rate) : rate;
}

// ---- Wavefront OBJ text (obj_text.cpp)

// Polygons are triangulated as fans about their first corner, independently of the positions, so that all
// frames of a sequence get the same triangles. Lines, groups, materials and normals are ignored.
struct ObjMesh {
  std::vector<V3> positions;
  Topology topology;
};

// Throws std::runtime_error with the name and the line number.
ObjMesh parse_obj(std::string_view text, const std::string& name);

// Faces and UVs are the same in all files of a sequence. Floats round-trip exactly.
std::string obj_faces(const Topology& topology);
std::string obj_vertices(std::span<const V3> positions);
std::string obj_uvs(const Topology& topology);

// Appends the shortest text that parses to the same float.
void append_number(std::string& out, float value);

// ---- Error messages

template <class... Parts> std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <class... Parts> [[noreturn]] void fail(const Parts&... parts) {
  throw std::runtime_error(concat(parts...));
}

}  // namespace billow::cache
