// Mesh caches: the vertex positions of one surface, frame by frame. OBJ sequences, PC2, MDD and glTF with
// morph targets are read and written; USDA is only written. docs/caches.md has the formats and their limits.
//
// Positions keep the file's units and axes unless OpenOptions convert them; Billow itself uses metres, y up.
// Files are untrusted: reading returns frames or throws std::runtime_error with the file, the frame, what was
// expected and what was found.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "body/mesh.h"
#include "core/vec.h"

namespace billow::cache {

using body::Triangle;
using Uv = std::array<float, 2>;

// The connectivity, the same in all frames.
struct Topology {
  size_t vertices = 0;
  std::vector<Triangle> triangles;  // empty for formats without triangles: PC2, MDD
  // UVs are per corner, which allows for UV seams: triangle k uses uvs[uv_triangles[k][0..2]]. Both are empty
  // if the file has no UVs.
  std::vector<Uv> uvs;
  std::vector<Triangle> uv_triangles;
};
// Throws std::runtime_error if an index is out of range or the UVs do not match the triangles.
void validate(const Topology& topology);

struct Info {
  std::string name;    // of the file or sequence, without extension
  std::string format;  // "OBJ sequence", "PC2", "MDD" or "glTF"
  size_t frames = 0;   // at least 1
  double fps = 0;      // frames per second; 0: not stored in the file
  Topology topology;
};

struct OpenOptions {
  float scale = 1;    // multiplies positions: 0.01 for centimetres
  bool z_up = false;  // the file is z up: x, y, z becomes x, z, -y
  // Frames per second; 0: the file's own. glTF is resampled at this rate; for other formats it overrides the
  // rate.
  double fps = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;
  const Info& info() const { return info_; }
  // Reads a frame. Random access; not thread-safe. Throws std::invalid_argument unless `positions` has one
  // entry per vertex.
  void read(size_t frame, std::span<V3> positions);

 protected:
  friend std::unique_ptr<Reader> open_cache(const std::filesystem::path&, const OpenOptions&);
  virtual void fetch(size_t frame, std::span<V3> positions) = 0;
  virtual std::string file_of(size_t /*frame*/) const { return path_.string(); }

  std::filesystem::path path_;
  Info info_;
  OpenOptions options_;
};

// Opens a file or an OBJ sequence (a folder, cape_####.obj or cape_%04d.obj). A single .obj is a cache of one
// frame.
std::unique_ptr<Reader> open_cache(const std::filesystem::path& path, const OpenOptions& options = {});

// An animated point besides the surface, such as a bone of a chain. Only glTF stores them, as nodes.
struct Point {
  std::string name;
  int parent = -1;            // index of an earlier point; -1: none
  std::vector<V3> positions;  // in world space, one per frame
};

// Writes to a temporary file, which finish() renames and the destructor otherwise removes.
class Writer {
 public:
  virtual ~Writer() = default;
  // To be called before finish(). Throws std::runtime_error if the format has no points, or a point lacks
  // frames.
  void add_points(std::vector<Point> points);
  // Writes the next frame. Throws std::runtime_error if a value is not finite, the number of vertices is
  // wrong or all frames have been written.
  void write(std::span<const V3> positions);
  // Throws std::runtime_error unless all frames were written; then replaces the file.
  void finish();

 protected:
  friend std::unique_ptr<Writer> make_cache_writer(const std::filesystem::path&, const Topology&, double,
                                                   size_t);
  virtual void begin() {}
  virtual bool takes_points() const { return false; }
  virtual void add(std::span<const V3> positions) = 0;
  virtual void end() = 0;

  std::filesystem::path path_;
  Topology topology_;
  std::vector<Point> points_;
  double fps_ = 0;
  size_t frames_ = 0, written_ = 0;
  bool finished_ = false;
};

// The extension selects the format: .pc2, .mdd, .glb, .gltf, .usda; a .obj pattern or a folder is an OBJ
// sequence numbered from 1. All formats but PC2 and OBJ need a frame rate, all but PC2 and MDD need
// triangles. Throws std::runtime_error for what cannot be written.
std::unique_ptr<Writer> make_cache_writer(const std::filesystem::path& path, const Topology& topology,
                                          double fps, size_t frame_count);

// Longer files are rejected as broken or malicious.
inline constexpr size_t kMaxFrames = 500'000;
// Largest number of values in a glTF file, which is held in memory: three per vertex and frame, one per pair
// of frames (the weights), plus triangles and UVs. The limit of .gltf is lower because its buffer is text.
inline constexpr size_t kMaxGlbValues = 36'000'000;
inline constexpr size_t kMaxGltfValues = 11'000'000;

}  // namespace billow::cache
