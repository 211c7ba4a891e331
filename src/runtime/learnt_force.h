// The force that chains lack: what moves cloth and is in no setting, learnt from reference cloth.
//
// One network serves all bones of a garment. It sees a bone and what is around it (the bones above, below and on the next
// chains, its root's motion, gravity, the body's surface) along three axes that follow the chain's root: across to the
// next chain, out of the cloth, and down the chain. Left and right are mirrored on one side of a symmetric garment, so that
// both sides share what they learn. It returns an acceleration along the same axes, which enters beside gravity and drag:
// lengths, contacts, energy guard and sub-steps hold as for any other force.
#pragma once

#include <cstdint>

#include "asset/format.h"
#include "core/vec.h"
#include "net/infer.h"

namespace billow {

struct Chains;
struct ChainsDescription;

using asset::kForceInputs;
inline constexpr uint32_t kForceOutputs = 4;        // the last one is padding
inline constexpr float kMaxLearntForce = 15.0f;     // m/s2
inline constexpr float kForceInterval = 1.0f / 60;  // s: it is evaluated so often and held, at any frame rate

// A chain's axes at rest, in the frame of its root.
struct ForceAxes {
  size_t first = 0;  // its root among the bones of all chains
  V3 across, outward, down;
  float mirrored = 1;   // -1: `across` points against the order of the chains
  float place[2] = {};  // of the root in the garment: to the side, to the front
};

// The axes of a chain whose root is turned by `rotation`.
inline ForceAxes turned(ForceAxes axes, Quat rotation) {
  axes.across = rotate(rotation, axes.across);
  axes.outward = rotate(rotation, axes.outward);
  axes.down = rotate(rotation, axes.down);
  return axes;
}

// The row of a bone: roots have none.
inline size_t force_row(const ForceAxes* axes, int chain, int level) {
  return axes[chain].first + static_cast<size_t>(level - chain - 1);
}

struct LearntForce {
  // Returns accelerations [rows][kForceOutputs] for inputs [rows][kForceInputs]: the network of a garment file with
  // kInferBatch scratches, or, while it is being trained, a function.
  const Mlp* network = nullptr;
  const InferScratch* scratches = nullptr;
  void (*infer)(void* user, const float* inputs, uint32_t rows, float* accelerations) = nullptr;
  void* user = nullptr;
  // Scratch: one row a simulated bone, chain after chain from root to tip.
  float *inputs = nullptr, *accelerations = nullptr;

  bool exists() const { return network || infer; }
};

// The axes of all chains.
void find_force_axes(const ChainsDescription& description, ForceAxes* axes);

// At the start of a sub-step: evaluates the network at the present state if it is time. The roots move in `frame_dt`, the
// colliders in `dt`. `coarseness`: evaluated so many times less often.
void update_learnt_force(Chains& chains, int collider_count, float frame_dt, float dt, float coarseness);

}  // namespace billow
