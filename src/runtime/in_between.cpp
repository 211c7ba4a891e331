#include "runtime/in_between.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/instance.h"

namespace billow {
namespace {

// The mesh in the frame of the key joint, to `to`. Loops that compilers vectorise.
void store_places(Instance& i, const Transform& key, float scale, int16_t* to) {
  const RigidMatrix turn = to_matrix(key);
  const size_t vertices = i.garment->vertices();
  float* const local = i.displacements;  // of no use after the decoders
  for (size_t v = 0; v < vertices; v += kLanes) {
    V3x4 p;
    load_points(i.positions + 3 * v, p.x, p.y, p.z);
    p = apply_transposed(turn, (p - lanes<F4>(key.position)) * splat(1 / (scale * kPlaceUnit)));
    store_points(local + 3 * v, p.x, p.y, p.z);
  }
  for (size_t k = 0; k < 3 * vertices; ++k) {
    const float place = local[k] < -32767 ? -32767 : local[k] < 32767 ? local[k] : 32767;  // for NaN the last
    to[k] = static_cast<int16_t>(static_cast<int>(place + std::copysign(0.5f, place)));
  }
}

// What is shown, in the world. With `part` it first goes that part of the way to what was computed. Blocks that stay in the nearest cache.
void show_places(Instance& i, const Transform& key, float scale, float part) {
  constexpr size_t kBlock = 64;  // vertices
  InBetween& b = i.between;
  const RigidMatrix turn = to_matrix(key);
  const size_t vertices = i.garment->vertices();
  float local[3 * (kBlock + kLanes)] = {};
  for (size_t first = 0; first < vertices; first += kBlock) {
    const size_t count = std::min(kBlock, vertices - first);
    int16_t* const shown = b.shown + 3 * first;
    const int16_t* const computed = b.computed + 3 * first;
    for (size_t k = 0; k < 3 * count && part > 0; ++k) {
      const float way = static_cast<float>(computed[k] - shown[k]) * part;
      shown[k] = static_cast<int16_t>(shown[k] + static_cast<int>(way + std::copysign(0.5f, way)));
    }
    for (size_t k = 0; k < 3 * count; ++k) local[k] = shown[k];
    for (size_t v = 0; v < count; v += kLanes) {
      V3x4 p;
      load_points(local + 3 * v, p.x, p.y, p.z);
      p = rotate_by(turn, p) * splat(scale * kPlaceUnit) + lanes<F4>(key.position);
      store_points(i.positions + 3 * (first + v), p.x, p.y, p.z);
    }
  }
}

// As in the stage "follow", which runs in due frames only.
Transform key_motion(const Instance& i, const FrameInput& in) {
  const uint32_t key = i.garment->view.record->key_joint;
  Transform local = i.garment->joint_rest_inverse[key];
  local.position = local.position * in.scale;
  return in.joints[key] * local;
}

bool equal_bits(const Transform& a, const Transform& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

void take_in_between(size_t vertices, Arena& arena, InBetween& b) {
  b.values = 3 * vertices;
  b.shown = arena.take<int16_t>(b.values);
  b.computed = arena.take<int16_t>(b.values);
  if (!b.shown) return;
  for (int16_t* places : {b.shown, b.computed}) std::fill_n(places, b.values, int16_t{0});
}

bool is_due(const Instance& i, const FrameInput& in) {
  const InBetween& b = i.between;
  const uint32_t interval = i.options.interval;
  if (interval <= 1 || in.teleport != Teleport::kNone || (in.mesh && !b.known)) return true;
  return in.dt > 0 ? (b.frame + i.options.stagger) % interval == 0 : !in.mesh;
}

void keep_shown(Instance& i) {
  InBetween& b = i.between;
  const bool wanted = b.blend != 0;
  b.blend = 0;
  if (!wanted) return;
  if (!b.known) {
    if (i.skipped_mesh || !b.shows) return;  // nothing is shown that could be kept
    store_places(i, b.key, b.scale, b.shown);
  }
  b.known = 1;
  b.left = i.options.blend;
}

bool show_in_between(Instance& i, const FrameInput& in, bool due, bool now) {
  InBetween& b = i.between;
  if (in.dt > 0) ++b.frame;
  const uint32_t interval = i.options.interval;
  if (!in.mesh || in.teleport == Teleport::kReset) b.known = 0, b.left = 0;
  if (!in.mesh) return false;
  const Transform key = key_motion(i, in);
  const bool stays = b.shows && b.scale == in.scale && equal_bits(b.key, key);
  if (in.teleport != Teleport::kNone || b.scale == 0)
    b.before = key;
  else if (in.dt > 0)
    b.before = b.key;
  b.key = key, b.scale = in.scale, b.shows = true;
  if (interval <= 1 && b.left == 0) {
    b.known = 0;
    return now;
  }
  // A mesh that was not computed again is that of the same joints: the chains sleep.
  if (now || !b.known) store_places(i, key, in.scale, b.computed);
  if (!b.known) {
    std::copy_n(b.computed, b.values, b.shown);
    b.known = 1;
    return true;
  }
  if (due && interval > 1) b.left = std::max(b.left, interval);
  const bool goes_on = in.dt > 0 && b.left > 0;
  if (!goes_on && !now && stays) return false;
  show_places(i, key, in.scale, goes_on ? 1 / static_cast<float>(b.left--) : 0);
  return true;
}

}  // namespace billow
