#include "ropes/caught.h"

#include <algorithm>

#include "character/rope_chains.h"
#include "dataset/clip_writer.h"
#include "parallel.h"
#include "ropes/network_force.h"

namespace billow::ropes {
namespace {

constexpr float kNearLimb = 0.03f;    // m
constexpr double kHeldAfter = 0.5;    // s
constexpr float kLiftedShare = 0.5f;  // of the resting drop

}  // namespace

HeldBones::HeldBones(const garment::Garment& g, const character::CharacterBody& character_body,
                     double frames_per_second)
    : limbs_(character_body.skeleton, character_body.colliders, 1u << BILLOW_COLLIDER_GROUP_FOREARM),
      rate_(frames_per_second) {
  std::vector<V3> rest(g.bones.size());
  garment::bone_positions(g, g.rest, rest);
  for (const auto& chain : g.chains)
    for (size_t k = 1; k < chain.size(); ++k) {
      const float drop = rest[chain[0]].y - rest[chain.back()].y;
      watched_.push_back({chain[k], chain[0], k + 1 == chain.size() ? drop : 0});
    }
}

void HeldBones::close(const Watched& bone, bool lifted, size_t since) {
  const double from = static_cast<double>(since) / rate_, until = static_cast<double>(frame_) / rate_;
  if (until - from > kHeldAfter) held_.push_back({bone.bone, lifted, from, until});
}

void HeldBones::add(std::span<const V3> bones, std::span<const Transform> joints) {
  limbs_.pose(joints);
  std::vector<V3> points;
  for (const Watched& w : watched_) points.push_back(bones[w.bone]);
  std::vector<float> distances(points.size());
  limbs_.query(points, distances, {}, 2 * kNearLimb);
  for (size_t i = 0; i < watched_.size(); ++i) {
    Watched& w = watched_[i];
    const bool near = distances[i] < kNearLimb;
    const bool lifted = w.drop > 0 && bones[w.root].y - points[i].y < kLiftedShare * w.drop;
    if (!near) close(w, false, w.near_since), w.near_since = frame_ + 1;
    if (!lifted) close(w, true, w.lifted_since), w.lifted_since = frame_ + 1;
  }
  ++frame_;
}

std::vector<Held> HeldBones::finish() {
  for (const Watched& w : watched_) {
    close(w, false, w.near_since);
    close(w, true, w.lifted_since);
  }
  return std::move(held_);
}

std::vector<Held> held_on_ropes(const garment::Garment& garment,
                                const character::CharacterBody& character_body, const ChainDynamics& dynamics,
                                const motion::Clip& source, float frames_per_second) {
  const motion::Clip clip = motion::resample(source, frames_per_second);
  const auto lead_in = dataset::lead_in(character_body.skeleton, clip);
  character::RopeChains ropes(garment, character_body, lead_in[0], dynamics.settings);
  NetworkForce force(dynamics.force);
  if (!dynamics.force.layers.empty()) force.attach(ropes);
  const float dt = 1 / frames_per_second;
  for (size_t i = 1; i < lead_in.size(); ++i) ropes.step(dt, lead_in[i]);
  HeldBones held(garment, character_body, static_cast<double>(frames_per_second));
  for (const body::Pose& pose : clip.frames) {
    const std::vector<Transform> joints = body::joint_transforms(character_body.skeleton, pose);
    ropes.step(dt, joints);
    held.add(ropes.bones(), joints);
  }
  return held.finish();
}

std::vector<Held> caught(const std::vector<Held>& ropes, const std::vector<Held>& free) {
  std::vector<Held> out;
  for (const Held& r : ropes)
    if (std::none_of(free.begin(), free.end(), [&](const Held& o) {
          return o.bone == r.bone && o.lifted == r.lifted && o.from < r.until && r.from < o.until;
        }))
      out.push_back(r);
  return out;
}

namespace {

// The motion of a clip, and the bones that the reference holds in it.
struct ReferenceClip {
  motion::Clip motion;
  std::vector<Held> held;
};

ReferenceClip reference_clip(const learn::Frames& frames, const learn::Frames::ClipRange& clip) {
  const body::Skeleton& skeleton = frames.character().skeleton;
  const garment::Garment& g = frames.garment();
  ReferenceClip out;
  out.motion.frames_per_second = static_cast<float>(frames.info().frames_per_second);
  HeldBones held(g, {skeleton, frames.character().colliders}, frames.info().frames_per_second);
  std::vector<V3> rest(g.bones.size());
  garment::bone_positions(g, g.rest, rest);
  std::vector<float> displacements(3 * rest.size());
  std::vector<Transform> joints(skeleton.size());
  std::vector<V3> bones(g.bones.size());
  for (uint32_t f = clip.begin; f < clip.end; ++f) {
    frames.joints(f, joints);
    out.motion.frames.push_back(body::pose_of(skeleton, joints));
    frames.bones(f, learn::Source::kEmbedded, displacements);
    const float* d = displacements.data();
    for (size_t b = 0; b < bones.size(); ++b, d += 3)
      bones[b] = apply(frames.rigid(f), rest[b] + V3{d[0], d[1], d[2]});
    held.add(bones, joints);
  }
  out.held = held.finish();
  return out;
}

}  // namespace

std::vector<CaughtClip> find_caught(const learn::Frames& frames, const ChainDynamics& dynamics,
                                    std::span<const float> rates, size_t threads) {
  const auto clips = frames.clips();
  std::vector<std::vector<CaughtClip>> found(clips.size());
  for_each_in_parallel(
      clips.size(),
      [&](size_t c) {
        const ReferenceClip reference = reference_clip(frames, clips[c]);
        const character::CharacterBody body{frames.character().skeleton, frames.character().colliders};
        ChainDynamics handless = dynamics;
        handless.settings.collider_groups &= ~(1u << BILLOW_COLLIDER_GROUP_FOREARM);
        for (const float rate : rates) {
          const auto on_ropes = [&](const ChainDynamics& s) {
            return held_on_ropes(frames.garment(), body, s, reference.motion, rate);
          };
          std::vector<Held> bones = caught(on_ropes(dynamics), reference.held);
          if (!bones.empty()) bones = caught(bones, on_ropes(handless));
          if (!bones.empty()) found[c].push_back({clips[c].clip, rate, std::move(bones)});
        }
      },
      threads);
  std::vector<CaughtClip> out;
  for (auto& of_clip : found)
    for (CaughtClip& c : of_clip) out.push_back(std::move(c));
  return out;
}

}  // namespace billow::ropes
