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
  // Alpha-blends a colour over a pixel. Pixels outside the picture are ignored.
  void blend(int x, int y, Colour colour, float alpha);
  // Copies a picture, clipped, with its top left corner at (x, y).
  void paste(const Image& other, int x, int y);

 private:
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }
  int width_ = 0, height_ = 0;
  std::vector<Colour> pixels_;
};

// Arranges pictures in a grid, row by row, with `gap` pixels between them and at the border. Cells are as
// large as the largest picture.
Image strip(std::span<const Image> images, int columns, int gap, Colour background = {1, 1, 1});

// Writes 8-bit sRGB atomically (files::AtomicFile). Throws std::runtime_error with the path and the reason.
void write_png(const Image& image, const std::filesystem::path& path);

}  // namespace billow::draw
