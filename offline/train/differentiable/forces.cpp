// External forces, as rope/apply_forces.cpp, apply_rest_angle_forces.cpp and apply_soft_contacts.cpp.
#include "sdf/soft_contact.h"
#include "train/differentiable/stages.h"

namespace billow::train::differentiable {
namespace {

// As stable_spring() in rope/stages.h.
Tensor stable_spring(const Tensor& stiffness, const Tensor& w_sum, const Tensor& step) {
  return stiffness / (1 + 2 * step.square() * stiffness * w_sum);
}

Tensor gravity_and_drag(const ChainModel& m, const SubstepInput& in, const Tensor& v) {
  Tensor a = (m.gravity * m.is_bone).expand_as(v);
  if (in.constant.defined()) a = a + in.constant;
  if (!m.settings.has_drag && m.settings.global_damping == 0 && !m.global_damping.requires_grad()) return a;
  const Tensor per_mass = m.drag * m.w(), damping = m.global_damping * m.is_bone;
  return a + ((m.wind - v) * per_mass - v * damping) / (1 + in.times.h * (per_mass + damping));
}

Tensor shrink_springs(const ChainModel& m, const Times& t, const Tensor& x) {
  const Ropes ropes = ropes_of(m, x);
  const Tensor w = m.w(), k = stable_spring(lower(m.shrink), lower(w) + upper(w), t.spring),
               missing = (lower(m.max_length) - ropes.length).clamp_min(0) * lower(m.is_bone),
               force = ropes.direction * (k * missing);
  return on_lower(force * lower(w)) - on_upper(force * upper(w));
}

// Forces on the edges from each chain to the next.
Tensor lateral_springs(const ChainModel& m, const Times& t, const Tensor& x) {
  const Tensor rest = m.lateral_length, w = m.w(), d = next_chain(x) - x, l = length3(d, 1e-16);
  // Between rest and longest, folds of the cloth open and close without force.
  const Tensor over = torch::where(l > m.lateral_longest, l - m.lateral_longest, (l - rest).clamp_max(0));
  const Tensor k =
      stable_spring(torch::where(over > 0, m.stretch, m.compression), w + next_chain(w), t.spring);
  // Those between roots move nothing.
  const Tensor force = d * zero_unless(rest > 0, k * over / l);
  return (force - chain_before(force)) * w;
}

// Diagonals from each bone of one level to the next chain's bone of the other. They only pull.
Tensor diagonals(const ChainModel& m, const Times& t, const Tensor& x, bool downward) {
  const Tensor next = next_chain(x), w = m.w(), longest = lower(m.panel_diagonal),
               d = downward ? lower(next) - upper(x) : upper(next) - lower(x), l = length3(d, 1e-16);
  // Four diagonals meet at a bone.
  const Tensor k = stable_spring(lower(m.shear), 2 * lower(w + next_chain(w)), t.spring);
  const Tensor force = d * zero_unless(longest > 0, k * (l - longest).clamp_min(0) / l);
  const Tensor near = downward ? on_upper(force) : on_lower(force),
               far = downward ? on_lower(force) : on_upper(force);
  return (near - chain_before(far)) * w;
}

}  // namespace

// Each rope turns what hangs below it by the smallest rotation from its expected direction to its own. Where the two are opposite,
// so that its axis could be any, it turns nothing.
Tensor apply_rest_angle_forces(const ChainModel& m, const SubstepInput& in, const Tensor& x) {
  const Ropes ropes = ropes_of(m, x);
  Tensor expected = rotate(in.root_rotation, lower(m.rest_direction));  // of this rope and all below it
  std::vector<Tensor> of_ropes;
  for (int64_t i = 0; i < ropes.direction.size(kBones); ++i) {
    const Tensor own = expected.narrow(kBones, 0, 1), actual = ropes.direction.narrow(kBones, i, 1);
    of_ropes.push_back(own);
    if (expected.size(kBones) == 1) break;
    const Tensor below = expected.narrow(kBones, 1, expected.size(kBones) - 1);
    const Tensor axis = cross3(own, actual), turned = cross3(axis, below);
    expected = below + turned + cross3(axis, turned) / (1 + dot3(own, actual)).clamp_min(1e-6);
  }
  const Tensor w = m.w(), s2 = in.times.spring.square();
  // As a spring across the rope its stiffness is k / l.
  const Tensor k =
      lower(m.rest_angle) / (1 + 2 * s2 * (lower(w) + upper(w)) * lower(m.rest_angle) / lower(m.max_length));
  const Tensor force = (torch::cat(of_ropes, kBones) - ropes.direction) * (k * lower(m.is_bone));
  return on_lower(force * lower(w)) - on_upper(force * upper(w));
}

Tensor apply_soft_contacts(const ChainModel& m, const PosedBody& body, const Tensor& x) {
  const double shell = static_cast<double>(kSoftShell) * body.shape().scale;
  const Tensor points = x.flatten(1, 2), range = (m.radius + shell).flatten(0, 1);
  const NearSurface near = body.nearest_soft(points);
  if (!any_of(near.phi < range)) return torch::zeros_like(x);
  const Surface surface = body.depending_on(points, near, true);
  const Tensor depth = ((range - surface.phi) / shell).clamp(0, 1),
               strength = body.shape().push.squeeze(-1).index({near.first});
  const Tensor push = surface.normal * (depth * length3(m.gravity) * strength);
  return push.unflatten(1, {m.chains(), m.bones()}) * m.is_bone;
}

Tensor apply_forces(const ChainModel& m, const SubstepInput& in, const Tensor& x, const Tensor& v) {
  const RopeSettings& s = m.settings;
  Tensor a = gravity_and_drag(m, in, v);
  if (s.has_shrink) a = a + shrink_springs(m, in.times, x);
  if (s.has_rest_angle) a = a + apply_rest_angle_forces(m, in, x);
  if (m.neighbours) {
    if (s.has_lateral) a = a + lateral_springs(m, in.times, x);
    if (s.has_shear)
      for (const bool downward : {true, false}) a = a + diagonals(m, in.times, x, downward);
    if (s.has_panels()) a = a + apply_panel_forces(m, in, x, v);
  }
  if (in.body && in.body->pushes()) a = a + apply_soft_contacts(m, *in.body, x);
  return a * m.is_bone;
}

}  // namespace billow::train::differentiable
