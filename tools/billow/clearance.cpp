// `billow clearance`: signed distance of a garment's vertices and of the midpoints of its edges and triangles
// to the body, and jumps of vertices, over many motions.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "body/skin.h"
#include "commands.h"
#include "dataset/plan.h"
#include "draw/show_through.h"
#include "evaluate/sted.h"
#include "motion_file.h"
#include "number_from.h"
#include "playback.h"
#include "progress.h"
#include "shipped.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

struct ClearanceOptions {
  PlaybackOptions playback;
  std::vector<std::string> motions;
  bool unseen = false, pixels = false, json = false;
};

// Distance statistics of one kind of point, accumulated over frames.
struct DistanceStats {
  size_t inside = 0, count = 0;
  double min = 1;   // m, signed, negative inside; clamped to kReach
  double time = 0;  // s, of the minimum

  void add(const DistanceStats& o) {
    inside += o.inside, count += o.count;
    if (o.min < min) min = o.min, time = o.time;
  }
};
constexpr float kReach = 0.005f;  // m, limit of the distance query

// Skin that shows through cloth in pictures.
struct SkinStats {
  size_t frames = 0, shown = 0;  // drawn; with more than kFewPixels of skin from any side
  size_t most = 0;               // pixels in one picture
  double time = 0;               // s, of that

  void add(const SkinStats& o) {
    frames += o.frames, shown += o.shown;
    if (o.most > most) most = o.most, time = o.time;
  }
};
constexpr size_t kFewPixels = 20, kDrawEvery = 10;

struct Clearance {
  std::string motion;
  size_t frames = 0, frames_inside = 0;
  DistanceStats vertices, edges, triangles;  // edges and triangles: at their midpoints
  size_t reported_inside = 0;                // vertices inside according to the runtime's report
  double jump = 0, jump_time = 0;            // m, s: see Jumps
  SkinStats skin;

  void add(const Clearance& o) {
    frames += o.frames, frames_inside += o.frames_inside, reported_inside += o.reported_inside;
    vertices.add(o.vertices), edges.add(o.edges), triangles.add(o.triangles);
    if (o.jump > jump) jump = o.jump, jump_time = o.jump_time;
    skin.add(o.skin);
  }
};

// Soft colliders let cloth through by design: distances are to the rigid ones.
DistanceStats measure(const Playback& playback, std::span<const float> points) {
  std::vector<float> distances(points.size() / 3);
  if (billow_body_query(playback.body(), playback.garment().contacts.rigid_groups(), points.data(),
                        static_cast<uint32_t>(distances.size()), kReach, distances.data(), nullptr,
                        nullptr) != BILLOW_OK)
    throw std::runtime_error(billow_last_error());
  DistanceStats p;
  p.count = distances.size(), p.time = playback.time();
  for (const float d : distances) {
    p.inside += d < 0;
    p.min = std::min(p.min, static_cast<double>(d));
  }
  return p;
}

// The midpoint of each edge or triangle.
template <class Corners>
std::vector<float> midpoints(std::span<const float> positions, const std::vector<Corners>& elements) {
  std::vector<float> out;
  out.reserve(3 * elements.size());
  for (const Corners& corners : elements)
    for (size_t k = 0; k < 3; ++k) {
      float sum = 0;
      for (const uint32_t v : corners) sum += positions[3 * size_t{v} + k];
      out.push_back(sum / static_cast<float>(corners.size()));
    }
  return out;
}

// How far a vertex moves in one frame beyond the bones around it: what pops rather than swings.
class Jumps {
 public:
  explicit Jumps(const garment::Garment& garment) : nearest_(garment.size()) {
    std::vector<V3> bones(garment.bones.size());
    garment::bone_positions(garment, garment.rest, bones);
    std::vector<uint32_t> order(bones.size());
    for (size_t v = 0; v < garment.size(); ++v) {
      std::iota(order.begin(), order.end(), 0u);
      const auto distance2 = [&](uint32_t b) {
        return dot(bones[b] - garment.rest[v], bones[b] - garment.rest[v]);
      };
      const size_t count = std::min(kBones, order.size());
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                        [&](uint32_t a, uint32_t b) { return distance2(a) < distance2(b); });
      nearest_[v].assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }

  // The largest jump since the frame before, in metres; 0 in the first frame.
  double next(std::span<const float> positions, const std::vector<V3>& bones) {
    float largest = 0;
    for (size_t v = 0; v < nearest_.size() && !last_bones_.empty(); ++v) {
      const float *p = &positions[3 * v], *last = &last_[3 * v];
      const float moved = length(V3{p[0] - last[0], p[1] - last[1], p[2] - last[2]});
      if (!(moved > largest)) continue;
      float of_bones = 0;
      for (const uint32_t b : nearest_[v]) of_bones = std::max(of_bones, length(bones[b] - last_bones_[b]));
      largest = std::max(largest, moved - of_bones);
    }
    last_.assign(positions.begin(), positions.end());
    last_bones_ = bones;
    return largest;
  }

 private:
  static constexpr size_t kBones = 6;
  std::vector<std::vector<uint32_t>> nearest_;
  std::vector<float> last_;
  std::vector<V3> last_bones_;
};

