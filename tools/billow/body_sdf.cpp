// `billow body sdf`: builds SDF grids and networks of the built-in person, and compares their error and speed
// with its colliders.
#include "body_sdf.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "body/polygonise.h"
#include "body/postures.h"
#include "body/surface.h"
#include "draw_body.h"
#include "files.h"
#include "fit/grid_sdf.h"
#include "fit/sdf_body.h"
#include "fit/sdf_table.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct BodySdfOptions {
  std::string preset = "average", folder = "out";
  std::vector<float> spacings{0.02f, 0.015f, 0.01f};
  std::vector<uint32_t> widths{8, 16, 32};
  size_t part_poses = 24, poses = 20, points = 3000;
  fit::BodyPartOptions parts;
  fit::TrainOptions training;
  bool json = false, no_pictures = false;
};

// Seeds of the poses that assign parts to joints, and of the disjoint poses that measure the error.
constexpr uint32_t kPartSeed = 0x9a270000u, kMeasuredSeed = 1000;

struct SdfSubject {
  body::Person person;
  body::Skin skin;
  std::vector<fit::BodyPart> parts;
};

SdfSubject make_subject(const BodySdfOptions& options) {
  SdfSubject out;
  out.person = body::make_person(body::person_preset(options.preset));
  out.skin = body::make_skin(out.person);
  std::vector<body::Pose> poses{body::rest_pose(out.person.skeleton)};
  for (uint32_t k = 1; k < options.part_poses; ++k)
    poses.push_back(body::random_pose(out.person, kPartSeed + k));
  Progress progress("parts");
  fit::BodyPartOptions parts = options.parts;
  parts.progress = std::ref(progress);
  out.parts = find_body_parts(out.person.skeleton, out.skin, poses, parts);
  std::fprintf(stderr, "%zu parts in %.0f s\n", out.parts.size(), progress.seconds());
  return out;
}

struct BuiltSdf {
  std::string name, file;
  fit::SdfBody body;
};

std::vector<BuiltSdf> build_all(const SdfSubject& subject, const BodySdfOptions& options) {
  std::vector<BuiltSdf> out;
  const auto add = [&](const std::string& name, const std::string& suffix, auto make) {
    Progress progress(name);
    out.push_back({name, "body_" + options.preset + "_" + suffix + ".sdf", make(std::ref(progress))});
    std::fprintf(stderr, "%s in %.0f s\n", name.c_str(), progress.seconds());
  };
  for (const float spacing : options.spacings) {
    char size[32];
    std::snprintf(size, sizeof size, "%gmm", 1000 * static_cast<double>(spacing));
    add(std::string("grids, ") + size, std::string("grid_") + size, [&](const auto& progress) {
      return make_grids(subject.parts, {.spacing = spacing, .margin = std::max(0.02f, spacing)}, progress);
    });
  }
  for (const uint32_t width : options.widths)
    add("networks, 2 x " + std::to_string(width), "network_" + std::to_string(width),
        [&](const auto& progress) {
          fit::TrainOptions training = options.training;
          training.width = width;
          return train_networks(subject.parts, training, progress);
        });
  return out;
}

fit::SdfPoints points_in(const SdfSubject& subject, std::span<const body::Pose> poses, size_t points) {
  fit::SdfPoints out;
  uint32_t seed = 1;
  for (const body::Pose& pose : poses)
    out.push_back(points_near_skin(subject.person.skeleton, subject.skin, pose, points, seed++, 0.1f, true));
  return out;
}

std::vector<fit::SdfRow> measure_all(const SdfSubject& subject, const std::vector<BuiltSdf>& built,
                                     const BodySdfOptions& options) {
  const body::Skeleton& skeleton = subject.person.skeleton;
  std::vector<body::Pose> poses;
  for (uint32_t k = 0; k < options.poses; ++k)
    poses.push_back(body::random_pose(subject.person, kMeasuredSeed + k));
  const fit::SdfPoints rest = points_in(subject, std::vector{body::rest_pose(skeleton)}, 4 * options.points),
                       posed = points_in(subject, poses, options.points);
  const std::vector<Transform> stride =
      joint_transforms(skeleton, body::sample_poses(subject.person)[1].pose);
  const std::vector<V3> cloud = fit::cape_cloud();
  std::vector<fit::SdfRow> rows;
  rows.push_back(fit::measure({"colliders", subject.person.colliders, 0}, skeleton, subject.skin, rest, posed,
                              stride, cloud));
  for (const BuiltSdf& m : built) {
    const fit::SdfColliders colliders(m.body);
    rows.push_back(fit::measure({m.name, colliders.colliders(), m.body.bytes()}, skeleton, subject.skin, rest,
                                posed, stride, cloud));
  }
  return rows;
}

