#include "decode/expand_patches.h"

#include "net/steps.h"

namespace billow {
namespace {

BILLOW_ALWAYS_INLINE void add_to(float* sums, uint32_t vertex, F4 by) {
  float* sum = sums + kLanes * size_t{vertex};
  store(sum, load(sum) + by);
}

}  // namespace

void clear_places(float* sums, size_t vertices) {
  for (size_t i = 0; i < kLanes * (vertices + 1); i += kLanes) store(sums + i, zero());
}

template <class Number>
void add_patch(const Number* local, const uint32_t* vertices, const float* shares, size_t groups,
               const PatchFrame& frame, float* sums) {
  const V3x4 origin = splat(frame.origin), along = splat(frame.along), across = splat(frame.across),
             off = splat(frame.off);
  for (size_t i = 0; i < 2 * groups; ++i) {
    const F4 a = load_whole(local), b = load_whole(local + kPanelRows),
             c = load_whole(local + 2 * kPanelRows), share = load(shares);
    const V3x4 place = along * a + across * b + off * c + origin;
    // In variables of their own: an array would go through memory.
    F4 x = place.x * share, y = place.y * share, z = place.z * share, w = zero();
    transpose(x, y, z, w);
    add_to(sums, vertices[0], x);
    add_to(sums, vertices[1], y);
    add_to(sums, vertices[2], z);
    add_to(sums, vertices[3], w);
    // Four of a group of eight, then the other four.
    local += i % 2 ? 3 * kPanelRows - kLanes : kLanes;
    vertices += kLanes, shares += kLanes;
  }
}

template void add_patch(const float*, const uint32_t*, const float*, size_t, const PatchFrame&, float*);
template void add_patch(const int32_t*, const uint32_t*, const float*, size_t, const PatchFrame&, float*);

void finish_places(const float* sums, size_t vertices, V3 origin, float* positions) {
  const float moved[kLanes] = {origin.x, origin.y, origin.z, 0};
  const F4 to = load(moved);
  // The fourth lane falls on the next vertex, which then gets its own.
  for (size_t v = 0; v < vertices; ++v)
    store(positions + 3 * v, clamp(load(sums + kLanes * v), -1e4f, 1e4f) + to);
}

}  // namespace billow
