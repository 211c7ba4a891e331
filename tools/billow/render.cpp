// `billow render`: draws a garment on the built-in person as a picture, a strip of pictures or a film.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "files.h"
#include "film.h"
#include "number_from.h"
#include "picture.h"
#include "playback.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct RenderOptions {
  PlaybackOptions playback;
  std::string out, colour, lining, size;
  // Empty, or out of range below: not given. Defaults depend on the kind of output.
  std::optional<double> at, from, fps;
  std::optional<size_t> panels, columns;
  int rays = -1;
  double azimuth = -1000, elevation = -1000, distance = 0;
  bool chains = false, no_cloth = false, json = false, quiet = false;

  bool is_strip() const { return panels.value_or(1) > 1; }
  double film_rate() const { return fps.value_or(std::min(30.0, playback.rate)); }
};

draw::Colour parse_colour(const std::string& hex) {
  char* end = nullptr;
  const unsigned long code = std::strtoul(hex.c_str() + (hex[0] == '#'), &end, 16);
  if (*end != 0 || end - hex.c_str() - (hex[0] == '#') != 6)
    throw std::runtime_error("expected a colour such as a3242f, found " + hex);
  return draw::srgb(static_cast<uint32_t>(code));
}

// `size`: of the character, relative to the built-in person.
PictureStyle style_of(const RenderOptions& o, const garment::Garment& garment, float size, bool film) {
  PictureStyle style = style_for(garment);
  style.distance *= size, style.behind *= size, style.look_at *= size;
  if (film) style.width = 480, style.height = 600, style.rays = 12;
  if (o.is_strip()) style.width = 400, style.height = 500;
  if (!o.size.empty() && std::sscanf(o.size.c_str(), "%dx%d", &style.width, &style.height) != 2)
    throw std::runtime_error("--size: expected WIDTHxHEIGHT, found " + o.size);
  if (style.width < 16 || style.height < 16 || style.width > 8192 || style.height > 8192)
    throw std::runtime_error("--size: expected 16 to 8192 pixels a side, found " + o.size);
  if (o.rays >= 0) style.rays = o.rays;
  if (!o.colour.empty()) style.cloth = parse_colour(o.colour), style.lining = 0.6f * style.cloth;
  if (!o.lining.empty()) style.lining = parse_colour(o.lining);
  if (o.azimuth > -1000) style.azimuth = static_cast<float>(o.azimuth);
  if (o.elevation > -1000) style.elevation = static_cast<float>(o.elevation);
  if (o.distance > 0) style.distance = static_cast<float>(o.distance);
  return style;
}

// Rejects options that do not apply to the kind of output, or contradict each other.
void check(const RenderOptions& o, bool film) {
  const auto refuse = [](const char* option, const std::string& why) {
    throw CLI::ValidationError(option, why);
  };
  if (film) {
    if (o.at)
      refuse("--at", "expected a picture (.png), found the film " + o.out +
                         "; --from and --seconds say which part it shows");
    if (o.panels) refuse("--panels", "expected a strip of pictures (.png), found the film " + o.out);
    if (o.columns) refuse("--columns", "expected a strip of pictures (.png), found the film " + o.out);
    if (o.film_rate() > o.playback.rate) {
      char text[200];
      std::snprintf(text, sizeof text, "expected at most the %g frames per second of --rate, found %g",
                    o.playback.rate, o.film_rate());
      refuse("--fps", text);
    }
    return;
  }
  if (o.fps) refuse("--fps", "expected a film (.mp4 or .gif), found the picture " + o.out);
  if (o.is_strip()) {
    if (o.at)
      refuse("--at", "expected a single picture, found a strip (--panels); --from says where it begins");
    return;
  }
  if (o.columns) refuse("--columns", "expected a strip (--panels), found a single picture");
  if (o.from)
    refuse("--from",
           "expected a film or a strip (--panels), found a single picture; --at says which moment it shows");
  if (o.at && o.playback.seconds_given && *o.at > o.playback.seconds) {
    char text[200];
    std::snprintf(text, sizeof text, "expected a moment within the %g s of --seconds, found %g s",
                  o.playback.seconds, *o.at);
    refuse("--at", text);
  }
}

// Rejects times after the end of the motion; the length of a motion file is known only once it is loaded.
void check_moments(const RenderOptions& o, const Playback& playback) {
  const auto check_moment = [&](const char* option, double found, double latest) {
    if (found <= latest) return;
    char text[160];
    std::snprintf(text, sizeof text, ": expected %s before the end of the motion at %.2f s, found %g s",
                  option, playback.seconds(), found);
    throw std::runtime_error(o.playback.motion + text);
  };
  const double frame = 1 / o.playback.rate;
  if (o.at) check_moment("--at", *o.at, playback.seconds() + 0.5 * frame);
  if (o.from) check_moment("--from", *o.from, playback.seconds() - frame);
}

// Indices of the frames to draw, ascending.
std::vector<size_t> wanted_frames(const RenderOptions& o, size_t frames, bool film) {
  const auto frame_at = [&](double s) {
    return std::min(frames - 1, static_cast<size_t>(std::lround(s * o.playback.rate)));
  };
  const size_t first = frame_at(o.from.value_or(0));
  std::vector<size_t> wanted;
  if (film) {
    for (size_t k = 0;; ++k) {
      const auto f =
          first + static_cast<size_t>(std::lround(static_cast<double>(k) * o.playback.rate / o.film_rate()));
      if (f >= frames) return wanted;
      wanted.push_back(f);
    }
  }
  if (!o.is_strip()) return {frame_at(o.at.value_or(o.playback.seconds))};
  const size_t panels = *o.panels;
  for (size_t k = 0; k < panels; ++k) wanted.push_back(first + (frames - 1 - first) * (k + 1) / panels);
  return wanted;
}

