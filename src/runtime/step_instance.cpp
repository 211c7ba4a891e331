// One frame of a dressed character.
#include <chrono>
#include <new>

#include "decode/expand.h"
#include "runtime/frame_stages.h"

namespace billow {
namespace {

// Adds the time since the last call to a stage of the report.
class FrameClock {
 public:
  FrameClock(InstanceReport& report, bool on) : report_(report), on_(on) {
    if (on_) last_ = Clock::now();
  }
  void finish(FrameStage stage) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    report_.stage_seconds[static_cast<int>(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  InstanceReport& report_;
  bool on_;
  Clock::time_point last_;
};

// The seam under a bone: the attachments that it lies on, with their mean rotation, moved to where the bone was on them at rest.
// What it is attached by may be less than a whole triangle, hence the division by the sum.
Transform seam_under(const Instance& i, uint32_t bone, float scale) {
  const Garment& g = *i.garment;
  V3 place{0, 0, 0};
  float sum = 0;
  Quat turn{0, 0, 0, 0};
  for (uint32_t s = g.sewn_first[bone]; s < g.sewn_first[bone + 1]; ++s) {
    const SewnTo& on = g.sewn[s];
    place += i.pins[on.attachment] * on.share;
    sum += on.share;
    const asset::AttachmentRecord& a = g.view.attachments[on.attachment];
    for (size_t k = 0; k < 4; ++k) {
      const Quat q = i.moved[a.joints[k]].rotation;
      const float w = a.weights[k] * on.share * (dot(q, turn) < 0 ? -1.0f : 1.0f);
      turn = {turn.x + q.x * w, turn.y + q.y * w, turn.z + q.z * w, turn.w + q.w * w};
    }
  }
  turn = normalized(turn);
  return {place * (1 / sum) + rotate(turn, g.seam_offset[bone] * scale), turn};
}

// Stage "push_out".
void push_out(Instance& i, const Body& body) {
  for (int c = 0; c < body.collider_count; ++c)
    new (&i.posed[c]) PosedCollider(pose_collider(body.colliders[c], body.scale, body.now[c], body.now[c]));
  const PushOutResult result = push_out_mesh(i.posed, body.collider_count, i.positions, i.garment->clusters,
                                             i.garment->vertices(), i.options.push, i.push);
  i.report.pushed = result.moved;
  i.report.inside = result.inside;
}

// The cloth as it rests, moved with the key joint.
void place_rest(Instance& i, float scale) {
  const Garment& g = *i.garment;
  for (size_t k = 0; k < 3 * size_t{g.vertices()}; ++k) i.cloth[k] = 0;
  place(g.view.rest.data(), i.cloth, g.vertices(), i.moved[g.view.record->key_joint], scale, i.positions);
}

}  // namespace

const char* frame_stage_name(FrameStage stage) {
  static constexpr const char* kNames[] = {"follow", "chains",   "gather", "infer",
                                           "expand", "push_out", "normals"};
  const int i = static_cast<int>(stage);
  return i >= 0 && i < kFrameStageCount ? kNames[i] : "?";
}

void follow_body(Instance& i, const Transform* joints, float scale) {
  const Garment& g = *i.garment;
  for (size_t j = 0; j < g.view.joints.size(); ++j) {
    Transform local = g.joint_rest_inverse[j];
    local.position = local.position * scale;
    i.moved[j] = joints[j] * local;
  }
  for (size_t a = 0; a < g.view.attachments.size(); ++a) {
    const asset::AttachmentRecord& r = g.view.attachments[a];
    const V3 rest = V3{r.rest[0], r.rest[1], r.rest[2]} * scale;
    V3 sum{0, 0, 0};
    float weights = 0;
    for (size_t k = 0; k < 4; ++k) {
      if (!(r.weights[k] > 0)) continue;
      sum += apply(i.moved[r.joints[k]], rest) * r.weights[k];
      weights += r.weights[k];
    }
    i.pins[a] = sum * (1 / weights);
  }
  size_t root = 0;
  for (size_t c = 0; c < g.view.chain_sizes.size(); root += g.view.chain_sizes[c++])
    i.roots[c] = seam_under(i, g.view.chain_bones[root].bone, scale);
  // Bones that no chain has go with the seam under them, or with the key joint where there is none.
  for (const uint32_t b : std::span(g.chainless, g.chainless_count))
    i.bones[b] = g.sewn_first[b] < g.sewn_first[b + 1]
                     ? seam_under(i, b, scale).position
                     : apply(i.moved[g.view.record->key_joint], g.bone_rest[b] * scale);
}

void gather_bones(Instance& i) {
  const ChainSet& set = i.chains->set;
  size_t next = 0;
  for (int c = 0; c < set.layout.chains; ++c)
    for (int k = 0; k < set.bones[c]; ++k)
      i.bones[i.garment->view.chain_bones[next++].bone] = get(set.x, set.layout.at(k, c));
}

void correct_bones(Instance& i, float scale) {
  const Garment& g = *i.garment;
  if (g.correction.outputs == 0) return;
  const Transform& key = i.moved[g.view.record->key_joint];
  const Transform back = inverse(key);
  for (uint32_t b = 0; b < g.bones(); ++b) {
    const V3 d = apply(back, i.bones[b]) * (1 / scale) - g.bone_rest[b];
    float* to = i.bone_values + 3 * size_t{b};
    to[0] = d.x, to[1] = d.y, to[2] = d.z;
  }
  const InferItem all_bones{0, i.bone_values, i.bone_correction};
  infer(g.correction, &all_bones, 1, i.infer);
  // Learnt from motions that people make: on others it may not go far.
  constexpr float kMost = 0.3f;  // m, as learn::kMostCorrection
  for (uint32_t b = 0; b < g.bones(); ++b) {
    const float* by = i.bone_correction + 3 * size_t{b};
    const V3 d{by[0], by[1], by[2]};
    const float l = length(d);
    i.bones[b] += rotate(key.rotation, d * (scale * (l > kMost ? kMost / l : 1.0f)));
  }
}

void place_bones(Instance& i, float scale) {
  const Transform back = inverse(i.moved[i.garment->view.record->key_joint]);
  for (uint32_t b = 0; b < i.garment->bones(); ++b) i.places[b] = apply(back, i.bones[b]) * (1 / scale);
}

namespace {

// Chains, and what the networks go by.
void begin_frame(Instance& i, const FrameInput& in) {
  i.report = InstanceReport{};
  FrameClock clock(i.report, i.options.profile);
  follow_body(i, in.joints, in.scale);
  clock.finish(FrameStage::kFollow);
  if (in.teleport != Teleport::kNone) teleport(*i.chains, in.teleport, i.roots);
  step(*i.chains, {in.dt, i.roots, in.space, in.body});
  clock.finish(FrameStage::kChains);
  gather_bones(i);
  correct_bones(i, in.scale);
  if (i.options.linear_blend)
    by_blending::gather(i, in.scale);
  else if (i.garment->view.patches.record)
    by_patches::gather(i, in.scale);
  else
    whole_cloth::gather(i, in.scale);
  clock.finish(FrameStage::kGather);
}

// The mesh as it was learnt, of all who have one to show: some, of the same garment.
void place_mesh(std::span<Instance* const> some, const FrameInput* inputs) {
  const Garment& g = *some[0]->garment;
  InstanceReport report;
  bool profile = false;
  for (const Instance* i : some) profile |= i->options.profile;
  FrameClock clock(report, profile);
  if (g.view.patches.record) {
    by_patches::infer(some);
  } else {
    for (Instance* i : some) whole_cloth::infer(*i);
  }
  clock.finish(FrameStage::kInfer);
  if (g.view.patches.record) {
    by_patches::expand(some, inputs);
  } else {
    for (size_t k = 0; k < some.size(); ++k) whole_cloth::expand(*some[k], inputs[k].scale);
  }
  clock.finish(FrameStage::kExpand);
  // Each has its share.
  for (Instance* i : some)
    for (const FrameStage s : {FrameStage::kInfer, FrameStage::kExpand})
      i->report.stage_seconds[static_cast<int>(s)] =
          i->options.profile ? report.stage_seconds[static_cast<int>(s)] / static_cast<double>(some.size())
                             : 0;
}

void blend_mesh(Instance& i, float scale) {
  FrameClock clock(i.report, i.options.profile);
  by_blending::expand(i, scale);
  clock.finish(FrameStage::kExpand);
}

void finish_mesh(Instance& i, const FrameInput& in) {
  FrameClock clock(i.report, i.options.profile);
  if (i.options.push_out && in.body) push_out(i, *in.body);
  clock.finish(FrameStage::kPushOut);
  if (i.options.normals) find_normals(i.garment->normals, i.positions, i.normals);
  clock.finish(FrameStage::kNormals);
}

}  // namespace

void step(std::span<Instance* const> instances, const FrameInput* inputs) {
  Instance* learnt[kCrowd];
  FrameInput of_learnt[kCrowd];
  size_t count = 0;
  for (size_t k = 0; k < instances.size(); ++k) {
    Instance& i = *instances[k];
    begin_frame(i, inputs[k]);
    if (!inputs[k].mesh) continue;
    if (i.options.linear_blend)
      blend_mesh(i, inputs[k].scale);
    else if (i.options.networks)
      learnt[count] = &i, of_learnt[count++] = inputs[k];
    else
      place_rest(i, inputs[k].scale);
  }
  if (count > 0) place_mesh({learnt, count}, of_learnt);
  for (size_t k = 0; k < instances.size(); ++k)
    if (inputs[k].mesh) finish_mesh(*instances[k], inputs[k]);
}

void step(Instance& instance, const FrameInput& input) {
  Instance* const one = &instance;
  step({&one, 1}, &input);
}

}  // namespace billow
