// Collision of the lateral segments between neighbouring chains, so that a leg cannot slip through a skirt.
//
// Each segment finds its deepest sample point, pushes it out like a bone, and moves as a whole by that. A
// bone with a segment on either side takes the mean of what they ask for. (Sharing the push by nearness to
// the ends instead makes segments rock from sample to sample at rest.)
#include <initializer_list>

#include "rope/collide.h"
#include "rope/stages.h"

namespace billow {
namespace {

// Where on the segments from a to b the body goes deepest; the middle if nowhere.
F4 deepest_sample(const Surroundings& around, V3x4 a, V3x4 b, F4 clearance) {
  F4 deepest = zero(), where = splat(0.5f);
  const int n = around.settings.lateral_samples;
  for (int k = 1; k <= n; ++k) {
    float t = static_cast<float>(k) / static_cast<float>(n + 1);
    F4 depth = clearance - nearest_surface(around.obstacles, a + (b - a) * t, clearance).phi;
    M4 deeper = depth > deepest;
    where = select(deeper, splat(t), where);
    deepest = select(deeper, depth, deepest);
  }
  return where;
}

bool push_segments(ChainSet& set, const Surroundings& around, int level, int group) {
  const Layout& lay = set.layout;
  const size_t at = lay.group_at(level, group), edge = lay.group_at(0, group);
  LateralScratch& out = set.lateral;
  store(out.touched + edge, zero());
  if (around.nothing()) return false;
  M4 exists = load(set.lateral_length + at) > 0.0f;
  if (!any(exists)) return false;
  V3x4 a = load(set.x, at), b = load(set.x, at + 1);
  F4 clearance = select(exists, max(load(set.radius + at), load(set.radius + at + 1)), splat(-kFarAway));
  V3x4 a0 = load(set.x_before, at), b0 = load(set.x_before, at + 1);
  // A segment shorter than its ends' distances from the body together cannot touch it.
  M4 clear = load(set.distance + at) + load(set.distance + at + 1) >= length(b - a) + clearance + clearance;
  bool near = any(exists & ~clear);
  if (!near && !may_pass_through(around, (a + b) * 0.5f, (a0 + b0) * 0.5f, clearance)) return false;
  F4 t = near ? deepest_sample(around, a, b, clearance) : splat(0.5f);
  V3x4 point = a + (b - a) * t;
  Push4 push = push_out(around, point, a0 + (b0 - a0) * t, clearance, clearance);
  if (!any(push.touched)) return false;

  store(out.touched + edge, select(push.touched, splat(1.0f), zero()));
  // What sticks, sticks at both ends.
  V3x4 shift = push.x - point;
  store(out.near_shift, edge,
        select(push.stuck, embed(around.obstacles.colliders, push.near, a0) - a, shift));
  store(out.far_shift, edge, select(push.stuck, embed(around.obstacles.colliders, push.near, b0) - b, shift));
  store(out.normal, edge, push.normal);
  store(out.velocity, edge, body_velocity(around.obstacles.colliders, push.near, push.x, around.inverse_dt));
  store(out.gradient, edge, push.near.gradient);
  store(out.collider + edge, push.near.first);
  return true;
}

// Moves the bones of a level by the mean of what the segments on either side ask for.
void move_bones(ChainSet& set, const Surroundings& around, int level, int group) {
  const Layout& lay = set.layout;
  const LateralScratch& in = set.lateral;
  const size_t at = lay.group_at(level, group), edge = lay.group_at(0, group);
  F4 right = load(in.touched + edge), left = load(in.touched + edge - 1);
  F4 asked = right + left;
  M4 moved = (asked > 0.0f) & (load(set.w + at) > 0.0f);
  if (!any(moved)) return;
  M4 by_right = right > 0.0f, by_left = left > 0.0f;
  V3x4 shift = (select(by_right, load(in.near_shift, edge), zero3()) +
                select(by_left, load(in.far_shift, edge - 1), zero3())) *
               (splat(1.0f) / max(asked, splat(1.0f)));
  V3x4 x = load(set.x, at);
  store(set.x, at, select(moved, settle_bone(set, around, at, select(moved, x + shift, x)), x));

  // Note the contact, unless the bone has one of its own.
  M4 noted = moved & (load(set.held + at) < 1.0f);
  auto note = [&](const Rows3& rows, const Rows3& of_segment) {
    V3x4 value = select(by_right, load(of_segment, edge), load(of_segment, edge - 1));
    store(rows, at, select(noted, value, load(rows, at)));
  };
  note(set.touch_normal, in.normal);
  note(set.touch_velocity, in.velocity);
  note(set.contact_normal, in.gradient);
  store(set.held + at, select(noted, splat(1.0f), load(set.held + at)));
  F4 collider = select(by_right, load(in.collider + edge), load(in.collider + edge - 1));
  store(set.contact_collider + at, select(noted, collider, load(set.contact_collider + at)));
}

// Copies the entry of chain `from` to `to` in one row.
void copy_column(const Rows3& rows, size_t to, size_t from) { set(rows, to, get(rows, from)); }

}  // namespace

void collide_lateral(ChainSet& set, Surroundings around, int level) {
  const Layout& lay = set.layout;
  // On a ring the last segment's far end is chain 0: give it a copy to look at.
  if (lay.closed) {
    for (const Rows3* rows : {&set.x, &set.x_before})
      copy_column(*rows, lay.at(level, lay.chains), lay.at(level, 0));
    set.distance[lay.at(level, lay.chains)] = set.distance[lay.at(level, 0)];
  }
  bool touched = false;
  for (int g = 0; g < lay.groups(); ++g) {
    look_near(around, set, g);
    touched |= push_segments(set, around, level, g);
  }
  if (!touched) return;

  // Chain 0's left segment is the last one of a ring, or none.
  const LateralScratch& s = set.lateral;
  const size_t before = lay.at(0, -1), last = lay.at(0, lay.chains - 1);
  if (lay.closed) {
    for (const Rows3* rows : {&s.far_shift, &s.normal, &s.velocity, &s.gradient})
      copy_column(*rows, before, last);
    for (float* row : {s.collider, s.touched}) row[before] = row[last];
  } else {
    s.touched[before] = 0;
  }
  for (int g = 0; g < lay.groups(); ++g) {
    look_near(around, set, g);
    move_bones(set, around, level, g);
  }
}

}  // namespace billow
