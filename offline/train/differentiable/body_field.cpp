#include "train/differentiable/body_field.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "sdf/yielding.h"

namespace billow::train::differentiable {
namespace {

constexpr int kNewtonSteps = 16;  // of an ellipsoid's distance, at most

// Distances and normals of some colliders, [clips, points, colliders, 1 or 3].
struct Distances {
  Tensor phi, normal;
};

Tensor pick(const Tensor& of_colliders, const Tensor& which) { return of_colliders.index_select(-2, which); }

struct Capsules {
  Tensor start, axis, length, radius, taper, slope;

  Distances at(const Tensor& x) const {
    const Tensor w = x.unsqueeze(-2) - start, height = dot3(w, axis), across = w - axis * height,
                 far = length3(across, 0),
                 along = torch::minimum((height - far * slope).clamp_min(0), length),
                 offset = w - axis * along, beyond = height - along;
    const Tensor to_axis = (far * far + beyond * beyond).sqrt();
    return {to_axis - (radius - taper * along), unit3_or(offset, axis.roll(-1, -1))};
  }
};

// As billow::ellipsoid() in sdf/shapes.h: the largest root s of sum (a y / (s + e))^2 = 1 by Newton's method on 1 / sqrt of the sum,
// in units of the shortest half-axis.
Distances to_ellipsoids(const Tensor& local, const Tensor& half) {
  const Tensor shortest = std::get<0>(half.min(-1, true)), a = half / shortest, e = (a - 1) * (a + 1),
               sign = torch::where(local < 0, -1.0, 1.0).to(local.dtype());
  const Tensor y = torch::maximum(local.abs() / shortest, 1e-5 * a), ay = a * y;
  const Tensor low = std::get<0>((ay - e).max(-1, true));
  // First guess: the offset along the normal to the surface, if that were as curved as the level set here.
  const Tensor q = local / half, g = q / half, k2 = dot3(q, q), k = k2.sqrt(),
               per_slope = 1 / torch::where(k2 > 1e-12, dot3(g, g), torch::ones({}, k2.options())).sqrt(),
               guess = torch::where(k2 > 1e-12, (k2 - k) * per_slope * k * per_slope,
                                    torch::full({}, -1e30, k2.options()));
  Tensor s = torch::maximum(low, guess / (shortest * shortest) + 1);
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Tensor term = ay / (s + e), square = dot3(term, term), root = square.sqrt(),
                 slope = (term * term / (s + e)).sum(-1, true).clamp_min(1e-37);
    const Tensor step = (root - 1) * square / slope;
    s = torch::maximum(low, s + step);
    if (i > 0 && !any_of((root - 1).abs() > 2e-5)) break;  // a step squares the error
  }
  Tensor normal = y / (s + e);
  const Tensor nearest = a * a * normal;
  normal = normal / length3(normal, 0);
  return {dot3(y - nearest, normal) * shortest, normal * sign};
}

// As with_limbs() in sdf/yielding.h.
NearSurface with_limbs(const NearSurface& rigid, const NearSurface& limb, double gap) {
  const Tensor facing = (0.5 - dot3(rigid.normal, limb.normal)).clamp(0, 1),
               free =
                   torch::maximum(gap * facing, (-limb.phi).clamp_max(static_cast<double>(kLeastGap) * gap)),
               cut = free - rigid.phi, by_cut = cut > limb.phi;
  const Tensor phi = torch::where(by_cut, cut, limb.phi), of_limb = ~by_cut & (phi < rigid.phi),
               other = phi < rigid.phi;
  return {torch::where(other, phi, rigid.phi),
          torch::where(other, torch::where(by_cut, -rigid.normal, limb.normal), rigid.normal),
          torch::where(of_limb, limb.first, rigid.first), torch::where(of_limb, limb.second, rigid.second),
          torch::where(of_limb, limb.blend, rigid.blend)};
}

}  // namespace

