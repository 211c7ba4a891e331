// `billow demo`: plays the shipped garments through the runtime, and writes strips, films and frame times.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "files.h"
#include "files/whole_file.h"
#include "film.h"
#include "number_from.h"
#include "picture.h"
#include "playback.h"
#include "progress.h"
#include "shipped.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct DemoOptions {
  std::string folder = "out";
  double seconds = 6;
  size_t panels = 8;
  bool no_film = false;
};

struct Show {
  const char *garment, *motion, *name, *shows;
};
// The captured walk is of a person that the garments have not learnt from.
constexpr Show kShows[] = {{"cape", "run", "cape_run", "a cape on a running person"},
                           {"skirt", "dance:4", "skirt_dance", "a skirt on a dancing person"},
                           {"cape", "captured:55_04", "cape_walk", "a cape on a captured walk"},
                           {"skirt", "captured:55_04", "skirt_walk", "a skirt on a captured walk"}};

double lower_percentile(std::vector<double> values, double fraction) {
  const auto k = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<size_t>(k)];
}

constexpr double kFilmRate = 30;     // frames per second
constexpr double kFilmStart = 0.25;  // fraction of a motion that its film skips: motions start from standing

// Rasterise instead of path tracing, with fewer samples in films: the demo should not take minutes.
PictureStyle style_of(const Playback& playback, bool film) {
  PictureStyle style = style_for(playback.garment());
  style.rays = 0;
  style.width = 400, style.height = 500;
  // The camera is far enough back to show raised hands.
  if (film)
    style.width = 1280, style.height = 720, style.samples = 2, style.distance = 4.7f, style.look_at = 0.97f;
  return style;
}

// Plays one garment and returns its figures.
Json play(const Show& show, const DemoOptions& o, const fs::path& folder, std::unique_ptr<DrawnBody>& body) {
  const std::string name = show.name;
  const fs::path strip = folder / (name + ".png"), film = folder / (name + ".mp4");
  PlaybackOptions playback_options{garment_file(show.garment), show.motion, o.seconds, 60, true, true};
  Playback playback(playback_options);
  // Share the person between shows: building its skin takes seconds.
  if (!body) body = std::make_unique<DrawnBody>(playback.character_body());
  const std::vector<Following> camera = follow(playback);
  std::unique_ptr<FilmWriter> writer;
  const PictureStyle film_style = style_of(playback, true), strip_style = style_of(playback, false);
  if (!o.no_film) writer = std::make_unique<FilmWriter>(film, film_style.width, film_style.height, kFilmRate);

  const auto picture_of = [&](const PictureStyle& style) {
    Picture picture(style, *body, playback.joints());
    picture.add_cloth(playback.positions(), playback.garment().triangles);
    return picture;
  };
  std::vector<draw::Image> panels;
  PictureLine line(pictures_at_a_time(film_style), [&](const draw::Image& image) { writer->add(image); });
  std::vector<double> frame_ms;
  size_t inside = 0, shown = 0;
  Progress progress(show.garment);
  while (playback.step()) {
    const billow_instance_report report = playback.report();
    double seconds = 0;
    for (const double stage : report.stage_seconds) seconds += stage;
    frame_ms.push_back(1e3 * seconds), inside += report.inside;
    const double film_time = playback.time() - kFilmStart * playback.seconds();
    if (writer && static_cast<double>(shown) <= film_time * kFilmRate)
      line.add(picture_of(film_style), camera[playback.frame()]), ++shown;
    if (playback.frame() + 1 == playback.frames() * (panels.size() + 1) / o.panels) {
      char label[32];
      std::snprintf(label, sizeof label, "%.2f s", playback.time());
      panels.push_back(picture_of(strip_style).make(camera[playback.frame()], label));
    }
    progress(static_cast<double>(playback.frame() + 1) / static_cast<double>(playback.frames()));
  }
  draw::write_png(draw::strip(panels, 4, 4), strip);
  line.finish();
  if (writer) writer->finish();

  Json figures{
      {"shows", show.shows},
      {"vertices", playback.garment().size()},
      {"frames", frame_ms.size()},
      {"frame_ms", {{"p50", lower_percentile(frame_ms, 0.5)}, {"p99", lower_percentile(frame_ms, 0.99)}}},
      {"inside", inside},
      {"strip", strip.string()}};
  if (writer) figures["film"] = film.string();
  std::printf(
      "%s: %zu vertices, %zu frames at 60 Hz\n  %.2f ms a frame (p99 %.2f), %zu vertices inside the body in "
      "all frames together\n  %s%s%s\n",
      show.shows, playback.garment().size(), frame_ms.size(), lower_percentile(frame_ms, 0.5),
      lower_percentile(frame_ms, 0.99), inside, strip.c_str(), writer ? ", " : "",
      writer ? film.c_str() : "");
  std::fflush(stdout);
  return figures;
}

void run_demo(const DemoOptions& o) {
  const fs::path folder = make_folder(o.folder);
  std::unique_ptr<DrawnBody> body;
  Json all;
  for (const Show& show : kShows) all[show.name] = play(show, o, folder, body);
  files::write_whole_file(folder / "demo.json", all.dump(2) + "\n");
}

}  // namespace

void add_demo(CLI::App& app) {
  auto o = std::make_shared<DemoOptions>();
  CLI::App* demo = app.add_subcommand(
      "demo", "Play the garments that come with Billow: strips, films, and what a frame costs");
  demo->add_option("-o,--out", o->folder, "Output folder; created if it does not exist")
      ->capture_default_str();
  demo->add_option("--seconds", o->seconds,
                   "Length of each motion in seconds; films show the last three quarters")
      ->capture_default_str()
      ->check(number_from(0.5, 60));
  demo->add_flag("--no-film", o->no_film, "Write strips only, which is faster and needs no ffmpeg");
  demo->footer(
      "Films are 1280x720 at 30 frames per second, drawn by the rasteriser; `billow render` has a path "
      "tracer.\n\n"
      "Examples\n"
      "  billow demo                        strips, films and demo.json in out/\n"
      "  billow demo -o pictures --no-film  strips elsewhere\n");
  demo->callback([o] { run_demo(*o); });
}

}  // namespace billow::tool
