// Colliders as wires: circles, and lines along them.
#include "runtime/debug_draw.h"

namespace billow {
namespace {

constexpr uint32_t kColours[kColliderGroups] = {0x4c9be8ff, 0xe8a04cff, 0x7bd88fff, 0xd87bc4ff,
                                                0xe8d44cff, 0x9b8fe8ff, 0x5fd3d3ff, 0xc8c8c8ff};

// Cosines of the corners of a regular polygon: sines are those a quarter further on.
constexpr int kCorners = 24;
constexpr float kQuarter[] = {1, 0.96592583f, 0.86602540f, 0.70710678f, 0.5f, 0.25881905f};
float cosine(int corner) {
  const int c = corner % kCorners, quarter = c / 6, k = c % 6;
  const float near = kQuarter[k], far = k == 0 ? 0.0f : kQuarter[6 - k];
  return quarter == 0 ? near : quarter == 1 ? -far : quarter == 2 ? -near : far;
}
float sine(int corner) { return cosine(corner + 3 * kCorners / 4); }

class Wires {
 public:
  Wires(const Pen& pen, const Transform& place, uint32_t colour)
      : pen_(pen), place_(place), colour_(colour) {}

  void line(V3 a, V3 b) const { pen_.line(apply(place_, a), apply(place_, b), colour_); }
  // An arc of so many sides of the polygon, from `x` towards `y`.
  void arc(V3 centre, V3 x, V3 y, int sides = kCorners) const {
    for (int k = 0; k < sides; ++k)
      line(centre + x * cosine(k) + y * sine(k), centre + x * cosine(k + 1) + y * sine(k + 1));
  }
  void ellipsoid(V3 half) const {
    const V3 x{half.x, 0, 0}, y{0, half.y, 0}, z{0, 0, half.z};
    arc({0, 0, 0}, x, y), arc({0, 0, 0}, y, z), arc({0, 0, 0}, z, x);
  }
  void box(V3 half) const {
    for (int edge = 0; edge < 12; ++edge) {
      // The edge runs along one axis; two bits say on which sides of the others.
      const float s = edge & 1 ? 1.0f : -1.0f, t = edge & 2 ? 1.0f : -1.0f;
      const int axis = edge / 4;
      const V3 middle = axis == 0   ? V3{0, s * half.y, t * half.z}
                        : axis == 1 ? V3{s * half.x, 0, t * half.z}
                                    : V3{s * half.x, t * half.y, 0},
               along = axis == 0   ? V3{half.x, 0, 0}
                       : axis == 1 ? V3{0, half.y, 0}
                                   : V3{0, 0, half.z};
      line(middle - along, middle + along);
    }
  }
  // Along y. The cone between the spheres touches each `taper` of its radius further on.
  void capsule(float length, float radius, float radius_end, float taper) const {
    const float narrow = std::sqrt(1 - taper * taper);
    const V3 ends[2] = {{0, radius * taper, 0}, {0, length + radius_end * taper, 0}};
    const float radii[2] = {radius * narrow, radius_end * narrow};
    for (int end = 0; end < 2; ++end) arc(ends[end], {radii[end], 0, 0}, {0, 0, radii[end]});
    for (const V3 side : {V3{1, 0, 0}, V3{-1, 0, 0}, V3{0, 0, 1}, V3{0, 0, -1}})
      line(ends[0] + side * radii[0], ends[1] + side * radii[1]);
    for (const V3 side : {V3{1, 0, 0}, V3{0, 0, 1}}) {
      arc({0, 0, 0}, side * radius, {0, -radius, 0}, kCorners / 2);
      arc({0, length, 0}, side * radius_end, {0, radius_end, 0}, kCorners / 2);
    }
  }
  // A grid of a metre's width and its normal.
  void plane() const {
    constexpr float kHalf = 0.5f, kStep = 0.25f;
    for (int k = -2; k <= 2; ++k) {
      const float at = kStep * static_cast<float>(k);
      line({at, 0, -kHalf}, {at, 0, kHalf}), line({-kHalf, 0, at}, {kHalf, 0, at});
    }
    line({0, 0, 0}, {0, kHalf, 0});
  }

 private:
  const Pen& pen_;
  Transform place_;
  uint32_t colour_;
};

}  // namespace

void draw_body(const Body& body, uint32_t what, const Pen& pen) {
  if (!(what & BILLOW_DEBUG_COLLIDERS)) return;
  for (int k = 0; k < body.collider_count; ++k) {
    const Collider& c = body.colliders[k];
    const float s = body.scale, radius = c.radius * s;
    const Wires wires(pen, body.now[k], kColours[c.group]);
    switch (c.shape) {
      case Shape::kSphere:
      case Shape::kCustom:
        wires.ellipsoid({radius, radius, radius});
        break;
      case Shape::kCapsule:
      case Shape::kTaperedCapsule:
        wires.capsule(c.length * s, radius, radius - c.taper * c.length * s, c.taper);
        break;
      case Shape::kEllipsoid:
        wires.ellipsoid(c.half * s);
        break;
      case Shape::kBox:
      case Shape::kGrid:
      case Shape::kNeural:
        wires.box(c.half * s);
        break;
      case Shape::kHalfSpace:
        wires.plane();
        break;
    }
  }
}

}  // namespace billow