// Polygonises the zero set of posed colliders. The result is a skin bound to one joint with identity
// transform.
body::Skin posed_zero_set(const SdfSubject& subject, std::span<const billow_collider> colliders,
                          const body::Pose& pose) {
  const std::vector<Transform> joints = joint_transforms(subject.person.skeleton, pose);
  body::Surface surface(subject.person.skeleton, colliders);
  surface.pose(joints);
  std::vector<V3> posed(subject.skin.mesh.positions.size());
  skin_vertices(subject.skin, joints, posed);
  V3 low = posed[0], high = posed[0];
  for (const V3& p : posed) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const V3 border{0.05f, 0.05f, 0.05f};
  body::Skin out;
  out.mesh = polygonise(surface, low - border, high + border, 0.008f);
  out.joints.assign(out.mesh.positions.size(), {});
  out.weights.assign(out.mesh.positions.size(), {1, 0, 0, 0});
  out.joint_rest = {Transform{}};
  return out;
}

// Draws a row of poses of the skin, and one of each SDF.
std::filesystem::path draw_all(const SdfSubject& subject, const std::vector<BuiltSdf>& built,
                               const BodySdfOptions& options) {
  const std::vector<body::NamedPose> poses = body::sample_poses(subject.person);
  std::vector<draw::Image> panels;
  const auto add = [&](const std::string& name, const body::NamedPose& pose, const body::Skin& skin,
                       std::span<const Transform> joints) {
    const draw::Vec3 target{pose.pose.root_position.x, 0.54f * subject.person.shape.height,
                            pose.pose.root_position.z};
    panels.push_back(draw_body(skin, joints, {},
                               {.label = name + ", " + pose.name,
                                .from = {3.1f, 0.5f, 2.9f},
                                .target = target,
                                .width = 400,
                                .height = 480}));
  };
  for (const body::NamedPose& pose : poses)
    add("skin", pose, subject.skin, joint_transforms(subject.person.skeleton, pose.pose));
  const std::vector<Transform> identity{Transform{}};
  for (const BuiltSdf& m : built) {
    const fit::SdfColliders colliders(m.body);
    for (const body::NamedPose& pose : poses)
      add(m.name, pose, posed_zero_set(subject, colliders.colliders(), pose.pose), identity);
  }
  const auto file = std::filesystem::path(options.folder) / ("body_" + options.preset + "_sdf.png");
  draw::write_png(draw::strip(panels, static_cast<int>(poses.size()), 4), file);
  return file;
}

void run_body_sdf(const BodySdfOptions& options) {
  if (!fit::have_level_sets())
    throw std::runtime_error(
        "body sdf: this program was built without OpenVDB; install libopenvdb-dev and libboost-dev, and "
        "build it "
        "again");
  const std::filesystem::path folder = make_folder(options.folder);
  const SdfSubject subject = make_subject(options);
  const std::vector<BuiltSdf> built = build_all(subject, options);
  for (const BuiltSdf& m : built) {
    write_sdf_file(m.body, folder / m.file);
    std::fprintf(stderr, "%s\n", (folder / m.file).string().c_str());
  }
  const std::vector<fit::SdfRow> rows = measure_all(subject, built, options);
  std::fputs((options.json ? to_json(rows) : to_markdown(rows)).c_str(), stdout);
  if (!options.no_pictures) std::fprintf(stderr, "%s\n", draw_all(subject, built, options).string().c_str());
}

}  // namespace

void add_body_sdf(CLI::App* body_command) {
  auto options = std::make_shared<BodySdfOptions>();
  CLI::App* sdf = body_command->add_subcommand("sdf",
                                               "Build signed distance fields of a person as grids and as "
                                               "networks, and compare them with its colliders");
  sdf->add_option("--preset", options->preset, "Built-in person: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->capture_default_str();
  sdf->add_option("--spacing", options->spacings, "Grid spacings in metres; a set of grids is built for each")
      ->check(CLI::Range(0.002, 0.1))
      ->capture_default_str();
  sdf->add_option("--width", options->widths, "Hidden units per layer; a set of networks is trained for each")
      ->check(CLI::Range(4, 64) & CLI::Validator(
                                      [](const std::string& text) {
                                        return std::stoul(text) % 4 == 0
                                                   ? ""
                                                   : "expected a multiple of 4, found " + text;
                                      },
                                      "a multiple of 4"))
      ->capture_default_str();
  sdf->add_option("--steps", options->training.steps, "Number of training steps")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  sdf->add_option("--lattice", options->parts.spacing,
                  "Spacing of the lattice that divides the body into parts, in metres")
      ->check(CLI::Range(0.003, 0.05))
      ->capture_default_str();
  sdf->add_option("--part-poses", options->part_poses,
                  "Number of poses from which parts are assigned to joints")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sdf->add_option("--poses", options->poses, "Number of other poses in which the error is measured")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sdf->add_option("--points", options->points, "Number of sample points per pose")
      ->check(CLI::Range(10, 1000000))
      ->capture_default_str();
  sdf->add_option("-o,--out", options->folder, "Output folder for the .sdf files and the picture")
      ->capture_default_str();
  sdf->add_flag("--json", options->json, "Print the table as JSON");
  sdf->add_flag("--no-pictures", options->no_pictures, "Do not draw pictures");
  sdf->callback([options] { run_body_sdf(*options); });
}

}  // namespace billow::tool
