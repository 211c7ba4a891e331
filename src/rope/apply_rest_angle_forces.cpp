// Forces toward the rest angles between consecutive ropes.
//
// From the root to the tip, a rotation is accumulated that takes the rest shape to the present one: the
// root's own rotation, then at each rope the smallest rotation from its expected direction to its actual one.
// The expected direction of the next rope is its rest direction under that rotation. The force k (expected -
// actual) acts on the bone, its opposite on the parent.
#include "rope/stages.h"

namespace billow {
namespace {

struct Quat4 {
  F4 x, y, z, w;
};

V3x4 rotate(const Quat4& q, V3x4 v) {
  V3x4 u{q.x, q.y, q.z};
  V3x4 t = cross(u, v) * 2.0f;
  return v + t * q.w + cross(u, t);
}

// b after a, normalised.
Quat4 compose(const Quat4& b, const Quat4& a) {
  Quat4 q{b.w * a.x + b.x * a.w + b.y * a.z - b.z * a.y, b.w * a.y - b.x * a.z + b.y * a.w + b.z * a.x,
          b.w * a.z + b.x * a.y - b.y * a.x + b.z * a.w, b.w * a.w - b.x * a.x - b.y * a.y - b.z * a.z};
  F4 s = splat(1.0f) / sqrt(max(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1e-20f));
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}

// The smallest rotation from unit a to unit b (not normalised); by 180 degrees about any axis if they are
// opposite.
Quat4 rotation_between(V3x4 a, V3x4 b) {
  V3x4 axis = cross(a, b);
  F4 w = 1.0f + dot(a, b);
  M4 opposite = w < 1e-6f;
  M4 along_x = abs(a.x) > 0.7f;
  V3x4 other = {select(along_x, -a.y, zero()), select(along_x, a.x, -a.z), select(along_x, zero(), a.y)};
  axis = select(opposite, other, axis);
  return {axis.x, axis.y, axis.z, select(opposite, zero(), w)};
}

}  // namespace

void apply_rest_angle_forces(ChainSet& set, float dt) {
  const Layout& lay = set.layout;
  const size_t pitch = static_cast<size_t>(lay.pitch);
  const float s = spring_step(set.settings, dt);
  for (int g = 0; g < lay.groups(); ++g) {
    size_t root = lay.group_at(0, g);
    Quat4 q{load(set.root_rotation[0] + root), load(set.root_rotation[1] + root),
            load(set.root_rotation[2] + root), load(set.root_rotation[3] + root)};
    for (int i = 1; i < lay.levels; ++i) {
      size_t at = lay.group_at(i, g);
      Rope4 rope = rope_at(set, set.x, i, g);
      V3x4 expected = rotate(q, load(set.rest_direction, at));
      F4 w = load(set.w + at), w_parent = load(set.w + at - pitch);
      // As a spring across the rope its stiffness is k / l.
      F4 k = load(set.rest_angle + at);
      k = k / (1.0f + (2.0f * s * s) * (w + w_parent) * k / load(set.max_length + at));
      V3x4 f = (expected - rope.direction) * (k * load(set.is_bone + at));
      store(set.acceleration, at, load(set.acceleration, at) + f * w);
      store(set.acceleration, at - pitch, load(set.acceleration, at - pitch) - f * w_parent);
      q = compose(rotation_between(expected, rope.direction), q);
    }
  }
}

}  // namespace billow
