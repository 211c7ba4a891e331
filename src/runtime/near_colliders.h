// The colliders that cloth may meet in a frame, as one list: all of its body, and of other bodies (ground, furniture, other
// characters) those that come near. A far one costs one test a frame.
#pragma once

#include "sdf/body.h"

namespace billow {

struct Bodies {
  const Body* body = nullptr;  // may be null
  const Body* const* others = nullptr;
  int other_count = 0;
};

// A sphere that the cloth does not leave in this frame.
struct Region {
  V3 centre{0, 0, 0};
  float radius = 0;
};

// One of the list, with its way over the frame.
struct NearCollider {
  const Collider* collider = nullptr;
  float scale = 1;
  int index = 0;        // in the lists of all bodies, one after the other
  int blend_with = -1;  // in this list
  Transform from, to;
  bool changes = false;  // its shape does
};

// What happens to colliders on the way: nothing, or they stand at its end, or they start elsewhere.
struct ColliderStart {
  bool at_end = false;
  const Transform* motion = nullptr;  // of their starts
};

// Fills `out`, which has room for all, and returns how many come near. Those of the body come first, at their own indices.
int find_near_colliders(const Bodies& bodies, const Region& cloth, const ColliderStart& start,
                        NearCollider* out);

// Over a part of the frame, as pose_collider() in sdf/body.h.
PosedCollider pose_collider(const NearCollider& near, const Transform& from, const Transform& to,
                            V3 common = {0, 0, 0});

}  // namespace billow
