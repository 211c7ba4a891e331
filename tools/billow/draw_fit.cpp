#include "draw_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "body/polygonise.h"
#include "body/surface.h"
#include "draw/paint.h"
#include "draw_body.h"

namespace billow::tool {
namespace {

using draw::Vec3;

// Bounding box of a character, to frame all of it.
struct Box {
  V3 low, high;

  explicit Box(std::span<const V3> points) : low(points[0]), high(points[0]) {
    for (const V3& p : points) low = body::component_min(low, p), high = body::component_max(high, p);
  }
  Vec3 middle() const { return {0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z)}; }
};

constexpr int kFitWidth = 520, kFitHeight = 620;
constexpr float kFitFieldOfView = 0.56f;  // vertical, radians; the value that draw_body uses

// A view from a direction, at the distance that fits the box into the picture.
BodyView view_of(const Box& box, Vec3 from, std::string label) {
  const Vec3 size{box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z};
  const Vec3 toward = draw::normalised(from);
  const float wide = size.x * std::fabs(toward.z) + size.z * std::fabs(toward.x);
  const float deep = size.x * std::fabs(toward.x) + size.z * std::fabs(toward.z);
  const float half = 0.5f * std::max(size.y + 0.35f * deep * std::fabs(toward.y),
                                     wide * static_cast<float>(kFitHeight) / static_cast<float>(kFitWidth));
  const float distance = 0.5f * deep + 1.12f * half / std::tan(0.5f * kFitFieldOfView);
  return {.label = std::move(label),
          .from = distance * toward,
          .target = box.middle(),
          .width = kFitWidth,
          .height = kFitHeight};
}

struct Side {
  const char* label;
  Vec3 from;
};
constexpr Side kSides[] = {{"front", {0, 0.05f, 1}}, {"side", {1, 0.05f, 0}}, {"back", {0, 0.05f, -1}}};

std::vector<billow_collider> shapes_of(std::span<const fit::NamedCollider> colliders) {
  std::vector<billow_collider> out;
  for (const fit::NamedCollider& c : colliders) out.push_back(c.collider);
  return out;
}

// Paints the colour scale from 0 to `max` (m), labelled in millimetres.
void paint_scale(draw::Image& image, float max) {
  const int x = 24, y0 = 60, y1 = image.height() - 60, ticks = 5;
  for (int y = y0; y < y1; ++y)
    draw::paint_box(image, x, y, x + 18, y + 1,
                    draw::heat(static_cast<float>(y1 - y) / static_cast<float>(y1 - y0)));
  for (int k = 0; k <= ticks; ++k) {
    char text[32];
    const float fraction = static_cast<float>(k) / static_cast<float>(ticks);
    std::snprintf(text, sizeof text, "%s%.0f mm", k == ticks ? ">" : "",
                  static_cast<double>(1000 * fraction * max));
    draw::paint_text(image, static_cast<float>(x + 26),
                     static_cast<float>(y1) - fraction * static_cast<float>(y1 - y0) + 4, text,
                     {10, draw::srgb(0x2a2e36)});
  }
}

// The zero set of the colliders at rest as a rigid skin, coloured by nearest collider.
struct ZeroSet {
  body::Skin skin;
  std::vector<draw::Colour> colours;
};
ZeroSet zero_set_of(const body::Skeleton& skeleton, std::span<const billow_collider> shapes, const Box& box) {
  const body::Surface surface(skeleton, shapes);
  const V3 size = box.high - box.low;
  const float longest = std::max({size.x, size.y, size.z});
  const V3 margin = V3{1, 1, 1} * (0.1f * longest);
  ZeroSet out;
  out.skin.mesh = body::polygonise(surface, box.low - margin, box.high + margin, longest / 240);
  const std::vector<V3>& p = out.skin.mesh.positions;
  out.skin.joint_rest = rest_transforms(skeleton);
  out.skin.joints.assign(p.size(), {0, 0, 0, 0});
  out.skin.weights.assign(p.size(), {1, 0, 0, 0});
  std::vector<float> phi(p.size());
  std::vector<int32_t> nearest(p.size());
  billow_body_query(surface.get(), BILLOW_ALL_GROUPS, &p[0].x, static_cast<uint32_t>(p.size()),
                    BILLOW_NO_LIMIT, phi.data(), nullptr, nearest.data());
  for (const int32_t i : nearest) out.colours.push_back(collider_colour(static_cast<size_t>(std::max(0, i))));
  return out;
}

}  // namespace

void draw_fitted_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                           std::span<const fit::NamedCollider> colliders, std::span<const body::Pose> poses,
                           const std::filesystem::path& file) {
  const std::vector<billow_collider> shapes = shapes_of(colliders);
  const Box box(skin.mesh.positions);
  std::vector<draw::Image> panels;
  for (const bool show_colliders : {false, true})
    for (const Side& side : kSides)
      panels.push_back(draw_body(
          skin, rest_transforms(skeleton),
          show_colliders ? std::span(shapes) : std::span<const billow_collider>(),
          view_of(box, side.from, std::string(side.label) + (show_colliders ? ", colliders" : ""))));
  const ZeroSet zero_set = zero_set_of(skeleton, shapes, box);
  for (const Side& side : kSides) {
    BodyView view = view_of(box, side.from, std::string(side.label) + ", zero set");
    view.colours = zero_set.colours;
    // Also draw the colliders: parts thinner than the polygonisation's cells are missing from the mesh.
    view.collider_alpha = 1;
    panels.push_back(draw_body(zero_set.skin, rest_transforms(skeleton), shapes, view));
  }
  for (size_t k = 0; k < std::min<size_t>(3, poses.size()); ++k) {
    const std::vector<Transform> joints = joint_transforms(skeleton, poses[k]);
    std::vector<V3> vertices(skin.mesh.positions.size());
    skin_vertices(skin, joints, vertices);
    panels.push_back(draw_body(
        skin, joints, shapes,
        view_of(Box(vertices), {0.7f, 0.2f, 0.8f}, "pose " + std::to_string(k + 1) + ", colliders")));
  }
  draw::write_png(draw::strip(panels, 3, 6), file);
}

void draw_fit_error(const body::Skeleton& skeleton, const body::Skin& skin,
                    const fit::ColliderFitError& error, const std::filesystem::path& file) {
  // Round the end of the scale up to 1, 2.5, 5 or 10 times a power of ten that covers the 95th percentile.
  const double limit_mm = 1000 * std::max(1.25 * error.rest.to_zero_set.p95, 0.001);
  const double power = std::pow(10, std::floor(std::log10(limit_mm)));
  const double mantissa = limit_mm / power;
  const double scale_max = power *
                           (mantissa <= 1     ? 1
                            : mantissa <= 2.5 ? 2.5
                            : mantissa <= 5   ? 5
                                              : 10) /
                           1000;
  std::vector<draw::Colour> colours;
  for (const float d : error.vertex_distances)
    colours.push_back(draw::heat(std::fabs(d) / static_cast<float>(scale_max)));
  std::vector<draw::Image> panels;
  const Box box(skin.mesh.positions);
  for (const Side& side : kSides) {
    BodyView view = view_of(box, side.from, std::string("distance from the zero set, ") + side.label);
    view.colours = colours;
    panels.push_back(draw_body(skin, rest_transforms(skeleton), {}, view));
  }
  paint_scale(panels[0], static_cast<float>(scale_max));
  draw::write_png(draw::strip(panels, 3, 6), file);
}

}  // namespace billow::tool
