// Energy guard and friction within cloth, as rope/guard_energy.cpp and rub_cloth.cpp.
#include "train/differentiable/stages.h"

namespace billow::train::differentiable {
namespace {

constexpr double kTakeBack = 0.05, kNegligible = 0.01, kUlps = 1.2e-7;  // as in rope/guard_energy.cpp

Tensor sum_over(const Tensor& t) { return t.sum(kBones, true); }
Tensor mass_of(const ChainModel& m) { return m.mass * m.is_bone; }

}  // namespace

EnergyGuard::EnergyGuard(const ChainModel& model, const SubstepInput& in, const Tensor& x, const Tensor& v,
                         const Tensor& acceleration)
    : model_(model), times_(in.times), x_(x), acceleration_(acceleration) {
  // Relative to the velocity that the root has for the rest of the sub-step.
  const Tensor uniform = v.narrow(kBones, 0, 1) + in.root_acceleration * in.times.h, u = v - uniform;
  energy_ = sum_over(0.5 * mass_of(model) * dot3(u, u));
  collider_work = torch::zeros_like(energy_);
}

Tensor EnergyGuard::kinetic(const Tensor& v) const {
  const Tensor u = v - v.narrow(kBones, 0, 1);
  return sum_over(0.5 * mass_of(model_) * dot3(u, u));
}

// Energy at the start of the sub-step, plus all work done on the chain since: that of external forces is trapezoidal.
Tensor EnergyGuard::supplied(const Tensor& x, const Tensor& acceleration) const {
  const Tensor moved = x - x_, path = moved - moved.narrow(kBones, 0, 1);
  return energy_ + sum_over(mass_of(model_) * dot3((acceleration_ + acceleration) * 0.5, path)) +
         collider_work;
}

EnergyGuard::Load EnergyGuard::load_of(const Tensor& x, const Tensor& acceleration) const {
  const Tensor square = dot3(acceleration, acceleration), mass = mass_of(model_);
  const Tensor extent = std::get<0>(x.narrow(kBones, 0, 1).detach().abs().max(-1, true));
  return {sum_over(mass * square), sum_over(mass * square.clamp_min(kTiny).sqrt()) * extent * kUlps};
}

Tensor EnergyGuard::limited(const Tensor& v, const Tensor& now, const Tensor& allowed) const {
  const Tensor gained = now > allowed;
  if (!any_of(gained)) return v;
  const Tensor
      one = torch::ones({}, v.options()),
      factor = torch::where(
          gained,
          (torch::where(gained, allowed, one) / torch::where(gained, now, one)).clamp_min(1e-20).sqrt(), one);
  const Tensor root = v.narrow(kBones, 0, 1);
  return torch::where(gained & (model_.is_bone > 0), root + (v - root) * factor, v);
}

Tensor EnergyGuard::limit_half_step(const Tensor& x, const Tensor& v, const Tensor& acceleration) const {
  const Load load = load_of(x, acceleration);
  const Tensor allowed = 1.25 * (supplied(x, acceleration) + load.rounding).clamp_min(0) +
                         2.5 * times_.h.square() * load.squares;
  return limited(v, kinetic(v), allowed);
}

Tensor EnergyGuard::finish(const Tensor& x, const Tensor& v, const Tensor& acceleration,
                           const Contacts& contacts, Tensor& energy_lost) const {
  const Tensor allowed = supplied(x, acceleration) + energy_lost, now = kinetic(v);
  const Load load = load_of(x, acceleration);
  const Tensor negligible = sum_over(mass_of(model_)) * (0.5 * kNegligible * kNegligible);
  // A chain in contact may keep what the forces give it in two free sub-steps.
  Tensor floor = negligible.expand_as(now), in_contact;
  if (contacts.any()) {
    in_contact = (contacts.held > 0).any(kBones, true);
    floor = torch::maximum(floor, zero_unless(in_contact, load.squares * (2 * times_.dt.square())));
  }
  const Tensor kept = torch::minimum(torch::maximum(allowed + load.rounding, floor), now);
  Tensor lost = allowed - kept;
  if (contacts.any()) lost = lost + zero_unless(in_contact, (kept - allowed).clamp_min(0));
  energy_lost = torch::minimum(lost, kTakeBack * now);
  return model_.settings.energy_guard ? limited(v, now, kept) : v;
}

Tensor rub_cloth(const ChainModel& m, const Tensor& dt, const Tensor& v, bool has_learnt) {
  const double friction = has_learnt ? 0.6 : 0.35;  // m/s2, as in rope/rub_cloth.cpp
  const Tensor most = friction * dt, u = v - v.narrow(kBones, 0, 1);
  return torch::where(m.is_bone > 0, v - u * (most / torch::maximum(length3(u), most)), v);
}

}  // namespace billow::train::differentiable
