// Drag and lift of the panels between neighbouring chains and of the folds along ropes, as rope/apply_panel_forces.cpp.
#include "train/differentiable/stages.h"

namespace billow::train::differentiable {
namespace {

constexpr double kTwoOverPi = 0.636619772;

// Of the force on folds along a rope, per rho/2 A.
Tensor fold_force(const ChainModel& m, const Tensor& v, const Tensor& speed, const Tensor& along) {
  const Tensor along2 = dot3(along, along).clamp_min(1e-16), across = v - along * (dot3(v, along) / along2),
               across2 = dot3(across, across);
  return v * (m.panel_drag * kTwoOverPi * across2.clamp_min(1e-20).sqrt() -
              0.5 * m.panel_lift * across2 / speed) +
         across * (0.5 * m.panel_lift * speed);
}

// Of cloth that is in no panel.
Tensor on_loose_cloth(const ChainModel& m, const SubstepInput& in, const Tensor& x, const Tensor& v) {
  const Tensor u = m.wind - lower(v), speed = length3(u, 1e-16), w = lower(m.w());
  const Tensor strength = 0.5 * m.air_density * m.panel_folds * lower(m.loose_area);
  const Tensor limited =
      strength / (in.times.h * w * strength * ((m.panel_drag + m.panel_lift) * speed)).clamp_min(1);
  return on_lower(fold_force(m, u, speed, lower(x) - upper(x)) * (limited * w));
}

}  // namespace

Tensor apply_panel_forces(const ChainModel& m, const SubstepInput& in, const Tensor& x, const Tensor& v) {
  const bool folds = m.settings.panel_folds > 0;
  const Tensor w = m.w(), next = next_chain(x), next_v = next_chain(v), half_rho = 0.5 * m.air_density;
  const Tensor a = upper(x), b = upper(next), c = lower(x), d = lower(next);
  const Tensor area2 = cross3(d - a, c - b);  // twice the area vector
  const Tensor twice = length3(area2, 1e-24), n = area2 / twice;
  const Tensor u = m.wind - (upper(v) + upper(next_v) + lower(v) + lower(next_v)) * 0.25,
               speed = length3(u, 1e-16), s = dot3(u, n);
  Tensor strength = 0.5 * half_rho * twice;
  Tensor force = u * (m.panel_drag * s.abs() - m.panel_lift * s * s / speed) + n * (m.panel_lift * s * speed);
  if (folds) {
    // Add the force on the folds, as on that much more panel.
    const Tensor folded = half_rho * m.panel_folds * (lower(m.panel_area) - 0.5 * twice).clamp_min(0),
                 all = strength + folded;
    force = (force * strength + fold_force(m, u, speed, c + d - a - b) * folded) / all.clamp_min(1e-24);
    strength = all;
  }
  // Limit it like an implicit step: a corner gets up to four quarters of such panels. The chain after the last one counts as
  // immovable there, as in the runtime.
  const int64_t chains = m.chains();
  const Tensor next_w = torch::cat({w.narrow(0, 1, chains - 1), torch::zeros_like(w.narrow(0, 0, 1))}, 0);
  const Tensor change =
      in.times.h * lower(torch::maximum(w, next_w)) * strength * ((m.panel_drag + m.panel_lift) * speed);
  const Tensor limited = strength / (folds ? change.clamp_min(1) : 1 + change);
  const Tensor quarter = zero_unless(lower(m.lateral_length) > 0, force * (0.25 * limited));
  const Tensor both = quarter + chain_before(quarter);
  const Tensor loose = folds ? on_loose_cloth(m, in, x, v) : torch::zeros_like(x);
  return loose + (on_lower(both) + on_upper(both)) * w;
}

}  // namespace billow::train::differentiable
