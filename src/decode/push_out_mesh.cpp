#include "decode/push_out_mesh.h"

#include "sdf/query_points.h"

namespace billow {
namespace {

// How often what is still inside is pushed again. The second push gets nearly all; the rest sit in creases.
constexpr int kMostRounds = 16;

// f of the header: c + s / (2 - t) with t = (phi - c) / s. It has value and slope of the identity at t = 1.
float compressed(float phi, const PushOutSettings& s) {
  const float t = (phi - s.clearance) / s.softness;
  return s.clearance + s.softness / (2.0f - t);
}

void move_along(float* p, const float* gradient, float by) {
  for (int k = 0; k < 3; ++k) p[k] += gradient[k] * by;
}

}  // namespace

PushOutResult push_out_mesh(const PosedCollider* colliders, int collider_count, float* positions, size_t vertices,
                            const PushOutSettings& settings, const PushOutRoom& room) {
  PushOutResult result;
  if (collider_count == 0) return result;
  ColliderBounds bounds;
  bound_colliders(bounds, colliders, collider_count);
  const float limit = settings.clearance + settings.softness;
  query_points(colliders, bounds, positions, vertices, limit, room.distances, room.gradients, nullptr);

  // Push everything that is near, and note what may have gone into something else.
  uint32_t left = 0;
  for (size_t v = 0; v < vertices; ++v) {
    const float phi = room.distances[v];
    if (!(phi < limit)) continue;
    const float by = compressed(phi, settings) - phi;
    move_along(positions + 3 * v, room.gradients + 3 * v, by);
    ++result.moved;
    if (phi - by < 0) room.vertices[left++] = static_cast<uint32_t>(v);
  }

  // Push what is still inside, a little farther each time.
  for (int round = 0; round < kMostRounds && left > 0; ++round) {
    for (uint32_t i = 0; i < left; ++i)
      for (int k = 0; k < 3; ++k) room.points[3 * i + k] = positions[3 * room.vertices[i] + k];
    const float wanted = 0.5f * settings.clearance;
    query_points(colliders, bounds, room.points, left, wanted, room.distances, room.gradients, nullptr);
    uint32_t next = 0;
    result.inside = 0;
    for (uint32_t i = 0; i < left; ++i) {
      const float phi = room.distances[i];
      if (!(phi < wanted)) continue;
      result.inside += phi < 0;
      const uint32_t v = room.vertices[i];
      move_along(positions + 3 * v, room.gradients + 3 * i, settings.clearance - phi);
      room.vertices[next++] = v;
    }
    left = next;
  }
  return result;
}

}  // namespace billow
