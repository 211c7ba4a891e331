#include "draw_garment.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "draw/canvas.h"
#include "draw/paint.h"
#include "draw_body.h"

namespace billow::tool {
namespace {

using draw::Vec3;

constexpr int kGarmentWidth = 620, kGarmentHeight = 820;
constexpr float kGarmentFieldOfView = 0.5f;

// The same colours as in draw_scene.h.
const draw::Colour kRope = draw::srgb(0x118a35), kLateral = draw::srgb(0x8a2fd0),
                   kBone = draw::srgb(0x12331f), kKinematicBone = draw::srgb(0x1f5fbf),
                   kSheet = draw::srgb(0xeadfc6), kLining = draw::srgb(0xd0925a);

struct Bounds {
  V3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  void include(std::span<const V3> points) {
    for (const V3& p : points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  }
};

void add_chains(draw::Canvas& canvas, const garment::Garment& g, const std::vector<V3>& bones) {
  const auto line = [&](uint32_t a, uint32_t b, float pixels, draw::Colour colour) {
    canvas.line(to_draw(bones[a]), to_draw(bones[b]), pixels, colour, 1, 0.05f);
  };
  for (size_t c = 0; c < g.chains.size(); ++c) {
    const auto& chain = g.chains[c];
    // Draw the lateral springs between bones of one level.
    if (c + 1 < g.chains.size() || g.closed) {
      const auto& next = g.chains[(c + 1) % g.chains.size()];
      for (size_t b = 1; b < std::min(chain.size(), next.size()); ++b)
        line(chain[b], next[b], 1.3f, kLateral);
    }
    for (size_t b = 1; b < chain.size(); ++b) line(chain[b - 1], chain[b], 2.4f, kRope);
  }
  std::vector<bool> simulated(bones.size(), false);
  for (const auto& chain : g.chains)
    for (size_t b = 1; b < chain.size(); ++b) simulated[chain[b]] = true;
  for (size_t b = 0; b < bones.size(); ++b)
    canvas.point(to_draw(bones[b]), simulated[b] ? 4.5f : 5.5f, simulated[b] ? kBone : kKinematicBone, 1,
                 0.053f);
}

}  // namespace

void draw_garment(const garment::Garment& g, const body::Skin& skin, const std::filesystem::path& file) {
  const std::vector<V3>& cloth = g.rest.empty() ? g.shape : g.rest;
  std::vector<V3> bones(g.bones.size());
  garment::bone_positions(g, cloth, bones);
  Bounds bounds;
  bounds.include(skin.mesh.positions);
  bounds.include(cloth);
  const Vec3 middle = 0.5f * (to_draw(bounds.low) + to_draw(bounds.high));
  const V3 size = bounds.high - bounds.low;

  const std::pair<const char*, Vec3> sides[] = {
      {"front", {0, 0.12f, 1}}, {"side", {1, 0.12f, 0}}, {"back", {0, 0.12f, -1}}};
  std::vector<draw::Image> panels;
  for (const auto& [name, from] : sides) {
    draw::Canvas canvas(kGarmentWidth, kGarmentHeight);
    if (!skin.mesh.triangles.empty())
      canvas.mesh({.positions = {&skin.mesh.positions[0].x, 3 * skin.mesh.positions.size()},
                   .indices = {skin.mesh.triangles[0].data(), 3 * skin.mesh.triangles.size()}},
                  {.colour = draw::srgb(0xc9a48c), .gloss = 0.1f});
    canvas.mesh({.positions = {&cloth[0].x, 3 * cloth.size()},
                 .indices = {g.triangles[0].data(), 3 * g.triangles.size()}},
                {.colour = kSheet, .back = kLining, .gloss = 0.05f, .lift = 0.002f});
    add_chains(canvas, g, bones);
    const float wide = std::fabs(from.x) > 0.5f ? size.z : size.x,
                deep = std::fabs(from.x) > 0.5f ? size.x : size.z;
    const float half = 0.53f * std::max(size.y + 0.1f * deep, wide * static_cast<float>(kGarmentHeight) /
                                                                  static_cast<float>(kGarmentWidth));
    const Vec3 eye = (half / std::tan(0.5f * kGarmentFieldOfView) + 0.5f * deep) * draw::normalised(from);
    canvas.light.toward = {0.6f * eye.x + 0.5f * eye.z, 3.5f, 0.6f * eye.z - 0.5f * eye.x};
    canvas.ground({.height = bounds.low.y,
                   .centre = {middle.x, 0, middle.z},
                   .reach = std::max(6.0f, 1.5f * draw::length(eye))});
    draw::Image image =
        canvas.render({.eye = middle + eye, .target = middle, .field_of_view = kGarmentFieldOfView});
    draw::paint_text(image, 14, 30, g.name + ", " + name, {15, draw::srgb(0x2a2e36)});
    panels.push_back(std::move(image));
  }
  draw::write_png(draw::strip(panels, 3, 6), file);
}

}  // namespace billow::tool
