#include "draw_body.h"

#include <algorithm>
#include <vector>

#include "draw/paint.h"

namespace billow::tool {
namespace {

using draw::Vec3;

// Draws a posed collider. Its points are blended linearly between its joints, which also averages their
// rotations.
void add_collider(draw::Canvas& canvas, const billow_collider& c, const std::vector<Transform>& moved,
                  const draw::Material& material) {
  const auto posed = [&](V3 p) {
    V3 sum{0, 0, 0};
    float weights = 0;
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) {
      if (!(c.weight[k] > 0)) continue;
      sum += apply(moved[c.joint[k]], p) * c.weight[k];
      weights += c.weight[k];
    }
    return to_draw(sum * (1 / weights));
  };
  const V3 position{c.position[0], c.position[1], c.position[2]};
  const Vec3 centre = posed(position);
  if (c.shape == BILLOW_SHAPE_SPHERE) return canvas.sphere(centre, c.radius, material);
  if (c.shape == BILLOW_SHAPE_CAPSULE || c.shape == BILLOW_SHAPE_TAPERED_CAPSULE)
    return canvas.capsule(centre, posed({c.end[0], c.end[1], c.end[2]}), c.radius,
                          c.shape == BILLOW_SHAPE_CAPSULE ? c.radius : c.radius_end, material);
  const Quat q{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]};
  const V3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vec3 axes[3];
  for (size_t k = 0; k < 3; ++k) axes[k] = draw::normalised(posed(position + rotate(q, units[k])) - centre);
  const Vec3 half{c.half_extents[0], c.half_extents[1], c.half_extents[2]};
  canvas.mesh(c.shape == BILLOW_SHAPE_BOX ? draw::rounded_box_mesh(centre, axes, half, c.radius)
                                          : draw::ellipsoid_mesh(centre, axes, half),
              material);
}

}  // namespace

draw::Colour collider_colour(size_t index) {
  static constexpr unsigned kColours[] = {0xd1495b, 0xedae49, 0x66a182, 0x2e86ab, 0x8d6a9f, 0xf26419};
  return draw::srgb(kColours[index % 6]);
}

void draw_colliders(draw::Canvas& canvas, std::span<const billow_collider> colliders,
                    const std::vector<Transform>& moved, const draw::Material& material) {
  for (const billow_collider& c : colliders) add_collider(canvas, c, moved, material);
}

draw::Image draw_body(const body::Skin& skin, std::span<const Transform> joints,
                      std::span<const billow_collider> colliders, const BodyView& view) {
  std::vector<V3> vertices(skin.mesh.positions.size());
  body::skin_vertices(skin, joints, vertices);
  draw::Canvas canvas(view.width, view.height);
  canvas.mesh({.positions = {&vertices[0].x, 3 * vertices.size()},
               .indices = {skin.mesh.triangles[0].data(), 3 * skin.mesh.triangles.size()},
               .colours = view.colours},
              {.colour = draw::srgb(0xc9a48c), .gloss = 0.1f});
  std::vector<Transform> moved;
  for (size_t j = 0; j < joints.size(); ++j) moved.push_back(joints[j] * inverse(skin.joint_rest[j]));
  for (size_t i = 0; i < colliders.size(); ++i)
    add_collider(canvas, colliders[i], moved,
                 {.colour = collider_colour(i),
                  .alpha = view.collider_alpha,
                  .casts_shadow = view.collider_alpha >= 1,
                  .lift = view.collider_alpha >= 1 ? 0 : 0.03f});
  canvas.light.toward = {0.6f * view.from.x + 0.5f * view.from.z, 3.5f,
                         0.6f * view.from.z - 0.5f * view.from.x};
  canvas.ground(
      {.centre = {view.target.x, 0, view.target.z}, .reach = std::max(6.0f, 1.5f * draw::length(view.from))});
  draw::Image image =
      canvas.render({.eye = view.target + view.from, .target = view.target, .field_of_view = 0.56f});
  draw::paint_text(image, 14, 30, view.label, {15, draw::srgb(0x2a2e36)});
  return image;
}

}  // namespace billow::tool
