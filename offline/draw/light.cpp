#include "draw/light.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "draw/raster.h"

namespace billow::draw {
namespace {

constexpr float kNoCaster = -std::numeric_limits<float>::infinity();
constexpr size_t kTaps = 8, kPatterns = 16;

// An offset in the unit disc. Each pattern spreads its taps by the golden angle.
struct Tap {
  float u, v;
};
std::array<Tap, kTaps * kPatterns> make_taps() {
  std::array<Tap, kTaps * kPatterns> taps;
  for (size_t i = 0; i < taps.size(); ++i) {
    const float r = std::sqrt((static_cast<float>(i % kTaps) + 0.5f) / kTaps);
    const float angle = 2.39996323f * static_cast<float>(i % kTaps) + 0.7f * static_cast<float>(i / kTaps);
    taps[i] = {r * std::cos(angle), r * std::sin(angle)};
  }
  return taps;
}

}  // namespace

ShadowMap::ShadowMap(const Light& light, std::span<const Vec3> triangles, int size)
    : toward_(normalised(light.toward)),
      right_(across(toward_)),
      up_(cross(toward_, right_)),
      softness_(light.softness) {
  if (triangles.empty()) return;
  // Bound all casters by a square, with a margin for the filter.
  float low_u = 1e30f, low_v = 1e30f, high_u = -1e30f, high_v = -1e30f;
  for (Vec3 p : triangles) {
    const float u = dot(p, right_), v = dot(p, up_);
    low_u = std::min(low_u, u), high_u = std::max(high_u, u);
    low_v = std::min(low_v, v), high_v = std::max(high_v, v);
  }
  const float margin = 2 * softness_, side = std::max({high_u - low_u, high_v - low_v, 1e-3f}) + 2 * margin;
  size_ = size;
  texel_ = side / static_cast<float>(size);
  origin_u_ = low_u - margin;
  origin_v_ = low_v - margin;
  depth_.assign(static_cast<size_t>(size) * static_cast<size_t>(size), kNoCaster);

  // Rasterise depths. The projection is orthographic: nearness is 1 everywhere, so the weights are
  // barycentric.
  for (size_t t = 0; t + 2 < triangles.size(); t += 3) {
    ScreenPoint s[3];
    float depth[3];
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 p = triangles[t + k];
      s[k] = {(dot(p, right_) - origin_u_) / texel_, (dot(p, up_) - origin_v_) / texel_, 1};
      depth[k] = dot(p, toward_);
    }
    raster_triangle(s[0], s[1], s[2], size_, size_, [&](int x, int y, float, float b0, float b1, float b2) {
      float& nearest = depth_[static_cast<size_t>(y) * static_cast<size_t>(size_) + static_cast<size_t>(x)];
      nearest = std::max(nearest, b0 * depth[0] + b1 * depth[1] + b2 * depth[2]);
    });
  }
}

float ShadowMap::depth_at(float u, float v) const {
  const int x = static_cast<int>((u - origin_u_) / texel_), y = static_cast<int>((v - origin_v_) / texel_);
  if (u < origin_u_ || v < origin_v_ || x >= size_ || y >= size_) return kNoCaster;
  return depth_[static_cast<size_t>(y) * static_cast<size_t>(size_) + static_cast<size_t>(x)];
}

float ShadowMap::lit(Vec3 point, Vec3 normal, int pattern) const {
  if (size_ == 0) return 1;
  // Bias along the normal against self-shadowing, more at grazing angles.
  const float facing = std::max(0.0f, dot(normal, toward_));
  const Vec3 p = point + (2 * texel_ + 0.7f * softness_ * (1 - facing)) * normal + (1.5f * texel_) * toward_;
  const float u = dot(p, right_), v = dot(p, up_), depth = dot(p, toward_) + 0.3f * softness_;
  // Nothing casts a shadow outside the map, which is most of a wide ground.
  const float side = static_cast<float>(size_) * texel_;
  if (u < origin_u_ || v < origin_v_ || u > origin_u_ + side || v > origin_v_ + side) return 1;
  static const std::array<Tap, kTaps* kPatterns> taps = make_taps();
  const Tap* tap = taps.data() + kTaps * (static_cast<size_t>(pattern) % kPatterns);
  int open = 0;
  for (size_t i = 0; i < kTaps; ++i)
    open += depth_at(u + softness_ * tap[i].u, v + softness_ * tap[i].v) <= depth;
  return static_cast<float>(open) / kTaps;
}

Colour shade(const Light& light, Colour surface, float gloss, Vec3 normal, Vec3 view, float lit) {
  const Vec3 toward = normalised(light.toward);
  // Wrap the key light a little round the terminator; blend sky to bounce light by the normal's height.
  const float key = std::max(0.0f, (dot(normal, toward) + 0.15f) / 1.15f) * lit;
  const Colour ambient = mix(light.bounce, light.sky, 0.5f + 0.5f * normal.y);
  const Colour out = surface * (ambient + key * light.key);
  if (gloss <= 0) return out;
  // Add a broad specular highlight and a faint rim light.
  const float shine = std::pow(std::max(0.0f, dot(normal, normalised(toward + view))), 24.0f);
  const float rim = std::pow(1 - std::clamp(dot(normal, view), 0.0f, 1.0f), 3.0f);
  return out + (gloss * shine * lit) * light.key + (0.35f * gloss * rim) * light.sky;
}

}  // namespace billow::draw
