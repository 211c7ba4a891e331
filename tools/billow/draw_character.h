// Pictures of a person in cloth that moves.
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

// The body in a picture: the built-in person by its skin, others by their colliders.
class DrawnBody {
 public:
  explicit DrawnBody(const dataset::OwnedCharacterBody& character_body);
  size_t joints() const { return rest_.size(); }
  // Against the built-in person.
  float size() const { return skin_.mesh.positions.empty() ? height_ / 1.75f : 1; }

  void draw(draw::Canvas& canvas, const std::vector<Transform>& joints) const;

 private:
  std::vector<billow_collider> colliders_;
  std::vector<Transform> rest_;
  body::Skin skin_;
  std::vector<draw::Colour> colours_;  // of the skin's vertices: a suit, but for head, hands and feet
  float height_ = 0;
};

// From behind and aside, as the person faces. What is on the canvas already is drawn, too.
draw::Image draw_dressed(draw::Canvas& canvas, const DrawnBody& body, const std::vector<Transform>& joints,
                         std::span<const float> cloth, std::span<const std::array<uint32_t, 3>> triangles,
                         const std::string& label);

}  // namespace billow::tool
