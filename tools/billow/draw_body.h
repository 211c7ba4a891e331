// Pictures of a skinned character with its colliders as an overlay.
#pragma once

#include <billow/billow.h>

#include <span>
#include <string>
#include <vector>

#include "body/skin.h"
#include "draw/canvas.h"

namespace billow::tool {

inline draw::Vec3 to_draw(V3 v) { return {v.x, v.y, v.z}; }

struct BodyView {
  std::string label;
  draw::Vec3 from;    // eye position relative to the target
  draw::Vec3 target;  // point at the centre of the picture
  int width = 520, height = 620;
  std::span<const draw::Colour> colours = {};  // per skin vertex; empty: skin-coloured
  float collider_alpha = 0.45f;
};

// Colour of a collider, from a repeating palette.
draw::Colour collider_colour(size_t index);

// Draws colliders posed by their joints. `moved` holds one transform per joint: pose times inverse rest.
void draw_colliders(draw::Canvas& canvas, std::span<const billow_collider> colliders,
                    const std::vector<Transform>& moved, const draw::Material& material);

// Draws the skin posed by `joints` on the ground y = 0, and the colliders over it. `colliders` may be empty.
draw::Image draw_body(const body::Skin& skin, std::span<const Transform> joints,
                      std::span<const billow_collider> colliders, const BodyView& view);

}  // namespace billow::tool
