#include "train/differentiable/push_out.h"

#include "train/differentiable/positions.h"

namespace billow::train::differentiable {
namespace {

constexpr int kLastPushes = 3;             // as in rope/push_out.cpp
constexpr int kSlides = 4, kHalvings = 7;  // as in rope/collide.cpp

// One step along the sphere: if the rope is taut, only the part of the gradient across it helps.
Tensor slide(const Tensor& x, const Tensor& parent, const Tensor& longest, const Tensor& clearance,
             const Surface& surface) {
  const Tensor l = x - parent, l_hat = unit3_or(l, surface.normal), outward = dot3(surface.normal, l_hat);
  const Tensor held = (length3(l) > 0.99 * longest) & (outward > 0),
               across = torch::where(held, surface.normal - l_hat * outward, surface.normal);
  return limit_length(x + across * ((clearance - surface.phi) / dot3(across, across).clamp_min(0.04)), parent,
                      longest);
}

// Bones that sliding has not led out: with a free parent their rope is shortened, else they stay inside.
Tensor resolve_inside(const CollisionContext& context, const Tensor& x, const Tensor& parent,
                      const Tensor& longest, const Tensor& clearance, const Tensor& inside) {
  const NearSurface at_parent = context.body.nearest(parent);
  const Tensor trapped = inside & (at_parent.phi >= 0), &n = at_parent.normal;
  if (!any_of(trapped)) return x;
  Tensor heading = unit3_or(x - parent, n);
  heading = unit3_or(heading - n * dot3(heading, n).clamp_max(0), n);
  const Tensor reach = usable_length(longest, x, parent);
  Tensor share = torch::zeros_like(reach), open = trapped;
  double part = 1;
  for (int k = 0; k < kHalvings && any_of(open); ++k, part *= 0.5) {
    const Tensor phi = context.body.nearest(parent + heading * reach * part).phi;
    const Tensor free = open & (phi >= clearance - kContactTolerance);
    share = torch::where(free, torch::full({}, part, share.options()), share);
    open = open & ~free;
  }
  return torch::where(trapped, parent + heading * reach * share.detach(), x);
}

}  // namespace

Pushed push_out(const CollisionContext& context, const Tensor& at, const Tensor& before,
                const Tensor& clearance, const Tensor& may) {
  const ChainModel& m = context.model;
  const PosedBody& body = context.body;
  Pushed out{at, {}, {}};
  Tensor stopped;
  if (!context.swept.empty()) {
    const Tensor end = body.stop_at_first_hit(context.swept, before, at, clearance, stopped);
    if (any_of(stopped & may))
      out.x = torch::where(stopped & may, at + (end - at.detach()), at);
    else
      stopped = Tensor();
  }
  Touch& touch = out.touch;
  touch.near = body.nearest(out.x);
  Tensor touched = touch.near.phi < clearance;
  if (stopped.defined()) touched = touched | stopped;
  touched = touched & may;
  if (!any_of(touched)) return out;
  touch.touched = touched;

  Surface surface = body.depending_on(out.x, touch.near);
  touch.normal = surface.normal, touch.blend = surface.blend;
  const double extra = static_cast<double>(m.settings.push_extra);
  const Tensor target = clearance + extra;
  Tensor inside = touched;
  bool some = true;
  const auto push = [&](const Tensor& displacement, bool last) {
    out.x = torch::where(inside, out.x + displacement, out.x);
    const NearSurface near = body.nearest(out.x);
    inside = touched & (near.phi < clearance - kContactTolerance);
    some = any_of(inside);
    if (some && !last) surface = body.depending_on(out.x, near);
  };
  for (int k = 0; k < m.settings.push_iterations && some; ++k)
    push(touch.normal * (target - surface.phi).clamp_min(0), false);
  for (int k = 0; k < kLastPushes && some; ++k)
    push(surface.normal * (target - surface.phi), k + 1 == kLastPushes);
  out.inside = inside;
  return out;
}

Tensor settle(const CollisionContext& context, const Tensor& at, const Tensor& parent, const Tensor& longest,
              const Tensor& clearance, const Tensor& may) {
  const PosedBody& body = context.body;
  Tensor x = torch::where(may, limit_length(at, parent, longest), at), inside;
  NearSurface near;
  const auto find_inside = [&] {
    near = body.nearest(x);
    inside = may & (near.phi < clearance - kContactTolerance);
    return any_of(inside);
  };
  bool some = find_inside();
  for (int k = 0; k < kSlides && some; ++k) {
    x = torch::where(inside, slide(x, parent, longest, clearance, body.depending_on(x, near)), x);
    some = find_inside();
  }
  return some ? resolve_inside(context, x, parent, longest, clearance, inside) : x;
}

}  // namespace billow::train::differentiable
