// `billow figures flag`: the steady state of a cloth of 45 nodes, as mass-spring meshes of three stiffnesses and as rope
// chains (paper: Figure flag).
#include <algorithm>
#include <cmath>

#include "draw/paint.h"
#include "research/figures/figures.h"
#include "research/figures/scenes/spring_mesh.h"
#include "scenes.h"
#include "tools/billow/scenes/draw_scene.h"
#include "tools/billow/scenes/play.h"

namespace billow::tool {
namespace {

using draw::Vec3;
using Nodes = std::vector<Vec3>;

constexpr int kFlagWidth = 400, kFlagHeight = 620;

Nodes nodes_of(const std::vector<float>& positions) {
  Nodes nodes;
  for (size_t i = 0; i + 2 < positions.size(); i += 3)
    nodes.push_back({positions[i], positions[i + 1], positions[i + 2]});
  return nodes;
}

// Vertical extent of the cloth below y = 0, the height of the highest pinned node.
double drop(const Nodes& nodes) {
  float lowest = 0;
  for (const Vec3& p : nodes) lowest = std::min(lowest, p.y);
  return -double{lowest};
}

// Finds, by bisection in log space, the stiffness in N at which the spring mesh has the given drop.
double matching_stiffness(const SpringMesh& mesh, double target_drop) {
  double soft = 0.5, stiff = 500;  // N
  for (int i = 0; i < 16; ++i) {
    const double middle = std::sqrt(soft * stiff);
    (drop(steady_state(mesh, middle)) > target_drop ? soft : stiff) = middle;
  }
  return std::sqrt(soft * stiff);
}

// Draws all springs, or with `ropes` the ropes of the chains and thin lines between their neighbours.
draw::Image draw_nodes(const SpringMesh& mesh, const Nodes& nodes, size_t columns, bool ropes,
                       const std::string& name, const std::string& note) {
  draw::Canvas canvas(kFlagWidth, kFlagHeight);
  const Palette palette;
  for (const auto& [a, b] : mesh.springs) {
    const bool along = b == a + 1;
    if (ropes && !along) continue;
    canvas.line(nodes[a], nodes[b], ropes ? 4.0f : 2.2f, ropes ? palette.rope : draw::srgb(0x5b6472));
  }
  if (ropes)  // thin lines across the chains, so that both pictures read as the same cloth
    for (size_t i = 1; i + columns < nodes.size(); ++i)
      if (i % columns != 0) canvas.line(nodes[i], nodes[i + columns], 1.0f, draw::srgb(0xb7bcc6), 1, 0);
  for (size_t i = 0; i < nodes.size(); ++i)
    canvas.point(nodes[i], mesh.pinned[i] ? 13.0f : 7.0f,
                 mesh.pinned[i] ? draw::srgb(0xd62f2f) : palette.bone, 1, 0.02f);
  draw::Image image =
      canvas.render({.eye = {0.1f, -0.66f, 12}, .target = {0.1f, -0.66f, 0}, .field_of_view = 0.16f});
  label(image, name);
  draw::paint_text(image, 14, 52, note, {11, palette.ink});
  return image;
}

}  // namespace

Figure figure_flag(const FigureInputs& inputs) {
  scenes::Scene scene = scenes::flag();
  const size_t columns = scene.bone_counts[0];
  const SpringMesh mesh = spring_grid(nodes_of(scene.rest), static_cast<uint32_t>(scene.bone_counts.size()),
                                      static_cast<uint32_t>(columns));
  // Add damping, so that the ropes come to rest as well.
  Settings settings = billow_settings_default();
  settings.global_damping = 1;
  scene = scenes::flag(settings);
  const double excess = play(scene, 30, 60).length_excess;
  const Nodes ropes = nodes_of(scene.positions());

  Figure figure;
  std::vector<draw::Image> panels;
  panels.push_back(draw_nodes(mesh, mesh.rest, columns, false, "at first", "red nodes are held"));
  const double middle = matching_stiffness(mesh, drop(ropes));
  const auto add = [&](const char* key, const std::string& name, const Nodes& nodes, double stretch,
                       double stiffness) {
    auto& numbers = figure.numbers[key];
    numbers["drop_m"] = drop(nodes);
    numbers["max_stretch_percent"] = 100 * stretch;
    numbers["stiffness_n"] = stiffness > 0 ? nlohmann::ordered_json(stiffness) : nlohmann::ordered_json();
    panels.push_back(
        draw_nodes(mesh, nodes, columns, stiffness <= 0, name,
                   rounded(drop(nodes), 2) + " m down, " + rounded(100 * stretch, 0) + " % stretched"));
  };
  for (const auto& [key, factor] : {std::pair{"stiff", 30.0}, {"middle", 1.0}, {"soft", 1 / 3.0}}) {
    const Nodes nodes = steady_state(mesh, factor * middle);
    add(key, std::string(key) + " springs", nodes, most_stretch(mesh, nodes), factor * middle);
  }
  add("rope", "rope chains", ropes, std::max(0.0, excess), 0);
  add_picture(figure, inputs, "flag", draw::strip(panels, 5, 6));
  figure.shows =
      "45 nodes held at five (red), at rest: as a mesh of springs of decreasing stiffness, and as rope "
      "chains. The middle "
      "stiffness was searched for so that the springs reach as far down as the ropes (" +
      rounded(drop(ropes), 2) + " m): they are then stretched by up to " +
      rounded(figure.numbers["middle"]["max_stretch_percent"], 0) +
      " % and still do not let the cloth hang; stiff ones lock, soft ones stretch by up to " +
      rounded(figure.numbers["soft"]["max_stretch_percent"], 0) + " %. Ropes do neither.";
  return figure;
}

}  // namespace billow::tool
