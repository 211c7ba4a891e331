#include "draw_character.h"

#include <algorithm>

#include "body/postures.h"
#include "draw/paint.h"
#include "draw_body.h"

namespace billow::tool {
namespace {

const draw::Colour kSkin = draw::srgb(0xc9a48c), kSuit = draw::srgb(0x4a5261);

bool is_bare(const std::string& joint) {
  for (const char* part : {"head", "neck", "hand", "finger", "thumb", "foot", "toe"})
    if (joint.find(part) != std::string::npos) return true;
  return false;
}

// Colours the skin as a dark suit, so that cloth stands out. The suit ends where skinning weights pass to a
// bare joint.
std::vector<draw::Colour> suit_of(const body::Skin& skin, const body::Skeleton& skeleton) {
  std::vector<draw::Colour> colours;
  for (size_t v = 0; v < skin.mesh.positions.size(); ++v) {
    float bare = 0;
    for (size_t k = 0; k < body::kJointsPerVertex; ++k)
      if (is_bare(skeleton.joints[skin.joints[v][k]].name)) bare += skin.weights[v][k];
    colours.push_back(draw::mix(kSuit, kSkin, std::clamp(8 * bare - 3.5f, 0.0f, 1.0f)));
  }
  return colours;
}

}  // namespace

DrawnBody::DrawnBody(const dataset::OwnedCharacterBody& character_body, body::Skin skin)
    : colliders_(character_body.colliders),
      rest_(body::rest_transforms(character_body.skeleton)),
      skin_(std::move(skin)) {
  if (!character_body.preset.empty()) {
    skin_ = body::make_skin(body::make_person(body::person_preset(character_body.preset)));
    colours_ = suit_of(skin_, character_body.skeleton);
  }
  for (const billow_collider& c : colliders_)
    height_ = std::max(height_, std::max(c.position[1], c.end[1]) +
                                    std::max(c.radius, std::max(c.half_extents[1], c.half_extents[2])));
  if (!skin_.mesh.positions.empty()) {
    height_ = 0;
    for (const V3& p : skin_.mesh.positions) height_ = std::max(height_, p.y);
  }
}

void DrawnBody::draw(draw::Canvas& canvas, const std::vector<Transform>& joints) const {
  const draw::Material material{.colour = kSkin, .gloss = 0.1f, .finish = draw::Finish::kSkin};
  if (skin_.mesh.positions.empty()) {
    std::vector<Transform> moved;
    for (size_t j = 0; j < joints.size(); ++j) moved.push_back(joints[j] * inverse(rest_[j]));
    return draw_colliders(canvas, colliders_, moved, material);
  }
  std::vector<V3> body(skin_.mesh.positions.size());
  body::skin_vertices(skin_, joints, body);
  canvas.mesh({.positions = {&body[0].x, 3 * body.size()},
               .indices = {skin_.mesh.triangles[0].data(), 3 * skin_.mesh.triangles.size()},
               .colours = colours_},
              material);
}

draw::Image draw_dressed(draw::Canvas& canvas, const DrawnBody& body, const std::vector<Transform>& joints,
                         std::span<const float> cloth, std::span<const std::array<uint32_t, 3>> triangles,
                         const std::string& label) {
  using draw::Vec3;
  body.draw(canvas, joints);
  canvas.mesh({.positions = cloth, .indices = {triangles[0].data(), 3 * triangles.size()}},
              {.colour = draw::srgb(0x9c2f38), .back = draw::srgb(0x6e4a80), .gloss = 0.1f});
  const V3 ahead = rotate(joints[0].rotation, {0, 0, 1}), left = rotate(joints[0].rotation, {1, 0, 0});
  V3 from = (left * 2.9f - ahead * 2.4f) * body.size();
  from.y = 0.7f * body.size();
  const Vec3 target{joints[0].position.x, 0.92f * body.size(), joints[0].position.z};
  canvas.light.toward = {0.6f * from.x + 0.5f * from.z, 3.5f, 0.6f * from.z - 0.5f * from.x};
  canvas.ground({.centre = {target.x, 0, target.z}});
  draw::Image image =
      canvas.render({.eye = target + Vec3{from.x, from.y, from.z}, .target = target, .field_of_view = 0.56f});
  draw::paint_text(image, 10, 20, label, {11, draw::srgb(0x2a2e36)});
  return image;
}

}  // namespace billow::tool
