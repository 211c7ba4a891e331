// `billow motion`: lists, draws and measures built-in motions, captured clips and motion files.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "body/person.h"
#include "body/postures.h"
#include "commands.h"
#include "draw/canvas.h"
#include "draw_body.h"
#include "files.h"
#include "motion/measure.h"
#include "motion/motions.h"
#include "motion_bundle.h"
#include "motion_file.h"

namespace billow::tool {
namespace {

using draw::Vec3;

struct MotionOptions {
  std::string name;
  std::string preset = "average";
  std::string view = "both";
  std::string folder = "out";
  uint32_t seed = 1;
  double seconds = 6, from = 0, speed = 0;
  uint32_t panels = 10, columns = 0;
  bool colliders = true, own_skin = false, json = false;
  float scale = 0;                     // metres per unit of a motion file
  std::vector<std::string> leave_out;  // meshes of a motion file to skip
};

// The motion file that the name refers to; empty for a built-in motion.
std::optional<MotionFile> file_of(const MotionOptions& options) {
  std::optional<MotionFile> file = motion_file_named(options.name);
  if (file) file->scale = options.scale, file->leave_out = options.leave_out;
  return file;
}

// A character and its motion. Colliders and figures exist for the built-in person only, not for a file's own character.
struct MovingSubject {
  std::string name;  // stem of the picture's file name
  body::Skeleton skeleton;
  body::Skin skin;
  std::vector<billow_collider> colliders;
  motion::Clip clip;
  float size = 1;        // relative to the built-in person; scales the camera distance
  bool travels = false;  // the views turn with the character's heading, not fixed in world axes
  std::optional<motion::MotionMeasures> figures;
};

constexpr double kMeasuredAt = 120;  // frames per second

motion::Clip clip_of(const MotionOptions& options, const body::Person& person) {
  if (const std::optional<MotionFile> file = file_of(options)) {
    if (options.speed != 0)
      throw std::invalid_argument("a motion from a file has its own speed: leave --speed out");
    std::vector<std::string> report;
    motion::Clip clip = motion_on_person(*file, person, &report);
    for (const std::string& line : report) std::fprintf(stderr, "%s\n", line.c_str());
    return clip;
  }
  if (const motion::BundledClip* captured = captured_clip_named(options.name)) {
    if (options.speed != 0)
      throw std::invalid_argument("a captured clip has its own speed: leave --speed out");
    return motion::on_person(*captured, person);
  }
  return motion::make_motion(
      person, {options.name, options.seed, options.from + options.seconds + 1 / kMeasuredAt, kMeasuredAt,
               options.speed});
}

MovingSubject subject_of(const MotionOptions& options) {
  MovingSubject subject;
  if (options.own_skin) {
    const std::optional<MotionFile> file = file_of(options);
    if (!file)
      throw std::invalid_argument("--own-skin: expected a motion from a file, found '" + options.name + "'");
    importer::Character character = motion_on_own_skin(*file);
    subject.name = file->file.stem().string();
    subject.skeleton = std::move(character.skeleton);
    subject.skin = std::move(character.skin);
    subject.clip = std::move(character.clips.at(0));
    float height = 0;
    for (const V3 p : subject.skin.mesh.positions) height = std::max(height, p.y);
    subject.size = height / 1.75f;
    return subject;
  }
  const body::Person person = body::make_person(body::person_preset(options.preset));
  subject.clip = clip_of(options, person);
  const std::optional<MotionFile> file = file_of(options);
  const motion::BundledClip* captured = captured_clip_named(options.name);
  subject.name = file       ? file->file.stem().string()
                 : captured ? "captured_" + captured->clip.name
                            : options.name + "_" + std::to_string(options.seed);
  subject.skeleton = person.skeleton;
  subject.skin = body::make_skin(person);
  subject.colliders = person.colliders;
  subject.figures = motion::measure(person, subject.clip);
  for (const motion::MotionKind& kind : motion::motion_kinds())
    subject.travels |= kind.name == options.name && kind.fastest > 0;
  return subject;
}

// Heading of the body, averaged over about one stride.
float heading_at(const motion::Clip& clip, double seconds) {
  V3 sum{0, 0, 0};
  for (const double offset : {-0.45, -0.3, -0.15, 0.0, 0.15, 0.3, 0.45}) {
    const body::Pose pose = motion::pose_at(clip, static_cast<float>(seconds + offset));
    sum += rotate(pose.rotations[0], V3{0, 0, 1});
  }
  return std::atan2(sum.x, sum.z);
}

draw::Image draw_moment(const MovingSubject& subject, double seconds, bool colliders, Vec3 from) {
  const float heading = subject.travels ? heading_at(subject.clip, seconds) : 0;
  const float s = std::sin(heading), c = std::cos(heading);
  from = {c * from.x + s * from.z, from.y, c * from.z - s * from.x};
  const body::Pose pose = motion::pose_at(subject.clip, static_cast<float>(seconds));
  const std::vector<Transform> joints = body::joint_transforms(subject.skeleton, pose);
  char label[32];
  std::snprintf(label, sizeof label, "%.2f s", seconds);
  const Vec3 target{pose.root_position.x, 0.95f * subject.size, pose.root_position.z};
  return draw_body(
      subject.skin, joints,
      colliders ? std::span<const billow_collider>(subject.colliders) : std::span<const billow_collider>(),
      {.label = label, .from = subject.size * from, .target = target, .width = 300, .height = 400});
}

// One row per view, or several with --columns. The camera follows the body.
std::string write_strip(const MotionOptions& options, const MovingSubject& subject) {
  const std::filesystem::path folder = make_folder(options.folder);
  const double last = std::min(options.from + options.seconds, static_cast<double>(subject.clip.duration()));
  if (options.from >= last)
    throw std::invalid_argument("--from: expected less than the clip's " +
                                std::to_string(subject.clip.duration()) + " s, found " +
                                std::to_string(options.from));
  std::vector<draw::Image> panels;
  for (const auto& [view, from] :
       {std::pair<std::string, Vec3>{"side", {-4.6f, 0.2f, 0}}, {"front", {0, 0.2f, 4.6f}}})
    for (uint32_t k = 0; k < options.panels && (options.view == "both" || options.view == view); ++k) {
      const double share = options.panels > 1 ? k / (options.panels - 1.0) : 0;
      panels.push_back(
          draw_moment(subject, options.from + share * (last - options.from), options.colliders, from));
    }
  const std::filesystem::path file = folder / ("motion_" + subject.name + ".png");
  const uint32_t columns = options.columns > 0 ? options.columns : options.panels;
  draw::write_png(draw::strip(panels, static_cast<int>(columns), 4), file);
  return file.string();
}

void print_peak(const char* name, const motion::Peak& peak, double scale, const char* unit) {
  std::printf("%-22s%9.2f %-7s %s at %.2f s\n", name, scale * peak.value, unit, peak.where.c_str(),
              peak.seconds);
}

void print_table(const motion::MotionMeasures& f) {
  constexpr double kDegreesPerRadian = 57.29577951308232;
  std::printf("%-22s%9.2f s       %zu frames\n%-22s%9.2f m\n", "duration", f.seconds, f.frames, "way",
              f.distance);
  std::printf("%-22s%9.2f degrees %s at %.2f s\n", "to a joint's limit", kDegreesPerRadian * f.limit_margin,
              f.limit_angle.c_str(), f.limit_seconds);
  print_peak("joint speed", f.joint_speed, 1, "rad/s");
  print_peak("joint acceleration", f.joint_acceleration, 1, "rad/s2");
  print_peak("pelvis speed", f.pelvis_speed, 1, "m/s");
  print_peak("pelvis acceleration", f.pelvis_acceleration, 1, "m/s2");
  print_peak("hand speed", f.hand_speed, 1, "m/s");
  print_peak("foot speed", f.foot_speed, 1, "m/s");
  print_peak("foot slides", f.slide, 1000, "mm");
  print_peak("foot sinks", f.ground_penetration, 1000, "mm");
  print_peak("limb inside the body", f.self_penetration, 1000, "mm");
}

// Keys end with their unit, as in the JSON of `billow scene`.
void print_json(const MovingSubject& subject, const std::string& picture) {
  std::printf("{\"motion\": \"%s\", \"picture\": \"%s\", \"seconds\": %.4f, \"frames\": %zu",
              subject.name.c_str(), picture.c_str(), static_cast<double>(subject.clip.duration()),
              subject.clip.frames.size());
  if (subject.figures) {
    const motion::MotionMeasures& f = *subject.figures;
    std::printf(", \"way_m\": %.3f, \"limit_margin_rad\": %.5f, \"limit_angle\": \"%s\"", f.distance,
                f.limit_margin, f.limit_angle.c_str());
    for (const auto& [name, peak] : std::initializer_list<std::pair<const char*, const motion::Peak*>>{
             {"joint_speed_rad_s", &f.joint_speed},
             {"joint_acceleration_rad_s2", &f.joint_acceleration},
             {"top_speed_m_s", &f.pelvis_speed},
             {"pelvis_acceleration_m_s2", &f.pelvis_acceleration},
             {"hand_speed_m_s", &f.hand_speed},
             {"hand_acceleration_m_s2", &f.hand_acceleration},
             {"foot_speed_m_s", &f.foot_speed},
             {"foot_acceleration_m_s2", &f.foot_acceleration},
             {"foot_slide_m", &f.slide},
             {"foot_sink_m", &f.ground_penetration},
             {"limb_inside_m", &f.self_penetration}})
      std::printf(", \"%s\": %.5f", name, peak->value);
  }
  std::printf("}\n");
}

void show_motion(const MotionOptions& options) {
  const MovingSubject subject = subject_of(options);
  const std::string picture = write_strip(options, subject);
  if (options.json) return print_json(subject, picture);
  if (subject.figures) print_table(*subject.figures);
  std::printf("%-22s%s\n", "picture", picture.c_str());
}

void list_captured() {
  std::printf("%-18s %-6s %s\n", "name", "part", "what it is");
  for (const motion::BundledClip& one : captured_bundle())
    std::printf("%s%-9s %-6s %s\n", std::string(motion::kCapturedPrefix).c_str(), one.clip.name.c_str(),
                one.test ? "test" : "train", one.about.c_str());
  std::printf(
      "\nClips of the part `test` are never learnt from. The data used in this project was obtained from\n"
      "mocap.cs.cmu.edu. The database was created with funding from NSF EIA-0196217.\n");
}

void list_motions(const std::string& file) {
  if (file == kCapturedName) return list_captured();
  if (const std::optional<MotionFile> motion = motion_file_named(file)) {
    std::printf("%s", describe(*motion).c_str());
    return;
  }
  std::printf("%-12s %-14s %s\n", "name", "--speed m/s", "what it does");
  for (const motion::MotionKind& kind : motion::motion_kinds()) {
    char speeds[32] = "-";
    if (kind.fastest > 0) std::snprintf(speeds, sizeof speeds, "%.1f to %.1f", kind.slowest, kind.fastest);
    std::printf("%-12s %-14s %s\n", kind.name.c_str(), speeds, kind.about.c_str());
  }
  std::printf(
      "\nAll take --seed and --seconds. Files (.bvh, .glb, .gltf, .fbx, .dae) can stand for a name, and "
      "captured\n"
      "clips such as captured:07_03, which `billow motion list captured` lists.\n");
}

std::string check_motion_or_file_name(const std::string& name) {
  if (motion_file_named(name)) return "";
  try {
    if (captured_clip_named(name)) return "";
  } catch (const std::exception& e) {
    return e.what();
  }
  std::string message = "there is no motion '" + name +
                        "'; there are files that end in .bvh, .glb and so on, captured clips such as "
                        "captured:07_03, and";
  for (const motion::MotionKind& kind : motion::motion_kinds()) {
    if (kind.name == name) return "";
    message += (&kind == &motion::motion_kinds().front() ? " " : ", ") + kind.name;
  }
  return message;
}

void add_motion_show(CLI::App* command) {
  auto options = std::make_shared<MotionOptions>();
  CLI::App* show =
      command->add_subcommand("show", "Draw a motion as a strip of pictures and print its figures");
  show->add_option(
          "name", options->name,
          "Motion: a name of `billow motion list` or of `billow motion list captured`, or a file: dance.bvh, "
          "robot.glb:Running")
      ->required()
      ->check(CLI::Validator(check_motion_or_file_name, "NAME"));
  show->add_option("--seed", options->seed, "Random seed of a built-in motion")->capture_default_str();
  show->add_option("--seconds", options->seconds, "Length of the part to show, in seconds")
      ->check(CLI::Range(0.05, 600.0))
      ->capture_default_str();
  show->add_option("--from", options->from, "Time at which the strip begins, in seconds")
      ->check(CLI::Range(0.0, 600.0))
      ->capture_default_str();
  show->add_option("--speed", options->speed, "Speed of walking and running in m/s; 0 lets the seed choose")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  show->add_option("--preset", options->preset, "Built-in person: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->capture_default_str();
  show->add_option("--panels", options->panels, "Number of pictures per view")
      ->check(CLI::Range(1, 60))
      ->capture_default_str();
  show->add_option("--columns", options->columns, "Pictures in a row; 0 puts each view in one row")
      ->check(CLI::Range(0, 60))
      ->capture_default_str();
  show->add_option("--view", options->view, "Camera view: side, front or both")
      ->check(CLI::IsMember({"side", "front", "both"}))
      ->capture_default_str();
  show->add_flag_callback(
      "--no-colliders", [options] { options->colliders = false; }, "Do not draw the colliders");
  show->add_flag("--own-skin", options->own_skin, "Draw a file's motion on its own character");
  show->add_option("--scale", options->scale,
                   "Metres per unit of the file; 0 uses the file's own, or a guess")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  show->add_option("--leave-out", options->leave_out,
                   "Names of meshes in the file to leave out, such as weapons");
  show->add_flag("--json", options->json, "Print the figures as JSON");
  show->add_option("-o,--out", options->folder, "Output folder; created if it does not exist")
      ->capture_default_str();
  show->footer(
      "Figures are measured at 120 frames a second, files at their own rate.\n\n"
      "Examples\n"
      "  billow motion show walk --speed 1.4\n"
      "  billow motion show run --speed 5 --from 3 --seconds 1 --panels 12 --view side\n"
      "  billow motion show dance --seed 7 --seconds 30 --panels 20 --no-colliders\n"
      "  billow motion show jump --preset heavy --json -o pictures\n"
      "  billow motion show robot.glb:Running --own-skin\n");
  show->callback([options] { show_motion(*options); });
}

}  // namespace

void add_motion(CLI::App& app) {
  CLI::App* command = app.add_subcommand("motion", "List motions, show one, or bundle motion files");
  command->footer(
      "Examples\n"
      "  billow motion list\n"
      "  billow motion list robot.glb\n"
      "  billow motion list captured\n"
      "  billow motion show captured:05_14\n"
      "  billow motion show dance --seconds 10\n");
  command->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  CLI::App* list = command->add_subcommand("list", "Print the names of the motions, or the clips of a file");
  list->add_option("file", *file, "Motion file whose clips are listed: robot.glb; or `captured`")
      ->check(CLI::Validator(
          [](const std::string& name) {
            return name == kCapturedName ? std::string() : check_motion_or_file_name(name);
          },
          "FILE"));
  list->callback([file] { list_motions(*file); });
  add_motion_show(command);
  add_motion_bundle(command);
}

}  // namespace billow::tool
