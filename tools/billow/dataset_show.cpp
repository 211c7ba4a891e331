// `billow dataset show`: draws a clip as a strip of pictures.
#include "dataset_show.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "commands.h"
#include "dataset/reader/dataset_file.h"
#include "draw/canvas.h"
#include "draw_body.h"
#include "draw_character.h"
#include "files.h"
#include "files/npy.h"
#include "garment/garment_file.h"

namespace billow::tool {
namespace {

struct ClipShowOptions {
  std::string folder, out;
  size_t clip = 0, from = 0, every = 0, panels = 8, columns = 4;
  bool ropes = false;
};

using draw::Vec3;

V3 clip_point(std::span<const float> row, size_t i) { return {row[3 * i], row[3 * i + 1], row[3 * i + 2]}; }

struct ClipArrays {
  files::NpyMap cloth, joints, rope;
  explicit ClipArrays(const std::filesystem::path& folder)
      : cloth(folder / "cloth.npy"), joints(folder / "joints.npy"), rope(folder / "rope.npy") {}
};

draw::Image draw_frame(const ClipArrays& clip, size_t frame, const garment::Garment& g, const DrawnBody& body,
                       bool ropes) {
  std::vector<Transform> joints;
  const std::span<const float> j = clip.joints.row(frame);
  for (size_t i = 0; i < body.joints(); ++i)
    joints.push_back(
        {{j[7 * i], j[7 * i + 1], j[7 * i + 2]}, {j[7 * i + 3], j[7 * i + 4], j[7 * i + 5], j[7 * i + 6]}});
  draw::Canvas canvas(kPanelWidth, kPanelHeight);
  if (ropes)
    for (const auto& chain : g.chains)
      for (size_t b = 1; b < chain.size(); ++b)
        canvas.line(to_draw(clip_point(clip.rope.row(frame), chain[b - 1])),
                    to_draw(clip_point(clip.rope.row(frame), chain[b])), 2, draw::srgb(0x118a35), 1, 0.05f);
  return draw_dressed(canvas, body, joints, clip.cloth.row(frame), g.triangles,
                      "frame " + std::to_string(frame));
}

void show(const ClipShowOptions& o) {
  const dataset::DatasetInfo info = dataset::read_dataset(o.folder);
  if (o.clip >= info.clips.size())
    throw std::runtime_error("--clip: expected a number below " + std::to_string(info.clips.size()) +
                             ", found " + std::to_string(o.clip));
  const dataset::OwnedCharacterBody character_body = info.character_body();
  const garment::Garment g =
      garment::read_garment_file(info.folder / "garment.json", character_body.skeleton);
  const DrawnBody body(character_body);
  const ClipArrays clip(info.clip_folder(o.clip));
  const size_t frames = info.clips[o.clip].frames;
  const size_t every = o.every > 0 ? o.every : std::max<size_t>(1, (frames - 1) / o.panels);
  std::vector<draw::Image> panels;
  for (size_t f = o.from; f < frames && panels.size() < o.panels; f += every)
    panels.push_back(draw_frame(clip, f, g, body, o.ropes));
  if (panels.empty())
    throw std::runtime_error("--from: expected a frame below " + std::to_string(frames) + ", found " +
                             std::to_string(o.from));
  std::filesystem::path out = o.out;
  if (out.empty()) out = info.garment + "_clip_" + std::to_string(o.clip) + ".png";
  if (out.has_parent_path()) make_folder(out.parent_path());
  draw::write_png(draw::strip(panels, static_cast<int>(o.columns), 4), out);
  std::printf("%s: %s\n", info.clips[o.clip].name.c_str(), out.string().c_str());
}

}  // namespace

void add_dataset_show(CLI::App* command) {
  auto o = std::make_shared<ClipShowOptions>();
  CLI::App* show_command = command->add_subcommand("show", "Draw a clip as a strip of pictures");
  show_command->add_option("folder", o->folder, "Folder of the data set")->required();
  show_command->add_option("--clip", o->clip, "Index of the clip, from 0")->capture_default_str();
  show_command->add_option("--from", o->from, "First frame to draw")->capture_default_str();
  show_command->add_option("--every", o->every,
                           "Number of frames between pictures; default: spread over the whole clip");
  show_command->add_option("--panels", o->panels, "Number of pictures")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
  show_command->add_option("--columns", o->columns, "Pictures in a row")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  show_command->add_flag("--ropes", o->ropes, "Also draw the rope chains of the same motion");
  show_command->add_option("-o,--out", o->out, "Picture to write (.png); default: GARMENT_clip_N.png");
  show_command->callback([o] { show(*o); });
}

}  // namespace billow::tool
