// Pictures of a garment on a character, for `billow render` and the figures: cloth, chains, body, ground, one camera.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "draw/canvas.h"
#include "draw_character.h"
#include "garment/garment.h"
#include "playback.h"

namespace billow::tool {

struct PictureStyle {
  int width = 720, height = 900;
  int rays = 48;          // per pixel; 0: use the rasteriser
  int samples = 3;        // rasteriser: samples x samples per pixel
  float azimuth = 145;    // degrees around the person: 0 in front, 90 on its left, 180 behind
  float elevation = 9;    // degrees above the horizon
  float distance = 4.3f;  // m
  float behind = 0.3f;    // m from the person back to the camera target, because a cape flies behind
  float look_at = 0.90f;  // m, height of the camera target above the ground
  draw::Colour cloth = draw::srgb(0xa3242f), lining = draw::srgb(0x6d1a26);
  float gloss = 0.14f;
};
// Open garments (capes): red, seen from behind. Closed ones (skirts): blue, seen from the front.
PictureStyle style_for(const garment::Garment& garment);

// The reference frame of the camera: it follows the person across the ground, but does not rotate with it.
struct Following {
  V3 place{0, 0, 0};  // position on the ground
  float heading = 0;  // radians about y, 0 along +z
};
// The smoothed position in each frame, and one mean heading for all frames. `first_heading` is the heading of a person
// that travels less than 1.5 m.
std::vector<Following> follow(std::span<const V3> pelvis, float first_heading, float frames_per_second);

std::vector<Following> follow(const Playback& playback);

// The camera's reference frame for a single pose.
Following following(const std::vector<Transform>& joints);

// Number of pictures to make in parallel: one where rays are traced, because the tracer uses all cores.
size_t pictures_at_a_time(const PictureStyle& style);

class Picture {
 public:
  Picture(const PictureStyle& style, const DrawnBody& body, const std::vector<Transform>& joints);
  void add_cloth(std::span<const float> positions, std::span<const garment::Triangle> triangles,
                 float alpha = 1);
  // The garment that is played, and what is worn under it in the colours of its own kind.
  void add_clothes(const Playback& playback);
  void add_dots(std::span<const V3> positions, draw::Colour colour);
  // Ropes are green, lateral neighbours are joined in purple, bones outside of chains are blue.
  void add_chains(const garment::Garment& garment, std::span<const V3> bones);
  draw::Image make(const Following& at, const std::string& label = "") const;

 private:
  PictureStyle style_;
  draw::Canvas canvas_;
};

// Makes pictures in parallel batches and passes them to `use` in the order of add().
class PictureLine {
 public:
  PictureLine(size_t at_a_time, std::function<void(draw::Image)> use)
      : at_a_time_(at_a_time), use_(std::move(use)) {}
  void add(Picture picture, const Following& at, std::string label = "");
  void finish();  // makes and passes on the remaining pictures

 private:
  struct Waiting {
    Picture picture;
    Following at;
    std::string label;
  };
  size_t at_a_time_;
  std::function<void(draw::Image)> use_;
  std::vector<Waiting> waiting_;
};

}  // namespace billow::tool
