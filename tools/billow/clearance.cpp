// `billow clearance`: signed distance of a garment's vertices and of the midpoints of its edges and triangles
// to the body, jumps of vertices and strain, over many motions.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "clearance_measure.h"
#include "commands.h"
#include "dataset/plan.h"
#include "motion/join.h"
#include "motion/motions.h"
#include "motion_file.h"
#include "number_from.h"
#include "progress.h"
#include "shipped.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

struct ClearanceOptions {
  PlaybackOptions playback;
  std::vector<std::string> motions;
  bool unseen = false, join = false, there_and_back = false, pixels = false, json = false;
};

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
  const dataset::OwnedCharacterBody person = dataset::person_as_character_body("average");
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

// All motions one after another, with stops. Built-in ones are made as long as a stretch.
motion::Clip joined(const ClearanceOptions& o, const std::vector<std::string>& names,
                    const std::vector<motion::Clip>& unseen) {
  PlaybackOptions part = o.playback;
  part.seconds = motion::kJoinedStretch;
  std::vector<motion::Clip> clips;
  for (const std::string& name : names) {
    part.motion = name;
    clips.push_back(motion::resample(playback_clip(part), static_cast<float>(part.rate)));
    clips.back().name = name;
  }
  for (const motion::Clip& clip : unseen)
    clips.push_back(motion::resample(clip, static_cast<float>(part.rate)));
  const body::Person person = body::make_person(body::person_preset("average"));
  // Motions start from standing.
  const body::Pose standing = motion::make_motion(person, {"walk", 1, 1, 30, 0}).frames[0];
  return motion::join(clips, standing, o.playback.seconds);
}

// Percent of the garment's faces that pass through what is under it.
double share_of_layers(const Clearance& c) {
  return 100 * static_cast<double>(c.layers.faces) / static_cast<double>(c.layers.of);
}

void print_row(const Clearance& c) {
  const auto mm = [](const DistanceStats& p) { return 1000 * p.min; };
  std::printf("%-44s %6zu %8zu %8zu %8.2f %8.2f %8.2f", c.motion.c_str(), c.frames, c.vertices.inside,
              c.frames_inside, mm(c.vertices), mm(c.edges), mm(c.triangles));
  if (c.skin.frames > 0) std::printf(" %8zu of %5zu %8zu", c.skin.shown, c.skin.frames, c.skin.most);
  if (c.layers.of > 0)
    std::printf(" %9.4f %8zu %8.1f", share_of_layers(c), c.layers.frames, 1000 * c.layers.deepest);
  std::printf("\n");
}

void print_motion_row(const Clearance& c) {
  std::printf("%-44s %8.1f %8zu", c.motion.c_str(), 1000 * c.jump, c.jump_frames);
  for (const evaluate::StrainSum* s : {&c.strain, &c.first, &c.last})
    std::printf("  %5.2f %5.1f", s->mean(), s->p99());
  if (c.stops > 0) std::printf(" %6zu %7.1f %7.1f", c.stops, 1000 * c.mean_speed, 1000 * c.largest_speed);
  std::printf("\n");
}

// Two tables: where the cloth is, and how it moves.
void print_tables(const std::vector<Clearance>& all, const Clearance& sum, bool pixels) {
  const bool over = sum.layers.of > 0;
  std::printf("%-44s %6s %8s %8s %26s%s%s\n%-44s %6s %8s %8s %8s %8s %8s%s%s\n", "", "", "vertices", "frames",
              "mm to the body, least of", pixels ? "     skin shown           " : "",
              over ? " through the cloth under it" : "", "motion", "frames", "inside", "with any", "vertices",
              "edges", "faces", pixels ? "    in pictures   pixels" : "",
              over ? " % faces   frames       mm" : "");
  for (const Clearance& c : all) print_row(c);
  print_row(sum);
  std::printf(
      "\n%-44s %8s %8s  %-11s  %-11s  %-11s %6s %15s\n%-44s %8s %8s  %-11s  %-11s  %-11s %6s %7s %7s\n", "",
      "largest", "frames", "strain, %", "first 10 s", "last 10 s", "", "mm/s after 5 s", "motion", "jump, mm",
      "over 25", " mean   p99", " mean   p99", " mean   p99", "stops", "mean", "largest");
  for (const Clearance& c : all) print_motion_row(c);
  print_motion_row(sum);
}

