// One character that wears a garment: all mutable state, and the frame.
#pragma once

#include <span>

#include "decode/linear_blend.h"
#include "decode/patch_frame.h"
#include "decode/push_out_mesh.h"
#include "runtime/chains.h"
#include "runtime/garment.h"

namespace billow {

enum class FrameStage { kFollow, kChains, kGather, kInfer, kExpand, kPushOut, kNormals, kCount };
inline constexpr int kFrameStageCount = static_cast<int>(FrameStage::kCount);
const char* frame_stage_name(FrameStage stage);

struct InstanceOptions {
  bool networks = true;  // off: the cloth is its rest, moved with the key joint
  bool shape = true;
  bool linear_blend = false;  // linear blend skinning in place of the networks, or of the rest
  bool push_out = true;
  bool normals = true;
  bool profile = false;
  PushOutSettings push;
};

struct InstanceReport {
  uint32_t pushed = 0, inside = 0;  // vertices
  double stage_seconds[kFrameStageCount] = {};
};

struct Instance {
  const Garment* garment = nullptr;
  Chains* chains = nullptr;
  InstanceOptions options;
  InstanceReport report;

  // The last frame. Positions and normals x y z.
  float *positions = nullptr, *normals = nullptr;
  float* coefficients = nullptr;  // of both bases, or patch after patch

  // Scratch of a frame.
  Transform* moved = nullptr;  // joints, from rest to now
  V3* pins = nullptr;          // attachments
  Transform* roots = nullptr;
  float *bone_values = nullptr, *bone_correction = nullptr;  // all bones x y z, and what is added to them
  V3* bones = nullptr;                                       // in the world
  V3* places = nullptr;  // of bones, seen from the key joint; for patches and linear blend skinning
  Transform* bone_motions = nullptr;      // for linear blend skinning only: from rest
  BlendMatrix* blend_matrices = nullptr;  // the same in the world
  // For patches only.
  PatchFrame* frames = nullptr;
  float* directions = nullptr;  // of all columns of their bases: Garment::directions_stride
  Factors said;

  float* inputs = nullptr;  // of the networks: displacements of bones, or what each patch sees
  InferRoom infer[kTogether];
  float* cloth = nullptr;  // displacements of vertices, where they are not by patches
  PosedCollider* posed = nullptr;
  PushOutRoom push;
};

struct FrameInput {
  float dt = 0;
  const Transform* joints = nullptr;  // in the world
  const Transform* space = nullptr;   // may be null
  const Body* body = nullptr;         // posed; may be null
  float scale = 1;
  Teleport teleport = Teleport::kNone;
  bool mesh = true;  // false: chains only, for who is not seen
};

// Two passes over one function: measure with a null arena, then build in memory. `garment` has to be set.
void build(Instance& instance, Arena& arena);

void step(Instance& instance, const FrameInput& input);
// Up to kCrowd who wear the same garment: the same bits as one by one.
inline constexpr size_t kCrowd = 8;
void step(std::span<Instance* const> instances, const FrameInput* inputs);

// Saved state: the chains' state, and where the body was. A mesh follows from these with the next frame.
size_t state_size(const Instance& instance, const Body& body);
void save_state(const Instance& instance, const Body& body, unsigned char* out);
const char* restore_state(Instance& instance, Body& body, const unsigned char* bytes, size_t size);

// Where chains hang and bones that no chain has are, for joints at `joints`: stage "follow".
void follow_body(Instance& instance, const Transform* joints, float scale);

}  // namespace billow
