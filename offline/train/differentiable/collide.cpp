// Collisions, as rope/collide.cpp, collide_lateral.cpp and respond_to_contacts.cpp.
//
// From root to tip: bones, the ropes above them, lateral segments. The places of one level depend on those of the level above, so
// levels follow one another. Levels that nothing can touch are found beforehand by one query of all bones: distances change no
// faster than bones move.
#include "rope/collide.h"

#include "train/differentiable/positions.h"
#include "train/differentiable/push_out.h"

namespace billow::train::differentiable {
namespace {

// What the bones of a level touch: [clips, chains, 1 or 3].
struct Level {
  Tensor held, grip, normal, velocity;
};

class Collisions {
 public:
  Collisions(const ChainModel& m, const SubstepInput& in, const Tensor& x_before, const Tensor& x)
      : m_(m), context_{m, *in.body, {}} {
    bones_ = m.is_bone.gt(0).unbind(kBones);
    before_ = x_before.unbind(kBones), x_ = x.unbind(kBones);
    longest_ = m.max_length.unbind(kBones), clearance_ = m.radius.unbind(kBones);
    lateral_ = m.lateral_length.gt(0).unbind(kBones);
    find_distances(x_before, x);
  }

  Tensor run(Contacts& contacts) {
    std::vector<Level> levels(x_.size());
    bool any = false;
    for (size_t i = 1; i < x_.size(); ++i) {
      x_[i] = torch::where(bones_[i], limit_length(x_[i], x_[i - 1], longest_[i]), x_[i]);
      if (is_clear(i)) continue;
      collide_bones(i, levels[i]);
      if (m_.neighbours && m_.settings.lateral_samples > 0) collide_lateral(i, levels[i]);
      any |= levels[i].held.defined();
    }
    contacts = any ? together(levels) : Contacts{};
    return torch::stack(x_, kBones);
  }

 private:
  // Of all bones before collisions.
  void find_distances(const Tensor& x_before, const Tensor& x) {
    const torch::NoGradGuard values_only;
    const Tensor points = x.detach().flatten(1, 2), clearance = m_.radius.flatten(0, 1);
    distance_ = context_.body.nearest(points).phi.unflatten(1, {m_.chains(), m_.bones()}).unbind(kBones);
    found_at_ = x.detach().unbind(kBones);
    if (m_.settings.swept)
      context_.swept = context_.body.may_have_crossed(x_before.detach().flatten(1, 2), points, clearance);
  }

  bool is_clear(size_t i) const {
    if (!context_.swept.empty()) return false;
    const torch::NoGradGuard values_only;
    Tensor reach = length3(x_[i] - x_[i - 1]);
    if (m_.neighbours) reach = torch::maximum(reach, length3(x_[i].roll(-1, 1) - x_[i]) * lateral_[i]);
    const Tensor least = distance_[i] - length3(x_[i] - found_at_[i]);
    // Each bone answers for the nearer halves of its segments and for its rope; samples need not be in the middle.
    const Tensor needed = clearance_[i] + reach + kQueryMargin;
    return !any_of((least < needed) & bones_[i]);
  }

  void record(Level& level, const Tensor& which, const Touch& touch, const Tensor& at) {
    const Tensor velocity = context_.body.velocity(at, touch.near, touch.blend),
                 grip = context_.body.grip(touch.near);
    if (!level.held.defined()) {
      level = {which.to(at.dtype()), grip, touch.normal, velocity};
      return;
    }
    level = {torch::where(which, torch::ones({}, at.options()), level.held),
             torch::where(which, grip, level.grip), torch::where(which, touch.normal, level.normal),
             torch::where(which, velocity, level.velocity)};
  }

  void collide_bones(size_t i, Level& level) {
    const Tensor &parent = x_[i - 1], &clearance = clearance_[i];
    Pushed push = push_out(context_, x_[i], before_[i], clearance, bones_[i]);
    Tensor x = push.x, moved = push.touch.touched;
    Touch last = push.touch;
    Touch of_rope;
    Tensor rope_moved;
    const int samples = m_.settings.rope_samples;
    for (int k = 1; k <= samples; ++k) {
      const double t = static_cast<double>(k) / (samples + 1);
      const Tensor point = parent + (x - parent) * t,
                   point_before = before_[i - 1] + (before_[i] - before_[i - 1]) * t;
      const Pushed pushed = push_out(context_, point, point_before, clearance, bones_[i]);
      if (!pushed.touch.touched.defined()) continue;
      // A rope that starts inside the body (a root under the skin) cannot leave it.
      const Tensor moves = pushed.touch.touched & (context_.body.nearest(parent).phi >= clearance - 1e-3);
      x = torch::where(moves, x + (pushed.x - point) / std::max(t, 0.5), x);
      last = moved.defined() ? merged(moves, pushed.touch, last) : pushed.touch;
      moved = moved.defined() ? moved | moves : moves;
    }
    if (!moved.defined()) return;
    x_[i] = settle(context_, x, parent, longest_[i], clearance, moved);
    record(level, moved, last, x_[i]);
  }

  static Touch merged(const Tensor& which, const Touch& a, const Touch& b) {
    const auto pick = [&](const Tensor& p, const Tensor& q) { return torch::where(which, p, q); };
    return {
        a.touched | b.touched,
        {pick(a.near.phi, b.near.phi), pick(a.near.normal, b.near.normal), pick(a.near.first, b.near.first),
         pick(a.near.second, b.near.second), pick(a.near.blend, b.near.blend)},
        pick(a.normal, b.normal),
        pick(a.blend, b.blend)};
  }

