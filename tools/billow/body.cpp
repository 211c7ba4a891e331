// `billow body`: measures and draws the built-in person.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "body/agreement.h"
#include "body/person.h"
#include "body/postures.h"
#include "body/skin.h"
#include "body_fit.h"
#include "body_sdf.h"
#include "commands.h"
#include "draw/canvas.h"
#include "draw_body.h"
#include "files.h"

namespace billow::tool {
namespace {

using draw::Vec3;

const std::string kAllPresets = "all";

struct BodyOptions {
  std::string preset = "average";
  std::string folder = "out";
  uint32_t poses = 0;
};

draw::Image draw_person(const body::Person& person, const body::Skin& skin, const body::Pose& pose,
                        const std::string& label, Vec3 from, bool colliders) {
  const std::vector<Transform> joints = body::joint_transforms(person.skeleton, pose);
  // Move the camera back if hands are above the head. A hand extends 0.2 m beyond its joint.
  float top = person.shape.height;
  for (const Transform& joint : joints) top = std::max(top, joint.position.y + 0.2f);
  const Vec3 target{pose.root_position.x, 0.54f * top, pose.root_position.z};
  return draw_body(skin, joints, colliders ? std::span(person.colliders) : std::span<const billow_collider>(),
                   {.label = label, .from = (top / person.shape.height) * from, .target = target});
}

// Draws all presets in one strip.
void show_presets(const std::filesystem::path& folder) {
  std::vector<draw::Image> panels;
  for (const std::string& preset : body::person_presets()) {
    const body::Person person = body::make_person(body::person_preset(preset));
    const body::Skin skin = body::make_skin(person);
    const body::Pose rest = body::rest_pose(person.skeleton);
    panels.push_back(draw_person(person, skin, rest, preset, {0, 0.1f, 4}, false));
    panels.push_back(draw_person(person, skin, rest, preset + ", colliders", {2.7f, 0.8f, 2.8f}, true));
  }
  const std::filesystem::path file = folder / "body_presets.png";
  draw::write_png(draw::strip(panels, static_cast<int>(panels.size()), 6), file);
  std::printf("%s\n", file.string().c_str());
}

void show_body(const BodyOptions& options) {
  const std::filesystem::path folder = make_folder(options.folder);
  if (options.preset == kAllPresets) return show_presets(folder);
  const body::Person person = body::make_person(body::person_preset(options.preset));
  const body::Skin skin = body::make_skin(person);
  const std::pair<std::string, Vec3> views[] = {{"front", {0, 0.1f, 4}},
                                                {"side", {4, 0.1f, 0}},
                                                {"back", {0, 0.1f, -4}},
                                                {"three quarters", {2.7f, 0.8f, 2.8f}}};
  std::vector<draw::Image> rest, poses;
  for (const bool colliders : {false, true})
    for (const auto& [label, from] : views)
      rest.push_back(draw_person(person, skin, body::rest_pose(person.skeleton),
                                 label + (colliders ? ", colliders" : ""), from, colliders));
  for (const bool colliders : {false, true})
    for (const body::NamedPose& p : body::sample_poses(person))
      poses.push_back(draw_person(person, skin, p.pose, p.name + (colliders ? ", colliders" : ""),
                                  {3.1f, 0.5f, 2.9f}, colliders));
  const auto write = [&](const std::vector<draw::Image>& panels, int columns, const std::string& name) {
    const std::filesystem::path file = folder / ("body_" + options.preset + "_" + name + ".png");
    draw::write_png(draw::strip(panels, columns, 6), file);
    std::printf("%s\n", file.string().c_str());
  };
  write(rest, 4, "rest");
  write(poses, 5, "poses");
}

// Prints the difference between the SDF of the colliders and that of the skin in random poses, for points
// within 10 cm of the surface.
void print_posed_agreement(const body::Person& person, const body::Skin& skin, uint32_t poses) {
  if (poses == 0) return;
  std::vector<body::PosedAgreement> parts;
  for (uint32_t k = 0; k < poses; ++k)
    parts.push_back(body::posed_agreement(person, skin, body::random_pose(person, 1000 + k), 10000, k));
  const body::PosedAgreement all = body::combine(parts);
  std::printf(
      "in %u random poses, %zu points: mean %.2f mm, p95 %.2f mm, largest %.1f mm; "
      "wrong side by at most %.1f mm\n",
      poses, all.points, 1000 * all.mean, 1000 * all.p95, 1000 * all.max, 1000 * all.max_wrong_depth);
}

void print_info(const BodyOptions& options) {
  const body::Person person = body::make_person(body::person_preset(options.preset));
  const body::Skin skin = body::make_skin(person);
  const std::vector<Transform> rest = body::rest_transforms(person.skeleton);
  std::printf("%s: height %.2f m, build %+.2f\n\njoints: %zu\n", options.preset.c_str(),
              static_cast<double>(person.shape.height), static_cast<double>(person.shape.build),
              person.skeleton.size());
  for (size_t j = 0; j < rest.size(); ++j) {
    const body::Joint& joint = person.skeleton.joints[j];
    const V3 p = rest[j].position;
    std::printf(
        "  %-18s %-18s %7.3f %7.3f %7.3f\n", joint.name.c_str(),
        joint.parent < 0 ? "-" : person.skeleton.joints[static_cast<size_t>(joint.parent)].name.c_str(),
        static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z));
  }
  std::printf("\ncolliders: %zu\n", person.colliders.size());
  for (size_t i = 0; i < person.colliders.size(); ++i) {
    const billow_collider& c = person.colliders[i];
    std::string follows, blends;
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k)
      if (c.weight[k] > 0)
        follows += (follows.empty() ? "" : " + ") + person.skeleton.joints[c.joint[k]].name;
    if (c.blend_with >= 0) blends = "blends with " + person.collider_names[static_cast<size_t>(c.blend_with)];
    std::printf("  %-18s %-16s on %-28s %s\n", person.collider_names[i].c_str(),
                c.shape == BILLOW_SHAPE_ELLIPSOID ? "ellipsoid" : "tapered capsule", follows.c_str(),
                blends.c_str());
  }
  const body::Topology topology = body::topology_of(skin.mesh);
  const body::RestAgreement agreement = body::rest_agreement(skin, person.skeleton, person.colliders);
  const auto mm = [](float metres) { return 1000 * static_cast<double>(metres); };
  std::printf("\nskin: %zu vertices, %zu triangles, %.1f litres, smallest angle %.1f degrees\n",
              skin.mesh.positions.size(), skin.mesh.triangles.size(), 1000 * topology.volume,
              static_cast<double>(topology.smallest_angle) * 57.29578);
  std::printf(
      "skin and colliders at rest: vertices within %.3f mm, edges %.2f mm, faces %.2f mm, mean %.3f mm\n",
      mm(agreement.vertices), mm(agreement.edges), mm(agreement.faces), mm(agreement.mean));
  print_posed_agreement(person, skin, options.poses);
}

