// A camera, and its projection to the samples of a picture.
#pragma once

#include "draw/raster.h"

namespace billow::draw {

struct Camera {
  Vec3 eye = {0, 0, 5}, target = {}, up = {0, 1, 0};
  float field_of_view = 0.6f;  // radians, from the bottom to the top of the picture
};

inline constexpr float kNearPlane = 0.02f;  // m

struct View {
  Vec3 eye, right, up, forward;
  float scale, centre_x, centre_y;

  View(const Camera& camera, int width, int height) : eye(camera.eye) {
    forward = normalised(camera.target - camera.eye);
    right = normalised(cross(forward, camera.up));
    if (length(right) == 0) right = across(forward);
    up = cross(right, forward);
    centre_x = 0.5f * static_cast<float>(width);
    centre_y = 0.5f * static_cast<float>(height);
    scale = centre_y / std::tan(0.5f * camera.field_of_view);
  }
  float distance(Vec3 p) const { return dot(p - eye, forward); }
  ScreenPoint project(Vec3 p, float lift = 0) const {
    const Vec3 d = p - eye;
    const float along = dot(d, forward);
    return {centre_x + scale * dot(d, right) / along, centre_y - scale * dot(d, up) / along,
            1 / std::max(kNearPlane, along - lift)};
  }
  // From the eye towards a sample, scaled to 1 m along `forward`.
  Vec3 ray(int x, int y) const {
    const float u = (static_cast<float>(x) + 0.5f - centre_x) / scale;
    const float v = (centre_y - static_cast<float>(y) - 0.5f) / scale;
    return forward + u * right + v * up;
  }
};

}  // namespace billow::draw
