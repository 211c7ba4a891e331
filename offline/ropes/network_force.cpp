#include "ropes/network_force.h"

#include "api/handles.h"

namespace billow::ropes {

using Eigen::Index;

void NetworkForce::attach(character::RopeChains& ropes) {
  Chains& chains = ropes.chains()->chains;
  const Index rows = chains.bone_total - chains.set.layout.chains;
  scratch_inputs_.resize(rows, kForceInputs);
  scratch_accelerations_.setZero(rows, kForceOutputs);
  chains.force = {nullptr, nullptr, infer, this, scratch_inputs_.data(), scratch_accelerations_.data()};
}

void NetworkForce::infer(void* self, const float* inputs, uint32_t rows, float* accelerations) {
  auto& force = *static_cast<NetworkForce*>(self);
  const Eigen::Map<const learn::Matrix> in(inputs, rows, kForceInputs);
  const learn::Matrix out = force.network_.layers.empty() ? learn::Matrix::Zero(rows, 3) : force.network_(in);
  Eigen::Map<learn::Matrix>(accelerations, rows, kForceOutputs).leftCols(3) = out;
  if (force.first_) force.inputs_ = in, force.accelerations_ = out;
  force.first_ = false;
}

}  // namespace billow::ropes
