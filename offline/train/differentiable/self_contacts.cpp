#include "train/differentiable/self_contacts.h"

#include <algorithm>

namespace billow::train::differentiable {
namespace {

// As in rope/find_self_contacts.cpp.
constexpr double kDistance = 0.35, kReach = 1, kThin = 0.1, kEdge = 0.6, kFaded = 0.15;
constexpr int64_t kSlots = SelfContactRows::kSlots;

// For each bone and slot the bone below which its panel lies, and whether there is such a panel: [chains, bones, slots].
struct Panels {
  Tensor bone, there;
};

Panels panels_of(const ChainModel& model) {
  const int64_t chains = model.chains(), bones = model.bones();
  const int64_t most =
      model.closed ? std::min<int64_t>(kSelfContactChains, (chains - 2) / 2) : kSelfContactChains;
  const Tensor bone = torch::zeros({chains, bones, kSlots}, torch::kInt64),
               there = torch::zeros({chains, bones, kSlots}, torch::kBool);
  auto at = bone.accessor<int64_t, 3>();
  auto is = there.accessor<bool, 3>();
  for (int64_t c = 0; c < chains; ++c)
    for (int64_t i = 1; i < bones; ++i) {
      int64_t slot = 0;
      for (int64_t level = i - kSelfContactLevels; level <= i + kSelfContactLevels; ++level)
        for (int64_t d = 0; d < 2 * kSelfContactChains; ++d, ++slot) {
          const int64_t other = c + (d < kSelfContactChains ? d + 1 : kSelfContactChains - d - 2);
          const bool exists = level >= 1 && level < bones && d % kSelfContactChains < most &&
                              (model.closed || (other >= 0 && other < chains));
          is[c][i][slot] = exists;
          at[c][i][slot] = exists ? (other + chains) % chains * bones + level : 0;
        }
    }
  return {bone, there};
}

// Values of all bones, [clips, chains, bones, k], at the panels' bones: [clips, chains, bones, slots, k].
Tensor at_panels(const Tensor& values, const Tensor& bone) {
  return values.flatten(1, 2).index_select(1, bone.flatten()).unflatten(1, bone.sizes());
}

// Which side each bone is on: discrete, and from root to tip, because a bone that is new takes the side of the bone above.
Tensor choose_sides(const Tensor& over, const Tensor& distance, const Tensor& rope, const Tensor& before) {
  const Tensor thin = distance.abs()<kThin * rope, before_front = before> 0,
               before_back = before<0, positive = distance> 0;
  std::vector<Tensor> out{torch::zeros_like(before.select(2, 0))};
  for (int64_t i = 1; i < before.size(2); ++i) {
    const auto of = [&](const Tensor& t) { return t.select(2, i); };
    const Tensor above_front = out.back() > 0, above_back = out.back() < 0;
    const Tensor comes_front = (of(thin) & above_front) | (~(of(thin) & above_back) & of(positive)),
                 in_front = of(over) & (of(before_front) | (~of(before_back) & comes_front)),
                 front = in_front & ~above_back, back = of(over) & ~in_front & ~above_front;
    out.push_back(front.to(before.dtype()) - back.to(before.dtype()));
  }
  return torch::stack(out, 2);
}

Tensor faded(const Tensor& coordinate) { return ((kEdge - coordinate.abs()) / kFaded).clamp(0, 1); }

}  // namespace

Tensor read_sides(const ChainSet& set) {
  const Layout& lay = set.layout;
  const Tensor out = torch::zeros({1, lay.chains, lay.levels, kSlots}, torch::kFloat32);
  auto to = out.accessor<float, 4>();
  for (int c = 0; c < lay.chains; ++c)
    for (int i = 0; i < lay.levels; ++i)
      for (int64_t slot = 0; slot < kSlots; ++slot) {
        const uint8_t side = set.self.sides[(i * lay.groups() + c / kLanes) * kSlots + slot];
        const int lane = c % kLanes;
        to[0][c][i][slot] =
            static_cast<float>(side >> lane & 1) - static_cast<float>(side >> (lane + kLanes) & 1);
      }
  return out;
}

Tensor no_sides(const ChainModel& model, const Tensor& x) {
  return torch::zeros({x.size(0), model.chains(), model.bones(), kSlots}, x.options().requires_grad(false));
}

Tensor find_self_contacts(const ChainModel& model, const Tensor& x, const Tensor& step, Tensor& sides) {
  const Panels panels = panels_of(model);
  const Tensor bone = panels.bone.to(x.device()), there = panels.there.to(x.device()).unsqueeze(-1);
  const Tensor w = model.w();

  // Planes of the panels: coordinates across and along, from -1/2 to 1/2 within a panel, and distance.
  const Tensor next = next_chain(x), a = upper(x), b = lower(x), c = upper(next), d = lower(next);
  const Tensor centre = on_lower((a + b + c + d) * 0.25), across = on_lower((c + d - a - b) * 0.5),
               along = on_lower((b + d - a - c) * 0.5);
  const Tensor uu = dot3(across, across), vv = dot3(along, along), uv = dot3(across, along),
               square = uu * vv - uv * uv;
  const Tensor exists = (model.lateral_length > 0) & (square > 1e-12),
               inverse = 1 / torch::where(exists, square, torch::ones({}, x.options()));
  const Tensor plane_u = (across * vv - along * uv) * inverse, plane_v = (along * uu - across * uv) * inverse,
               normal = cross3(across, along) * inverse.sqrt();
  const Tensor rows = torch::cat({plane_u, plane_v, normal, centre}, -1), of_panel = at_panels(rows, bone);
  const Tensor rope = at_panels(model.max_length.unsqueeze(0), bone);

  const Tensor from_centre = x.unsqueeze(-2) - of_panel.narrow(-1, 9, 3);
  const Tensor u = dot3(from_centre, of_panel.narrow(-1, 0, 3)),
               v = dot3(from_centre, of_panel.narrow(-1, 3, 3)), n = of_panel.narrow(-1, 6, 3),
               distance = dot3(from_centre, n);
  Tensor side;
  {
    const torch::NoGradGuard values_only;
    const Tensor over = there & at_panels(exists.to(x.dtype()), bone).gt(0) & (u.abs() < kEdge) &
                        (v.abs() < kEdge) & (w > 0).unsqueeze(-2) & (distance.abs() < kReach * rope);
    sides = choose_sides(over.squeeze(-1), distance.squeeze(-1), rope.squeeze(-1), sides);
    side = sides.unsqueeze(-1);
  }
  const Tensor depth = zero_unless(side != 0, (kDistance * rope - side * distance).clamp_min(0));
  if (!any_of(depth > 0)) return torch::zeros_like(x);

  // A spring along the normal acts on the bone, and by its shares on the panel's corners.
  const Tensor next_share = (u + 0.5).clamp(0, 1), low = (v + 0.5).clamp(0, 1);
  const Tensor shares[4] = {(1 - next_share) * (1 - low), (1 - next_share) * low, next_share * (1 - low),
                            next_share * low};
  const int64_t bones = model.bones(), all = model.chains() * bones;
  const Tensor beside = (bone + bones) % all;
  const Tensor corner[4] = {(bone - 1).clamp_min(0), bone, (beside - 1).clamp_min(0), beside};
  Tensor w_all = w.unsqueeze(-2);
  for (int k = 0; k < 4; ++k) w_all = w_all + shares[k] * shares[k] * at_panels(w.unsqueeze(0), corner[k]);
  const Tensor k = model.self_contact / (1 + 2 * step.unsqueeze(-1).square() * model.self_contact * w_all);
  const Tensor force = n * (side * k * depth * faded(u) * faded(v));
  Tensor sum = force.sum(-2).flatten(1, 2);
  for (int c4 = 0; c4 < 4; ++c4)
    sum = sum.index_add(1, corner[c4].flatten(), -(force * shares[c4]).flatten(1, 3));
  return sum.unflatten(1, {model.chains(), bones}) * w;
}

}  // namespace billow::train::differentiable
