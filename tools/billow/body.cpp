// `billow body`: the built-in person, in numbers and in pictures.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "body/agreement.h"
#include "body/person.h"
#include "body/postures.h"
#include "body/skin.h"
#include "commands.h"
#include "draw/canvas.h"
#include "draw/paint.h"
#include "files.h"

namespace billow::tool {
namespace {

using draw::Vec3;

struct BodyOptions {
  std::string preset = "average";
  std::string folder = "out";
  uint32_t poses = 0;
};

Vec3 to_draw(V3 v) { return {v.x, v.y, v.z}; }

// Draws a collider where its joints take it, by its points (a blend of joints turns it by their average).
void add_collider(draw::Canvas& canvas, const billow_collider& c, const std::vector<Transform>& moved,
                  const draw::Material& material) {
  const auto placed = [&](V3 p) {
    V3 sum{0, 0, 0};
    float weights = 0;
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) {
      if (!(c.weight[k] > 0)) continue;
      sum += apply(moved[c.joint[k]], p) * c.weight[k];
      weights += c.weight[k];
    }
    return to_draw(sum * (1 / weights));
  };
  const V3 at{c.position[0], c.position[1], c.position[2]};
  const Vec3 centre = placed(at);
  if (c.shape == BILLOW_TAPERED_CAPSULE) {
    canvas.capsule(centre, placed({c.end[0], c.end[1], c.end[2]}), c.radius, c.radius_end, material);
    return;
  }
  const Quat q{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]};
  const V3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vec3 axes[3];
  for (size_t k = 0; k < 3; ++k) axes[k] = draw::normalised(placed(at + rotate(q, units[k])) - centre);
  canvas.mesh(draw::ellipsoid_mesh(centre, axes, {c.half_extents[0], c.half_extents[1], c.half_extents[2]}),
              material);
}

struct View {
  std::string label;
  Vec3 from;  // the eye seen from the middle of the body
};

draw::Image draw_person(const body::Person& person, const body::Skin& skin, const body::Pose& pose,
                        const View& view, bool colliders) {
  static constexpr unsigned kColours[] = {0xd1495b, 0xedae49, 0x66a182, 0x2e86ab, 0x8d6a9f, 0xf26419};
  const std::vector<Transform> joints = body::joint_transforms(person.skeleton, pose);
  std::vector<V3> vertices(skin.mesh.positions.size());
  body::skin_vertices(skin, joints, vertices);
  draw::Canvas canvas(520, 620);
  canvas.mesh({.positions = {&vertices[0].x, 3 * vertices.size()},
               .indices = {skin.mesh.triangles[0].data(), 3 * skin.mesh.triangles.size()}},
              {.colour = draw::srgb(0xc9a48c), .gloss = 0.1f});
  if (colliders) {
    std::vector<Transform> moved;
    for (size_t j = 0; j < joints.size(); ++j) moved.push_back(joints[j] * inverse(skin.joint_rest[j]));
    for (size_t i = 0; i < person.colliders.size(); ++i)
      add_collider(
          canvas, person.colliders[i], moved,
          {.colour = draw::srgb(kColours[i % 6]), .alpha = 0.45f, .casts_shadow = false, .lift = 0.03f});
  }
  canvas.light.toward = {0.6f * view.from.x + 0.5f * view.from.z, 3.5f,
                         0.6f * view.from.z - 0.5f * view.from.x};
  const float middle = 0.54f * person.shape.height;
  const Vec3 target{pose.root_position.x, middle, pose.root_position.z};
  canvas.ground({.centre = {target.x, 0, target.z}});
  draw::Image image = canvas.render({.eye = target + view.from, .target = target, .field_of_view = 0.56f});
  draw::paint_text(image, 14, 30, view.label, {15, draw::srgb(0x2a2e36)});
  return image;
}

void show_body(const BodyOptions& options) {
  const std::filesystem::path folder = make_folder(options.folder);
  const body::Person person = body::make_person(body::person_preset(options.preset));
  const body::Skin skin = body::make_skin(person);
  const View views[] = {{"front", {0, 0.1f, 4}},
                        {"side", {4, 0.1f, 0}},
                        {"back", {0, 0.1f, -4}},
                        {"three quarters", {2.7f, 0.8f, 2.8f}}};
  std::vector<draw::Image> rest, poses;
  for (const bool colliders : {false, true})
    for (View view : views) {
      if (colliders) view.label += ", colliders";
      rest.push_back(draw_person(person, skin, body::rest_pose(person.skeleton), view, colliders));
    }
  for (const bool colliders : {false, true})
    for (const body::NamedPose& p : body::sample_poses(person))
      poses.push_back(draw_person(
          person, skin, p.pose, {p.name + (colliders ? ", colliders" : ""), {3.1f, 0.5f, 2.9f}}, colliders));
  const auto write = [&](const std::vector<draw::Image>& panels, int columns, const std::string& name) {
    const std::filesystem::path file = folder / ("body_" + options.preset + "_" + name + ".png");
    draw::write_png(draw::strip(panels, columns, 6), file);
    std::printf("%s\n", file.string().c_str());
  };
  write(rest, 4, "rest");
  write(poses, 5, "poses");
}

// How far colliders and skin are apart in random poses, within 10 cm of the surface.
void print_posed(const body::Person& person, const body::Skin& skin, uint32_t poses) {
  if (poses == 0) return;
  std::vector<body::PosedAgreement> parts;
  for (uint32_t k = 0; k < poses; ++k)
    parts.push_back(body::posed_agreement(person, skin, body::random_pose(person, 1000 + k), 10000, k));
  const body::PosedAgreement all = body::together(parts);
  std::printf(
      "in %u random poses, %zu points: mean %.2f mm, p95 %.2f mm, largest %.1f mm; "
      "wrong side by at most %.1f mm\n",
      poses, all.points, 1000 * all.mean, 1000 * all.p95, 1000 * all.most, 1000 * all.wrong_sign);
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
                c.shape == BILLOW_ELLIPSOID ? "ellipsoid" : "tapered capsule", follows.c_str(),
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
  print_posed(person, skin, options.poses);
}

CLI::Option* add_preset(CLI::App* command, BodyOptions& options) {
  return command->add_option("--preset", options.preset, "Which person: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->capture_default_str();
}

}  // namespace

void add_body(CLI::App& app) {
  CLI::App* command = app.add_subcommand("body", "The built-in person: skeleton, colliders and skin");
  command->require_subcommand(1);
  auto options = std::make_shared<BodyOptions>();
  CLI::App* show = command->add_subcommand("show", "Write pictures of a person at rest and in some poses");
  add_preset(show, *options);
  show->add_option("-o,--out", options->folder, "Folder for the pictures")->capture_default_str();
  show->callback([options] { show_body(*options); });
  CLI::App* info =
      command->add_subcommand("info", "Print joints, colliders and how well the skin agrees with them");
  add_preset(info, *options);
  info->add_option("--poses", options->poses,
                   "Also measure in so many random poses (about a quarter second each)")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  info->callback([options] { print_info(*options); });
}

}  // namespace billow::tool
