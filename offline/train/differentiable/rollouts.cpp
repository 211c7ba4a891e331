#include "train/differentiable/rollouts.h"

#include <stdexcept>

#include "api/handles.h"
#include "character/rope_chains.h"
#include "train/differentiable/read_chains.h"

namespace billow::train::differentiable {
namespace {

// Positions of the reference's bones in the world at one frame, [chains, bones, 3].
Tensor bones_at(const learn::Frames& frames, uint32_t frame, const std::vector<V3>& rest, int64_t levels) {
  std::vector<float> values(frames.bone_values());
  frames.bones(frame, learn::Source::kEmbedded, values);
  const Transform rigid = frames.rigid(frame);
  const auto& chains = frames.garment().chains;
  Tensor out = torch::zeros({static_cast<int64_t>(chains.size()), levels, 3}, torch::kFloat32);
  auto to = out.accessor<float, 3>();
  for (size_t c = 0; c < chains.size(); ++c)
    for (size_t i = 0; i < chains[c].size(); ++i) {
      const size_t b = chains[c][i];
      const V3 x = apply(rigid, rest[b] + V3{values[3 * b], values[3 * b + 1], values[3 * b + 2]});
      auto row = to[static_cast<int64_t>(c)][static_cast<int64_t>(i)];
      row[0] = x.x, row[1] = x.y, row[2] = x.z;
    }
  return out;
}

// Central differences; one-sided at the ends.
Tensor velocities_of(const Tensor& x, double dt) {
  const int64_t n = x.size(0);
  const Tensor inner = (x.narrow(0, 2, n - 2) - x.narrow(0, 0, n - 2)) / (2 * dt);
  return torch::cat({(x.narrow(0, 1, 1) - x.narrow(0, 0, 1)) / dt, inner,
                     (x.narrow(0, n - 1, 1) - x.narrow(0, n - 2, 1)) / dt},
                    0);
}

ReferenceMotion read_motion(const learn::Frames& frames, const learn::Frames::ClipRange& range,
                            const garment::ChainCloth& cloth, const billow_settings& settings,
                            ChainModel& model) {
  if (range.end - range.begin < 3)
    throw std::runtime_error("roll-outs: expected clips of three frames or more");
  const garment::Garment& garment = frames.garment();
  std::vector<V3> rest(garment.bones.size());
  garment::bone_positions(garment, garment.rest, rest);
  std::vector<Transform> joints(frames.character().skeleton.size());
  frames.joints(range.begin, joints);
  character::RopeChains ropes(garment, cloth, {frames.character().skeleton, frames.character().colliders},
                              joints, settings);
  body::Surface surface(frames.character().skeleton, frames.character().colliders);
  const Chains& chains = ropes.chains()->chains;
  const Body& body = surface.get()->body;
  std::vector<Tensor> roots, colliders, x;
  for (uint32_t f = range.begin; f < range.end; ++f) {
    frames.joints(f, joints);
    ropes.step(0, joints);  // carries the chains along with their roots
    surface.pose(joints);
    roots.push_back(read_roots(chains)[0]), colliders.push_back(read_colliders(body, true));
    x.push_back(bones_at(frames, f, rest, chains.set.layout.levels));
  }
  if (!model.is_bone.defined()) model = read_chains(chains, &body);
  const double dt = 1.0 / frames.info().frames_per_second;
  const Tensor places = torch::stack(x);
  return {dt, torch::stack(roots), torch::stack(colliders), places, velocities_of(places, dt)};
}

}  // namespace

ReferenceMotions read_motions(const learn::Frames& frames, const std::vector<size_t>& clips,
                              const billow_settings& settings) {
  ReferenceMotions out;
  const garment::ChainCloth cloth = garment::chain_cloth(frames.garment());
  for (const size_t c : clips)
    out.clips.push_back(read_motion(frames, frames.clips()[c], cloth, settings, out.model));
  return out;
}

Tensor rollout_loss(const ChainModel& model, const std::vector<ReferenceMotion>& clips,
                    const std::vector<Start>& starts, int64_t length, double velocity_time) {
  const torch::TensorOptions options = model.is_bone.options();
  // Of all roll-outs, so many frames after their starts.
  const auto at = [&](Tensor ReferenceMotion::*what, int64_t later) {
    std::vector<Tensor> rows;
    for (const Start& s : starts) rows.push_back((clips[s.clip].*what)[s.frame + later]);
    return torch::stack(rows).to(options);
  };
  using M = ReferenceMotion;
  ChainState state{at(&M::x, 0),
                   at(&M::v, 0),
                   torch::zeros({static_cast<int64_t>(starts.size()), model.chains(), 1, 1}, options),
                   {}};
  Tensor sum = torch::zeros({}, options);
  for (int64_t k = 0; k < length; ++k) {
    const FrameInput frame{clips[starts[0].clip].dt, at(&M::roots, k),         at(&M::roots, k + 1),
                           at(&M::colliders, k),     at(&M::colliders, k + 1), {}};
    state = step(model, state, frame);
    const Tensor dx = state.x - at(&M::x, k + 1), dv = (state.v - at(&M::v, k + 1)) * velocity_time;
    sum = sum + ((dx * dx + dv * dv) * model.is_bone).sum();
  }
  return sum / (model.is_bone.sum() * static_cast<double>(length) * static_cast<double>(starts.size()));
}

}  // namespace billow::train::differentiable
