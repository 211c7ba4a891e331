// Antialiased 2D drawing on images: lines, discs, rectangles and text. Units are pixels, x to the right and y
// down; the centre of the top left pixel is (0.5, 0.5).
#pragma once

#include <string_view>

#include "draw/image.h"

namespace billow::draw {

void paint_line(Image& image, float x0, float y0, float x1, float y1, float width, Colour colour,
                float alpha = 1);
void paint_disc(Image& image, float x, float y, float radius, Colour colour, float alpha = 1);
// Fills the pixels from (x0, y0) up to but not including (x1, y1).
void paint_box(Image& image, int x0, int y0, int x1, int y1, Colour colour, float alpha = 1);

enum class Align { kLeft, kCentre, kRight };

struct TextStyle {
  float height = 12;  // of a capital letter
  Colour colour = {};
  Align align = Align::kLeft;
  bool upwards = false;  // rotated by 90 degrees to read from bottom to top
};

// Draws text in a stroke font, its baseline at y. Characters other than printable ASCII are boxes.
void paint_text(Image& image, float x, float y, std::string_view text, const TextStyle& style = {});
float text_width(std::string_view text, float height);

}  // namespace billow::draw