nlohmann::ordered_json as_json(const Clearance& c) {
  const auto points = [](const DistanceStats& p) {
    return nlohmann::ordered_json{
        {"inside", p.inside}, {"of", p.count}, {"least_mm", 1000 * p.min}, {"least_at_s", p.time}};
  };
  const auto strain = [](const evaluate::StrainSum& s) {
    return nlohmann::ordered_json{{"mean", s.mean()}, {"p99", s.p99()}};
  };
  nlohmann::ordered_json out{{"motion", c.motion},
                             {"frames", c.frames},
                             {"frames_with_vertices_inside", c.frames_inside},
                             {"reported_inside", c.reported_inside},
                             {"vertices", points(c.vertices)},
                             {"edge_middles", points(c.edges)},
                             {"triangle_middles", points(c.triangles)},
                             {"jump_mm", 1000 * c.jump},
                             {"jump_at_s", c.jump_time},
                             {"frames_over_25_mm", c.jump_frames},
                             {"strain_percent", strain(c.strain)},
                             {"strain_percent_first", strain(c.first)},
                             {"strain_percent_last", strain(c.last)},
                             {"stops", c.stops}};
  if (c.stops > 0)
    out["after_stops"] = {{"mean_mm_s", 1000 * c.mean_speed}, {"largest_mm_s", 1000 * c.largest_speed}};
  if (c.skin.frames > 0)
    out["skin_shown"] = {{"frames", c.skin.shown},
                         {"of", c.skin.frames},
                         {"most_pixels", c.skin.most},
                         {"most_at_s", c.skin.time}};
  if (c.layers.of > 0)
    out["through_cloth_under"] = {{"faces_percent", share_of_layers(c)},
                                  {"frames", c.layers.frames},
                                  {"deepest_mm", 1000 * c.layers.deepest},
                                  {"deepest_at_s", c.layers.time}};
  return out;
}

void print(const ClearanceOptions& o, const std::vector<Clearance>& all) {
  Clearance sum;
  sum.motion = "all";
  for (const Clearance& c : all) sum.add(c);
  if (!o.json) return print_tables(all, sum, o.pixels);
  nlohmann::ordered_json json = as_json(sum);
  for (const Clearance& c : all) json["motions"].push_back(as_json(c));
  std::printf("%s\n", json.dump(2).c_str());
}

void clearance(ClearanceOptions o) {
  if (!o.playback.seconds_given) o.playback.seconds = o.join ? 120 : o.there_and_back ? 60 : 600;
  const std::vector<std::string> names = motions_in(o.motions);
  std::optional<Playback> player;
  const std::vector<motion::Clip> unseen =
      o.unseen ? unseen_clips(pack::read_garment_asset(garment_file(o.playback.file)).garment.name)
               : std::vector<motion::Clip>{};
  const size_t count = o.join ? 1 : names.size() + unseen.size();
  if (names.size() + unseen.size() == 0)
    throw std::runtime_error("expected names of motions, motion files or --unseen, found none");
  Progress line("playing");
  std::optional<SkinPictures> pictures;
  if (o.pixels) pictures.emplace();
  std::vector<Clearance> all;
  size_t shorter = 0;
  const auto add = [&](const motion::Clip& given, const std::string& name) {
    const motion::Clip& clip = o.there_and_back ? motion::there_and_back(given, o.playback.seconds) : given;
    if (player)
      player->play(clip);
    else
      player.emplace(o.playback, clip);
    shorter += player->is_shorter();
    all.push_back(measure_clearance(*player, name, pictures ? &*pictures : nullptr));
    line(static_cast<double>(all.size()) / static_cast<double>(count));
  };
  PlaybackOptions playback = o.playback;
  if (o.join) {
    add(joined(o, names, unseen), std::to_string(names.size() + unseen.size()) + " joined");
  } else {
    for (const std::string& name : names) {
      playback.motion = name;
      add(playback_clip(playback), fs::path(name).filename().string());
    }
    for (const motion::Clip& clip : unseen) add(clip, "unseen " + clip.name);
  }

  if (shorter > 0 && playback.seconds_given && !o.join) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%zu of %zu motions end before the %g s of --seconds; they are played to their ends",
                  shorter, count, playback.seconds);
    print_note(text);
  }
  print(o, all);
}

