// Light and shadow: a soft sky above, a dim bounce from below, and one key light that casts shadows.
#pragma once

#include <span>
#include <vector>

#include "draw/colour.h"
#include "draw/vec.h"

namespace billow::draw {

struct Light {
  Vec3 toward = {0.45f, 1.0f, 0.55f};  // to the key light; any length
  Colour key = {0.80f, 0.77f, 0.70f};
  Colour sky = {0.52f, 0.56f, 0.64f};
  Colour bounce = {0.30f, 0.27f, 0.25f};
  float softness = 0.025f;  // m, radius of a shadow's soft rim
};

// What the key light sees: the nearest of all casters, in a square about them.
class ShadowMap {
 public:
  // Three points a triangle. Without triangles all is lit.
  ShadowMap(const Light& light, std::span<const Vec3> triangles, int size = 1024);
  // The share of the key light that reaches a point, from several looks round it. `turn` picks one of several
  // patterns, so that neighbouring samples together look in many places.
  float lit(Vec3 point, Vec3 normal, int turn) const;

 private:
  float depth_at(float u, float v) const;
  Vec3 toward_, right_, up_;
  float origin_u_ = 0, origin_v_ = 0, texel_ = 1, softness_ = 0;
  int size_ = 0;
  std::vector<float> depth_;  // along toward_, larger is nearer the light
};

// Light from a surface toward the eye. `normal` and `view` (to the eye) have unit length and lie on the same
// side.
Colour shade(const Light& light, Colour surface, float gloss, Vec3 normal, Vec3 view, float lit);

}  // namespace billow::draw