void add_preset(CLI::App* command, BodyOptions& options, const std::string& about,
                const std::vector<std::string>& names) {
  command->add_option("--preset", options.preset, about)->check(CLI::IsMember(names))->capture_default_str();
}

}  // namespace

void add_body(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("body", "Show and measure the built-in person; fit colliders to characters");
  command->footer(
      "Examples\n"
      "  billow body show -o pictures\n"
      "  billow body info --poses 200\n"
      "  billow body fit hero.glb -o body.json\n");
  command->require_subcommand(1);
  auto options = std::make_shared<BodyOptions>();
  CLI::App* show = command->add_subcommand("show", "Draw a built-in person at rest and in sample poses");
  std::vector<std::string> shown = body::person_presets();
  shown.push_back(kAllPresets);
  add_preset(show, *options, "Built-in person: slim, average or heavy; all draws the three in one picture",
             shown);
  show->add_option("-o,--out", options->folder, "Output folder")->capture_default_str();
  show->callback([options] { show_body(*options); });
  CLI::App* info = command->add_subcommand(
      "info", "Print joints and colliders, and the distance between skin and colliders");
  add_preset(info, *options, "Built-in person: slim, average or heavy", body::person_presets());
  info->add_option("--poses", options->poses,
                   "Number of random poses to measure in, too; each takes about 0.25 s")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  info->callback([options] { print_info(*options); });
  add_body_fit(command);
  add_body_sdf(command);
}

}  // namespace billow::tool
