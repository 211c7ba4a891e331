// Pictures of a skinned character, with its colliders laid over it.
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
  draw::Vec3 from;    // the eye seen from the target
  draw::Vec3 target;  // what is in the middle of the picture
  int width = 520, height = 620;
  std::span<const draw::Colour> colours = {};  // of the skin's vertices; empty: skin-coloured
  float collider_alpha = 0.45f;
};

// What a collider is drawn in, by its number.
draw::Colour collider_colour(size_t number);

// Colliders where joints that have moved from their rest take them.
void draw_colliders(draw::Canvas& canvas, std::span<const billow_collider> colliders,
                    const std::vector<Transform>& moved, const draw::Material& material);

// The skin where the joints take it, standing on y = 0, and the colliders if there are any.
draw::Image draw_body(const body::Skin& skin, std::span<const Transform> joints,
                      std::span<const billow_collider> colliders, const BodyView& view);

}  // namespace billow::tool
