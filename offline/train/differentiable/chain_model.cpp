#include "train/differentiable/chain_model.h"

namespace billow::train::differentiable {

Tensor ChainModel::w() const { return is_bone / mass; }

ChainModel ChainModel::to(const torch::TensorOptions& options) const {
  ChainModel out = *this;
  for (Tensor* t :
       {&out.is_bone,     &out.mass,           &out.max_length,      &out.radius,      &out.drag,
        &out.damping,     &out.shrink,         &out.rest_angle,      &out.stretch,     &out.compression,
        &out.shear,       &out.lateral_length, &out.lateral_longest, &out.panel_area,  &out.panel_diagonal,
        &out.loose_area,  &out.rest_direction, &out.gravity,         &out.wind,        &out.global_damping,
        &out.panel_drag,  &out.panel_lift,     &out.panel_folds,     &out.air_density, &out.friction,
        &out.self_contact})
    *t = t->to(options);
  out.body = body.to(options);
  return out;
}

ChainState ChainState::detach() const {
  return {x.detach(), v.detach(), energy_lost.detach(), sides.defined() ? sides.detach() : sides};
}

}  // namespace billow::train::differentiable