constexpr const char* kFooter =
    "Distances are signed distances to the runtime's colliders, measured after push-out. Push-out keeps\n"
    "vertices 5 mm outside, because midpoints of edges and triangles may lie deeper than their corners, and\n"
    "the skin of a character a few millimetres outside its colliders.\n"
    "A jump is the motion of a vertex in one frame beyond that of the six bones nearest to it; one over\n"
    "25 mm is seen. --json says when the deepest points and the largest jumps occur. Strain is that of\n"
    "edges against the pattern; of motions under 20 s the ends are halves. Speeds are those of vertices\n"
    "from five seconds after the joints have stopped until they move. --pixels counts soft limbs, too,\n"
    "which distances leave out; a frame shows skin if one picture (720 x 900) has more than 20 such\n"
    "pixels.\n\n"
    "Examples\n"
    "  billow clearance skirt dance run:3 --seconds 20\n"
    "  billow clearance cape my_motions/ robot.glb --unseen\n"
    "  billow clearance cape captured --pixels\n"
    "  billow clearance cape captured:07_03 captured:08_04 captured:12_03_0 --join --seconds 120\n"
    "  billow clearance skirt takes/run.bvh --there-and-back\n";

}  // namespace

void add_clearance(CLI::App& app) {
  auto* command =
      app.add_subcommand("clearance", "Measure how far a garment stays from the body over many motions");
  auto o = std::make_shared<ClearanceOptions>();
  command->add_option("file", o->playback.file, kGarmentFileHelp)->required();
  command->add_option(
      "motions", o->motions,
      "Motions to play: names of `billow motion list`, `captured` for all captured clips, motion "
      "files (every clip in them), or folders of motion files");
  command->add_flag(
      "--unseen", o->unseen,
      "Also play the test clips that data sets of the cape or the skirt hold back from training");
  add_over_option(*command, o->playback);
  command->add_option("--rate", o->playback.rate, "Simulation rate in frames per second")
      ->capture_default_str()
      ->check(number_from(5, 1000));
  command
      ->add_option(
          "--seconds", o->playback.seconds,
          "Longest time to play of each motion, in seconds; built-in motions are made this long; default: "
          "600, with --join 120, with --there-and-back 60")
      ->check(number_from(0.1, 600))
      ->each([o](const std::string&) { o->playback.seconds_given = true; });
  auto* join = command->add_flag(
      "--join", o->join,
      "Play all motions as one, again and again, each moved to where the last one ended. After every ten "
      "seconds or more the person stands still for six; the last ten seconds are the first ten once more");
  command
      ->add_flag("--there-and-back", o->there_and_back,
                 "Play each motion forwards and backwards until --seconds")
      ->excludes(join);
  command->add_flag(
      "--pixels", o->pixels,
      "Also draw every tenth frame from four sides, and count pixels of skin that shows through "
      "cloth; takes nearly twice as long");
  command->add_flag("--json", o->json, "Print the figures as JSON");
  command->footer(kFooter);
  command->callback([o] { clearance(*o); });
}

}  // namespace billow::tool