  // The deepest sample of each segment, or its middle.
  Tensor deepest_sample(const Tensor& a, const Tensor& b, const Tensor& clearance) const {
    const torch::NoGradGuard values_only;
    const int n = m_.settings.lateral_samples;
    Tensor where = torch::full({a.size(0), a.size(1), 1}, 0.5, a.options()),
           deepest = torch::zeros_like(where);
    for (int k = 1; k <= n && n > 1; ++k) {
      const double t = static_cast<double>(k) / (n + 1);
      const Tensor depth = clearance - context_.body.nearest(a + (b - a) * t).phi, deeper = depth > deepest;
      where = torch::where(deeper, torch::full({}, t, where.options()), where);
      deepest = torch::where(deeper, depth, deepest);
    }
    return where;
  }

  // Segments from each chain to the next: each is moved by the push of its deepest sample, and a bone by the mean of the pushes
  // on either side.
  void collide_lateral(size_t i, Level& level) {
    const Tensor a = x_[i], b = a.roll(-1, 1), a_before = before_[i], b_before = a_before.roll(-1, 1);
    // The last segment of a closed garment has its own chain's clearance, as in the runtime.
    const Tensor &own = clearance_[i],
                 next = torch::cat({own.narrow(0, 1, own.size(0) - 1), own.narrow(0, own.size(0) - 1, 1)}, 0);
    const Tensor clearance = torch::maximum(own, next), t = deepest_sample(a, b, clearance);
    const Tensor point = a + (b - a) * t;
    const Pushed push =
        push_out(context_, point, a_before + (b_before - a_before) * t, clearance, lateral_[i]);
    if (!push.touch.touched.defined()) return;
    const Tensor right = push.touch.touched, left = right.roll(1, 1);
    const Tensor shift = push.x - point, count = right.to(a.dtype()) + left.to(a.dtype());
    const Tensor moved = (count > 0) & bones_[i];
    const Tensor mean =
        (zero_unless(right, shift) + zero_unless(left, shift.roll(1, 1))) / count.clamp_min(1);
    x_[i] = settle(context_, torch::where(moved, a + mean, a), x_[i - 1], longest_[i], clearance_[i], moved);
    // Bones that have a contact of their own keep it.
    const Tensor stored = level.held.defined() ? moved & (level.held < 1) : moved;
    const Tensor of_segment = context_.body.velocity(push.x, push.touch.near, push.touch.blend),
                 grip = context_.body.grip(push.touch.near);
    const auto of_side = [&](const Tensor& s) { return torch::where(right, s, s.roll(1, 1)); };
    const Level lateral{moved.to(a.dtype()), of_side(grip), of_side(push.touch.normal), of_side(of_segment)};
    if (!level.held.defined()) {
      level = lateral;
      return;
    }
    const auto pick = [&](const Tensor& p, const Tensor& q) { return torch::where(stored, p, q); };
    level = {pick(lateral.held, level.held), pick(lateral.grip, level.grip),
             pick(lateral.normal, level.normal), pick(lateral.velocity, level.velocity)};
  }

  Contacts together(const std::vector<Level>& levels) const {
    const Tensor none = torch::zeros_like(x_[0].narrow(-1, 0, 1)), none3 = torch::zeros_like(x_[0]);
    std::vector<Tensor> held, grip, normal, velocity;
    for (const Level& l : levels) {
      const bool there = l.held.defined();
      held.push_back(there ? l.held : none), grip.push_back(there ? l.grip : none);
      normal.push_back(there ? l.normal : none3), velocity.push_back(there ? l.velocity : none3);
    }
    const auto all = [](const std::vector<Tensor>& of) { return torch::stack(of, kBones); };
    return {all(held).detach(), all(grip), all(normal), all(velocity)};
  }

  const ChainModel& m_;
  CollisionContext context_;
  std::vector<Tensor> bones_, before_, x_, longest_, clearance_, lateral_;
  std::vector<Tensor> distance_, found_at_;
};

}  // namespace

Tensor collide(const ChainModel& model, const SubstepInput& in, const Tensor& x_before, const Tensor& x,
               Contacts& contacts) {
  return Collisions(model, in, x_before, x).run(contacts);
}

Tensor respond_to_contacts(const ChainModel& m, const Tensor& v, Contacts& contacts, Tensor& collider_work) {
  if (!contacts.any()) return v;
  const Tensor &n = contacts.normal, &v_body = contacts.velocity;
  const Tensor before = dot3(v, n), of_body = dot3(v_body, n);
  // Release bones that move away.
  const Tensor held = (contacts.held > 0) & (before < of_body);
  contacts.held = held.to(v.dtype());
  const Tensor body_across = v_body - n * of_body, across = v - n * before - body_across;
  const Tensor keep = (1 - m.friction * contacts.grip * (of_body - before) / length3(across)).clamp_min(0);
  const Tensor change = zero_unless(held, n * of_body + body_across + across * keep - v);
  collider_work =
      collider_work + (m.mass * m.is_bone * dot3(change, v_body - v.narrow(kBones, 0, 1))).sum(kBones, true);
  return v + change;
}

}  // namespace billow::train::differentiable
