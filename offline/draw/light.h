// Lighting of the rasteriser: a hemisphere of sky and bounce light, and one key light with a shadow map.
#pragma once

#include <span>
#include <vector>

#include "draw/colour.h"
#include "draw/vec.h"

namespace billow::draw {

struct Light {
  Vec3 toward = {0.45f, 1.0f, 0.55f};  // direction to the key light; any length
  Colour key = {0.80f, 0.77f, 0.70f};
  Colour sky = {0.52f, 0.56f, 0.64f};
  Colour bounce = {0.30f, 0.27f, 0.25f};
  float softness = 0.025f;  // radius of the shadow filter, m
};

// The depth of the nearest caster as seen from the key light, orthographic, on a square that bounds all
// casters.
class ShadowMap {
 public:
  // Three points per triangle. Without triangles everything is lit.
  ShadowMap(const Light& light, std::span<const Vec3> triangles, int size = 1024);
  // The fraction of the key light that reaches a point, by percentage-closer filtering. `pattern` selects one
  // of several tap patterns, so that the samples of a pixel use different taps.
  float lit(Vec3 point, Vec3 normal, int pattern) const;

 private:
  float depth_at(float u, float v) const;
  Vec3 toward_, right_, up_;
  float origin_u_ = 0, origin_v_ = 0, texel_ = 1, softness_ = 0;
  int size_ = 0;
  std::vector<float> depth_;  // along toward_, larger is nearer the light
};

// Light reflected towards the eye. `normal` and `view` (towards the eye) are unit vectors on the same side of
// the surface; `lit` is the unshadowed fraction of the key light.
Colour shade(const Light& light, Colour surface, float gloss, Vec3 normal, Vec3 view, float lit);

}  // namespace billow::draw
