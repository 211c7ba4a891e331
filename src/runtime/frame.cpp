// One frame, stage by stage (docs/pipeline.md).
#include "runtime/frame.h"

#include <chrono>
#include <new>

#include "runtime/find_bounds.h"
#include "sdf/soft_contact.h"

namespace billow {
namespace {

// Adds the time since its last call to a stage of every report in a batch, in equal shares.
class FrameClock {
 public:
  explicit FrameClock(const Batch& batch) : batch_(batch) {
    for (const Instance* i : batch.instances) on_ |= i->options.profile;
    if (on_) last_ = Clock::now();
  }
  void finish(FrameStage stage) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    const double share =
        std::chrono::duration<double>(now - last_).count() / static_cast<double>(batch_.size());
    for (Instance* i : batch_.instances)
      if (i->options.profile) i->report.stage_seconds[static_cast<int>(stage)] += share;
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Batch& batch_;
  bool on_ = false;
  Clock::time_point last_;
};

void follow(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k)
    follow_body(*batch.instances[k], batch.inputs[k].joints, batch.inputs[k].scale);
}

void step_chains(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    const FrameInput& in = batch.inputs[k];
    if (in.teleport != Teleport::kNone) teleport(*i.chains, in.teleport, i.roots);
    step(*i.chains, {in.dt, i.roots, in.space, in.body, in.others, in.other_count});
  }
}

void gather(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    gather_bones(i, batch.inputs[k].scale);
    if (batch.inputs[k].mesh) decoder_of(i).gather(i, batch.inputs[k]);
  }
}

// Runs a stage of each decoder on the characters that use it and show a mesh. Whether any decoder has it.
bool decode(const Batch& batch, void (*Decoder::*stage)(const Batch&)) {
  bool ran = false;
  for (const Decoder* decoder :
       {&patch_decoder, &whole_cloth_decoder, &linear_blend_decoder, &rest_decoder}) {
    Instance* instances[kCrowd];
    FrameInput inputs[kCrowd];
    size_t count = 0;
    for (size_t k = 0; k < batch.size(); ++k)
      if (batch.inputs[k].mesh && &decoder_of(*batch.instances[k]) == decoder)
        instances[count] = batch.instances[k], inputs[count++] = batch.inputs[k];
    if (count == 0 || !(decoder->*stage)) continue;
    (decoder->*stage)({{instances, count}, inputs});
    ran = true;
  }
  return ran;
}

bool infer(const Batch& batch) { return decode(batch, &Decoder::infer); }
void expand(const Batch& batch) { decode(batch, &Decoder::expand); }

// What holds the mesh of this frame's bones, before it is known.
Region reach_of_mesh(const Instance& i, float scale) {
  const float margin = kMostOffset + i.options.push.clearance + i.options.push.softness + kSoftShell;
  const Bounds bones = find_bounds(&i.bones[0].x, i.garment->bones());
  return {(bones.low + bones.high) * 0.5f,
          0.5f * length(bones.high - bones.low) + (i.garment->bone_reach + margin) * scale};
}

// The colliders that the mesh leaves, with their motion over the frame.
void pose_colliders(Instance& i, const FrameInput& in) {
  i.posed_count = 0;
  if (!in.mesh || !i.options.push_out) return;
  i.posed_count = find_near_colliders({in.body, in.others, in.other_count},
                                      in.other_count > 0 ? reach_of_mesh(i, in.scale) : Region{}, {}, i.near);
  for (int c = 0; c < i.posed_count; ++c)
    new (&i.posed[c]) PosedCollider(pose_collider(i.near[c], i.near[c].from, i.near[c].to));
}

PushOutSettings push_settings(const Instance& i) {
  PushOutSettings settings = i.options.push;
  settings.groups = i.chains->set.settings.rigid_groups;
  settings.soft_groups = i.chains->set.settings.soft_groups;
  settings.yielding_groups = i.chains->set.settings.yielding_groups;
  return settings;
}

void restore_lengths(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    const Garment& g = *i.garment;
    const FrameInput& in = batch.inputs[k];
    pose_colliders(i, in);
    const bool on =
        in.mesh && decoder_of(i).infer && i.options.lengths != LengthQuality::kOff && g.lengths.count > 0;
    if ((!on && in.dt > 0) || in.teleport == Teleport::kReset) i.lengths.fresh = 1;
    if (!on) continue;
    restore_lengths(g.lengths,
                    {.dt = in.dt,
                     .scale = in.scale,
                     .key = i.joint_motions[g.view.record->key_joint],
                     .teleported = in.teleport != Teleport::kNone,
                     .attached = {g.attached, g.view.record->attachments},
                     .quality = i.options.lengths,
                     .colliders = i.posed,
                     .collider_count = i.posed_count,
                     .clusters = g.clusters,
                     .push = push_settings(i)},
                    i.positions, i.push, i.lengths);
  }
}

void push_out(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    if (i.posed_count == 0) continue;
    push_out_of_soft(i.posed, i.posed_count, i.positions, i.garment->clusters, i.garment->vertices(),
                     push_settings(i), batch.inputs[k].scale);
    const PushOutResult result = push_out_mesh(i.posed, i.posed_count, i.positions, i.garment->clusters,
                                               i.garment->vertices(), push_settings(i), i.push);
    i.report.pushed = result.moved;
    i.report.inside = result.inside;
  }
}

void find_normals(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    if (batch.inputs[k].mesh && i.options.normals) find_normals(i.garment->normals, i.positions, i.normals);
  }
}

}  // namespace

const char* frame_stage_name(FrameStage stage) {
  static constexpr const char* kNames[] = {"follow", "chains",  "gather",   "infer",
                                           "expand", "lengths", "push_out", "normals"};
  const int i = static_cast<int>(stage);
  return i >= 0 && i < kFrameStageCount ? kNames[i] : "?";
}

const Decoder& decoder_of(const Instance& i) {
  if (i.options.linear_blend) return linear_blend_decoder;
  if (!i.options.networks) return rest_decoder;
  return i.garment->view.patches.record ? patch_decoder : whole_cloth_decoder;
}

void step(std::span<Instance* const> instances, const FrameInput* inputs) {
  const Batch batch{instances, inputs};
  for (size_t k = 0; k < batch.size(); ++k) {
    instances[k]->report = InstanceReport{};
    instances[k]->skipped_mesh = !inputs[k].mesh;
  }
  FrameClock clock(batch);

  follow(batch);
  clock.finish(FrameStage::kFollow);
  step_chains(batch);
  clock.finish(FrameStage::kChains);
  gather(batch);
  clock.finish(FrameStage::kGather);
  if (infer(batch)) clock.finish(FrameStage::kInfer);
  expand(batch);
  clock.finish(FrameStage::kExpand);
  restore_lengths(batch);
  clock.finish(FrameStage::kLengths);
  push_out(batch);
  clock.finish(FrameStage::kPushOut);
  find_normals(batch);
  clock.finish(FrameStage::kNormals);
}

}  // namespace billow
