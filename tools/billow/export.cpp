// `billow export`: plays a garment through the runtime and writes a mesh cache for other tools.
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cache/cache.h"
#include "commands.h"
#include "files.h"
#include "files/whole_file.h"
#include "number_from.h"
#include "playback.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct ExportOptions {
  PlaybackOptions playback;
  std::string out, mesh;
  double fps = 30;
  bool no_chains = false, json = false, quiet = false;
};

bool is_gltf(const std::filesystem::path& out) {
  return out.extension() == ".glb" || out.extension() == ".gltf";
}

cache::Topology topology_of(const garment::Garment& g) {
  cache::Topology topology{.vertices = g.size(), .triangles = g.triangles, .uvs = {}, .uv_triangles = {}};
  // Use pattern coordinates as texture coordinates, one UV per vertex.
  for (const auto& [u, v] : g.pattern_uvs) topology.uvs.push_back({u, v});
  if (!g.pattern_uvs.empty()) topology.uv_triangles = g.triangles;
  return topology;
}

// One node per bone in chain order, so that parents come first.
std::vector<cache::Point> points_of(const garment::Garment& g) {
  std::vector<cache::Point> points;
  for (size_t c = 0; c < g.chains.size(); ++c)
    for (size_t i = 0; i < g.chains[c].size(); ++i)
      points.push_back({"chain_" + std::to_string(c) + "_bone_" + std::to_string(i),
                        i == 0 ? -1 : static_cast<int>(points.size()) - 1,
                        {}});
  return points;
}

void append_bone_positions(std::vector<cache::Point>& points, const garment::Garment& g,
                           const std::vector<V3>& bones) {
  size_t k = 0;
  for (const auto& chain : g.chains)
    for (const uint32_t bone : chain) points[k++].positions.push_back(bones[bone]);
}

// A note if the frame rate of the cache differs from --fps; else empty.
std::string rate_note(const ExportOptions& o, double fps) {
  if (std::fabs(fps - o.fps) < 1e-6 * o.fps) return "";
  char text[200];
  std::snprintf(text, sizeof text,
                "%s: written at %g frames per second, not %g: --rate %g is no multiple of it; --rate %g is",
                o.out.c_str(), fps, o.fps, o.playback.rate, o.fps * std::max(1.0, std::round(60 / o.fps)));
  return text;
}

void run_export(const ExportOptions& o) {
  const std::filesystem::path out = o.out;
  Playback playback(o.playback);
  const garment::Garment& g = playback.garment();
  // Write every n-th simulated frame.
  const auto every = static_cast<size_t>(std::max(1.0, std::round(o.playback.rate / o.fps)));
  const double fps = o.playback.rate / static_cast<double>(every);
  if (!o.quiet) print_note(playback.note()), print_note(rate_note(o, fps));
  const size_t count = (playback.frames() + every - 1) / every;
  if (out.has_parent_path()) make_folder(out.parent_path());
  const std::unique_ptr<cache::Writer> writer = cache::make_cache_writer(out, topology_of(g), fps, count);
  const bool chains = is_gltf(out) && !o.no_chains;
  std::vector<cache::Point> points = points_of(g);
  Progress progress("export");
  std::vector<V3> positions(g.size());
  while (playback.step()) {
    if (!o.quiet)
      progress(static_cast<double>(playback.frame() + 1) / static_cast<double>(playback.frames()));
    if (playback.frame() % every != 0) continue;
    const std::span<const float> p = playback.positions();
    for (size_t v = 0; v < positions.size(); ++v) positions[v] = {p[3 * v], p[3 * v + 1], p[3 * v + 2]};
    writer->write(positions);
    if (chains) append_bone_positions(points, g, playback.bones());
  }
  if (chains) writer->add_points(std::move(points));
  writer->finish();
  if (o.json)
    std::printf("%s\n", nlohmann::ordered_json{{"file", o.out},
                                               {"frames", count},
                                               {"frames_per_second", fps},
                                               {"vertices", g.size()},
                                               {"chain_nodes", chains}}
                            .dump(2)
                            .c_str());
  else if (!o.quiet)
    std::printf("%s: %zu frames of %zu vertices at %g a second%s\n", o.out.c_str(), count, g.size(), fps,
                chains ? ", chains as nodes" : "");
}

}  // namespace

void add_export(CLI::App& app) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Export a garment in motion as a mesh cache for other tools");
  add_playback_options(*command, o->playback);
  command
      ->add_option("-o,--out", o->out,
                   "Cache to write: a .glb, .gltf, .usda, .pc2 or .mdd file, a folder for .obj files, or "
                   "cape_####.obj")
      ->required();
  command->add_option("--fps", o->fps, "Frame rate of the cache; --rate should be a multiple of it")
      ->capture_default_str()
      ->check(number_from(1, 1000));
  command->add_flag("--no-chains", o->no_chains,
                    "Do not write the rope chains, which glTF files get as nodes");
  command->add_flag("--json", o->json, "Print a summary of the output as JSON");
  command->add_flag("--quiet", o->quiet, "Print neither summary, progress nor notes");
  command->footer(
      "Positions are in metres, y up. PC2 and MDD files hold no triangles: use them with a mesh of the same "
      "garment, as the third example writes it.\n\n"
      "Examples\n"
      "  billow export cape -o cape.glb\n"
      "  billow export skirt.billow --motion dance --seconds 8 -o skirt.usda\n"
      "  billow export cape --seconds 0.1 --fps 10 -o 'mesh/cape_####.obj'\n"
      "  billow export cape.billow -o 'frames/cape_####.obj'\n");
  command->callback([o] { run_export(*o); });
}

}  // namespace billow::tool
