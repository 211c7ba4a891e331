#include "cache/cache.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "cache/formats.h"

namespace billow::cache {
namespace {

// The index of the first vertex that is not finite; positions.size() if all are.
size_t first_non_finite(std::span<const V3> positions) {
  for (size_t v = 0; v < positions.size(); ++v)
    if (!std::isfinite(positions[v].x) || !std::isfinite(positions[v].y) || !std::isfinite(positions[v].z))
      return v;
  return positions.size();
}

std::string to_text(V3 p) { return concat(p.x, " ", p.y, " ", p.z); }

// The format as an extension: from the magic bytes if there are any, else from the name.
std::string detect_format(const std::filesystem::path& path) {
  char head[12] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  const std::string_view start(head, sizeof head);
  if (start.starts_with("POINTCACHE")) return ".pc2";
  if (start.starts_with("glTF")) return ".glb";
  return lower_extension(path);
}

std::unique_ptr<Reader> open_by_format(const std::filesystem::path& path, double fps) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status) || is_pattern(path)) return open_obj_sequence(path);
  if (!std::filesystem::exists(status)) fail(path.string(), ": there is no such file");
  if (!std::filesystem::is_regular_file(status))
    fail(path.string(), ": expected a file or a folder of .obj files");
  const std::string format = detect_format(path);
  if (format == ".pc2") return open_pc2(path);
  if (format == ".mdd") return open_mdd(path);
  if (format == ".obj") return open_obj_sequence(path);
  if (format == ".glb" || format == ".gltf") return open_gltf(path, fps);
  if (format == ".usda" || format == ".usd" || format == ".usdc" || format == ".abc")
    fail(path.string(), ": ", format,
         " is not read; write .pc2, .mdd, .glb or an .obj sequence with your tool");
  fail(path.string(), ": expected .pc2, .mdd, .glb, .gltf, .obj, a folder of .obj files or ",
       "a pattern such as cape_####.obj, found '", format, "'");
}

}  // namespace

