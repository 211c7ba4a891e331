// Lays the triangles around a vertex flat, as on the pattern, also across seams.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/arena.h"
#include "decode/neighbours.h"
#include "decode/pattern.h"

namespace billow {

// A mesh of cloth and where it hangs from.
struct LengthMesh {
  NormalScratch around;                // find_normal_polygons
  const float* rest = nullptr;         // x y z
  const float* pattern_uvs = nullptr;  // u v; may be null
  uint32_t vertices = 0, triangles = 0;
  std::span<const uint32_t> attached;  // vertices, from which cloth hangs
};

// Memory of an Unfolding, one value a vertex unless stated otherwise.
struct UnfoldScratch {
  // Lengths of each triangle around each vertex: to its second corner, to its third, and between these.
  float* sides = nullptr;
  uint32_t* stamps = nullptr;  // the search that placed it
  float *x = nullptr, *y = nullptr;
  uint32_t* queue = nullptr;
};

inline UnfoldScratch take_unfold_scratch(uint32_t vertices, uint32_t triangles, Arena& arena) {
  UnfoldScratch s;
  s.sides = arena.take<float>(9 * size_t{triangles});
  s.stamps = arena.take<uint32_t>(vertices);
  s.x = arena.take<float>(vertices), s.y = arena.take<float>(vertices);
  s.queue = arena.take<uint32_t>(vertices);
  return s;
}

class Unfolding {
 public:
  Unfolding(const LengthMesh& mesh, const UnfoldScratch& scratch) : m_(mesh), w_(scratch) {
    std::fill_n(w_.stamps, m_.vertices, 0u);
    for (uint32_t v = 0; v < m_.vertices; ++v) {
      const Around fan = fan_of(v);
      float* sides = sides_of(v);
      for (uint32_t t = 0; t < fan.count; ++t, sides += 3) {
        const uint32_t b = fan.edges[2 * t], c = fan.edges[2 * t + 1];
        sides[0] = length_of(v, b), sides[1] = length_of(v, c), sides[2] = length_of(b, c);
      }
    }
  }

  // Where the corner c of a triangle a b c is: along a b, and how far from it.
  struct Corner {
    float along, height;
  };
  Corner corner(uint32_t a, uint32_t b, uint32_t c) const {
    return corner(length_of(a, b), length_of(a, c), length_of(b, c));
  }
  static Corner corner(float ab, float ac, float bc) {
    if (!(ab > 0)) return {0, ac};
    const float along = (ac * ac - bc * bc + ab * ab) / (2 * ab);
    return {along, std::sqrt(std::max(0.0f, ac * ac - along * along))};
  }
  Around fan_of(uint32_t v) const { return around(m_.around, v); }
  float length_of(uint32_t a, uint32_t b) const { return pattern_length(m_.pattern_uvs, m_.rest, a, b); }

  // Calls take(vertex, x, y, distance) for the vertices within `radius` of `centre` on the pattern, `centre` first, and no
  // more than `most`. Triangles are laid flat one after the other, outwards.
  template <class Take> void around_vertex(uint32_t centre, float radius, Take take, uint32_t most = ~0u) {
    ++stamp_;
    uint32_t queued = 0, done = 0;
    const auto place = [&](uint32_t v, float x, float y) {
      const float squared = x * x + y * y;
      // No way on the cloth is shorter than the straight one. Round the waist of a flared skirt, which is wider than its flat
      // layout, the far side of the ring would come to lie on the near one.
      const V3 straight = at_rest(m_.rest, centre, v);
      if (squared < kMinDistance * kMinDistance * dot(straight, straight)) return;
      w_.stamps[v] = stamp_, w_.x[v] = x, w_.y[v] = y;
      if (squared >= radius * radius || queued == most) return;
      w_.queue[queued++] = v;
      take(v, x, y, std::sqrt(squared));
    };
    // The corner c of a triangle a b c, to the left of a b.
    const auto place_third = [&](uint32_t a, uint32_t b, uint32_t c, float ab, float ac, float bc) {
      float dx = w_.x[b] - w_.x[a], dy = w_.y[b] - w_.y[a];
      const float d = std::sqrt(dx * dx + dy * dy);
      // Around a tube, the two sides of the search meet where they are far apart in the plane.
      if (!(std::abs(d - ab) < kMaxMismatch * d)) return;
      dx /= d, dy /= d;
      const Corner at = corner(ab, ac, bc);
      place(c, w_.x[a] + dx * at.along - dy * at.height, w_.y[a] + dy * at.along + dx * at.height);
    };
    place(centre, 0, 0);
    const Around middle = fan_of(centre);
    if (middle.count == 0) return;
    place(middle.edges[0], length_of(centre, middle.edges[0]), 0);
    while (done < queued) {
      const uint32_t v = w_.queue[done++];
      const Around fan = fan_of(v);
      const float* sides = sides_of(v);
      for (bool placed = true; placed;) {
        placed = false;
        for (uint32_t t = 0; t < fan.count; ++t) {
          const uint32_t b = fan.edges[2 * t], c = fan.edges[2 * t + 1];
          const bool has_b = w_.stamps[b] == stamp_, has_c = w_.stamps[c] == stamp_;
          if (has_b == has_c) continue;
          const float* side = sides + 3 * t;
          if (has_b)
            place_third(v, b, c, side[0], side[1], side[2]);
          else
            place_third(c, v, b, side[1], side[2], side[0]);
          placed |= w_.stamps[b] == stamp_ && w_.stamps[c] == stamp_;
        }
      }
    }
  }

 private:
  float* sides_of(uint32_t v) const { return w_.sides + 3 * size_t{m_.around.first[v]}; }

  static constexpr float kMaxMismatch = 0.2f;  // of the length of a laid out edge
  static constexpr float kMinDistance = 0.9f;  // of the straight one at rest
  const LengthMesh& m_;
  UnfoldScratch w_;
  uint32_t stamp_ = 0;
};

}  // namespace billow
