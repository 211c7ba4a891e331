// Pictures in memory and as PNG files.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "draw/colour.h"

namespace billow::draw {

// Rows from the top, pixels from the left.
class Image {
 public:
  Image() = default;
  Image(int width, int height, Colour fill = {1, 1, 1});

  int width() const { return width_; }
  int height() const { return height_; }
  Colour& at(int x, int y) { return pixels_[index(x, y)]; }
  const Colour& at(int x, int y) const { return pixels_[index(x, y)]; }
  // Lays a colour over a pixel; outside the picture nothing happens.
  void blend(int x, int y, Colour colour, float alpha);
  // Copies a picture in, its top left corner at (x, y); what does not fit is cut off.
  void paste(const Image& other, int x, int y);

 private:
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }
  int width_ = 0, height_ = 0;
  std::vector<Colour> pixels_;
};

// Lays pictures out row by row, `gap` pixels apart and from the rim. Cells are as large as the largest
// picture.
Image strip(std::span<const Image> images, int columns, int gap, Colour background = {1, 1, 1});

// Writes 8-bit sRGB, beside the file and then renamed: a reader never meets half a picture. Throws
// std::runtime_error with the path and the reason; then nothing is left behind.
void write_png(const Image& image, const std::filesystem::path& path);

}  // namespace billow::draw
