// The data of a batch as the team sees it: tables that all clips share, the state of a clip, the input of a
// frame. Pointers are to the memory of the device that simulates. SI units.
//
// Tables per vertex with several entries are stored entry by entry, not vertex by vertex: neighbouring threads
// then read neighbouring addresses. Vertex indices have 16 bits, which halves what is read.
#pragma once

#include <cstdint>

#include "cloth/batch/body.h"
#include "cloth/constants.h"
#include "core/vec.h"

namespace billow::cloth {

inline constexpr uint32_t kMaxBatchVertices = 65535;

// The grid of self-contact repeats after this many cells along each axis: cells that share a bucket are so
// far apart that the distance test tells them apart.
inline constexpr int kBucketBits = 5;
inline constexpr uint32_t kBuckets = 1u << (3 * kBucketBits);
static_assert(kBuckets % kTeamThreads == 0);

// Vectors as structure of arrays: entry i has x, y and z at i, stride + i and 2 * stride + i.
struct Rows {
  float* at;
  uint32_t stride;
};
BILLOW_HD inline V3 get(const Rows& r, uint32_t i) {
  return {r.at[i], r.at[r.stride + i], r.at[2 * r.stride + i]};
}
BILLOW_HD inline void set(const Rows& r, uint32_t i, V3 value) {
  r.at[i] = value.x;
  r.at[r.stride + i] = value.y;
  r.at[2 * r.stride + i] = value.z;
}

// Of a stretch edge.
struct alignas(16) EdgeTerms {
  float rest2;                           // squared rest length
  float inverse_mass_a, inverse_mass_b;  // of its ends
  float compliance;
};

struct BatchSheet {
  uint32_t vertices, triangles, pinned, groups;
  float damping, thickness, friction, self_friction, drag, lift;  // as in Material
  float self_distance, min_rest_distance;                         // m
  const float* inverse_mass;
  const uint32_t* group_start;
  const uint32_t* edge_ends;  // a in the low half, b in the high half
  const EdgeTerms* edge_terms;
  // Bending: entry k of vertex v is at k * vertices + v.
  const uint8_t* bend_count;
  const uint16_t* bend_column;
  const float* bend_value;
  // Corners of the triangles, and the triangles around a vertex in ascending order.
  const uint32_t* corners;  // corner k of triangle t is at k * triangles + t
  const uint8_t* around_count;
  const uint32_t* around;
  Rows rest_position;
  const uint32_t* pin;  // by vertex: its place in `pinned_vertex`, if its inverse mass is 0
  const uint32_t* pinned_vertex;
};

struct BatchForces {
  V3 gravity, wind;
  float air_density, damping;
  bool self_contact;
};

inline constexpr uint8_t kGrips = 1, kSlides = 2;

// The state of a clip.
struct ClipState {
  V3* x;
  Rows previous, v, air, soft, acceleration;
  Rows damped;              // x + damping * v, that bending acts on
  Rows change_x, change_v;  // of self-contact
  Rows normal, motion;      // of body contacts
  float* offset;
  uint8_t* touches;          // a vertex's body contact: none, kGrips, or kSlides on limbs that yield
  Rows triangle_force;       // of the air
  V3 *target, *last_target;  // of the pinned vertices
  uint16_t* pairs;           // candidates: number k of vertex v is at k * vertices + v
  uint8_t* pair_count;
  uint32_t* bucket_start;    // kBuckets + 1
  uint16_t *members, *slot;  // vertices by bucket; place of a vertex in its bucket
  float* margin_left;        // m, as in SelfContact
};

// The input of one frame of a clip.
struct ClipFrame {
  uint32_t active;  // 0: the clip stays as it is
  uint32_t steps, substeps, air_every, bend_every_substep;
  float step_time, h;      // s, of a step and a sub-step
  float attachment_share;  // of the way from the pinned vertices to their attachment points
};

struct BatchFrame {
  const ClipFrame* clips;
  const Transform *before, *now;  // colliders of clip c from index c * colliders on
  const V3* attachment_points;    // of clip c from index c * pinned on
};

// All that a frame of all clips needs.
struct BatchArguments {
  BatchSheet sheet;
  BatchForces forces;
  BatchBody body;
  BatchFrame frame;
  const ClipState* states;
  uint32_t clips;
};

}  // namespace billow::cloth
