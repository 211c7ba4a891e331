// Mesh caches, in and out: one surface whose vertices move, frame by frame, as other tools write it. OBJ
// sequences, PC2, MDD and glTF with morph targets are read and written, USDA is written. docs/caches.md has
// the formats and their limits.
//
// Positions are passed on as the file has them unless asked otherwise; Billow itself wants metres, y up. Files
// come from anywhere: whatever is in them, reading ends with frames or with a std::runtime_error that names
// the file, the frame, what was expected and what was found.
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

// What stays the same in all frames.
struct Topology {
  size_t vertices = 0;
  std::vector<Triangle> triangles;  // none where the format has none: PC2, MDD
  // Corners have UVs of their own, so that seams can be: triangle k uses uvs[uv_triangles[k][0..2]]. Both are
  // empty where there are none.
  std::vector<Uv> uvs;
  std::vector<Triangle> uv_triangles;
};
// Throws std::runtime_error where an index points to nothing or UVs do not fit the triangles.
void validate(const Topology& topology);

struct Info {
  std::string name;    // of the cache: its file's or sequence's, without extension
  std::string format;  // "OBJ sequence", "PC2", "MDD" or "glTF"
  size_t frames = 0;   // at least 1
  double fps = 0;      // frames a second; 0: the format does not say
  Topology topology;
};

struct OpenOptions {
  float scale = 1;    // multiplies positions: 0.01 for centimetres
  bool z_up = false;  // the file has z up: x, y, z becomes x, z, -y
  // Frames a second; 0: as the file says. glTF is sampled at it, other files' frames are taken to be at it.
  double fps = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;
  const Info& info() const { return info_; }
  // Frames may be read in any order, by one thread at a time. `positions` has room for all vertices, else std::invalid_argument.
  void read(size_t frame, std::span<V3> positions);

 protected:
  friend std::unique_ptr<Reader> open_cache(const std::filesystem::path&, const OpenOptions&);
  virtual void fetch(size_t frame, std::span<V3> positions) = 0;
  virtual std::string file_of(size_t /*frame*/) const { return path_.string(); }

  std::filesystem::path path_;
  Info info_;
  OpenOptions options_;
};

// A file, or a sequence: a folder, cape_####.obj or cape_%04d.obj. A single .obj is a cache of one frame.
std::unique_ptr<Reader> open_cache(const std::filesystem::path& path, const OpenOptions& options = {});

// A point that moves beside the surface: a bone of a chain. Only glTF has them, as nodes.
struct Point {
  std::string name;
  int parent = -1;         // a point before it; -1: none
  std::vector<V3> places;  // in the world, one a frame
};

// Writes beside the file. Without finish() nothing is left of it.
class Writer {
 public:
  virtual ~Writer() = default;
  // Before finish(). Throws std::runtime_error where the format has none, or a point has no place for some frame.
  void add_points(std::vector<Point> points);
  // The next frame. Throws where a number is not finite, or is no frame of this cache.
  void write(std::span<const V3> positions);
  // Throws unless all frames were written; then takes the file's place.
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

// By the extension: .pc2, .mdd, .glb, .gltf, .usda; .obj with a pattern, or a folder, for an OBJ sequence
// numbered from 1. All but PC2 and OBJ need frames a second, all but PC2 and MDD triangles. Throws
// std::runtime_error for what cannot be written.
std::unique_ptr<Writer> make_cache_writer(const std::filesystem::path& path, const Topology& topology,
                                          double fps, size_t frame_count);

// No file may exceed this: beyond it, it is broken or meant to do harm.
inline constexpr size_t kMaxFrames = 500'000;
// Of glTF, which holds all frames in memory: three a vertex and frame, one for each pair of frames, and those of
// triangles and UVs. A .gltf has them as text, so it may have fewer.
inline constexpr size_t kMaxGlbNumbers = 36'000'000;
inline constexpr size_t kMaxGltfNumbers = 11'000'000;

}  // namespace billow::cache
