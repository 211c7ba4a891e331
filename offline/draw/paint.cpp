#include "draw/paint.h"

#include <cmath>

namespace billow::draw {
namespace {

// How much of a pixel is covered whose centre is `distance` outside an edge.
float coverage(float distance) { return std::clamp(0.5f - distance, 0.0f, 1.0f); }

}  // namespace

void paint_line(Image& image, float x0, float y0, float x1, float y1, float width, Colour colour,
                float alpha) {
  const float reach = 0.5f * width + 1;
  const int left = std::max(0, static_cast<int>(std::floor(std::min(x0, x1) - reach)));
  const int right = std::min(image.width() - 1, static_cast<int>(std::ceil(std::max(x0, x1) + reach)));
  const int top = std::max(0, static_cast<int>(std::floor(std::min(y0, y1) - reach)));
  const int bottom = std::min(image.height() - 1, static_cast<int>(std::ceil(std::max(y0, y1) + reach)));
  const float dx = x1 - x0, dy = y1 - y0, squared = dx * dx + dy * dy;

  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      const float px = static_cast<float>(x) + 0.5f - x0, py = static_cast<float>(y) + 0.5f - y0;
      const float s = squared > 0 ? std::clamp((px * dx + py * dy) / squared, 0.0f, 1.0f) : 0;
      const float a = coverage(std::hypot(px - s * dx, py - s * dy) - 0.5f * width);
      if (a > 0) image.blend(x, y, colour, a * alpha);
    }
}

void paint_disc(Image& image, float x, float y, float radius, Colour colour, float alpha) {
  paint_line(image, x, y, x, y, 2 * radius, colour, alpha);
}

void paint_box(Image& image, int x0, int y0, int x1, int y1, Colour colour, float alpha) {
  for (int y = std::max(0, y0); y < std::min(y1, image.height()); ++y)
    for (int x = std::max(0, x0); x < std::min(x1, image.width()); ++x) image.blend(x, y, colour, alpha);
}

}  // namespace billow::draw
