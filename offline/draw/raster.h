// Rasterisation of triangles and thick lines. Depth is stored as nearness, 1 over the distance along the view
// direction, which is linear in screen space: larger is nearer, 0 is infinitely far.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "draw/vec.h"

namespace billow::draw {

struct ScreenPoint {
  float x = 0, y = 0;  // in samples, y down
  float nearness = 0;
};

// Calls visit(x, y, nearness, b0, b1, b2) for each sample whose centre the triangle covers, the edges
// included. The weights b are perspective-correct barycentric coordinates.
template <class Visit>
void raster_triangle(const ScreenPoint& p0, const ScreenPoint& p1, const ScreenPoint& p2, int width,
                     int height, Visit&& visit) {
  const double area =
      (double{p1.x} - p0.x) * (double{p2.y} - p0.y) - (double{p2.x} - p0.x) * (double{p1.y} - p0.y);
  if (!(std::fabs(area) > 0)) return;
  const auto [left_x, right_x] = std::minmax({p0.x, p1.x, p2.x});
  const auto [top_y, bottom_y] = std::minmax({p0.y, p1.y, p2.y});
  const auto clamp_to = [](float v, int limit) {
    return static_cast<int>(std::clamp(v, 0.0f, static_cast<float>(limit)));
  };
  const int left = clamp_to(left_x - 0.5f, width), right = clamp_to(right_x + 0.5f, width);
  const int top = clamp_to(top_y - 0.5f, height), bottom = clamp_to(bottom_y + 0.5f, height);

  // Edge functions: the weight of a vertex is linear in x and y and 0 on the opposite edge.
  struct Edge {
    double dx, dy, at;
  };
  const auto edge = [&](const ScreenPoint& a, const ScreenPoint& b) {
    const double dx = -(double{b.y} - a.y) / area, dy = (double{b.x} - a.x) / area;
    return Edge{dx, dy, dx * (left + 0.5 - a.x) + dy * (top + 0.5 - a.y)};
  };
  Edge e0 = edge(p1, p2), e1 = edge(p2, p0), e2 = edge(p0, p1);
  for (int y = top; y < bottom; ++y) {
    double w0 = e0.at, w1 = e1.at, w2 = e2.at;
    for (int x = left; x < right; ++x) {
      if (w0 >= 0 && w1 >= 0 && w2 >= 0) {
        const double n0 = w0 * p0.nearness, n1 = w1 * p1.nearness, n2 = w2 * p2.nearness,
                     nearness = n0 + n1 + n2;
        visit(x, y, static_cast<float>(nearness), static_cast<float>(n0 / nearness),
              static_cast<float>(n1 / nearness), static_cast<float>(n2 / nearness));
      }
      w0 += e0.dx, w1 += e1.dx, w2 += e2.dx;
    }
    e0.at += e0.dy, e1.at += e1.dy, e2.at += e2.dy;
  }
}

// Calls visit(x, y, nearness) for each sample within `radius` samples of the segment.
template <class Visit>
void raster_line(const ScreenPoint& p0, const ScreenPoint& p1, float radius, int width, int height,
                 Visit&& visit) {
  const float dx = p1.x - p0.x, dy = p1.y - p0.y, squared = dx * dx + dy * dy;
  const auto clamp_to = [](float v, int limit) {
    return static_cast<int>(std::clamp(v, 0.0f, static_cast<float>(limit)));
  };
  const int left = clamp_to(std::min(p0.x, p1.x) - radius, width),
            right = clamp_to(std::max(p0.x, p1.x) + radius + 1, width);
  const int top = clamp_to(std::min(p0.y, p1.y) - radius, height),
            bottom = clamp_to(std::max(p0.y, p1.y) + radius + 1, height);
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x) {
      const float px = static_cast<float>(x) + 0.5f - p0.x, py = static_cast<float>(y) + 0.5f - p0.y;
      const float s = squared > 0 ? std::clamp((px * dx + py * dy) / squared, 0.0f, 1.0f) : 0;
      const float ox = px - s * dx, oy = py - s * dy;
      if (ox * ox + oy * oy <= radius * radius) visit(x, y, p0.nearness + s * (p1.nearness - p0.nearness));
    }
}

}  // namespace billow::draw
