// One character in a garment: its mutable state, and the frame.
#pragma once

#include <span>

#include "decode/linear_blend.h"
#include "decode/patch_frame.h"
#include "decode/push_out_mesh.h"
#include "decode/restore_lengths.h"
#include "runtime/chains.h"
#include "runtime/garment.h"
#include "runtime/in_between.h"

namespace billow {

enum class FrameStage { kFollow, kChains, kGather, kInfer, kExpand, kLengths, kPushOut, kNormals, kCount };
inline constexpr int kFrameStageCount = static_cast<int>(FrameStage::kCount);
const char* frame_stage_name(FrameStage stage);

struct InstanceOptions {
  bool networks = true;       // off: the rest mesh, rigid on the key joint
  bool shape = true;          // off: the linear path of the networks only
  bool linear_blend = false;  // linear blend skinning instead
  LengthQuality lengths = LengthQuality::kHigh;
  bool push_out = true;
  bool normals = true;
  bool profile = false;
  PushOutSettings push;
  uint32_t interval = 1;  // frames: chains and mesh are computed in every n-th
  uint32_t stagger = 0;   // which of them
  uint32_t blend = 0;     // frames over which changes of options are blended
};

struct InstanceReport {
  uint32_t pushed = 0, inside = 0;  // vertices
  bool asleep = false;
  double stage_seconds[kFrameStageCount] = {};
};

// Of patches: the coefficients that were shown last, with which the next ones keep pace.
struct PaceState {
  float* shown = nullptr;
  size_t count = 0;
  uint8_t fresh = 1;  // these are of no use: first frame, teleport, or frames without mesh
};

struct Instance {
  const Garment* garment = nullptr;
  Chains* chains = nullptr;
  InstanceOptions options;
  InstanceReport report;

  // The mesh of the last frame, x y z each.
  float *positions = nullptr, *normals = nullptr;
  bool skipped_mesh = false;  // by the last frame: positions are older than the chains
  // What is known of chains that sleep, for these joints: nothing, bones, or bones and mesh.
  enum class Known { kNothing, kBones, kMesh } known = Known::kNothing;
  InBetween between;
  bool computed = false, changed = false;  // in this frame: the mesh, and what is shown

  // Scratch of a frame, in the order in which stages fill it.
  Transform* followed = nullptr;  // joints of the last frame, for which the next three are known
  float followed_scale = 0;
  Transform* joint_motions = nullptr;  // from rest to now
  V3* attachment_points = nullptr;
  Transform* roots = nullptr;
  float *force_inputs = nullptr, *learnt_accelerations = nullptr;  // of the chains (learnt_force.h)
  V3* bones = nullptr;                                             // in world space
  float *correction_inputs = nullptr, *bone_correction = nullptr;  // x y z of all bones
  V3* local_bones = nullptr;                                       // in the key joint's frame at scale 1
  PatchFrame* patch_frames = nullptr;
  Transform* bone_motions = nullptr;      // linear blend skinning: from rest, in the key joint's frame
  BlendMatrix* blend_matrices = nullptr;  // linear blend skinning: to world space
  float* inputs = nullptr;                // of the networks
  InferScratch infer[kInferBatch];
  float* coefficients = nullptr;  // network outputs
  PaceState pace;
  float* world_coefficients =
      nullptr;                     // patches: coefficients as vectors in world space, by columns of the bases
  QuantisedVector quantised;       // the same, quantised
  float* displacements = nullptr;  // whole cloth: of all vertices from rest
  NearCollider* near = nullptr;    // that the mesh may meet
  PosedCollider* posed = nullptr;  // these over the frame
  int posed_count = 0;
  LengthState lengths;
  PushOutScratch push;
};

struct FrameInput {
  float dt = 0;
  const Transform* joints = nullptr;  // in world space
  const Transform* space = nullptr;   // may be null
  const Body* body = nullptr;         // posed; may be null
  const Body* const* others = nullptr;
  int other_count = 0;
  float scale = 1;
  Teleport teleport = Teleport::kNone;
  bool mesh = true;  // false: chains only, for characters that are not drawn
};

inline constexpr float kLongestStep = 0.25f;  // s

// Two passes over one function: measure with a null arena, then build in memory. `garment` has to be set.
void build(Instance& instance, Arena& arena);

// One frame of up to kCrowd characters in the same garment: the same bits as one by one.
inline constexpr size_t kCrowd = 8;
void step(std::span<Instance* const> instances, const FrameInput* inputs);

// Saved state: the state of the chains, the pose of the body, the offsets of the lengths stage and the coefficients of patches.
// The next frame computes the mesh from these.
size_t state_size(const Instance& instance, const Body& body);
void save_state(const Instance& instance, const Body& body, unsigned char* out);
const char* restore_state(Instance& instance, Body& body, const unsigned char* bytes, size_t size);

// Stage "follow": attachments and chain roots, for joints at `joints` in world space. False if nothing has moved since the last call.
bool follow_body(Instance& instance, const Transform* joints, float scale);

}  // namespace billow
