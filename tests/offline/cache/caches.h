// Small caches for tests, and temporary folders to write them to.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "offline/import/files.h"

namespace billow::cache {

struct Frames {
  Topology topology;
  double fps = 0;
  std::vector<std::vector<V3>> positions;
};

// A sheet of 3 by 3 vertices whose frames differ, with an optional UV seam.
inline Frames waving_sheet(size_t frames = 5, bool seam = true) {
  Frames out;
  out.fps = 30;
  out.topology.vertices = 9;
  for (uint32_t row = 0; row < 2; ++row)
    for (uint32_t column = 0; column < 2; ++column) {
      const uint32_t a = 3 * row + column;
      out.topology.triangles.push_back({a, a + 1, a + 4});
      out.topology.triangles.push_back({a, a + 4, a + 3});
    }
  for (uint32_t v = 0; v < 9; ++v)
    out.topology.uvs.push_back({static_cast<float>(v % 3) / 4, static_cast<float>(v / 3) / 4});
  out.topology.uv_triangles = out.topology.triangles;
  if (seam) {
    // The last triangle lies elsewhere in UV space.
    for (uint32_t k = 0; k < 3; ++k) out.topology.uvs.push_back({0.75f, 0.25f * static_cast<float>(k)});
    out.topology.uv_triangles.back() = {9, 10, 11};
  }
  for (size_t f = 0; f < frames; ++f) {
    std::vector<V3> p;
    for (int v = 0; v < 9; ++v) {
      const float x = static_cast<float>(v % 3) * 0.1f, z = static_cast<float>(v / 3) * 0.1f;
      p.push_back({x, 1.2345f + 0.3f * std::sin(0.7f * static_cast<float>(f) + 9 * x),
                   z + 0.01f * static_cast<float>(f)});
    }
    out.positions.push_back(p);
  }
  return out;
}

inline void write_cache(const std::filesystem::path& path, const Frames& frames) {
  const auto writer = make_cache_writer(path, frames.topology, frames.fps, frames.positions.size());
  for (const std::vector<V3>& positions : frames.positions) writer->write(positions);
  writer->finish();
}

inline Frames read_cache(const std::filesystem::path& path, const OpenOptions& options = {}) {
  const auto reader = open_cache(path, options);
  Frames out{reader->info().topology, reader->info().fps, {}};
  for (size_t f = 0; f < reader->info().frames; ++f) {
    out.positions.emplace_back(out.topology.vertices);
    reader->read(f, out.positions.back());
  }
  return out;
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The largest distance between corresponding vertices.
inline float difference(const std::vector<V3>& a, const std::vector<V3>& b) {
  if (a.size() != b.size()) return INFINITY;
  float max_distance = 0;
  for (size_t k = 0; k < a.size(); ++k) max_distance = std::max(max_distance, length(a[k] - b[k]));
  return max_distance;
}

// An empty temporary folder, removed at the end of the test.
class Folder {
 public:
  Folder() : keep_("keep", ""), path_(keep_.path().parent_path()) { std::filesystem::remove(keep_.path()); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path put(const std::string& name, std::string_view bytes) const {
    std::filesystem::remove(path_ / name);  // overwriting a file would wait for the disk
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  size_t entries() const {
    return static_cast<size_t>(std::distance(std::filesystem::recursive_directory_iterator(path_), {}));
  }

 private:
  TemporaryFile keep_;
  std::filesystem::path path_;
};

}  // namespace billow::cache
