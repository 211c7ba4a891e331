// Position update from root to tip, as rope/move.cpp and rope/length.h.
#include "train/differentiable/positions.h"
#include "train/differentiable/stages.h"

namespace billow::train::differentiable {

Tensor usable_length(const Tensor& longest, const Tensor& a, const Tensor& b) {
  // In units in the last place of the runtime's floats: a rounding that has no gradient.
  const Tensor extent = std::get<0>(torch::maximum(a.detach().abs(), b.detach().abs()).max(-1, true));
  return torch::maximum(longest * (1 - 3e-7) - extent * 2.5e-7, longest * 0.5);
}

Tensor limit_length(const Tensor& x, const Tensor& parent, const Tensor& longest) {
  const Tensor reach = usable_length(longest, x, parent), l = x - parent, square = dot3(l, l),
               over = square > reach * reach;
  return torch::where(
      over, parent + l * (reach / torch::where(over, square, torch::ones({}, x.options())).sqrt()), x);
}

namespace {

// Moves a bone for dt at velocity v, held by a rope to a parent that is already at its new position.
Tensor move_on_rope(const Tensor& x, const Tensor& v_world, const Tensor& parent_before, const Tensor& parent,
                    const Tensor& longest, const Tensor& dt, bool with_parent) {
  const Tensor free = x + v_world * dt, reach = usable_length(longest, free, parent), reach2 = reach * reach;
  const Tensor free_from = free - parent, over = dot3(free_from, free_from) > reach2;
  if (!any_of(over)) return free;
  const Tensor one = torch::ones({}, x.options());

  // A parent that jumps farther than its rope is long drags the bone, as in the paper.
  const Tensor shift = parent - parent_before;
  const Tensor drags = with_parent ? dot3(shift, shift) > reach2 : torch::ones_like(over);
  const Tensor from = x - torch::where(drags, parent, parent_before),
               v = torch::where(drags, v_world, v_world - shift / dt);

  // Move straight until the rope is taut, at the largest root of |from + s v| = reach, or start from the projection.
  const Tensor a = dot3(v, v), half_b = dot3(from, v), c = dot3(from, from) - reach2;
  const Tensor discriminant = half_b * half_b - a * c, moving = a > 1e-20;
  const Tensor real = moving & (discriminant > 0) & over;
  const Tensor root = (torch::where(real, discriminant, one).sqrt() - half_b) / torch::where(moving, a, one);
  const Tensor s = zero_unless(real & (root >= 0) & (root <= dt), root);

  // Then along the great circle.
  const Tensor down = torch::tensor({0.0, -1.0, 0.0}, x.options().requires_grad(false));
  const Tensor direction = unit3_or(from + v * s, down), tangential = v - direction * dot3(v, direction),
               speed = length3(tangential), heading = tangential / speed;
  const Tensor angle = (speed * (dt - s) / reach).clamp_max(3.14159265);
  const Tensor on_circle =
      parent + unit3_or(direction * angle.cos() + heading * angle.sin(), direction) * reach;
  return torch::where(over, on_circle, free);
}

}  // namespace

Tensor move(const ChainModel& m, const SubstepInput& in, const Tensor& x, const Tensor& v) {
  const Tensor dt = in.times.dt.squeeze(kBones);
  const auto before = x.unbind(kBones), velocities = v.unbind(kBones), longest = m.max_length.unbind(kBones);
  std::vector<Tensor> now{in.root_target.squeeze(kBones)};
  for (size_t i = 1; i < before.size(); ++i)
    now.push_back(move_on_rope(before[i], velocities[i], before[i - 1], now[i - 1], longest[i], dt,
                               m.settings.move_with_parent));
  return torch::stack(now, -2);
}

}  // namespace billow::train::differentiable
