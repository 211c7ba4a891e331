// `billow cache`: inspects mesh caches of other tools and converts between formats.
#include "cache/cache.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "commands.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct CacheOptions {
  std::string in, out, topology;
  cache::OpenOptions open;
  bool json = false;
};

// Calls `use` with the positions of each frame.
template <class Use> void each_frame(cache::Reader& reader, const std::string& what, Use use) {
  Progress progress(what);
  std::vector<V3> positions(reader.info().topology.vertices);
  for (size_t frame = 0; frame < reader.info().frames; ++frame) {
    reader.read(frame, positions);
    use(positions);
    progress(static_cast<double>(frame + 1) / static_cast<double>(reader.info().frames));
  }
}

// Reads all frames, so that a cache with a corrupt frame is rejected.
void show_info(const CacheOptions& options) {
  const std::unique_ptr<cache::Reader> reader = cache::open_cache(options.in, options.open);
  const cache::Info& info = reader->info();
  V3 low{INFINITY, INFINITY, INFINITY}, high = -low;
  each_frame(*reader, "reading", [&](const std::vector<V3>& positions) {
    for (const V3& p : positions) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  });
  const cache::Topology& topology = info.topology;
  if (options.json) {
    const nlohmann::json fps = info.fps > 0 ? nlohmann::json(info.fps) : nlohmann::json(nullptr);
    const nlohmann::ordered_json out = {{"file", options.in},
                                        {"name", info.name},
                                        {"format", info.format},
                                        {"frames", info.frames},
                                        {"frames_per_second", fps},
                                        {"vertices", topology.vertices},
                                        {"triangles", topology.triangles.size()},
                                        {"uvs", topology.uvs.size()},
                                        {"low", {low.x, low.y, low.z}},
                                        {"high", {high.x, high.y, high.z}}};
    std::printf("%s\n", out.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  const auto count = [](size_t n) { return n > 0 ? std::to_string(n) : std::string("none"); };
  std::printf("%-20s%s\n%-20s%s\n", "name", info.name.c_str(), "format", info.format.c_str());
  std::printf("%-20s%zu", "frames", info.frames);
  if (info.fps > 0)
    std::printf(" at %g a second\n", info.fps);
  else
    std::printf("; the format does not say how many a second\n");
  std::printf("%-20s%zu\n%-20s%s\n%-20s%s\n", "vertices", topology.vertices, "triangles",
              count(topology.triangles.size()).c_str(), "UVs", count(topology.uvs.size()).c_str());
  for (const auto& [name, from, to] :
       {std::tuple{"x", low.x, high.x}, {"y", low.y, high.y}, {"z", low.z, high.z}})
    std::printf("%-20s%g to %g\n", name, static_cast<double>(from), static_cast<double>(to));
}

void convert(const CacheOptions& options) {
  const std::unique_ptr<cache::Reader> reader = cache::open_cache(options.in, options.open);
  const cache::Info& info = reader->info();
  cache::Topology topology = info.topology;
  if (!options.topology.empty()) {
    topology = cache::open_cache(options.topology)->info().topology;
    if (topology.vertices != info.topology.vertices)
      throw std::runtime_error(options.topology + ": expected " + std::to_string(info.topology.vertices) +
                               " vertices as " + options.in + " has, found " +
                               std::to_string(topology.vertices));
  }
  const std::unique_ptr<cache::Writer> writer = [&] {
    try {
      return cache::make_cache_writer(options.out, topology, info.fps, info.frames);
    } catch (const std::runtime_error& e) {
      // Name the options that supply the missing data.
      std::string hint;
      if (topology.triangles.empty()) hint += " (--topology mesh.obj)";
      if (info.fps == 0) hint += " (--fps 30)";
      throw std::runtime_error(e.what() + hint);
    }
  }();
  each_frame(*reader, "converting", [&](const std::vector<V3>& positions) { writer->write(positions); });
  writer->finish();
  std::printf("%s: %zu frames of %zu vertices\n", options.out.c_str(), info.frames, topology.vertices);
}

void add_shared(CLI::App* command, CacheOptions& options) {
  command
      ->add_option(
          "file", options.in,
          "Cache to read: a .pc2, .mdd, .glb, .gltf or .obj file, a folder of .obj files, or cape_####.obj")
      ->required();
  command
      ->add_option(
          "--fps", options.open.fps,
          "Frame rate: glTF is sampled at it, other formats are assumed to have it; 0 uses the file's own")
      ->check(CLI::Range(0.0, 100000.0))
      ->capture_default_str();
  command
      ->add_option("--scale", options.open.scale,
                   "Factor applied to positions: 0.01 converts centimetres to metres")
      ->check(CLI::Range(1e-9, 1e9))
      ->capture_default_str();
  command->add_flag("--z-up", options.open.z_up, "Rotate a file that has z up, so that y is up");
}

}  // namespace

void add_cache(CLI::App& app) {
  CLI::App* command = app.add_subcommand("cache", "Inspect mesh caches of other tools, or convert them");
  command->footer(
      "Examples\n"
      "  billow cache info cape.pc2\n"
      "  billow cache convert cape.mdd cape.glb --topology cape.obj\n");
  command->require_subcommand(1);

  auto info = std::make_shared<CacheOptions>();
  CLI::App* show =
      command->add_subcommand("info", "Read all frames of a cache, and print its size and bounds");
  add_shared(show, *info);
  show->add_flag("--json", info->json, "Print the summary as JSON");
  show->footer(
      "Examples\n"
      "  billow cache info cape.pc2\n"
      "  billow cache info 'sequence/cape_####.obj' --json\n");
  show->callback([info] { show_info(*info); });

  auto options = std::make_shared<CacheOptions>();
  CLI::App* make = command->add_subcommand("convert", "Convert a cache to another format");
  add_shared(make, *options);
  make->add_option("out", options->out,
                   "Cache to write: a .pc2, .mdd, .glb, .gltf or .usda file, a folder for .obj files, or "
                   "cape_####.obj")
      ->required();
  make->add_option("--topology", options->topology,
                   "Mesh file with the triangles and UVs that PC2 and MDD files lack");
  make->footer(
      "Examples\n"
      "  billow cache convert houdini/cape_####.obj cape.mdd --fps 24\n"
      "  billow cache convert blender.mdd cape.glb --topology cape.obj --z-up\n"
      "  billow cache convert maya.mdd cape.usda --topology cape.obj --scale 0.01\n");
  make->callback([options] { convert(*options); });
}

}  // namespace billow::tool