PosedBody::PosedBody(const BodyShape& shape, const Tensor& from, const Tensor& to, const Tensor& common,
                     const Tensor& dt)
    : shape_(shape), common_(common), dt_(dt) {
  centre_ = position_of(to), centre_before_ = position_of(from);
  rotation_ = matrix_of(rotation_of(to));
  axis_ = rotation_.select(-1, 1);
  turn_ = torch::matmul(rotation_, matrix_of(rotation_of(from)).transpose(-1, -2));
  bound_centre_ = centre_ + axis_ * shape.bound_height;
  // As pose_collider(): a turn moves a point by twice the sine of half its angle per metre of lever arm.
  const Tensor cosine = (turn_.diagonal(0, -2, -1).sum(-1, true) - 1) * 0.5;
  travel_ = length3(centre_ - centre_before_ - common, 0) +
            ((1 - cosine) * 0.5).clamp_min(0).sqrt() * 2 * (2 * shape.bound_radius.clamp_max(1e6) + 0.3);
  if (!to.is_cpu() || to.scalar_type() != torch::kFloat32) return;
  const Tensor before = from.detach().contiguous(), now = to.detach().contiguous();
  const auto transform = [](const float* p) {
    return Transform{{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
  };
  for (int64_t i = 0; i < to.size(0) * shape.count(); ++i) {
    const auto k = static_cast<size_t>(i % shape.count());
    posed_.push_back(pose_collider((*shape.colliders)[k], static_cast<float>(shape.scale),
                                   transform(before.data_ptr<float>() + 7 * i),
                                   transform(now.data_ptr<float>() + 7 * i)));
  }
}

NearSurface PosedBody::nearest_of(const FieldShape& field, const Tensor& x) const {
  return posed_.empty() ? nearest_in_tensors(field, x) : nearest_as_runtime(field, x);
}

NearSurface PosedBody::nearest_as_runtime(const FieldShape& field, const Tensor& points) const {
  const Tensor x = points.contiguous();
  const int64_t clips = x.size(0), count = x.size(1), groups = (count + kLanes - 1) / kLanes;
  const auto column = [&](int width, torch::ScalarType type) {
    return torch::empty({clips, count, width}, type);
  };
  NearSurface out{column(1, torch::kFloat32), column(3, torch::kFloat32), column(1, torch::kInt64),
                  column(1, torch::kInt64), column(1, torch::kFloat32)};
  const float* from = x.data_ptr<float>();
  float *phi = out.phi.data_ptr<float>(), *normal = out.normal.data_ptr<float>(),
        *blend = out.blend.data_ptr<float>();
  int64_t *first = out.first.data_ptr<int64_t>(), *second = out.second.data_ptr<int64_t>();
  at::parallel_for(0, clips * groups, 32, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t clip = g / groups, start = g % groups * kLanes;
      const CandidateList list{posed_.data() + clip * shape_.count(), field.list.data(),
                               static_cast<int>(field.list.size())};
      int64_t rows[kLanes];
      float p[3][kLanes];
      for (int k = 0; k < kLanes; ++k) {
        rows[k] = clip * count + std::min(start + k, count - 1);
        for (int axis = 0; axis < 3; ++axis) p[axis][k] = from[3 * rows[k] + axis];
      }
      const Nearest4 near = nearest_surface(list, {load(p[0]), load(p[1]), load(p[2])}, splat(kFarthest));
      for (int k = 0; k < kLanes && start + k < count; ++k) {
        const int64_t row = rows[k];
        const V3 n = lane(near.gradient, k);
        const float one = lane(near.first, k), other = lane(near.second, k);
        phi[row] = lane(near.phi, k), blend[row] = lane(near.blend, k);
        normal[3 * row] = n.x, normal[3 * row + 1] = n.y, normal[3 * row + 2] = n.z;
        first[row] = one < 0 ? field.list[0] : static_cast<int64_t>(one);
        second[row] = other < 0 ? first[row] : static_cast<int64_t>(other);
      }
    }
  });
  return out;
}

