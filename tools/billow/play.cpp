// `billow play`: plays a garment on the built-in person, measures time per frame and stage and vertices inside the body, and
// optionally draws a strip of pictures.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "draw_character.h"
#include "files.h"
#include "playback.h"

namespace billow::tool {
namespace {

struct PlayOptions {
  PlaybackOptions playback;
  std::string out;
  size_t panels = 8, columns = 4;
  bool panels_given = false, columns_given = false, json = false;
};

struct PlayMeasures {
  std::vector<double> frame_ms, stage_ms[BILLOW_FRAME_STAGE_COUNT];
  size_t inside = 0, max_inside = 0;  // vertices inside the body after push-out: sum over frames, worst frame
  double pushed = 0;                  // vertices moved by push-out, summed over frames
  uint64_t hash = 0;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void add(PlayMeasures& measures, const billow_instance_report& r) {
  double sum = 0;
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k) {
    measures.stage_ms[k].push_back(1e3 * r.stage_seconds[k]);
    sum += 1e3 * r.stage_seconds[k];
  }
  measures.frame_ms.push_back(sum);
  measures.inside += r.inside, measures.max_inside = std::max<size_t>(measures.max_inside, r.inside);
  measures.pushed += r.pushed;
}

void print(const PlayMeasures& p, const PlayOptions& o) {
  const double frames = static_cast<double>(p.frame_ms.size());
  if (o.json) {
    nlohmann::ordered_json json{{"frames", p.frame_ms.size()}, {"frame_ms", median(p.frame_ms)}};
    for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
      json["stages_ms"][billow_frame_stage_name(static_cast<billow_frame_stage>(k))] = median(p.stage_ms[k]);
    json.update({{"pushed_per_frame", p.pushed / frames}, {"inside", p.inside}, {"hash", p.hash}});
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  std::printf("%zu frames of %s, median %.3f ms:", p.frame_ms.size(), o.playback.motion.c_str(),
              median(p.frame_ms));
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
    std::printf(" %s %.3f", billow_frame_stage_name(static_cast<billow_frame_stage>(k)),
                median(p.stage_ms[k]));
  std::printf(
      "\n%.0f vertices pushed out a frame; %zu inside the body in all frames together, %zu in the worst\n",
      p.pushed / frames, p.inside, p.max_inside);
}

void play_garment(const PlayOptions& o) {
  if (o.out.empty() && (o.panels_given || o.columns_given))
    throw CLI::ValidationError(o.panels_given ? "--panels" : "--columns",
                               "expected a strip to write (-o strip.png), found none");
  Playback playback(o.playback);
  print_note(playback.note());
  const std::filesystem::path out = o.out;
  if (out.has_parent_path()) make_folder(out.parent_path());
  const auto body = out.empty() ? nullptr : std::make_unique<DrawnBody>(playback.character_body());
  const size_t every = std::max<size_t>(1, (playback.frames() - 1) / o.panels);
  std::vector<draw::Image> panels;
  PlayMeasures measures;
  while (playback.step()) {
    add(measures, playback.report());
    if (!body || playback.frame() == 0 || playback.frame() % every != 0 || panels.size() == o.panels)
      continue;
    draw::Canvas canvas(kPanelWidth, kPanelHeight);
    char label[40];
    std::snprintf(label, sizeof label, "%.2f s", playback.time());
    panels.push_back(draw_dressed(canvas, *body, playback.joints(), playback.positions(),
                                  playback.garment().triangles, label));
  }
  measures.hash = playback.hash();
  if (body) draw::write_png(draw::strip(panels, static_cast<int>(o.columns), 4), out);
  print(measures, o);
}

}  // namespace

void add_play(CLI::App& app) {
  auto* command =
      app.add_subcommand("play", "Play a garment on the built-in person and measure what a frame costs");
  auto o = std::make_shared<PlayOptions>();
  add_playback_options(*command, o->playback);
  command->add_option("-o,--out", o->out, "Also write a strip of pictures to this file (.png)");
  command->add_option("--panels", o->panels, "Number of pictures in the strip")
      ->check(CLI::Range(1, 200))
      ->each([o](const std::string&) { o->panels_given = true; })
      ->capture_default_str();
  command->add_option("--columns", o->columns, "Pictures in a row of the strip")
      ->check(CLI::Range(1, 50))
      ->each([o](const std::string&) { o->columns_given = true; })
      ->capture_default_str();
  command->add_flag("--json", o->json, "Print the figures as JSON");
  command->footer(
      "Examples\n"
      "  billow play cape -o cape_running.png\n"
      "  billow play cape.billow --motion dance:2 --seconds 20 --json\n");
  command->callback([o] { play_garment(*o); });
}

}  // namespace billow::tool
