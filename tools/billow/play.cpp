// `billow play`: what a frame of a garment file costs on the built-in person, and what it does to the body; a strip to see it.
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

struct WearOptions {
  PlaybackOptions playback;
  std::string out;
  size_t panels = 8, columns = 4;
  bool panels_given = false, columns_given = false, json = false;
};

struct Played {
  std::vector<double> frame_ms, stage_ms[BILLOW_FRAME_STAGE_COUNT];
  size_t inside = 0, most_inside = 0;  // vertices, after push-out: over all frames, in one of them
  double pushed = 0;                   // a frame
  uint64_t hash = 0;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void add(Played& played, const billow_instance_report& r) {
  double sum = 0;
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k) {
    played.stage_ms[k].push_back(1e3 * r.stage_seconds[k]);
    sum += 1e3 * r.stage_seconds[k];
  }
  played.frame_ms.push_back(sum);
  played.inside += r.inside, played.most_inside = std::max<size_t>(played.most_inside, r.inside);
  played.pushed += r.pushed;
}

void print(const Played& p, const WearOptions& o) {
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
      p.pushed / frames, p.inside, p.most_inside);
}

void wear(const WearOptions& o) {
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
  Played played;
  while (playback.step()) {
    add(played, playback.report());
    if (!body || playback.frame() == 0 || playback.frame() % every != 0 || panels.size() == o.panels)
      continue;
    draw::Canvas canvas(kPanelWidth, kPanelHeight);
    char label[40];
    std::snprintf(label, sizeof label, "%.2f s", playback.time());
    panels.push_back(draw_dressed(canvas, *body, playback.joints(), playback.positions(),
                                  playback.garment().triangles, label));
  }
  played.hash = playback.hash();
  if (body) draw::write_png(draw::strip(panels, static_cast<int>(o.columns), 4), out);
  print(played, o);
}

}  // namespace

void add_wear(CLI::App& app) {
  auto* command =
      app.add_subcommand("play", "Play a garment on the built-in person and measure what a frame costs");
  auto o = std::make_shared<WearOptions>();
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
  command->callback([o] { wear(*o); });
}

}  // namespace billow::tool
