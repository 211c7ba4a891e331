// A small sheet that hangs from a joint, and its animated cloth as a mesh cache.
#pragma once

#include <cmath>

#include "character/clothed_character.h"
#include "garment/garment.h"
#include "motion/clip.h"
#include "offline/cache/caches.h"

namespace billow::testing {

struct SheetSize {
  uint32_t columns = 5, rows = 5;  // vertices
  float spacing = 0.1f;            // m
};

// `top` is the midpoint of its upper edge, which is attached to a joint. A chain starts at every second
// vertex of the edge.
inline garment::Garment hanging_sheet(const body::Skeleton& skeleton, uint32_t joint, V3 top,
                                      const SheetSize& size = {}) {
  garment::Garment g;
  g.name = "sheet";
  g.key_joint = skeleton.joints[joint].name;
  for (uint32_t row = 0; row < size.rows; ++row)
    for (uint32_t column = 0; column < size.columns; ++column) {
      const float x = size.spacing *
                      (static_cast<float>(column) - 0.5f * static_cast<float>(size.columns - 1)),
                  y = -size.spacing * static_cast<float>(row);
      g.pattern_uvs.push_back({x, y});
      g.shape.push_back(top + V3{x, y, 0});
      const uint32_t v = size.columns * row + column;
      g.bones.push_back({{v, v, v}, {1, 0, 0}});
      if (row == 0) g.attachments.push_back({v, {joint, 0, 0, 0}, {1, 0, 0, 0}, g.shape[v]});
      if (row + 1 == size.rows || column + 1 == size.columns) continue;
      g.triangles.push_back({v, v + size.columns, v + size.columns + 1});
      g.triangles.push_back({v, v + size.columns + 1, v + 1});
    }
  g.rest = g.shape;
  for (uint32_t column = 0; column < size.columns; column += 2) {
    g.chains.emplace_back();
    for (uint32_t row = 0; row < size.rows; ++row) g.chains.back().push_back(size.columns * row + column);
  }
  return g;
}

// The sheet swings rigidly about its upper edge, which follows the joint.
inline cache::Frames swinging(const garment::Garment& g, const body::Skeleton& skeleton,
                              const motion::Clip& clip) {
  cache::Frames out{{g.size(), g.triangles, {}, {}}, static_cast<double>(clip.frames_per_second), {}};
  const uint32_t joint = g.attachments[0].joints[0];
  const Transform rest = body::rest_transforms(skeleton)[joint];
  for (size_t f = 0; f < clip.frames.size(); ++f) {
    const Transform moved = body::joint_transforms(skeleton, clip.frames[f])[joint] * inverse(rest);
    const Quat swing = body::rotation_about({1, 0, 0}, 0.3f * std::sin(0.4f * static_cast<float>(f)));
    out.positions.emplace_back();
    for (const V3& p : g.rest) {
      const V3 hinge{p.x, g.rest[0].y, p.z};
      out.positions.back().push_back(apply(moved, hinge + rotate(swing, p - hinge)));
    }
  }
  return out;
}

// Moves forwards and turns, at 30 frames per second.
inline motion::Clip stroll(const body::Skeleton& skeleton, size_t frames, float turn = 0.02f) {
  motion::Clip clip;
  clip.name = "stroll";
  for (size_t f = 0; f < frames; ++f) {
    clip.frames.push_back(body::rest_pose(skeleton));
    clip.frames.back().root_position.z += 0.01f * static_cast<float>(f);
    clip.frames.back().rotations[0] = body::rotation_about({0, 1, 0}, turn * static_cast<float>(f));
  }
  return clip;
}

}  // namespace billow::testing
