// `billow dataset show`: a picture strip of a clip.
#include "dataset_show.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "body/postures.h"
#include "commands.h"
#include "dataset/reader/dataset_file.h"
#include "draw/canvas.h"
#include "draw/paint.h"
#include "draw_body.h"
#include "files.h"
#include "files/npy.h"
#include "garment/garment_file.h"

namespace billow::tool {
namespace {

struct ShowOptions {
  std::string folder, out;
  size_t clip = 0, from = 0, every = 0, panels = 8, columns = 4;
  bool ropes = false;
};

using draw::Vec3;

Vec3 to_draw(V3 v) { return {v.x, v.y, v.z}; }
V3 place(std::span<const float> row, size_t i) { return {row[3 * i], row[3 * i + 1], row[3 * i + 2]}; }

struct Clip {
  files::NpyMap cloth, joints, rope;
  explicit Clip(const std::filesystem::path& folder)
      : cloth(folder / "cloth.npy"), joints(folder / "joints.npy"), rope(folder / "rope.npy") {}
};

// The body in a picture: the built-in person by its skin, others by their colliders.
class DrawnBody {
 public:
  explicit DrawnBody(const dataset::OwnedWearer& wearer)
      : colliders_(wearer.colliders), rest_(body::rest_transforms(wearer.skeleton)) {
    if (!wearer.preset.empty())
      skin_ = body::make_skin(body::make_person(body::person_preset(wearer.preset)));
    for (const billow_collider& c : colliders_)
      height_ = std::max(height_, std::max(c.position[1], c.end[1]) +
                                      std::max(c.radius, std::max(c.half_extents[1], c.half_extents[2])));
  }
  size_t joints() const { return rest_.size(); }
  // Against the built-in person.
  float size() const { return skin_.mesh.positions.empty() ? height_ / 1.75f : 1; }

  void draw(draw::Canvas& canvas, const std::vector<Transform>& joints) const {
    const draw::Material material{.colour = draw::srgb(0xc9a48c), .gloss = 0.1f};
    if (skin_.mesh.positions.empty()) {
      std::vector<Transform> moved;
      for (size_t j = 0; j < joints.size(); ++j) moved.push_back(joints[j] * inverse(rest_[j]));
      return draw_colliders(canvas, colliders_, moved, material);
    }
    std::vector<V3> body(skin_.mesh.positions.size());
    body::skin_vertices(skin_, joints, body);
    canvas.mesh({.positions = {&body[0].x, 3 * body.size()},
                 .indices = {skin_.mesh.triangles[0].data(), 3 * skin_.mesh.triangles.size()}},
                material);
  }

 private:
  std::vector<billow_collider> colliders_;
  std::vector<Transform> rest_;
  body::Skin skin_;
  float height_ = 0;
};

draw::Image draw_frame(const Clip& clip, size_t frame, const garment::Garment& g, const DrawnBody& body,
                       bool ropes) {
  std::vector<Transform> joints;
  const std::span<const float> j = clip.joints.row(frame);
  for (size_t i = 0; i < body.joints(); ++i)
    joints.push_back(
        {{j[7 * i], j[7 * i + 1], j[7 * i + 2]}, {j[7 * i + 3], j[7 * i + 4], j[7 * i + 5], j[7 * i + 6]}});
  draw::Canvas canvas(340, 414);
  body.draw(canvas, joints);
  canvas.mesh(
      {.positions = clip.cloth.row(frame), .indices = {g.triangles[0].data(), 3 * g.triangles.size()}},
      {.colour = draw::srgb(0x9c2f38), .back = draw::srgb(0x6e4a80), .gloss = 0.1f});
  if (ropes)
    for (const auto& chain : g.chains)
      for (size_t b = 1; b < chain.size(); ++b)
        canvas.line(to_draw(place(clip.rope.row(frame), chain[b - 1])),
                    to_draw(place(clip.rope.row(frame), chain[b])), 2, draw::srgb(0x118a35), 1, 0.05f);
  // From behind and aside, as the person faces.
  const V3 ahead = rotate(joints[0].rotation, {0, 0, 1}), left = rotate(joints[0].rotation, {1, 0, 0});
  V3 from = (left * 2.9f - ahead * 2.4f) * body.size();
  from.y = 0.7f * body.size();
  const Vec3 target{joints[0].position.x, 0.92f * body.size(), joints[0].position.z};
  canvas.light.toward = {0.6f * from.x + 0.5f * from.z, 3.5f, 0.6f * from.z - 0.5f * from.x};
  canvas.ground({.centre = {target.x, 0, target.z}});
  draw::Image image =
      canvas.render({.eye = target + to_draw(from), .target = target, .field_of_view = 0.56f});
  draw::paint_text(image, 10, 20, "frame " + std::to_string(frame), {11, draw::srgb(0x2a2e36)});
  return image;
}

void show(const ShowOptions& o) {
  const dataset::DatasetInfo info = dataset::read_dataset(o.folder);
  if (o.clip >= info.clips.size())
    throw std::runtime_error("--clip: expected a number below " + std::to_string(info.clips.size()) +
                             ", found " + std::to_string(o.clip));
  const dataset::OwnedWearer wearer = info.wearer();
  const garment::Garment g = garment::read_garment_file(info.folder / "garment.json", wearer.skeleton);
  const DrawnBody body(wearer);
  const Clip clip(info.clip_folder(o.clip));
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
  auto o = std::make_shared<ShowOptions>();
  CLI::App* show_command = command->add_subcommand("show", "Write a picture strip of a clip");
  show_command->add_option("folder", o->folder, "Folder of the data set")->required();
  show_command->add_option("--clip", o->clip, "Which, from 0")->capture_default_str();
  show_command->add_option("--from", o->from, "The first frame shown")->capture_default_str();
  show_command->add_option("--every", o->every, "Frames from picture to picture; left out: the whole clip");
  show_command->add_option("--panels", o->panels, "Pictures")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
  show_command->add_option("--columns", o->columns, "Pictures in a row")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  show_command->add_flag("--ropes", o->ropes, "Draw the rope chains of the same motion over it");
  show_command->add_option("-o,--out", o->out, "The picture; left out: GARMENT_clip_N.png");
  show_command->callback([o] { show(*o); });
}

}  // namespace billow::tool
