#include "train/force_rollouts.h"

#include <cmath>
#include <random>

#include "api/handles.h"
#include "parallel.h"
#include "ropes/network_force.h"

namespace billow::train {
namespace {

using learn::Frames;

std::vector<std::vector<V3>> world_bones(const Frames& frames, const Frames::ClipRange& clip) {
  std::vector<V3> rest(frames.garment().bones.size());
  garment::bone_positions(frames.garment(), frames.garment().rest, rest);
  std::vector<float> values(frames.bone_values());
  std::vector<std::vector<V3>> out;
  for (uint32_t f = clip.begin; f < clip.end; ++f) {
    frames.bones(f, learn::Source::kEmbedded, values);
    const Transform rigid = frames.rigid(f);
    std::vector<V3>& bones = out.emplace_back(rest.size());
    for (size_t b = 0; b < rest.size(); ++b)
      bones[b] = apply(rigid, rest[b] + V3{values[3 * b], values[3 * b + 1], values[3 * b + 2]});
  }
  return out;
}

}  // namespace

struct ForceRollouts::Clip {
  Frames::ClipRange range;
  float fps;
  std::vector<std::vector<V3>> bones;  // of the reference, in the world

  V3 velocity(size_t f, uint32_t bone) const {
    return (bones[f + 1][bone] - bones[f - 1][bone]) * (0.5f * fps);
  }
};

namespace {

// Calls f(chain, level, bone of the garment) for all bones, roots included.
template <class Function>
void for_each_bone(const ChainSet& set, const garment::Garment& garment, Function f) {
  for (int c = 0; c < set.layout.chains; ++c)
    for (int i = 0; i < set.bones[c]; ++i)
      f(c, i, garment.chains[static_cast<size_t>(c)][static_cast<size_t>(i)]);
}

// Places the chains on the reference's bones at frame `f`.
template <class Clip>
void start(character::RopeChains& ropes, const garment::Garment& garment, const Clip& clip, size_t f,
           std::span<const Transform> joints) {
  ropes.step(0, joints);
  Chains& chains = ropes.chains()->chains;
  ChainSet& set = chains.set;
  for_each_bone(set, garment, [&](int c, int i, uint32_t bone) {
    const size_t at = set.layout.at(i, c);
    if (i == 0) set.energy_lost[at] = 0;
    if (i > 0) billow::set(set.x, at, clip.bones[f][bone]);
    billow::set(set.v, at, clip.velocity(f, bone));
    set.tension[at] = set.impulse[at] = 0;
  });
  forget_sides(set);
  chains.fresh = 0;
  chains.force_left = 0;
}

// What the controller asks of each bone of a level. Folds to either side have no mean, so that what chains are asked one by one
// would draw them together; what is spread over their neighbours moves the cloth and leaves its folds alone.
template <class Clip>
std::vector<V3> asked_of_level(const ChainSet& set, const garment::Garment& garment, const Clip& clip,
                               size_t f, int level, const ForceTarget& target) {
  const float rate = 1 / target.time_constant;
  const int chains = set.layout.chains;
  std::vector<V3> own(static_cast<size_t>(chains)), out;
  const auto there = [&](int c) { return c >= 0 && c < chains && level < set.bones[c]; };
  for (int c = 0; c < chains; ++c) {
    if (!there(c)) continue;
    const uint32_t bone = garment.chains[static_cast<size_t>(c)][static_cast<size_t>(level)];
    const size_t at = set.layout.at(level, c);
    own[static_cast<size_t>(c)] = (clip.bones[f][bone] - get(set.x, at)) * (0.25f * rate * rate) +
                                  (clip.velocity(f, bone) - get(set.v, at)) * rate;
  }
  for (int c = 0; c < chains; ++c) {
    V3 sum{0, 0, 0};
    int count = 0;
    for (const int step : {-1, 1}) {
      const int next = set.layout.closed ? (c + step + chains) % chains : c + step;
      if (there(next)) sum += own[static_cast<size_t>(next)], ++count;
    }
    const V3 alone = own[static_cast<size_t>(c)];
    out.push_back(
        count == 0 ? alone : alone * (1 - target.spread) + sum * (target.spread / static_cast<float>(count)));
  }
  return out;
}

// Adds what the force lacked in the step that led to frame `f`. `axes`: of the chains, before that step.
template <class Clip>
void add_feedback(const Chains& chains, const garment::Garment& garment, const Clip& clip, size_t f,
                  const ForceTarget& target, const std::vector<ForceAxes>& axes, learn::Matrix& force,
                  ForceSamples& sums) {
  const ChainSet& set = chains.set;
  std::vector<std::vector<V3>> asked;
  for (int i = 0; i < set.layout.levels; ++i)
    asked.push_back(asked_of_level(set, garment, clip, f, i, target));
  for_each_bone(set, garment, [&](int c, int i, uint32_t bone) {
    if (i == 0) return;
    const uint32_t root = garment.chains[static_cast<size_t>(c)][0];
    const size_t at = set.layout.at(i, c);
    V3 a = asked[static_cast<size_t>(i)][static_cast<size_t>(c)];
    const float size = length(a);
    if (size > target.limit) a = a * (target.limit / size);
    const V3 swing = get(set.v, at) - get(set.v, set.layout.at(0, c)),
             reference = clip.velocity(f, bone) - clip.velocity(f, root);
    a += swing * target.livelier;
    sums.velocity_energy += static_cast<double>(dot(swing, swing));
    sums.reference_energy += static_cast<double>(dot(reference, reference));
    const ForceAxes& on = axes[static_cast<size_t>(c)];
    float* to = force.row(static_cast<Eigen::Index>(force_row(chains.force_axes, c, i))).data();
    to[0] += dot(a, on.across), to[1] += dot(a, on.outward), to[2] += dot(a, on.down);
  });
}

}  // namespace

ForceRollouts::ForceRollouts(const Frames& frames, const std::vector<size_t>& clips,
                             const billow_settings& settings)
    : frames_(frames), settings_(settings), cloth_(garment::chain_cloth(frames.garment())) {
  for (const size_t c : clips) {
    const Frames::ClipRange& range = frames.clips()[c];
    clips_.push_back(std::make_unique<Clip>(
        Clip{range, static_cast<float>(frames.info().frames_per_second), world_bones(frames, range)}));
  }
}

ForceRollouts::~ForceRollouts() = default;

double ForceSamples::speed() const {
  return reference_energy > 0 ? std::sqrt(velocity_energy / reference_energy) : 1;
}

size_t ForceRollouts::rows() const {
  size_t frames = 0;
  for (const auto& clip : clips_) frames += clip->bones.size();
  return frames * frames_.garment().bones.size();
}

ForceSamples ForceRollouts::run(const learn::Network& force, int length, double share,
                                const ForceTarget& target, uint64_t seed) const {
  const garment::Garment& garment = frames_.garment();
  const body::Skeleton& skeleton = frames_.character().skeleton;
  std::vector<ForceSamples> of_clips(clips_.size());
  for_each_in_parallel(clips_.size(), [&](size_t k) {
    const Clip& clip = *clips_[k];
    ForceSamples& out = of_clips[k];
    std::mt19937_64 random(seed + 7919 * k);
    std::vector<Transform> joints(skeleton.size());
    const auto pose_at = [&](size_t f) {
      frames_.joints(clip.range.begin + static_cast<uint32_t>(f), joints);
      return std::span<const Transform>(joints);
    };
    character::RopeChains ropes(garment, cloth_, {skeleton, frames_.character().colliders}, pose_at(0),
                                settings_);
    ropes::NetworkForce network(force);
    network.attach(ropes);
    Chains& chains = ropes.chains()->chains;
    // The first roll-out is shorter, so that starts differ from round to round.
    size_t next_start = 1, first_length = 1 + random() % static_cast<uint64_t>(length);
    for (size_t f = 1; f + 2 < clip.bones.size(); ++f) {
      if (f == next_start) {
        start(ropes, garment, clip, f, pose_at(f));
        next_start += f == 1 ? first_length : static_cast<size_t>(length);
      }
      std::vector<ForceAxes> axes;
      for (int c = 0; c < chains.set.layout.chains; ++c)
        axes.push_back(turned(chains.force_axes[c], chains.roots[c].rotation));
      network.begin_frame();
      ropes.step(1 / clip.fps, pose_at(f + 1));
      learn::Matrix wanted = (1 - target.forget) * network.accelerations();
      add_feedback(chains, garment, clip, f + 1, target, axes, wanted, out);
      for (Eigen::Index r = 0; r < wanted.rows(); ++r) {
        if (std::generate_canonical<double, 32>(random) >= share) continue;
        const auto input = network.inputs().row(r);
        out.inputs.insert(out.inputs.end(), input.data(), input.data() + input.size());
        out.targets.insert(out.targets.end(), wanted.row(r).data(), wanted.row(r).data() + 3);
      }
    }
  });
  ForceSamples all;
  for (ForceSamples& one : of_clips) {
    all.inputs.insert(all.inputs.end(), one.inputs.begin(), one.inputs.end());
    all.targets.insert(all.targets.end(), one.targets.begin(), one.targets.end());
    all.velocity_energy += one.velocity_energy;
    all.reference_energy += one.reference_energy;
    one = {};
  }
  return all;
}

}  // namespace billow::train
