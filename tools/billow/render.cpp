// `billow render`: a garment file on the built-in person, as a picture, a strip of pictures or a film.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "files.h"
#include "film.h"
#include "picture.h"
#include "playback.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct RenderOptions {
  PlaybackOptions playback;
  std::string out, colour, lining, size;
  double at = -1, from = 0, fps = 30;
  size_t panels = 1, columns = 0;
  int rays = -1;
  double azimuth = -1000, elevation = -1000, distance = 0;
  bool chains = false, no_cloth = false, json = false, quiet = false;
};

draw::Colour colour_named(const std::string& hex) {
  char* end = nullptr;
  const unsigned long code = std::strtoul(hex.c_str() + (hex[0] == '#'), &end, 16);
  if (*end != 0 || end - hex.c_str() - (hex[0] == '#') != 6)
    throw std::runtime_error("expected a colour such as a3242f, found " + hex);
  return draw::srgb(static_cast<uint32_t>(code));
}

PictureStyle style_of(const RenderOptions& o, const garment::Garment& garment, bool film) {
  PictureStyle style = style_for(garment);
  if (film) style.width = 480, style.height = 600, style.rays = 12;
  if (!film && o.panels > 1) style.width = 400, style.height = 500;
  if (!o.size.empty() && std::sscanf(o.size.c_str(), "%dx%d", &style.width, &style.height) != 2)
    throw std::runtime_error("--size: expected WIDTHxHEIGHT, found " + o.size);
  if (style.width < 16 || style.height < 16 || style.width > 8192 || style.height > 8192)
    throw std::runtime_error("--size: expected 16 to 8192 pixels a side, found " + o.size);
  if (o.rays >= 0) style.rays = o.rays;
  if (!o.colour.empty()) style.cloth = colour_named(o.colour), style.lining = 0.6f * style.cloth;
  if (!o.lining.empty()) style.lining = colour_named(o.lining);
  if (o.azimuth > -1000) style.azimuth = static_cast<float>(o.azimuth);
  if (o.elevation > -1000) style.elevation = static_cast<float>(o.elevation);
  if (o.distance > 0) style.distance = static_cast<float>(o.distance);
  return style;
}

// Which frames are drawn.
std::vector<size_t> wanted_frames(const RenderOptions& o, size_t frames, bool film) {
  const auto frame_at = [&](double s) {
    return std::min(frames - 1, static_cast<size_t>(std::lround(std::max(0.0, s) * o.playback.rate)));
  };
  const size_t first = frame_at(o.from);
  std::vector<size_t> wanted;
  if (film) {
    for (size_t k = 0;; ++k) {
      const auto f =
          first + static_cast<size_t>(std::lround(static_cast<double>(k) * o.playback.rate / o.fps));
      if (f >= frames) return wanted;
      wanted.push_back(f);
    }
  }
  if (o.panels == 1) return {frame_at(o.at >= 0 ? o.at : o.playback.seconds)};
  for (size_t k = 0; k < o.panels; ++k) wanted.push_back(first + (frames - 1 - first) * (k + 1) / o.panels);
  return wanted;
}