NearSurface PosedBody::nearest_in_tensors(const FieldShape& field, const Tensor& x) const {
  std::vector<Tensor> phis, normals;
  const Tensor far = x.unsqueeze(-2);
  const auto of = [&](const Tensor& t, const Tensor& which) { return pick(t, which).unsqueeze(-3); };
  if (field.capsules.size(0) > 0) {
    const Tensor& which = field.capsules;
    const Capsules capsules{of(centre_, which),       of(axis_, which),        of(shape_.length, which),
                            of(shape_.radius, which), of(shape_.taper, which), of(shape_.slope, which)};
    const Distances d = capsules.at(x);
    phis.push_back(d.phi), normals.push_back(d.normal);
  }
  if (field.ellipsoids.size(0) > 0) {
    const Tensor turn = rotation_.index_select(-3, field.ellipsoids).unsqueeze(-4),
                 arm = far - of(centre_, field.ellipsoids),
                 local = torch::matmul(arm.unsqueeze(-2), turn).squeeze(-2);
    const Distances d = to_ellipsoids(local, of(shape_.half, field.ellipsoids));
    phis.push_back(d.phi);
    normals.push_back(torch::matmul(turn, d.normal.unsqueeze(-1)).squeeze(-1));
  }
  if (field.half_spaces.size(0) > 0) {
    const Tensor up = of(axis_, field.half_spaces);
    phis.push_back(dot3(far - of(centre_, field.half_spaces), up));
    normals.push_back(up.expand_as(far - of(centre_, field.half_spaces)));
  }
  const Tensor phi = torch::cat(phis, -2).index_select(-2, field.order).squeeze(-1),
               normal = torch::cat(normals, -2).index_select(-2, field.order);
  auto [least, first] = phi.min(-1, true);
  Tensor second = first, weight = torch::zeros_like(least);
  if (field.blend_one.size(0) > 0) {
    // Polynomial smooth minimum, as in sdf/query.h.
    const Tensor one = phi.index_select(-1, field.blend_one), other = phi.index_select(-1, field.blend_other),
                 k = field.blend_radius, w = (0.5 + (one - other) * (0.5 / k)).clamp(0, 1);
    const Tensor blended = torch::where((other - one).abs() < k, one + (other - one) * w - k * w * (1 - w),
                                        torch::full({}, 1e30, one.options()));
    auto [least_blended, pair] = blended.min(-1, true);
    const Tensor blends = least_blended <= least, w_of_pair = w.gather(-1, pair), swapped = w_of_pair > 0.5;
    const Tensor a = field.blend_one.index({pair}), b = field.blend_other.index({pair});
    least = torch::where(blends, least_blended, least);
    first = torch::where(blends, torch::where(swapped, b, a), first);
    second = torch::where(blends, torch::where(swapped, a, b), second);
    weight = zero_unless(blends, torch::where(swapped, 1 - w_of_pair, w_of_pair));
  }
  const auto normal_of = [&](const Tensor& which) {
    return normal.gather(-2, which.unsqueeze(-1).expand({-1, -1, 1, 3})).squeeze(-2);
  };
  const Tensor n = normal_of(first), mixed = n + (normal_of(second) - n) * weight;
  return {least.clamp_max(static_cast<double>(kFarthest)), unit3_or(mixed, n), field.indices.index({first}),
          field.indices.index({second}), weight};
}

NearSurface PosedBody::nearest(const Tensor& points) const {
  const torch::NoGradGuard values_only;
  const Tensor x = points.detach();
  if (shape_.yielding.count() == 0) return nearest_of(shape_.rigid, x);
  const NearSurface limb = nearest_of(shape_.yielding, x);
  if (shape_.rigid.count() == 0) return limb;
  return with_limbs(nearest_of(shape_.rigid, x), limb, static_cast<double>(kYieldGap) * shape_.scale);
}

NearSurface PosedBody::nearest_soft(const Tensor& points) const {
  const torch::NoGradGuard values_only;
  return nearest_of(shape_.soft, points.detach());
}

Surface PosedBody::depending_on(const Tensor& x, const NearSurface& near, bool soft) const {
  if (!torch::GradMode::is_enabled() || !x.requires_grad()) return {near.phi, near.normal, near.blend};
  Tensor of_phi, of_normal, of_blend;  // derivatives, [clips, points, 1 or 3 (of it), 3 (along)]
  {
    const torch::NoGradGuard values_only;
    const double step = x.scalar_type() == torch::kFloat64 ? 1e-5 : 1e-3;  // m
    const Tensor steps = torch::eye(3, x.options().requires_grad(false)) * step,
                 at = x.detach().unsqueeze(-2),
                 around = torch::cat({at + steps, at - steps}, -2).flatten(1, 2);
    const NearSurface there = soft ? nearest_soft(around) : nearest(around);
    const auto slope = [&](const Tensor& t) {
      const Tensor each = t.unflatten(1, {x.size(1), 6});
      return ((each.narrow(-2, 0, 3) - each.narrow(-2, 3, 3)) / (2 * step)).transpose(-1, -2);
    };
    of_phi = slope(there.phi), of_normal = slope(there.normal);
    // Which of the two is the first may change.
    const auto repeated = [&](const Tensor& t) { return t.repeat_interleave(6, 1); };
    const Tensor first = repeated(near.first), second = repeated(near.second);
    of_blend =
        slope(torch::where(there.first == first, there.blend,
                           torch::where(there.first == second, 1 - there.blend, repeated(near.blend))));
  }
  const Tensor moved = x - x.detach();
  const auto along = [&](const Tensor& slope) {
    return torch::matmul(slope, moved.unsqueeze(-1)).squeeze(-1);
  };
  return {near.phi + along(of_phi), near.normal + along(of_normal), near.blend + along(of_blend)};
}

