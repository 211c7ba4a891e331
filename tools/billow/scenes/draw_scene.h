// Draws a scene at one point in time.
#pragma once

#include <string>

#include "draw/canvas.h"
#include "play.h"
#include "scenes.h"

namespace billow::tool {

// Colours of all scene pictures: ropes green, lateral springs purple.
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
  float sheet_alpha = 1;  // of the cloth sheet between neighbouring chains; 0: not drawn
  float rope_pixels = 2.4f, lateral_pixels = 1.8f;
  float bone_radius = 0.009f;  // m
  float body_alpha = 1;
};

inline draw::Vec3 load(const float* p) { return {p[0], p[1], p[2]}; }

// Adds colliders, sheet, ropes, lateral springs and bones. Ropes over 5 m are not drawn: scenes use them for free particles.
void draw_scene(draw::Canvas& canvas, const scenes::Scene& scene, const Snapshot& moment,
                const SceneStyle& style);

// A smooth sheet through all chains, with three floats per vertex. Empty unless the scene's chains are neighbours.
draw::Mesh sheet_mesh(const scenes::Scene& scene, const Snapshot& moment);

// True for scenes with a person (several joints); the camera then follows the pelvis, which is joint 0.
bool has_person(const scenes::Scene& scene);

// A camera that follows the pelvis horizontally, at constant height. `aside` is the offset from pelvis to target, `from` the
// offset from target to eye.
draw::Camera person_camera(const Snapshot& moment, draw::Vec3 from, draw::Vec3 aside);

// The bounding box of bones and colliders over all snapshots, and a camera that frames it from +z.
struct Box {
  draw::Vec3 low, high;
};
Box box_of_all(const scenes::Scene& scene, const std::vector<Snapshot>& moments);
draw::Camera camera_on(const Box& box, float aspect);

// Draws a line of text in the upper left corner.
void label(draw::Image& image, const std::string& text);

// The strip of pictures of `billow scene run`, one per snapshot.
draw::Image scene_strip(const scenes::Scene& scene, const std::vector<Snapshot>& moments);

}  // namespace billow::tool