void render(RenderOptions o) {
  const std::filesystem::path out = o.out;
  const bool film = is_film(out);
  if (!film && out.extension() != ".png")
    throw std::runtime_error(o.out + ": expected a file that ends in .png, .mp4 or .gif");
  if (!film && o.panels == 1 && o.at >= 0) o.playback.seconds = std::max(o.at, 1 / o.playback.rate);
  Playback playback(o.playback);
  const PictureStyle style = style_of(o, playback.garment(), film);
  const DrawnBody body(playback.character_body());
  const std::vector<Following> camera = follow(playback);
  const std::vector<size_t> wanted = wanted_frames(o, playback.frames(), film);
  if (out.has_parent_path()) make_folder(out.parent_path());

  std::unique_ptr<FilmWriter> writer;
  if (film) writer = std::make_unique<FilmWriter>(out, style.width, style.height, o.fps);
  std::vector<draw::Image> panels;
  Progress progress("render");
  for (size_t next = 0; next < wanted.size() && playback.step();) {
    if (playback.frame() != wanted[next]) continue;
    Picture picture(style, body, playback.joints());
    if (!o.no_cloth) picture.add_cloth(playback.positions(), playback.garment().triangles);
    if (o.chains) picture.add_chains(playback.garment(), playback.bones());
    char label[32] = "";
    if (o.panels > 1) std::snprintf(label, sizeof label, "%.2f s", playback.time());
    draw::Image image = picture.make(camera[playback.frame()], label);
    if (film)
      writer->add(image);
    else
      panels.push_back(std::move(image));
    if (!o.quiet)
      progress(static_cast<double>(++next) / static_cast<double>(wanted.size()));
    else
      ++next;
  }
  if (film)
    writer->finish();
  else if (o.panels == 1)
    draw::write_png(panels.at(0), out);
  else
    draw::write_png(
        draw::strip(panels, static_cast<int>(o.columns > 0 ? o.columns : std::min<size_t>(o.panels, 8)), 4),
        out);
  const bool traced = style.rays > 0 && draw::Canvas::can_trace();
  if (o.json)
    std::printf("%s\n", nlohmann::ordered_json{{"file", o.out},
                                               {"pictures", wanted.size()},
                                               {"width", style.width},
                                               {"height", style.height},
                                               {"traced", traced},
                                               {"seconds", progress.seconds()}}
                            .dump(2)
                            .c_str());
  else if (!o.quiet)
    std::printf("%s: %zu picture%s of %d x %d, %s, %.1f s\n", o.out.c_str(), wanted.size(),
                wanted.size() == 1 ? "" : "s", style.width, style.height,
                traced           ? "traced"
                : style.rays > 0 ? "drawn (built without Embree)"
                                 : "drawn",
                progress.seconds());
}

}  // namespace

void add_render(CLI::App& app) {
  auto* command = app.add_subcommand("render", "Pictures and films of a garment file on the built-in person");
  auto o = std::make_shared<RenderOptions>();
  add_playback_options(*command, o->playback);
  command->add_option("-o,--out", o->out, "What to write: .png, .mp4 or .gif (films through ffmpeg)")
      ->required();
  command->add_option("--at", o->at, "A picture of this moment, in seconds; else of the last");
  command->add_option("--from", o->from, "Films and strips begin here, in seconds")->capture_default_str();
  command->add_option("--fps", o->fps, "Pictures a second of a film")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 240.0));
  command->add_option("--panels", o->panels, "Pictures of a strip")
      ->capture_default_str()
      ->check(CLI::Range(1, 200));
  command->add_option("--columns", o->columns, "Of these in a row; 0: up to 8")->capture_default_str();
  command->add_option("--size", o->size, "WIDTHxHEIGHT of a picture");
  command
      ->add_option("--rays", o->rays,
                   "Rays a pixel: 48 for a picture, 12 for a film; 0 draws without rays, much faster")
      ->check(CLI::Range(0, 4096));
  command->add_option("--azimuth", o->azimuth,
                      "Degrees round the person: 0 in front, 90 its left, 180 behind");
  command->add_option("--elevation", o->elevation, "Degrees above");
  command->add_option("--distance", o->distance, "Of the camera, in metres");
  command->add_option("--colour", o->colour, "Of the cloth, as a3242f");
  command->add_option("--lining", o->lining, "Of its inside");
  command->add_flag("--chains", o->chains, "Show the rope chains");
  command->add_flag("--no-cloth", o->no_cloth, "Leave the cloth out");
  command->add_flag("--json", o->json, "Print what was made as JSON");
  command->add_flag("--quiet", o->quiet, "Print nothing");
  command->footer(
      "Examples\n"
      "  billow render cape -o cape.png --at 3\n"
      "  billow render cape.billow -o strip.png --panels 8\n"
      "  billow render skirt.billow --motion dance -o dance.mp4 --seconds 8\n"
      "  billow render cape.billow -o chains.png --chains --no-cloth\n");
  command->callback([o] { render(*o); });
}

}  // namespace billow::tool