Tensor PosedBody::velocity(const Tensor& x, const NearSurface& near, const Tensor& share) const {
  const auto of = [&](const Tensor& collider) {
    const Tensor which = collider.expand({-1, -1, 3});
    const Tensor centre = centre_.gather(1, which), before = centre_before_.gather(1, which),
                 turn = turn_.flatten(-2).gather(1, collider.expand({-1, -1, 9})).unflatten(-1, {3, 3});
    const Tensor arm = x - centre;
    return (arm - torch::matmul(arm.unsqueeze(-2), turn).squeeze(-2) + centre - before) / dt_;
  };
  const Tensor v = of(near.first);
  return v + (of(near.second) - v) * share;
}

Tensor PosedBody::grip(const NearSurface& near) const {
  if (shape_.yielding.count() == 0) return torch::ones_like(near.phi);
  return (~torch::isin(near.first, shape_.yielding.indices)).to(near.phi.dtype());
}

std::vector<int64_t> PosedBody::may_have_crossed(const Tensor& before, const Tensor& x,
                                                 const Tensor& clearance) const {
  const torch::NoGradGuard values_only;
  constexpr double kMargin = 0.05;  // m: what pushes and neighbours may add to the way
  std::vector<int64_t> out;
  const Tensor& rigid = shape_.rigid.indices;
  if (shape_.rigid.count() == 0) return out;
  const auto row = [&](const Tensor& t) { return t.index_select(-2, rigid).squeeze(-1).unsqueeze(-2); };
  const Tensor path = length3(x - before - common_, 0) + kMargin + row(travel_),
               apart = torch::cdist(x, bound_centre_.index_select(-2, rigid));
  const Tensor may =
      (path - kMargin > row(shape_.half_thickness)) & (apart < path + clearance + row(shape_.bound_radius));
  const Tensor found = may.flatten(0, 1).any(0).cpu();
  for (int64_t k = 0; k < found.size(0); ++k)
    if (found[k].item<bool>()) out.push_back(rigid[k].item<int64_t>());
  return out;
}

Tensor PosedBody::distance_to(int64_t collider, const Tensor& x) const {
  FieldShape one = {};
  const auto options = shape_.rigid.indices.options();
  const auto only = [&](const Tensor& some) { return some.masked_select(some == collider); };
  one.capsules = only(shape_.rigid.capsules), one.ellipsoids = only(shape_.rigid.ellipsoids);
  one.half_spaces = only(shape_.rigid.half_spaces);
  one.order = torch::zeros({1}, options), one.indices = torch::full({1}, collider, options);
  one.blend_one = one.blend_other = torch::zeros({0}, options);
  one.list = {static_cast<uint8_t>(collider)};
  return nearest_of(one, x).phi;
}

Tensor PosedBody::stop_at_first_hit(const std::vector<int64_t>& swept, const Tensor& before, const Tensor& x,
                                    const Tensor& clearance, Tensor& stopped) const {
  constexpr int kAdvances = 12;  // as in rope/push_out.cpp
  const torch::NoGradGuard values_only;
  Tensor end = x.detach();
  stopped = torch::zeros_like(clearance.expand_as(end.narrow(-1, 0, 1)), torch::kBool);
  for (const int64_t c : swept) {
    const auto of = [&](const Tensor& t) { return t.narrow(1, c, 1); };
    const Tensor arm = before.detach() - of(centre_before_),
                 start = torch::matmul(arm, turn_.select(1, c).transpose(-1, -2)) + of(centre_);
    const Tensor path = end - start, l = length3(path, 1e-20), thick = shape_.half_thickness[c];
    Tensor maybe = l > thick;
    if (!any_of(maybe)) continue;
    const Tensor direction = path / l, at_start = distance_to(c, start) - clearance,
                 at_end = distance_to(c, end) - clearance;
    maybe = maybe & (at_start >= 0) & (at_end >= 0) & (at_start + at_end < l);
    Tensor s = at_start;
    for (int k = 0; k < kAdvances && any_of(maybe); ++k) {
      const Tensor gap = distance_to(c, start + direction * s) - clearance, hit = maybe & (gap < 1e-3);
      end = torch::where(hit, start + direction * (s + 2e-3), end);
      stopped = stopped | hit;
      s = s + gap.clamp_min(1e-3);
      maybe = maybe & ~hit & (s < l);
    }
  }
  return end;
}

}  // namespace billow::train::differentiable
