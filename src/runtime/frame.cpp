// One frame, stage by stage (docs/pipeline.md).
#include "runtime/frame.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "runtime/find_bounds.h"
#include "runtime/layer.h"
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
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    if (follow_body(i, batch.inputs[k].joints, batch.inputs[k].scale)) i.known = Instance::Known::kNothing;
  }
}

// Where chains are stepped in every fourth frame or less, nobody sees bones tremble.
float coarseness_of(const Instance& i) { return i.options.interval < 4 ? 1.0f : 2.0f; }

void step_chains(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    const FrameInput& in = batch.inputs[k];
    if (in.teleport != Teleport::kNone) teleport(*i.chains, in.teleport, i.roots);
    step(*i.chains, {in.dt, i.roots, in.space, in.body, in.others, in.other_count, coarseness_of(i)});
    i.report.asleep = i.chains->sleep.asleep != 0;
    if (!i.report.asleep) i.known = Instance::Known::kNothing;
  }
}

// The characters for which chains and mesh are computed in this frame, with the time that has passed since they were last.
struct Due {
  Instance* instances[kCrowd];
  FrameInput inputs[kCrowd];
  size_t count = 0;
  uint32_t which = 0;  // a bit for each character of the whole batch

  explicit Due(const Batch& all) {
    for (size_t k = 0; k < all.size(); ++k) {
      Instance& i = *all.instances[k];
      i.between.waited = std::min(i.between.waited + all.inputs[k].dt, kLongestStep);
      if (!is_due(i, all.inputs[k])) continue;
      keep_shown(i);
      instances[count] = &i;
      inputs[count] = all.inputs[k];
      inputs[count++].dt = i.between.waited;
      i.between.waited = 0;
      which |= 1u << k;
    }
  }
  Batch batch() const { return {{instances, count}, inputs}; }
};

// The characters that need the stages after the chains, and what for: for those that sleep no time passes, and those whose mesh is
// known already are left out.
struct Awake {
  Instance* instances[kCrowd];
  FrameInput inputs[kCrowd];
  size_t count = 0;

  explicit Awake(const Batch& batch) {
    for (size_t k = 0; k < batch.size(); ++k) {
      Instance& i = *batch.instances[k];
      const FrameInput& in = batch.inputs[k];
      const Instance::Known wanted = in.mesh ? Instance::Known::kMesh : Instance::Known::kBones;
      if (i.known >= wanted) continue;
      i.report.pushed = i.report.inside = 0;
      i.skipped_mesh = !in.mesh;
      if (i.report.asleep) i.known = wanted;
      i.computed = in.mesh;
      instances[count] = &i;
      inputs[count] = in;
      if (i.report.asleep) inputs[count].dt = 0;
      ++count;
    }
  }
  Batch batch() const { return {{instances, count}, inputs}; }
};

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

void keep_pace(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    const FrameInput& in = batch.inputs[k];
    const bool on = in.mesh && &decoder_of(i) == &patch_decoder && i.options.shape;
    if ((!on && in.dt > 0) || in.teleport == Teleport::kReset) i.pace.fresh = 1;
    if (on) keep_pace(i, in.dt);
  }
}

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

// Layers are rigid as long as *lengths* does not know where vertices were, so that a garment starts outside the one under it.
PushOutSettings push_settings(const Instance& i) {
  PushOutSettings settings = i.options.push;
  const uint32_t rigid = i.chains->set.settings.rigid_groups;
  settings.groups = i.lengths.fresh ? rigid : rigid & ~kLayerGroups;
  settings.layer_groups = rigid & ~settings.groups;
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
    PushOutSettings settings = push_settings(i);
    // What *lengths* has left inside a layer is let through: pushed out of a garment that turns up, it would be torn.
    settings.soft_groups |= settings.layer_groups;
    settings.layer_groups = 0;
    push_out_of_soft(i.posed, i.posed_count, i.positions, i.garment->clusters, i.garment->vertices(),
                     settings, batch.inputs[k].scale);
    const PushOutResult result = push_out_mesh(i.posed, i.posed_count, i.positions, i.garment->clusters,
                                               i.garment->vertices(), settings, i.push);
    i.report.pushed = result.moved;
    i.report.inside = result.inside;
  }
}

void show(const Batch& all, const Due& due) {
  for (size_t k = 0; k < all.size(); ++k) {
    Instance& i = *all.instances[k];
    i.changed = show_in_between(i, all.inputs[k], due.which >> k & 1, i.computed);
  }
}

void find_normals(const Batch& batch) {
  for (Instance* i : batch.instances)
    if (i->changed && i->options.normals) find_normals(i->garment->normals, i->positions, i->normals);
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
  const Batch all{instances, inputs};
  for (Instance* i : instances) {
    std::fill_n(i->report.stage_seconds, kFrameStageCount, 0.0);
    i->computed = false;
  }
  FrameClock clock(all);

  const Due due(all);
  follow(due.batch());
  clock.finish(FrameStage::kFollow);
  step_chains(due.batch());
  clock.finish(FrameStage::kChains);

  const Awake awake(due.batch());
  const Batch batch = awake.batch();
  if (batch.size() > 0) {
    gather(batch);
    clock.finish(FrameStage::kGather);
    if (infer(batch)) clock.finish(FrameStage::kInfer);
    keep_pace(batch);
    expand(batch);
    clock.finish(FrameStage::kExpand);
    restore_lengths(batch);
    clock.finish(FrameStage::kLengths);
    push_out(batch);
    clock.finish(FrameStage::kPushOut);
  }
  show(all, due);
  find_normals(all);
  clock.finish(FrameStage::kNormals);
}

}  // namespace billow