void render(RenderOptions o) {
  const std::filesystem::path out = o.out;
  const bool film = is_film(out);
  if (!film && out.extension() != ".png")
    throw std::runtime_error(o.out + ": expected a file that ends in .png, .mp4 or .gif");
  check(o, film);
  if (o.at) o.playback.seconds = std::max(*o.at, 1 / o.playback.rate);
  Playback playback(o.playback);
  check_moments(o, playback);
  if (!o.quiet && !o.at) print_note(playback.note());
  const DrawnBody body(playback.character_body(),
                       playback.character_body().preset.empty() ? playback.skin() : body::Skin{});
  const PictureStyle style = style_of(o, playback.garment(), body.size(), film);
  if (out.has_parent_path()) make_folder(out.parent_path());
  // Open the writer before simulating: it fails if ffmpeg is missing.
  std::unique_ptr<FilmWriter> writer;
  if (film) writer = std::make_unique<FilmWriter>(out, style.width, style.height, o.film_rate());

  const std::vector<Following> camera = follow(playback);
  const std::vector<size_t> wanted = wanted_frames(o, playback.frames(), film);
  std::vector<draw::Image> panels;
  Progress progress("render");
  size_t made = 0;
  PictureLine line(pictures_at_a_time(style), [&](draw::Image image) {
    if (film)
      writer->add(image);
    else
      panels.push_back(std::move(image));
    if (!o.quiet) progress(static_cast<double>(++made) / static_cast<double>(wanted.size()));
  });
  for (size_t next = 0; next < wanted.size() && playback.step();) {
    if (playback.frame() != wanted[next]) continue;
    Picture picture(style, body, playback.joints());
    if (!o.no_cloth) picture.add_clothes(playback);
    if (o.chains) picture.add_chains(playback.garment(), playback.bones());
    char label[32] = "";
    if (o.is_strip()) std::snprintf(label, sizeof label, "%.2f s", playback.time());
    line.add(std::move(picture), camera[playback.frame()], label);
    ++next;
  }
  line.finish();
  if (film)
    writer->finish();
  else if (!o.is_strip())
    draw::write_png(panels.at(0), out);
  else
    draw::write_png(
        draw::strip(panels, static_cast<int>(o.columns.value_or(std::min<size_t>(*o.panels, 8))), 4), out);
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
  auto* command = app.add_subcommand(
      "render", "Render a garment on a character: a picture, a strip of pictures or a film");
  auto o = std::make_shared<RenderOptions>();
  add_playback_options(*command, o->playback);
  command
      ->add_option("-o,--out", o->out, "File to write: a picture (.png) or a film (.mp4, .gif; needs ffmpeg)")
      ->required();
  command->add_option("--at", o->at, "Time of a single picture in seconds; default: the end of the motion")
      ->check(number_from(0, 600));
  command->add_option("--from", o->from, "Time at which a film or a strip begins, in seconds; default: 0")
      ->check(number_from(0, 600));
  command->add_option("--fps", o->fps, "Frame rate of a film, at most --rate; default: 30")
      ->check(number_from(1, 240));
  command
      ->add_option("--panels", o->panels, "Number of pictures in a strip, evenly spaced in time; default: 1")
      ->check(CLI::Range(1, 200));
  command->add_option("--columns", o->columns, "Pictures in a row of a strip; default: up to 8")
      ->check(CLI::Range(1, 200));
  command->add_option("--size", o->size,
                      "Size of a picture in pixels, as WIDTHxHEIGHT; default: 720x900, 400x500 in a strip, "
                      "480x600 in a film");
  command
      ->add_option("--rays", o->rays,
                   "Rays per pixel of the path tracer; 0 uses the rasteriser, which is much faster; default: "
                   "48, 12 in a film")
      ->check(CLI::Range(0, 4096));
  command
      ->add_option("--azimuth", o->azimuth,
                   "Camera azimuth in degrees: 0 is in front of the person, 90 on its left, 180 behind")
      ->check(number_from(-360, 360));
  command->add_option("--elevation", o->elevation, "Camera elevation in degrees above the horizon")
      ->check(number_from(-89, 89));
  command->add_option("--distance", o->distance, "Camera distance in metres")->check(number_from(0.1, 100));
  command->add_option("--colour", o->colour, "Colour of the cloth's outside as sRGB hex digits: a3242f");
  command->add_option("--lining", o->lining, "Colour of the cloth's inside; default: a darker --colour");
  command->add_flag("--chains", o->chains, "Also draw the rope chains");
  command->add_flag("--no-cloth", o->no_cloth, "Do not draw the cloth");
  command->add_flag("--json", o->json, "Print a summary of the output as JSON");
  command->add_flag("--quiet", o->quiet, "Print neither summary, progress nor notes");
  command->footer(
      "Examples\n"
      "  billow render cape -o cape.png --at 3\n"
      "  billow render cape.billow -o strip.png --panels 8\n"
      "  billow render skirt.billow --motion dance -o dance.mp4 --from 2 --seconds 8\n"
      "  billow render cape -o both.png --over skirt --motion walk\n"
      "  billow render cape.billow -o chains.png --chains --no-cloth\n"
      "  billow render dress.billow --character hero.glb --motion hero.glb:Run -o run.mp4\n");
  command->callback([o] { render(*o); });
}

}  // namespace billow::tool