// Draws the person from four sides, with all its limbs: soft ones let cloth through by design, and a viewer sees it.
class SkinPictures {
 public:
  SkinPictures() : skin_(body::make_skin(body::make_person(body::person_preset("average")))) {}

  SkinStats draw(const Playback& playback) {
    body_.resize(skin_.mesh.positions.size());
    body::skin_vertices(skin_, playback.joints(), body_);
    const draw::MeshView body{{&body_[0].x, 3 * body_.size()}, flat(skin_.mesh.triangles)},
        cloth{playback.positions(), flat(playback.garment().triangles)};
    const V3 at = playback.joints()[0].position;
    const draw::Vec3 target{at.x, at.y, at.z};
    SkinStats out{.frames = 1, .time = playback.time()};
    for (const draw::Vec3 from : {draw::Vec3{1, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 0, -1}}) {
      const draw::Camera camera{
          .eye = target + kDistance * from, .target = target, .field_of_view = kFieldOfView};
      out.most = std::max(out.most, draw::count_show_through(body, cloth, camera, kWidth, kHeight));
    }
    out.shown = out.most > kFewPixels;
    return out;
  }

 private:
  static constexpr int kWidth = 720, kHeight = 900;
  static constexpr float kDistance = 4.2f, kFieldOfView = 0.5f;  // m, rad
  template <class Triangles> static std::span<const uint32_t> flat(const Triangles& triangles) {
    return {triangles[0].data(), 3 * triangles.size()};
  }
  body::Skin skin_;
  std::vector<V3> body_;
};

// `pictures` may be null.
Clearance play(Playback& playback, const std::string& motion, SkinPictures* pictures) {
  std::vector<std::array<uint32_t, 2>> edges;
  for (const evaluate::Edge& e : evaluate::edges_of(playback.garment())) edges.push_back({e.a, e.b});
  Clearance c;
  c.motion = motion;
  Jumps jumps(playback.garment());
  while (playback.step()) {
    const DistanceStats vertices = measure(playback, playback.positions());
    const double jump = jumps.next(playback.positions(), playback.bones());
    if (jump > c.jump) c.jump = jump, c.jump_time = playback.time();
    if (pictures && c.frames % kDrawEvery == 0) c.skin.add(pictures->draw(playback));
    ++c.frames;
    c.frames_inside += vertices.inside > 0;
    c.reported_inside += playback.report().inside;
    c.vertices.add(vertices);
    c.edges.add(measure(playback, midpoints(playback.positions(), edges)));
    c.triangles.add(measure(playback, midpoints(playback.positions(), playback.garment().triangles)));
  }
  return c;
}

