// The data of a set of rope chains, as structure of arrays: row `level` holds bone `level` of every chain
// side by side, so that four chains are advanced at once and a bone's neighbours on the next chains are its
// neighbours in memory. Level 0 holds the kinematic roots.
//
// Notation (paper, Section "Velocity Update"): x, v positions and velocities of the virtual bones,
// l_i = x_i - x_{i-1}, L_i = l_max,i, w_i = 1 / M_i with w_0 = 0, T_i tension of the rope above bone i.
#pragma once

#include <cstdint>

#include "core/arena.h"
#include "core/vec.h"
#include "sdf/bounds.h"

namespace billow {

inline constexpr int kMaxLevels = 256;  // bones of one chain, root included

struct Layout {
  int chains = 0;
  int levels = 0;  // of the longest chain
  int pitch = 0;   // floats from one level to the next
  bool neighbours = false;
  bool closed = false;

  // Four floats of padding on both sides of a row let neighbours be loaded without a branch.
  int groups() const { return round_up_lanes(chains) / kLanes; }
  size_t at(int level, int chain) const { return static_cast<size_t>(level) * pitch + kLanes + chain; }
  size_t group_at(int level, int group) const { return at(level, group * kLanes); }
  size_t row_floats() const { return static_cast<size_t>(levels) * pitch; }
};

enum class Solver { kDirect, kSweeps, kTolerance };

struct SolverSettings {
  Solver method = Solver::kDirect;
  int sweeps = 1;
  float tolerance = 1e-6f;
  bool warm_start = false;
};

// When impulses are applied: flags.
enum ImpulseStage : unsigned {
  kAfterFirstVelocity = 1,
  kAfterMove = 2,
  kAfterCollision = 4,
  kAfterSecondVelocity = 8,
};

// The settings that are not per bone.
struct RopeSettings {
  V3 gravity{0, -9.81f, 0};
  float global_damping = 0;
  float panel_drag = 0, panel_lift = 0, panel_folds = 0, air_density = 1.2f;
  SolverSettings tension, impulse;
  unsigned impulses = kAfterSecondVelocity;
  float tautness = 1e-2f;
  float gap_return = 0.2f;
  bool move_with_parent = true;
  int min_substeps = 1, max_substeps = 8;
  float substep_angle = 0.1f;
  float learnt_force = 1;
  float self_contact = 0;
  float rest_speed = 0.01f;
  float sleep_after = 1;
  bool energy_guard = true;

  bool push_along_history = true, velocity_along_history = true;
  bool line_search = false;
  int push_iterations = 2;
  float push_extra = 0;
  float friction = 0.3f;
  int alternations = 1;
  int rope_samples = 1, lateral_samples = 3;
  bool swept = true;
  uint32_t rigid_groups = kAllGroups, soft_groups = 0, yielding_groups = 0;  // of colliders, one bit each
  float softness[kColliderGroups] = {};

  // Which optional forces are not zero, so that the others cost nothing.
  bool has_drag = false, has_damping = false, has_lateral = false, has_shear = false, has_rest_angle = false,
       has_shrink = false, has_self_contact = false;
  bool has_panels() const { return panel_drag > 0 || panel_lift > 0; }
};

// Air velocity.
struct Wind {
  V3 velocity{0, 0, 0};
  float gust = 0, gust_frequency = 0.5f;
  uint32_t seed = 0;
  void (*field)(void* user, double time, const float* points, uint32_t count, float* velocities) = nullptr;
  void* user = nullptr;
  bool any() const { return field || velocity.x != 0 || velocity.y != 0 || velocity.z != 0; }
};

// Outputs of a step beside the state.
struct Outcome {
  bool energy_limited = false;
  bool recovered = false;
  float collider_work = 0;
};

struct Rope4;
// How a contact holds a bone (solver.h).
struct Hold4 {
  F4 keep;      // 1: free, 0: cannot move
  V3x4 normal;  // cannot move along it; zero: free
};
// Scratch of the linear systems of four chains, one entry per level (solver.h).
struct RopeScratch {
  F4 *diagonal = nullptr, *next = nullptr, *rhs = nullptr, *solution = nullptr, *ratio = nullptr;
  M4 *taut = nullptr, *active = nullptr;
  Rope4* ropes = nullptr;
  Hold4* hold = nullptr;
  V3x4* vectors = nullptr;
};
// Result of the broad phase (find_candidates.cpp): colliders that can touch one group of chains at the
// current level.
struct BroadPhase {
  uint64_t overlapping[kMaxColliders / 64];  // within reach at the sub-step's end, one bit each
  int swept_count = 0;
  uint8_t swept[kMaxColliders];  // may be passed through within the sub-step, for CCD: collider indices
  bool empty = true;
};
// Pushes of the lateral segments on their end bones, one row each (segment c joins chain c to chain c + 1).
struct LateralScratch {
  float* touched = nullptr;
  Rows3 near_shift, far_shift;
  Rows3 normal, velocity, gradient;  // as for a bone: N, v_phi, grad phi
  float *collider = nullptr, *grip = nullptr;
};

// Panels that a bone may meet (find_self_contacts.cpp): those of so many chains to each side, of its level and so many above
// and below.
inline constexpr int kSelfContactChains = 4, kSelfContactLevels = 2;
// Bones and panels of the garment in rows with margins, and on which sides of panels bones are.
struct SelfContactRows {
  static constexpr int kMargin = 2 * kLanes;
  static constexpr int kSlots = 2 * kSelfContactChains * (2 * kSelfContactLevels + 1);
  static size_t side_bytes(const Layout& lay) {
    return lay.neighbours ? static_cast<size_t>(lay.levels * lay.groups() * kSlots) : 0;
  }
  int columns = 0;           // of a row
  uint8_t* sides = nullptr;  // state: for each level and group one byte per panel

