#include "draw/light.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "draw/raster.h"

namespace billow::draw {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();
constexpr size_t kLooks = 8, kTurns = 16;

// Places in the unit disc: each turn spreads its looks by the golden angle.
struct Look {
  float u, v;
};
std::array<Look, kLooks * kTurns> make_looks() {
  std::array<Look, kLooks * kTurns> looks;
  for (size_t i = 0; i < looks.size(); ++i) {
    const float r = std::sqrt((static_cast<float>(i % kLooks) + 0.5f) / kLooks);
    const float angle = 2.39996323f * static_cast<float>(i % kLooks) + 0.7f * static_cast<float>(i / kLooks);
    looks[i] = {r * std::cos(angle), r * std::sin(angle)};
  }
  return looks;
}

}  // namespace

ShadowMap::ShadowMap(const Light& light, std::span<const Vec3> triangles, int size)
    : toward_(normalised(light.toward)),
      right_(across(toward_)),
      up_(cross(toward_, right_)),
      softness_(light.softness) {
  if (triangles.empty()) return;
  // Fit a square round all casters, with room for the soft rim.
  float low_u = 1e30f, low_v = 1e30f, high_u = -1e30f, high_v = -1e30f;
  for (Vec3 p : triangles) {
    const float u = dot(p, right_), v = dot(p, up_);
    low_u = std::min(low_u, u), high_u = std::max(high_u, u);
    low_v = std::min(low_v, v), high_v = std::max(high_v, v);
  }
  const float rim = 2 * softness_, side = std::max({high_u - low_u, high_v - low_v, 1e-3f}) + 2 * rim;
  size_ = size;
  texel_ = side / static_cast<float>(size);
  origin_u_ = low_u - rim;
  origin_v_ = low_v - rim;
  depth_.assign(static_cast<size_t>(size) * static_cast<size_t>(size), kNothing);

  // Keep the nearest. The light is far away, so all nearness is 1 and the weights give the depth.
  for (size_t t = 0; t + 2 < triangles.size(); t += 3) {
    ScreenPoint s[3];
    float depth[3];
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 p = triangles[t + k];
      s[k] = {(dot(p, right_) - origin_u_) / texel_, (dot(p, up_) - origin_v_) / texel_, 1};
      depth[k] = dot(p, toward_);
    }
    raster_triangle(s[0], s[1], s[2], size_, size_, [&](int x, int y, float, float b0, float b1, float b2) {
      float& kept = depth_[static_cast<size_t>(y) * static_cast<size_t>(size_) + static_cast<size_t>(x)];
      kept = std::max(kept, b0 * depth[0] + b1 * depth[1] + b2 * depth[2]);
    });
  }
}

float ShadowMap::depth_at(float u, float v) const {
  const int x = static_cast<int>((u - origin_u_) / texel_), y = static_cast<int>((v - origin_v_) / texel_);
  if (u < origin_u_ || v < origin_v_ || x >= size_ || y >= size_) return kNothing;
  return depth_[static_cast<size_t>(y) * static_cast<size_t>(size_) + static_cast<size_t>(x)];
}

float ShadowMap::lit(Vec3 point, Vec3 normal, int turn) const {
  if (size_ == 0) return 1;
  // Step off the surface, farther where the light grazes it, so that it does not shade itself.
  const float facing = std::max(0.0f, dot(normal, toward_));
  const Vec3 p = point + (2 * texel_ + 0.7f * softness_ * (1 - facing)) * normal + (1.5f * texel_) * toward_;
  const float u = dot(p, right_), v = dot(p, up_), depth = dot(p, toward_) + 0.3f * softness_;
  static const std::array<Look, kLooks* kTurns> looks = make_looks();
  const Look* look = looks.data() + kLooks * (static_cast<size_t>(turn) % kTurns);
  int open = 0;
  for (size_t i = 0; i < kLooks; ++i)
    open += depth_at(u + softness_ * look[i].u, v + softness_ * look[i].v) <= depth;
  return static_cast<float>(open) / kLooks;
}

Colour shade(const Light& light, Colour surface, float gloss, Vec3 normal, Vec3 view, float lit) {
  const Vec3 toward = normalised(light.toward);
  // Let the key light reach a little round the edge, and the sky fall off smoothly from above to below.
  const float key = std::max(0.0f, (dot(normal, toward) + 0.15f) / 1.15f) * lit;
  const Colour ambient = mix(light.bounce, light.sky, 0.5f + 0.5f * normal.y);
  const Colour out = surface * (ambient + key * light.key);
  if (gloss <= 0) return out;
  // Add a broad highlight and a faint rim, which shows the form.
  const float shine = std::pow(std::max(0.0f, dot(normal, normalised(toward + view))), 24.0f);
  const float rim = std::pow(1 - std::clamp(dot(normal, view), 0.0f, 1.0f), 3.0f);
  return out + (gloss * shine * lit) * light.key + (0.35f * gloss * rim) * light.sky;
}

}  // namespace billow::draw
