// Pictures of a scene at one moment.
#pragma once

#include <string>

#include "draw/canvas.h"
#include "play.h"
#include "scenes.h"

namespace billow::tool {

// Colours of all pictures: ropes green, lateral springs purple.
struct Palette {
  draw::Colour body = draw::srgb(0x8f98a6);
  draw::Colour rope = draw::srgb(0x118a35);
  draw::Colour lateral = draw::srgb(0x8a2fd0);
  draw::Colour bone = draw::srgb(0x12331f);
  draw::Colour sheet = draw::srgb(0xeadfc6);
  draw::Colour lining = draw::srgb(0xd0925a);
  draw::Colour ink = draw::srgb(0x2a2e36);
};

struct SceneStyle {
  Palette palette = {};
  float sheet_alpha = 1;  // of the panels between neighbours; 0: none
  float rope_pixels = 2.4f, lateral_pixels = 1.8f;
  float bone_radius = 0.009f;  // m
  float body_alpha = 1;
};

inline draw::Vec3 load(const float* p) { return {p[0], p[1], p[2]}; }

// Adds colliders, sheet, ropes, lateral springs and bones. Ropes over 5 m stand for free particles and are
// left out.
void draw_scene(draw::Canvas& canvas, const scenes::Scene& scene, const Snapshot& moment,
                const SceneStyle& style);

// The smooth sheet through all chains, for scenes whose chains are neighbours: three floats a vertex.
draw::Mesh sheet_mesh(const scenes::Scene& scene, const Snapshot& moment);

// True for scenes with the stand-in person: pictures then follow the pelvis.
bool has_person(const scenes::Scene& scene);

// A camera that follows the pelvis (but not its bobbing): `aside` is the target seen from it, `from` the eye
// seen from the target.
draw::Camera person_camera(const Snapshot& moment, draw::Vec3 from, draw::Vec3 aside);

// What all bones and colliders of all moments take up, and a camera on it from +z.
struct Box {
  draw::Vec3 low, high;
};
Box box_of_all(const scenes::Scene& scene, const std::vector<Snapshot>& moments);
draw::Camera camera_on(const Box& box, float aspect);

// Lays a line of text over the upper left corner.
void label(draw::Image& image, const std::string& text);

// The strip of `billow scene run`.
draw::Image scene_strip(const scenes::Scene& scene, const std::vector<Snapshot>& moments);

}  // namespace billow::tool
