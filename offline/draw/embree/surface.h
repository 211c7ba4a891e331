// What surfaces do with light: plain, cloth, skin.
#pragma once

#include <algorithm>
#include <cmath>

#include "draw/canvas.h"

namespace billow::draw {

// A point that a ray met.
struct Met {
  Vec3 point, normal, face;  // both normals on the side that was met
  Colour colour;
  float gloss = 0;
  Finish finish = Finish::kPlain;
};

// Light from one direction toward the eye, of a light of strength 1 there; the cosine is in it.
inline Colour reflected(const Met& at, Vec3 toward_light, Vec3 toward_eye) {
  const float facing = dot(at.normal, toward_light), seen = std::max(0.0f, dot(at.normal, toward_eye));
  const Vec3 half = normalised(toward_light + toward_eye);
  const float sharp = std::max(0.0f, dot(at.normal, half));
  switch (at.finish) {
    case Finish::kSkin: {
      // Light that enters comes out farther on: it reaches round edges, reddish.
      const auto wrapped = [&](float wrap) { return std::max(0.0f, (facing + wrap) / (1 + wrap)); };
      const Colour soft{wrapped(0.28f), wrapped(0.16f), wrapped(0.10f)};
      const float shine = 0.10f * std::pow(sharp, 22.0f) * std::max(0.0f, facing);
      return at.colour * soft + Colour{shine, shine, shine};
    }
    case Finish::kCloth: {
      // Fibres that stand out catch light at grazing angles; a broad, weak shine along the folds.
      const float lit = std::max(0.0f, facing);
      const float sheen = 0.35f * std::pow(1 - seen, 3.0f) * lit;
      const float shine = at.gloss * std::pow(sharp, 10.0f) * lit;
      const Colour pale = mix(at.colour, {1, 1, 1}, 0.45f);
      return lit * at.colour + (sheen + shine) * pale;
    }
    case Finish::kPlain:
      break;
  }
  const float lit = std::max(0.0f, facing), shine = at.gloss * std::pow(sharp, 30.0f) * lit;
  return lit * at.colour + Colour{shine, shine, shine};
}

}  // namespace billow::draw
