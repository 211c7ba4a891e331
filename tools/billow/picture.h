// Pictures of a worn garment as `billow render` and the figures show it: cloth, chains, person, ground, one camera.
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
  int rays = 48;          // a pixel; 0: the rasteriser
  int samples = 3;        // of the rasteriser, squared: in a pixel
  float azimuth = 145;    // degrees round the person: 0 in front, 90 its left, 180 behind
  float elevation = 9;    // degrees above
  float distance = 4.3f;  // m
  float behind = 0.3f;    // m behind the person that is looked at: where a cape flies
  float look_at = 0.90f;  // m above the ground
  draw::Colour cloth = draw::srgb(0xa3242f), lining = draw::srgb(0x6d1a26);
  float gloss = 0.14f;
};
// Red from behind for what is open, blue from the front for rings of chains.
PictureStyle style_for(const garment::Garment& garment);

// Where the camera stands: it follows the person across the ground, and does not turn with it.
struct Following {
  V3 place{0, 0, 0};  // on the ground
  float heading = 0;  // radians about y, 0 along +z
};
// The person's mean heading and its smoothed place in each frame.
std::vector<Following> follow(std::span<const V3> pelvis, float first_heading, float frames_per_second);

std::vector<Following> follow(const Playback& playback);

// Where the camera is for one moment alone.
Following following(const std::vector<Transform>& joints);

// How many pictures of a style are best made at a time: rays take all cores by themselves.
size_t pictures_at_a_time(const PictureStyle& style);

class Picture {
 public:
  Picture(const PictureStyle& style, const DrawnBody& body, const std::vector<Transform>& joints);
  void add_cloth(std::span<const float> positions, std::span<const garment::Triangle> triangles,
                 float alpha = 1);
  void add_dots(std::span<const V3> places, draw::Colour colour);
  // Ropes green, neighbours of one height joined in purple, bones in no chain blue.
  void add_chains(const garment::Garment& garment, std::span<const V3> bones);
  draw::Image make(const Following& at, const std::string& label = "") const;

 private:
  PictureStyle style_;
  draw::Canvas canvas_;
};

// Makes pictures on several cores, and hands them on in their order.
class PictureLine {
 public:
  PictureLine(size_t at_a_time, std::function<void(draw::Image)> use)
      : at_a_time_(at_a_time), use_(std::move(use)) {}
  void add(Picture picture, const Following& at, std::string label = "");
  void finish();  // hands on those that are left

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