std::string lower_extension(const std::filesystem::path& path) {
  std::string out = path.extension().string();
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

void validate(const Topology& topology) {
  const auto check = [&](const std::vector<Triangle>& triangles, size_t end, const std::string& of) {
    for (size_t t = 0; t < triangles.size(); ++t)
      for (const uint32_t k : triangles[t])
        if (k >= end) fail("triangle ", t, ": expected ", of, " below ", end, ", found ", k);
  };
  if (topology.vertices == 0) fail("expected at least one vertex, found none");
  if (!topology.uv_triangles.empty() && topology.uv_triangles.size() != topology.triangles.size())
    fail("expected UVs for all ", topology.triangles.size(), " triangles, found them for ",
         topology.uv_triangles.size());
  check(topology.triangles, topology.vertices, "vertices");
  check(topology.uv_triangles, topology.uvs.size(), "UVs");
  for (const Uv& uv : topology.uvs)
    if (!std::isfinite(uv[0]) || !std::isfinite(uv[1])) fail("expected finite UVs");
}

void Reader::read(size_t frame, std::span<V3> positions) {
  if (frame >= info_.frames)
    throw std::invalid_argument(
        concat(path_.string(), ": expected a frame below ", info_.frames, ", found ", frame));
  if (positions.size() != info_.topology.vertices)
    throw std::invalid_argument(concat(path_.string(), ": expected a buffer of ", info_.topology.vertices,
                                       " vertices, found ", positions.size()));
  fetch(frame, positions);
  const auto check = [&](const std::string& when) {
    if (const size_t bad = first_non_finite(positions); bad < positions.size())
      fail(file_of(frame), ": frame ", frame, ", vertex ", bad, ": expected finite numbers", when, ", found ",
           to_text(positions[bad]));
  };
  check("");
  if (options_.z_up)
    for (V3& p : positions) p = {p.x, p.z, -p.y};
  if (options_.scale == 1) return;
  for (V3& p : positions) p = p * options_.scale;
  check(" after scaling");
}

std::unique_ptr<Reader> open_cache(const std::filesystem::path& path, const OpenOptions& options) {
  if (!std::isfinite(options.scale) || options.scale <= 0)
    throw std::invalid_argument("expected a scale above 0, found " + std::to_string(options.scale));
  if (!(options.fps >= 0 && options.fps <= 100000))
    throw std::invalid_argument("expected 0 to 100000 frames per second, found " +
                                std::to_string(options.fps));
  std::unique_ptr<Reader> reader = open_by_format(path, options.fps);
  reader->path_ = path;
  reader->options_ = options;
  if (options.fps > 0) reader->info_.fps = options.fps;
  try {
    validate(reader->info_.topology);
    if (reader->info_.frames > kMaxFrames)
      fail("expected at most ", kMaxFrames, " frames, found ", reader->info_.frames);
  } catch (const std::runtime_error& e) {
    fail(path.string(), ": ", e.what());
  }
  return reader;
}

void Writer::write(std::span<const V3> positions) {
  const std::string where = path_.string() + ": frame " + std::to_string(written_);
  if (written_ >= frames_ || finished_) fail(where, ": expected ", frames_, " frames, found more");
  if (positions.size() != topology_.vertices)
    fail(where, ": expected ", topology_.vertices, " vertices, found ", positions.size());
  if (const size_t bad = first_non_finite(positions); bad < positions.size())
    fail(where, ", vertex ", bad, ": expected finite numbers, found ", to_text(positions[bad]));
  add(positions);
  ++written_;
}

void Writer::add_points(std::vector<Point> points) {
  if (!takes_points()) fail(path_.string(), ": expected .glb or .gltf for points beside the surface");
  for (size_t k = 0; k < points.size(); ++k)
    if (points[k].positions.size() != frames_ || points[k].parent >= static_cast<int>(k))
      fail(path_.string(), ": expected ", frames_, " positions of point ", k,
           " and a parent before it, found ", points[k].positions.size(), " and parent ", points[k].parent);
  points_ = std::move(points);
}

void Writer::finish() {
  if (finished_) return;
  if (written_ != frames_) fail(path_.string(), ": expected ", frames_, " frames, found ", written_);
  end();
  finished_ = true;
}

std::unique_ptr<Writer> make_cache_writer(const std::filesystem::path& path, const Topology& topology,
                                          double fps, size_t frame_count) {
  const auto refuse = [&](const auto&... parts) { fail("cannot write ", path.string(), ": ", parts...); };
  // Choose the format and check its requirements.
  std::error_code ignored;
  const std::string format = lower_extension(path);
  std::unique_ptr<Writer> writer;
  bool needs_triangles = true, needs_fps = true;
  if (is_pattern(path) || format.empty() || std::filesystem::is_directory(path, ignored))
    writer = make_obj_writer(), needs_fps = false;
  else if (format == ".obj" && frame_count == 1)
    writer = make_obj_writer(), needs_fps = false;
  else if (format == ".pc2")
    writer = make_pc2_writer(), needs_triangles = needs_fps = false;
  else if (format == ".mdd")
    writer = make_mdd_writer(), needs_triangles = false;
  else if (format == ".glb" || format == ".gltf")
    writer = make_gltf_writer();
  else if (format == ".usda")
    writer = make_usda_writer();
  else if (format == ".obj")
    refuse("expected a pattern such as cape_####.obj for more than one frame");
  else
    refuse("expected .pc2, .mdd, .glb, .gltf, .usda, a folder, or a pattern such as cape_####.obj, found '",
           format, "'");
  if (frame_count < 1 || frame_count > kMaxFrames)
    refuse("expected 1 to ", kMaxFrames, " frames, found ", frame_count);
  if (topology.vertices > size_t{INT32_MAX}) refuse("expected at most 2147483647 vertices");
  if (!std::isfinite(fps) || fps < 0) refuse("expected a frame rate above 0, found ", fps);
  if (needs_fps && fps == 0) refuse("expected a frame rate, which the source does not store: give one");
  if (needs_triangles && topology.triangles.empty())
    refuse("expected triangles, which its source does not have: give a mesh that has them");
  try {
    validate(topology);
  } catch (const std::runtime_error& e) {
    refuse(e.what());
  }
  writer->path_ = path;
  writer->topology_ = topology;
  writer->fps_ = fps;
  writer->frames_ = frame_count;
  writer->begin();
  return writer;
}

}  // namespace billow::cache
