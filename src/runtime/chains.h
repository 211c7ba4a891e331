// Rope chains as an engine uses them: the rope core, plus everything around a frame (roots, spaces,
// teleports, pauses, sub-steps, recovery, saved state).
#pragma once

#include <cstdint>

#include "rope/chain_set.h"
#include "rope/stages.h"
#include "runtime/learnt_force.h"
#include "runtime/near_colliders.h"
#include "runtime/sleep.h"

namespace billow {

enum class Teleport { kNone, kReset, kKeep };

enum class Stage { kFollow, kForces, kAccelerate, kMove, kCollide, kImpulses, kGuard, kCount };
inline constexpr int kStageCount = static_cast<int>(Stage::kCount);
const char* stage_name(Stage stage);

// A parameter along a chain (billow_curve).
struct Curve {
  float value = 0;
  int point_count = 0;
  float points[8] = {};
  float at(float depth) const;
  bool any() const;
};

struct Settings {
  RopeSettings rope;
  Curve mass{0.02f}, drag, damping, lateral_stretch, lateral_compression, lateral_shear, rest_angle, shrink,
      radius{0.005f};
  float translation_inertia = 1, rotation_inertia = 1;
  Teleport teleport = Teleport::kKeep;
  float teleport_distance = 1e30f, teleport_angle = 1e30f;
  float scale = 1;
  bool profile = false;
};

struct Report {
  unsigned flags = 0;
  int substeps = 0;
  int contacts = 0, trapped = 0, enclosed = 0;
  float collider_work = 0;
  double stage_seconds[kStageCount] = {};
};

enum Flag : unsigned {
  kFlagTeleported = 1,
  kFlagRecovered = 2,
  kFlagTrapped = 4,
  kFlagEnclosed = 8,
  kFlagEnergyLimited = 16,
  kFlagSubstepsCapped = 32,
  kFlagAsleep = 64,
};

struct StepInput {
  float dt = 0;
  const Transform* roots = nullptr;  // one per chain
  const Transform* space = nullptr;  // may be null
  const Body* body = nullptr;        // may be null
  const Body* const* others = nullptr;
  int other_count = 0;
  float coarseness =
      1;  // sub-steps are so many times longer than they should be: for chains far from the camera
  bool still = false;  // colliders stand where they are at the end

  Bodies bodies() const { return {body, others, other_count}; }
};

struct Chains {
  ChainSet set;
  Settings settings;
  Report report;
  int max_colliders = 0;
  int bone_total = 0;
  ForceAxes* force_axes = nullptr;  // one per chain
  LearntForce force;

  // State beside the rows of `set`.
  double time = 0;
  float force_left = 0;        // s, until the learnt force is evaluated again
  Transform* roots = nullptr;  // at the end of the last step
  Transform space;             // likewise
  uint8_t has_space = 0;       // flags are bytes, so that any saved value may be loaded
  uint8_t started = 0;         // placed on its roots
  uint8_t fresh = 0;           // placed since the last step: takes the velocity of its roots in the next one
  uint8_t paused = 0;
  Sleep sleep;
  Rows3 rest_places;  // of bones when they began to rest

  // Scratch of a step.
  Transform* roots_target = nullptr;
  NearCollider* near = nullptr;  // that they may meet
  int near_count = 0;
  PosedCollider* posed = nullptr;  // these over a sub-step
};

// Description of chains in model space.
struct ChainsDescription {
  int chains = 0;
  const unsigned* bone_counts = nullptr;
  const float* rest_positions = nullptr;
  const float* max_lengths = nullptr;      // may be null
  const float* mass_factors = nullptr;     // may be null
  const float* lateral_lengths = nullptr;  // may be null
  const float* areas = nullptr;            // may be null
  const Transform* root_rest = nullptr;    // may be null
  bool neighbours = false, closed = false;
  int max_colliders = 32;
};

// Two passes over one function: measure with a null arena, then build in memory.
void build(Chains& chains, const ChainsDescription& description, Arena& arena);

// Expands settings over the bones; a changed scale resizes the chains about their roots.
void apply_settings(Chains& chains, const Settings& settings);

void step(Chains& chains, const StepInput& input);
void teleport(Chains& chains, Teleport mode, const Transform* roots);
void settle(Chains& chains, const StepInput& input, float seconds);

// Saved state: everything that decides the future, as bytes.
size_t state_size(const Chains& chains);
void save_state(const Chains& chains, unsigned char* out);
// Returns what is wrong, or null. A state saved at another scale is resized to the present scale, or sets it.
enum class RestoredScale { kPresent, kSaved };
const char* restore_state(Chains& chains, const unsigned char* bytes, size_t size,
                          RestoredScale scale = RestoredScale::kPresent);
uint64_t state_hash(const Chains& chains);

}  // namespace billow
