// Half velocity updates and impulses, as rope/accelerate.cpp and apply_impulses.cpp.
#include "train/differentiable/pulling_ropes.h"
#include "train/differentiable/stages.h"

namespace billow::train::differentiable {
namespace {

// A system with a row for each rope; its tensors are [clips, chains, ropes].
struct System {
  Ropes ropes;
  Tensor diagonal, next, taut;
  Tensor keep, normal;  // of the bones below the ropes, as Hold4 in rope/chain_set.h

  // Impulses or tensions, [clips, chains, ropes, 1].
  Tensor solve(const Tensor& rhs) const {
    return solve_ropes(diagonal, next, rhs.squeeze(-1), taut).unsqueeze(-1);
  }
};

// w (keep - n n^T) between two directions.
Tensor coupling(const Tensor& w, const Tensor& keep, const Tensor& n, const Tensor& a, const Tensor& b) {
  return w * (keep * dot3(a, b) - dot3(a, n) * dot3(b, n));
}

// `held`: of the bones below the ropes: 1 yields only across `normal`, 2 not at all. Undefined: none is.
System system_of(const ChainModel& m, const Ropes& ropes, const Tensor& held, const Tensor& normal) {
  System s;
  s.ropes = ropes;
  const Tensor w = lower(m.w()), w_above = upper(m.w()), l = ropes.direction;
  s.keep = held.defined() ? (held < 2).to(l.dtype()) : torch::ones_like(ropes.length);
  s.normal = held.defined() ? normal * (held == 1) : torch::zeros_like(l);
  const int64_t last = l.size(kBones) - 1;
  const auto first = [&](const Tensor& t) { return t.narrow(kBones, 0, last); };
  const auto second = [&](const Tensor& t) { return t.narrow(kBones, 1, last); };
  const Tensor w0 = first(w), below = second(l);
  const Tensor at_above = on_lower(coupling(w0, first(s.keep), first(s.normal), below, below));
  const Tensor diagonal = coupling(w, s.keep, s.normal, l, l) + at_above;
  // A rope between two held bones has no effect, nor has padding.
  const Tensor effective = diagonal > 1e-3 * (w + w_above);
  s.diagonal = torch::where(effective, diagonal, torch::ones({}, diagonal.options())).squeeze(-1);
  s.taut = (ropes.taut & effective).squeeze(-1);
  s.next = on_upper(-coupling(w0, first(s.keep), first(s.normal), first(l), below)).squeeze(-1);
  return s;
}

// Sum of the impulses of the ropes above and below on each bone.
Tensor pull_of(const Ropes& ropes, const Tensor& impulse) {
  const Tensor each = ropes.direction * impulse;
  return on_upper(each.narrow(kBones, 1, each.size(kBones) - 1)) - each;
}

Tensor free_part(const System& s, const Tensor& pull) {
  return pull * s.keep - s.normal * dot3(pull, s.normal);
}

// One backward Euler step of damping relative to the parent bone.
Tensor damp_relative_motion(const ChainModel& m, const Tensor& h, const Tensor& v) {
  const Tensor mass = lower(m.mass), above = h * lower(m.damping) * mass * lower(m.is_bone);
  const int64_t last = above.size(kBones) - 1;
  const Tensor below = on_upper(above.narrow(kBones, 1, last));
  const Tensor of_root = torch::cat(
      {above.narrow(kBones, 0, 1) * v.narrow(kBones, 0, 1), torch::zeros_like(v.narrow(kBones, 2, last))},
      kBones);
  // Bones along the last dimension, one system for each axis.
  const auto turned = [&](const Tensor& t) {
    return t.expand({v.size(0), v.size(1), last + 1, 3}).transpose(-1, -2);
  };
  const Tensor solved =
      solve_tridiagonal(turned(mass + above + below), turned(-below), turned(lower(v) * mass + of_root));
  return torch::cat({v.narrow(kBones, 0, 1), solved.transpose(-1, -2)}, kBones);
}

// A contact holds a bone that rests on the body, not one that is pulled off it: those that need more than twice the chain's weight.
Tensor overloaded(const ChainModel& m, const Times& times, const System& s, const Tensor& impulse,
                  const Tensor& held) {
  const torch::NoGradGuard values_only;
  const Tensor limit = (m.mass * m.is_bone).sum(kBones, true) * (2 * length3(m.gravity) * times.dt);
  const Tensor pull = pull_of(s.ropes, impulse);
  return (held > 0) & (length3(pull - free_part(s, pull), 0) > limit);
}

}  // namespace

Ropes ropes_of(const ChainModel& m, const Tensor& x) {
  const Tensor l = lower(x) - upper(x), square = dot3(l, l), ok = square > 1e-20,
               length = torch::where(ok, square, torch::full({}, 1e-10, x.options())).sqrt();
  const Tensor down = torch::tensor({0.0, -1.0, 0.0}, x.options().requires_grad(false));
  const Tensor longest = lower(m.max_length);
  return {torch::where(ok, l / length, down), length, (longest - length).clamp_min(0),
          (length >= longest * (1 - static_cast<double>(m.settings.tautness))) & (lower(m.is_bone) > 0)};
}

Tensor accelerate(const ChainModel& m, const Times& times, const Tensor& x, const Tensor& v,
                  const Tensor& acceleration, const Tensor& root_acceleration) {
  const Tensor& h = times.h;
  const System s = system_of(m, ropes_of(m, x), {}, {});
  const Tensor& l = s.ropes.direction;
  const Tensor a = torch::cat({root_acceleration, lower(acceleration)}, kBones);
  // Relative external acceleration along the rope, plus centripetal acceleration, minus what closes the gap.
  const Tensor u = lower(v) - upper(v), along = dot3(u, l),
               across2 = (dot3(u, u) - along * along).clamp_min(1e-20);
  const Tensor centripetal = torch::minimum(across2 / s.ropes.length, across2.sqrt() * (0.5 / h)),
               slack = 0.5 * static_cast<double>(m.settings.gap_return) / h.square();
  const Tensor tension = s.solve(dot3(lower(a) - upper(a), l) + centripetal - s.ropes.gap * slack);
  const Tensor faster =
      v + h * torch::cat({root_acceleration, lower(acceleration) + pull_of(s.ropes, tension) * lower(m.w())},
                         kBones);
  return m.settings.has_damping ? damp_relative_motion(m, h, faster) : faster;
}

Tensor apply_impulses(const ChainModel& m, const Times& times, const Tensor& x, const Tensor& v,
                      Contacts& contacts, Tensor& collider_work) {
  const Ropes ropes = ropes_of(m, x);
  const Tensor root = v.narrow(kBones, 0, 1), w = lower(m.w());
  const Tensor slack = ropes.gap * (static_cast<double>(m.settings.gap_return) / times.dt);
  const auto lengthening = [&](const Tensor& velocities) {
    return dot3(velocities -
                    torch::cat({root, velocities.narrow(kBones, 0, velocities.size(kBones) - 1)}, kBones),
                ropes.direction) -
           slack;
  };
  Tensor now = lower(v);
  if (!contacts.any()) {
    const System s = system_of(m, ropes, {}, {});
    return torch::cat({root, now + pull_of(ropes, s.solve(lengthening(now))) * w}, kBones);
  }

  const Tensor normal = lower(contacts.normal), mass = lower(m.mass);
  Tensor held = lower(contacts.held), believed = held;
  System s;
  Tensor impulse;
  constexpr int kRounds = 3;  // of releasing overloaded bones; after the last, no bone of the chain is held
  for (int round = 0; round <= kRounds; ++round) {
    s = system_of(m, ropes, believed, normal);
    impulse = s.solve(lengthening(now));
    if (round == kRounds) break;
    const Tensor releases = overloaded(m, times, s, impulse, held);
    if (!any_of(releases)) break;
    held = zero_unless(~releases, held);
    believed = round + 1 < kRounds ? held : zero_unless(~releases.any(kBones, true), held);
  }
  const auto pull_bones = [&](const System& by, const Tensor& with) {
    const Tensor pull = pull_of(ropes, with), applied = free_part(by, pull);
    // The body also moves the bones that it holds.
    collider_work = collider_work + (dot3(applied - pull, now - root) * lower(m.is_bone)).sum(kBones, true);
    now = now + applied * w;
  };
  pull_bones(s, impulse);

  // Friction of bones that their ropes press on the body.
  const Tensor holds = held > 0, v_body = lower(contacts.velocity);
  if (any_of(holds)) {
    const Tensor pressed = (-dot3(pull_of(ropes, impulse), normal)).clamp_min(0) * w;
    Tensor slip = now - v_body;
    slip = slip - normal * dot3(slip, normal);
    const Tensor keep = (1 - m.friction * lower(contacts.grip) * pressed / length3(slip)).clamp_min(0);
    const Tensor change = zero_unless(holds, slip * (keep - 1));
    now = now + change;
    collider_work = collider_work + (mass * dot3(change, v_body - root)).sum(kBones, true);
    const Tensor sticks = holds & (keep == 0);
    held = torch::where(sticks, torch::full({}, 2, held.options()), held);
    const Tensor stuck = sticks.any(kBones, true);
    if (any_of(stuck)) {
      const System again = system_of(m, ropes, held, normal);
      pull_bones(again, zero_unless(stuck, again.solve(lengthening(now))));
    }
  }
  contacts.held = on_lower(held);
  return torch::cat({root, now}, kBones);
}

}  // namespace billow::train::differentiable
