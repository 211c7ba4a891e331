// Pictures of a scene at one moment.
#pragma once

#include <string>

#include "draw/canvas.h"
#include "play.h"
#include "scenes.h"

namespace billow::tool {

// Colours of all pictures: ropes green, lateral springs purple.
struct Palette {
  draw::Colour body = draw::srgb(0xc9b8aa);
  draw::Colour rope = draw::srgb(0x1f9d3f);
  draw::Colour lateral = draw::srgb(0x8a3fc7);
  draw::Colour bone = draw::srgb(0x14532d);
  draw::Colour sheet = draw::srgb(0xb43a48);
  draw::Colour lining = draw::srgb(0xd9a441);
  draw::Colour ink = draw::srgb(0x2a2e36);
};

struct SceneStyle {
  Palette palette = {};
  float sheet_alpha = 0.9f;  // of the panels between neighbours; 0: none
  float rope_pixels = 2.2f, lateral_pixels = 1.4f;
  float bone_radius = 0.008f;  // m
  float body_alpha = 1;
};

// Adds colliders, sheet, ropes, lateral springs and bones. Ropes over 5 m stand for free particles and are
// left out.
void draw_scene(draw::Canvas& canvas, const scenes::Scene& scene, const Snapshot& moment,
                const SceneStyle& style);

// The smooth sheet through all chains, for scenes whose chains are neighbours: three floats a vertex.
draw::Mesh sheet_mesh(const scenes::Scene& scene, const Snapshot& moment);

// True for scenes with the stand-in person: pictures then follow the pelvis.
bool has_person(const scenes::Scene& scene);

// A camera on the person, from `from` (a direction), or on all bones of all moments.
draw::Camera person_camera(const Snapshot& moment, draw::Vec3 from, float look_up);
draw::Camera camera_on_all(const scenes::Scene& scene, const std::vector<Snapshot>& moments, float aspect);

// Lays a line of text over the upper left corner.
void label(draw::Image& image, const std::string& text);

// The strip of `billow scene run`.
draw::Image scene_strip(const scenes::Scene& scene, const std::vector<Snapshot>& moments);

}  // namespace billow::tool