// Expands folders to the motion files in them, and motion files to all their clips.
std::vector<std::string> motions_in(const std::vector<std::string>& given) {
  std::vector<std::string> files, motions;
  for (const std::string& name : given) {
    if (name == kCapturedName) {
      for (const motion::BundledClip& one : captured_bundle())
        files.push_back(std::string(motion::kCapturedPrefix) + one.clip.name);
      continue;
    }
    if (!fs::is_directory(name)) {
      files.push_back(name);
      continue;
    }
    const size_t before = files.size();
    for (const auto& entry : fs::directory_iterator(name))
      if (motion_file_named(entry.path().string())) files.push_back(entry.path().string());
    if (files.size() == before)
      throw std::runtime_error(name + ": expected motion files in this folder, found none");
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  for (const std::string& name : files) {
    check_motion_name(name);
    const std::optional<MotionFile> file = motion_file_named(name);
    if (!file || !file->clip.empty()) {
      motions.push_back(name);
      continue;
    }
    for (const motion::Clip& clip : importer::read_character(file->file).clips)
      motions.push_back(name + ":" + clip.name);
  }
  return motions;
}

// The unseen clips of the data sets of a built-in garment.
std::vector<motion::Clip> unseen_clips(const std::string& garment) {
  const body::Person person = body::make_person(body::person_preset("average"));
  dataset::Request request;
  request.garment = garment;
  std::vector<motion::Clip> clips;
  for (const dataset::PlannedClip& planned : dataset::plan(request)) {
    if (planned.parts.front() != static_cast<char>(dataset::Part::kUnseen)) continue;
    clips.push_back(planned.make(person));
    clips.back().name = planned.name;
  }
  return clips;
}

void print_row(const Clearance& c) {
  const auto mm = [](const DistanceStats& p) { return 1000 * p.min; };
  std::printf("%-44s %6zu %8zu %8zu %8.2f %8.2f %8.2f %8.1f", c.motion.c_str(), c.frames, c.vertices.inside,
              c.frames_inside, mm(c.vertices), mm(c.edges), mm(c.triangles), 1000 * c.jump);
  if (c.skin.frames > 0) std::printf(" %8zu of %5zu %8zu", c.skin.shown, c.skin.frames, c.skin.most);
  std::printf("\n");
}

nlohmann::ordered_json as_json(const Clearance& c) {
  const auto points = [](const DistanceStats& p) {
    return nlohmann::ordered_json{
        {"inside", p.inside}, {"of", p.count}, {"least_mm", 1000 * p.min}, {"least_at_s", p.time}};
  };
  nlohmann::ordered_json out{{"motion", c.motion},
                             {"frames", c.frames},
                             {"frames_with_vertices_inside", c.frames_inside},
                             {"reported_inside", c.reported_inside},
                             {"vertices", points(c.vertices)},
                             {"edge_middles", points(c.edges)},
                             {"triangle_middles", points(c.triangles)},
                             {"jump_mm", 1000 * c.jump},
                             {"jump_at_s", c.jump_time}};
  if (c.skin.frames > 0)
    out["skin_shown"] = {{"frames", c.skin.shown},
                         {"of", c.skin.frames},
                         {"most_pixels", c.skin.most},
                         {"most_at_s", c.skin.time}};
  return out;
}

void clearance(const ClearanceOptions& o) {
  const std::vector<std::string> names = motions_in(o.motions);
  std::optional<Playback> player;
  const std::vector<motion::Clip> unseen =
      o.unseen ? unseen_clips(pack::read_garment_asset(garment_file(o.playback.file)).garment.name)
               : std::vector<motion::Clip>{};
  const size_t count = names.size() + unseen.size();
  if (count == 0) throw std::runtime_error("expected names of motions, motion files or --unseen, found none");
  Progress line("playing");
  std::optional<SkinPictures> pictures;
  if (o.pixels) pictures.emplace();
  std::vector<Clearance> all;
  size_t shorter = 0;
  const auto add = [&](const motion::Clip& clip, const std::string& name) {
    if (player)
      player->play(clip);
    else
      player.emplace(o.playback, clip);
    shorter += player->is_shorter();
    all.push_back(play(*player, name, pictures ? &*pictures : nullptr));
    line(static_cast<double>(all.size()) / static_cast<double>(count));
  };
  PlaybackOptions playback = o.playback;
  for (const std::string& name : names) {
    playback.motion = name;
    add(playback_clip(playback), fs::path(name).filename().string());
  }
  for (const motion::Clip& clip : unseen) add(clip, "unseen " + clip.name);

  if (shorter > 0 && playback.seconds_given) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%zu of %zu motions end before the %g s of --seconds; they are played to their ends",
                  shorter, count, playback.seconds);
    print_note(text);
  }
  Clearance sum;
  sum.motion = "all";
  for (const Clearance& c : all) sum.add(c);
  if (o.json) {
    nlohmann::ordered_json json = as_json(sum);
    for (const Clearance& c : all) json["motions"].push_back(as_json(c));
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  std::printf("%-44s %6s %8s %8s %26s %8s%s\n%-44s %6s %8s %8s %8s %8s %8s %8s%s\n", "", "", "vertices",
              "frames", "mm to the body, least of", "largest", o.pixels ? "     skin shown" : "", "motion",
              "frames", "inside", "with any", "vertices", "edges", "faces", "jump, mm",
              o.pixels ? "    in pictures   pixels" : "");
  for (const Clearance& c : all) print_row(c);
  print_row(sum);
}

}  // namespace

void add_clearance(CLI::App& app) {
  auto* command =
      app.add_subcommand("clearance", "Measure how far a garment stays from the body over many motions");
  auto o = std::make_shared<ClearanceOptions>();
  o->playback.seconds = 600;
  command->add_option("file", o->playback.file, kGarmentFileHelp)->required();
  command->add_option(
      "motions", o->motions,
      "Motions to play: names of `billow motion list`, `captured` for all captured clips, motion "
      "files (every clip in them), or folders of motion files");
  command->add_flag(
      "--unseen", o->unseen,
      "Also play the test clips that data sets of the cape or the skirt hold back from training");
  command->add_option("--rate", o->playback.rate, "Simulation rate in frames per second")
      ->capture_default_str()
      ->check(number_from(5, 1000));
  command
      ->add_option("--seconds", o->playback.seconds,
                   "Longest time to play of each motion, in seconds; built-in motions are made this long")
      ->capture_default_str()
      ->check(number_from(0.1, 600))
      ->each([o](const std::string&) { o->playback.seconds_given = true; });
  command->add_flag(
      "--pixels", o->pixels,
      "Also draw every tenth frame from four sides, and count pixels of skin that shows through "
      "cloth; takes nearly twice as long");
  command->add_flag("--json", o->json, "Print the figures as JSON");
  command->footer(
      "Distances are signed distances to the runtime's colliders, measured after push-out. Push-out keeps\n"
      "vertices 2 mm outside, because midpoints of edges and triangles may lie deeper than their corners.\n"
      "A jump is the motion of a vertex in one frame beyond that of the six bones nearest to it. --json\n"
      "says when the deepest points and the largest jumps occur. --pixels counts soft limbs, too, which\n"
      "distances leave out; a frame shows skin if one picture (720 x 900) has more than 20 such pixels.\n\n"
      "Examples\n"
      "  billow clearance skirt dance run:3 --seconds 20\n"
      "  billow clearance cape my_motions/ robot.glb --unseen\n"
      "  billow clearance cape captured --pixels\n");
  command->callback([o] { clearance(*o); });
}

}  // namespace billow::tool
