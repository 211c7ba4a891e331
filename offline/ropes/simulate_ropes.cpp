#include "ropes/simulate_ropes.h"

#include "character/rope_chains.h"
#include "dataset/clip_writer.h"
#include "parallel.h"
#include "ropes/network_force.h"

namespace billow::ropes {
namespace {

using Eigen::Index;

std::vector<V3> bones_at_rest(const garment::Garment& garment) {
  std::vector<V3> out(garment.bones.size());
  garment::bone_positions(garment, garment.rest, out);
  return out;
}

}  // namespace

Matrix simulate_clip(const Frames& frames, const garment::ChainCloth& cloth, const Frames::ClipRange& clip,
                     const ChainDynamics& dynamics, Cost* cost) {
  const body::Skeleton& skeleton = frames.character().skeleton;
  const auto fps = static_cast<float>(frames.info().frames_per_second);
  std::vector<Transform> joints(skeleton.size());
  frames.joints(clip.begin, joints);
  motion::Clip start;
  start.frames_per_second = fps;
  start.frames.push_back(body::pose_of(skeleton, joints));
  const auto lead_in = dataset::lead_in(skeleton, start);
  billow_settings chain_settings = dynamics.settings;
  chain_settings.profile = cost != nullptr;
  character::RopeChains ropes(frames.garment(), cloth, {skeleton, frames.character().colliders}, lead_in[0],
                              chain_settings);
  NetworkForce force(dynamics.force);
  if (!dynamics.force.layers.empty()) force.attach(ropes);
  for (size_t i = 1; i < lead_in.size(); ++i) ropes.step(1 / fps, lead_in[i]);

  const std::vector<V3> rest = bones_at_rest(frames.garment());
  Matrix out(static_cast<Index>(clip.end - clip.begin), static_cast<Index>(frames.bone_values()));
  for (uint32_t f = clip.begin; f < clip.end; ++f) {
    frames.joints(f, joints);
    ropes.step(1 / fps, joints);
    const Transform to_rest = inverse(frames.rigid(f));
    float* d = out.row(static_cast<Index>(f - clip.begin)).data();
    for (size_t b = 0; b < rest.size(); ++b) {
      const V3 from_rest = apply(to_rest, ropes.bones()[b]) - rest[b];
      *d++ = from_rest.x, *d++ = from_rest.y, *d++ = from_rest.z;
    }
    if (!cost) continue;
    const billow_chains_report report = ropes.report();
    for (const double seconds : report.stage_seconds) cost->seconds += seconds;
    cost->substeps += report.substeps;
    ++cost->frames;
  }
  return out;
}

Matrix simulate_ropes(const Frames& frames, const ChainDynamics& dynamics, size_t threads, Cost* cost) {
  Matrix out(static_cast<Index>(frames.size()), static_cast<Index>(frames.bone_values()));
  const auto clips = frames.clips();
  const garment::ChainCloth cloth = garment::chain_cloth(frames.garment());
  std::vector<Cost> costs(clips.size());
  for_each_in_parallel(
      clips.size(),
      [&](size_t c) {
        out.middleRows(clips[c].begin, clips[c].end - clips[c].begin) =
            simulate_clip(frames, cloth, clips[c], dynamics, cost ? &costs[c] : nullptr);
      },
      threads);
  if (cost)
    for (const Cost& c : costs)
      cost->seconds += c.seconds, cost->frames += c.frames, cost->substeps += c.substeps;
  return out;
}

}  // namespace billow::ropes
