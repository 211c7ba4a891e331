#include "train/differentiable/chain_step.h"

#include <optional>

#include "rope/stages.h"
#include "train/differentiable/self_contacts.h"
#include "train/differentiable/stages.h"

namespace billow::train::differentiable {
namespace {

Tensor rows_of(const Tensor& t, const Tensor& clips) { return t.defined() ? t.index_select(0, clips) : t; }

// One sub-step of some clips, from `from` to `to` of the frame, [clips, 1, 1]; dt: likewise.
ChainState substep(const ChainModel& m, const ChainState& state, const FrameInput& frame, const Tensor& from,
                   const Tensor& to, const Tensor& dt) {
  const RopeSettings& s = m.settings;
  Tensor x = state.x, v = state.v;
  const Tensor before = x;
  SubstepInput in;
  const double spring = s.min_substeps > 2 ? 2.0 * static_cast<double>(kSpringStep) / s.min_substeps
                                           : static_cast<double>(kSpringStep);
  in.times.dt = dt.unsqueeze(-1), in.times.h = 0.5 * in.times.dt,
  in.times.spring = in.times.dt.clamp_min(spring);

  // Follow: a root's whole change of velocity happens in the first half.
  const Tensor roots = blend(frame.roots_from, frame.roots_to, to);
  in.root_target = position_of(roots).unsqueeze(kBones),
  in.root_rotation = rotation_of(roots).unsqueeze(kBones);
  const Tensor way = in.root_target - x.narrow(kBones, 0, 1);
  in.root_acceleration = (way / in.times.dt - v.narrow(kBones, 0, 1)) * (2 / in.times.dt);
  in.common = way.select(1, 0).detach();
  std::optional<PosedBody> body;
  if (m.body.count() > 0 && frame.colliders_to.defined()) {
    body.emplace(m.body, blend(frame.colliders_from, frame.colliders_to, from),
                 blend(frame.colliders_from, frame.colliders_to, to), in.common, dt);
    in.body = &*body;
  }

  ChainState out = state;
  in.has_learnt = frame.learnt.defined();
  in.constant = frame.learnt;
  if (s.has_self_contact) {
    const Tensor pushes = find_self_contacts(m, x, in.times.spring, out.sides);
    in.constant = in.constant.defined() ? in.constant + pushes : pushes;
  }

  Contacts contacts;
  Tensor a = apply_forces(m, in, x, v);
  EnergyGuard guard(m, in, x, v, a);
  const auto impulses_if = [&](ImpulseStage place) {
    if (s.impulses & place) v = apply_impulses(m, in.times, x, v, contacts, guard.collider_work);
  };
  v = accelerate(m, in.times, x, v, a, in.root_acceleration);
  if (s.energy_guard) v = guard.limit_half_step(x, v, a);
  impulses_if(kAfterFirstVelocity);
  x = move(m, in, x, v);
  impulses_if(kAfterMove);
  if (in.body && in.body->holds()) {
    x = collide(m, in, before, x, contacts);
    v = respond_to_contacts(m, v, contacts, guard.collider_work);
  }
  impulses_if(kAfterCollision);
  a = apply_forces(m, in, x, v);
  v = accelerate(m, in.times, x, v, a, torch::zeros_like(in.root_acceleration));
  if (s.energy_guard) v = guard.limit_half_step(x, v, a);
  v = respond_to_contacts(m, v, contacts, guard.collider_work);
  impulses_if(kAfterSecondVelocity);
  v = guard.finish(x, v, a, contacts, out.energy_lost);
  if (s.rest_speed > 0) v = rub_cloth(m, in.times.dt, v, in.has_learnt);
  out.x = x, out.v = v;
  return out;
}

}  // namespace

Tensor count_substeps(const ChainModel& m, const ChainState& state, double dt) {
  constexpr double kSwing = 1.5;  // rad, as in rope/wanted_substeps.cpp
  const torch::NoGradGuard values_only;
  const RopeSettings& s = m.settings;
  const Tensor w = m.w(), longest = lower(m.max_length), u = lower(state.v) - upper(state.v),
               moves = lower(m.is_bone);
  const Tensor turning = (dot3(u, u) / longest.square() * moves).amax({1, 2, 3});
  const Tensor hanging = lower(m.mass * m.is_bone).flip(kBones).cumsum(kBones).flip(kBones);
  const Tensor swing = (hanging * (lower(w) + upper(w)) / longest * moves).max();
  const Tensor omega = (2 * length3(m.gravity) * swing).sqrt();
  Tensor per_second = torch::maximum(turning.sqrt() / static_cast<double>(s.substep_angle), omega / kSwing);
  if (m.neighbours && (s.has_lateral || s.has_shear))
    per_second = per_second.clamp_min(0.999 / static_cast<double>(kSpringStep));
  return (per_second * dt).ceil().clamp(s.min_substeps, s.max_substeps).to(torch::kInt64).cpu();
}

ChainState step(const ChainModel& m, const ChainState& start, const FrameInput& frame) {
  const Tensor counts = count_substeps(m, start, frame.dt);
  const int64_t most = counts.max().item<int64_t>();
  const torch::Device device = start.x.device();
  ChainState state = start;
  if (m.settings.has_self_contact && !state.sides.defined()) state.sides = no_sides(m, start.x);
  for (int64_t k = 0; k < most; ++k) {
    // Clips that need no more sub-steps wait for the others.
    const Tensor clips = torch::nonzero(counts > k).squeeze(-1), on_device = clips.to(device);
    const bool all = clips.size(0) == counts.size(0);
    const Tensor n = counts.index_select(0, clips).to(start.x.options()).reshape({-1, 1, 1}),
                 from = static_cast<double>(k) / n, to = static_cast<double>(k + 1) / n;
    if (all) {
      state = substep(m, state, frame, from, to, frame.dt / n);
      continue;
    }
    const FrameInput some{frame.dt,
                          rows_of(frame.roots_from, on_device),
                          rows_of(frame.roots_to, on_device),
                          rows_of(frame.colliders_from, on_device),
                          rows_of(frame.colliders_to, on_device),
                          rows_of(frame.learnt, on_device)};
    const ChainState moved = substep(m,
                                     {rows_of(state.x, on_device), rows_of(state.v, on_device),
                                      rows_of(state.energy_lost, on_device), rows_of(state.sides, on_device)},
                                     some, from, to, frame.dt / n);
    const auto put = [&](const Tensor& all_rows, const Tensor& rows) {
      return rows.defined() ? all_rows.index_copy(0, on_device, rows) : all_rows;
    };
    state = {put(state.x, moved.x), put(state.v, moved.v), put(state.energy_lost, moved.energy_lost),
             put(state.sides, moved.sides)};
  }
  return state;
}

}  // namespace billow::train::differentiable
