// Pictures of a character that wears simulated cloth.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"
#include "dataset/reader/character_body.h"
#include "draw/canvas.h"

namespace billow::tool {

inline constexpr int kPanelWidth = 340, kPanelHeight = 414;

// Draws a body: the skin of the built-in person, that of another character or, where none is given, its colliders.
class DrawnBody {
 public:
  explicit DrawnBody(const dataset::OwnedCharacterBody& character_body, body::Skin skin = {});
  size_t joints() const { return rest_.size(); }
  // Height relative to the built-in person's 1.75 m, to scale camera distances.
  float size() const { return colours_.empty() ? height_ / 1.75f : 1; }

  void draw(draw::Canvas& canvas, const std::vector<Transform>& joints) const;

 private:
  std::vector<billow_collider> colliders_;
  std::vector<Transform> rest_;
  body::Skin skin_;
  // Per skin vertex of the built-in person: a suit that leaves head, hands and feet bare.
  std::vector<draw::Colour> colours_;
  float height_ = 0;
};

// Renders body and cloth from behind and to the side of the person's heading, together with whatever the
// canvas already holds.
draw::Image draw_dressed(draw::Canvas& canvas, const DrawnBody& body, const std::vector<Transform>& joints,
                         std::span<const float> cloth, std::span<const std::array<uint32_t, 3>> triangles,
                         const std::string& label);

}  // namespace billow::tool