  // Scratch.
  Rows3 x, push;  // x: relative to the first root; push: an acceleration
  float* w = nullptr;
  Rows3 across, along, normal;  // planes of panels: coordinate = dot(x, plane) - at
  float *across_at = nullptr, *along_at = nullptr, *normal_at = nullptr, *length = nullptr;
};

struct ChainSet {
  Layout layout;
  RopeSettings settings;
  Wind wind;

  // Description, fixed at creation.
  int* bones = nullptr;              // per chain, root included
  float* rest_length = nullptr;      // rows: maximum rope length at scale 1
  Rows3 rest;                        // rest position in the frame of the chain's root
  Rows3 rest_direction;              // rest rope direction in the frame of the chain's root
  float* rest_lateral = nullptr;     // rest distance to the next chain's bone; < 0: no such neighbour
  float* longest_lateral = nullptr;  // distance above which it is stretched; not less than the rest distance
  float* mass_factor = nullptr;
  float* area = nullptr;     // of the cloth that a bone represents
  float* is_bone = nullptr;  // 1 for simulated bones, 0 for roots and padding

  // Expanded from the settings.
  float *mass = nullptr, *w = nullptr;
  float* max_length = nullptr;
  // Of the edge to the next chain: length below which it is compressed, length above which it is stretched,
  // sum of w.
  float *lateral_length = nullptr, *lateral_longest = nullptr, *lateral_w = nullptr;
  // Of the panel between this rope and the next chain's, spread out: area and diagonal.
  float *panel_area = nullptr, *panel_diagonal = nullptr;
  float* loose_area = nullptr;  // of the cloth that a bone represents and that is in no panel
  float *drag = nullptr, *damping = nullptr, *stretch = nullptr, *compression = nullptr, *shear = nullptr;
  float *rest_angle = nullptr, *shrink = nullptr, *radius = nullptr;

  // State.
  Rows3 x, v;
  float *tension = nullptr, *impulse = nullptr;
  float* energy_lost = nullptr;  // one row: see guard_energy.cpp
  V3 wind_origin{0, 0, 0};       // where the place is that was the origin before all shifts: gusts are there

  // The roots during a sub-step.
  V3 common_motion{0, 0, 0};     // approximate displacement of all of them
  Rows3 root_target;             // one row: positions at its end
  float* root_rotation[4] = {};  // one row each: x y z w

  // Scratch of a sub-step.
  Rows3 x_before;      // at its start
  Rows3 acceleration;  // of the external forces, F_ext / M
  Rows3 acceleration_before;
  Rows3 learnt;                      // part of it: runtime/learnt_force.h
  Rows3 self_push;                   // part of it: find_self_contacts.cpp
  Rows3 edge;                        // one row: forces on the edges or panels between neighbours
  Rows3 air;                         // wind at the bones
  float* air_points = nullptr;       // chains * 3
  float* air_velocities = nullptr;   // chains * 3
  float* start_energy = nullptr;     // one row: kinetic energy relative to the root
  float* collider_energy = nullptr;  // one row: work done by colliders
  LateralScratch lateral;
  SelfContactRows self;
  RopeScratch rope;
  bool has_learnt = false;
  float* distance = nullptr;  // of the bones from the body, up to the range that collide() queried
  ColliderBounds bounds;
  BroadPhase* broad_phase = nullptr;  // per group
  // Contacts of the sub-step: 1 for bones held by the body, 2 for those that stick to it, the contact's normal N
  // and the body's velocity v_phi.
  float* held = nullptr;
  float* grip = nullptr;  // 1; 0 on limbs that yield, along which cloth slides freely
  Rows3 touch_normal, touch_velocity;
  // Contacts of the whole step: normal and collider (-1: none) of each bone.
  Rows3 contact_normal;
  float* contact_collider = nullptr;
  float* trouble = nullptr;  // 1: rope shortened to stay outside, 2: enclosed
};

// Allocates the rows in `arena`. Call once to measure, once with memory.
void allocate(ChainSet& set, Arena& arena);

// Present state of rope i of four chains.
struct Rope4 {
  V3x4 direction;  // l / |l|
  F4 length;
  F4 gap;  // to its maximum length
  M4 taut;
};

inline Rope4 rope_at(const ChainSet& set, const Rows3& x, int level, int group) {
  size_t at = set.layout.group_at(level, group);
  V3x4 l = load(x, at) - load(x, at - static_cast<size_t>(set.layout.pitch));
  F4 l2 = dot(l, l);
  M4 ok = l2 > 1e-20f;
  F4 len = sqrt(select(ok, l2, splat(1e-10f)));
  V3x4 direction = select(ok, l * (splat(1.0f) / len), splat(V3{0, -1, 0}));
  F4 longest = load(set.max_length + at);
  M4 taut = len >= longest * (1.0f - set.settings.tautness);
  return {direction, len, max(longest - len, 0.0f), taut & (load(set.w + at) > 0.0f)};
}

}  // namespace billow
