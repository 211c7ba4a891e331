// What chains, colliders and mesh look like to someone who looks for a fault: lines, points and triangles in world space,
// through the caller's functions. Reads the state and changes nothing.
#pragma once

#include <billow/billow.h>

#include "runtime/instance.h"

namespace billow {

// Draws through those of the caller's functions that there are.
class Pen {
 public:
  explicit Pen(const billow_debug_draw& to) : to_(to) {}
  void line(V3 from, V3 to, uint32_t colour) const {
    const float ends[2][3] = {{from.x, from.y, from.z}, {to.x, to.y, to.z}};
    if (to_.line) to_.line(to_.user, ends[0], ends[1], colour);
  }
  void point(V3 at, uint32_t colour) const {
    const float place[3] = {at.x, at.y, at.z};
    if (to_.point) to_.point(to_.user, place, colour);
  }
  void triangle(V3 a, V3 b, V3 c, uint32_t colour) const {
    const float corners[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
    if (to_.triangle) to_.triangle(to_.user, corners[0], corners[1], corners[2], colour);
  }

 private:
  billow_debug_draw to_;
};

// `what`: billow_debug values. Each draws those that it has.
void draw_body(const Body& body, uint32_t what, const Pen& pen);
void draw_chains(const Chains& chains, uint32_t what, const Pen& pen);
void draw_mesh(const Instance& instance, uint32_t what, const Pen& pen);  // patches and strain

}  // namespace billow
