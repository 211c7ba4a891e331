// A learnt force evaluated by a network that is not in a garment file.
#pragma once

#include "character/rope_chains.h"
#include "learn/model.h"

namespace billow::ropes {

class NetworkForce {
 public:
  explicit NetworkForce(const learn::Network& network) : network_(network) {}
  NetworkForce(const NetworkForce&) = delete;
  // The chains use this object from now on.
  void attach(character::RopeChains& chains);

  // Of the last frame: inputs of its first evaluation and the accelerations returned for them, one row a simulated bone.
  void begin_frame() { first_ = true; }
  const learn::Matrix& inputs() const { return inputs_; }
  const learn::Matrix& accelerations() const { return accelerations_; }

 private:
  static void infer(void* self, const float* inputs, uint32_t rows, float* accelerations);

  const learn::Network& network_;
  bool first_ = false;
  learn::Matrix scratch_inputs_, scratch_accelerations_, inputs_, accelerations_;
};

}  // namespace billow::ropes
