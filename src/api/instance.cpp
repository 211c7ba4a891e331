#include <cmath>
#include <cstring>

#include "api/handles.h"
#include "runtime/frame_entry.h"
#include "runtime/shift_origin.h"

namespace billow::api {
namespace {

float scale_of(const billow_frame& frame) { return frame.scale == 0 ? 1.0f : frame.scale; }

// The body that the cloth meets first of all.
const billow_body* body_of(const billow_instance* i, const billow_frame& frame) {
  return frame.body ? frame.body : i->body;
}

// Checks all of a frame, and reads its joints, before anything changes.
billow_status check_frame(billow_instance* i, const billow_frame* frame) {
  if (!valid(i)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!frame || !frame->joints)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "frame and frame.joints: expected pointers, found NULL");
  const uint32_t joints = i->instance.garment->view.record->joints;
  if (frame->joint_count != joints)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "frame.joint_count: expected %u, found %u", joints,
                frame->joint_count);
  if (!(frame->dt >= 0))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "frame.dt: expected 0 or more, found %g",
                static_cast<double>(frame->dt));
  const float scale = scale_of(*frame);
  if (!(scale >= 1e-3f && scale <= 1e3f))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "frame.scale: expected 0.001 to 1000, or 0 for 1, found %g",
                static_cast<double>(scale));
  // Read as an integer: a C program may store any value in an enum.
  int32_t teleport;
  std::memcpy(&teleport, &frame->teleport, sizeof teleport);
  if (teleport < BILLOW_TELEPORT_NONE || teleport > BILLOW_TELEPORT_KEEP)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "frame.teleport: expected a billow_teleport, found %d",
                teleport);
  if (frame->body && !valid(frame->body))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "frame.body: expected a billow_body or NULL, found something else");
  if (billow_status bad = read_others("frame", frame->others, frame->other_count, body_of(i, *frame),
                                      kMaxColliders, i->others, i->other_count))
    return bad;
  Transform space;
  if (frame->space)
    if (billow_status bad = read_transforms("frame.space", frame->space, 1, &space)) return bad;
  return read_transforms("frame.joints", frame->joints, joints, i->joints);
}

// The time of a frame, and what else decides whether it is due.
FrameInput timing_of(const billow_frame& frame) {
  constexpr float kShortestStep = 1e-6f;
  FrameInput in;
  in.dt = frame.dt > kLongestStep ? kLongestStep : frame.dt < kShortestStep ? 0 : frame.dt;
  in.teleport = static_cast<Teleport>(frame.teleport);
  in.mesh = !frame.skip_mesh;
  return in;
}

// Poses the instance's own body for a checked frame, if it is the one that the cloth meets, and meets it in this frame.
void pose_own_body(billow_instance* i, const billow_frame& frame) {
  if (!frame.body && is_due(i->instance, timing_of(frame)))
    pose_body(i->body->body, i->joints, scale_of(frame), frame.teleport != BILLOW_TELEPORT_NONE);
}

// Converts a checked frame, whose body is posed. `in` points to `space`.
void take_frame(billow_instance* i, const billow_frame* frame, FrameInput& in, Transform& space) {
  const float scale = scale_of(*frame);
  if (frame->space) read_transforms("frame.space", frame->space, 1, &space);
  in = timing_of(*frame);
  in.joints = i->joints;
  in.space = frame->space ? &space : nullptr;
  in.scale = scale;
  in.body = &body_of(i, *frame)->body;
  in.others = i->others;
  in.other_count = i->other_count;
  if (Chains& chains = i->chains->chains; chains.settings.scale != scale) {
    Settings resized = chains.settings;
    resized.scale = i->chains->settings.scale = scale;
    apply_settings(chains, resized);
  }
}

billow_status read_frame(billow_instance* i, const billow_frame* frame, FrameInput& in, Transform& space) {
  if (billow_status bad = check_frame(i, frame)) return bad;
  pose_own_body(i, *frame);
  take_frame(i, frame, in, space);
  return BILLOW_OK;
}

// A crowd, split into jobs of kCrowd characters.
struct Crowd {
  billow_instance* const* instances;
  const billow_frame* frames;
  uint32_t count;
  bool posed = false;  // all own bodies, before the steps

  // Whether they may meet each other's bodies, which then have to be posed before any of them steps.
  bool meet() const {
    for (uint32_t k = 0; k < count; ++k)
      if (frames[k].other_count > 0) return true;
    return false;
  }
  uint32_t groups() const { return (count + uint32_t{kCrowd} - 1) / uint32_t{kCrowd}; }
};

void step_one(Instance& instance, const FrameInput& in) {
  Instance* one = &instance;
  best_frame_entry().step_instances(&one, 1, &in);
}

void pose_group(void* data, uint32_t group) {
  const Crowd& crowd = *static_cast<const Crowd*>(data);
  for (size_t k = kCrowd * size_t{group}, end = k + kCrowd; k < crowd.count && k < end; ++k)
    pose_own_body(crowd.instances[k], crowd.frames[k]);
}

void step_group(void* data, uint32_t group) {
  const Crowd& crowd = *static_cast<const Crowd*>(data);
  Instance* instances[kCrowd];
  FrameInput inputs[kCrowd];
  Transform spaces[kCrowd];
  size_t count = 0;
  for (size_t k = kCrowd * size_t{group}; k < crowd.count && count < kCrowd; ++k, ++count) {
    if (!crowd.posed) pose_own_body(crowd.instances[k], crowd.frames[k]);
    take_frame(crowd.instances[k], &crowd.frames[k], inputs[count], spaces[count]);
    instances[count] = &crowd.instances[k]->instance;
  }
  best_frame_entry().step_instances(instances, count, inputs);
}

// Checks everything before anything changes: valid frames, one garment, no instance twice.
billow_status check_crowd(const Crowd& crowd) {
  uint32_t seen = 0;
  billow_status bad = BILLOW_OK;
  for (; seen < crowd.count && !bad; ++seen) {
    billow_instance* i = crowd.instances[seen];
    bad = check_frame(i, &crowd.frames[seen]);
    if (bad) break;
    if (i->in_crowd) {
      bad = fail(BILLOW_ERROR_INVALID_ARGUMENT, "instances: expected each once, found number %u again", seen);
      break;
    }
    i->in_crowd = true;
    if (i->instance.garment != crowd.instances[0]->instance.garment)
      bad = fail(BILLOW_ERROR_INVALID_ARGUMENT,
                 "instances: expected all of one garment, found number %u of another", seen);
  }
  for (uint32_t k = 0; k < seen; ++k) crowd.instances[k]->in_crowd = false;
  return bad;
}

uint64_t hash_of(const float* values, size_t count, uint64_t hash) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ull;
  }
  return hash;
}

}  // namespace
}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

billow_status billow_instance_create(const billow_garment* garment, const billow_allocator* given,
                                     billow_instance** out) {
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  *out = nullptr;
  if (!valid(garment))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "garment: expected a billow_garment, found NULL or something else");
  if (given && (!given->allocate || !given->release))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "allocator: expected both functions, found NULL");
  const billow_allocator allocator = allocator_or_malloc(given);
  const Garment& g = garment->garment;
  billow_chains* chains = nullptr;
  billow_body* body = nullptr;
  billow_instance* made = nullptr;
  billow_status bad = create_chains(g, allocator, &chains);
  if (!bad) bad = create_body(g, allocator, &body);
  if (!bad) {
    made = create_in_one_block<billow_instance>(allocator, [&](billow_instance& i, Arena& arena) {
      i.joints = arena.take<Transform>(g.view.record->joints);
      i.others = arena.take<const Body*>(kMaxColliders);
      i.instance.garment = &g;
      build(i.instance, arena);
    });
    if (!made)
      bad = fail(BILLOW_ERROR_OUT_OF_MEMORY, "no memory for an instance of %u vertices", g.vertices());
  }
  if (bad) {
    billow_chains_destroy(chains);
    billow_body_destroy(body);
    return bad;
  }
  made->chains = chains;
  made->body = body;
  made->instance.chains = &chains->chains;
  if (g.force.outputs > 0)
    chains->chains.force = {&g.force, made->instance.infer,        nullptr,
                            nullptr,  made->instance.force_inputs, made->instance.learnt_accelerations};
  made->options = billow_instance_options_default();
  made->magic = kInstanceMagic;
  *out = made;
  return BILLOW_OK;
}

void billow_instance_destroy(billow_instance* instance) {
  if (!valid(instance)) return;
  instance->magic = 0;
  billow_chains_destroy(instance->chains);
  billow_body_destroy(instance->body);
  const billow_allocator allocator = instance->allocator;
  allocator.release(allocator.user, instance);
}

billow_chains* billow_instance_chains(const billow_instance* instance) {
  return valid(instance) ? instance->chains : nullptr;
}

const billow_body* billow_instance_body(const billow_instance* instance) {
  return valid(instance) ? instance->body : nullptr;
}

billow_instance_options billow_instance_options_default(void) {
  const PushOutSettings push;
  return {1, 1, 0, BILLOW_LENGTHS_HIGH, 1, 1, 0, push.clearance, push.softness, 1, 0, 0};
}

billow_status billow_instance_set_options(billow_instance* instance, const billow_instance_options* options) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!options) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "options: expected a pointer, found NULL");
  const struct {
    const char* name;
    float value;
  } distances[] = {{"clearance", options->clearance}, {"softness", options->softness}};
  for (const auto& d : distances)
    if (!(d.value >= 1e-5f && d.value <= 1))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "options.%s: expected 1e-5 to 1 m, found %g", d.name,
                  static_cast<double>(d.value));
  int32_t lengths;  // a C program may store any value in an enum
  std::memcpy(&lengths, &options->lengths, sizeof lengths);
  if (lengths < BILLOW_LENGTHS_OFF || lengths > BILLOW_LENGTHS_HIGH)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "options.lengths: expected a billow_lengths, found %d",
                lengths);
  const struct {
    const char* name;
    uint32_t value, least, most;
  } frames[] = {{"interval", options->interval, 1, kMostInterval},
                {"stagger", options->stagger, 0, kMostInterval - 1},
                {"blend", options->blend, 0, kMostBlend}};
  for (const auto& f : frames)
    if (f.value < f.least || f.value > f.most)
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "options.%s: expected %u to %u frames, found %u", f.name,
                  f.least, f.most, f.value);
  if (options->linear_blend && !instance->instance.garment->has_blend())
    return fail(
        BILLOW_ERROR_INVALID_ARGUMENT,
        "options.linear_blend: expected a garment with weights for it (section blend.weights), found none");
  const bool same = std::memcmp(&instance->options, options, sizeof *options) == 0;
  if (!same) instance->instance.between.blend = options->blend > 0;
  instance->options = *options;
  instance->instance.known = Instance::Known::kNothing;
  InstanceOptions& o = instance->instance.options;
  o.networks = options->networks != 0;
  o.shape = options->shape != 0;
  o.linear_blend = options->linear_blend != 0;
  o.lengths = static_cast<LengthQuality>(lengths);
  o.push_out = options->push_out != 0;
  o.normals = options->normals != 0;
  o.profile = options->profile != 0;
  o.push = {options->clearance, options->softness};
  o.interval = options->interval, o.stagger = options->stagger, o.blend = options->blend;
  return BILLOW_OK;
}

billow_status billow_instance_get_options(const billow_instance* instance, billow_instance_options* out) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  *out = instance->options;
  return BILLOW_OK;
}

billow_status billow_instance_step(billow_instance* instance, const billow_frame* frame) {
  FrameInput in;
  Transform space;
  if (billow_status bad = read_frame(instance, frame, in, space)) return bad;
  step_one(instance->instance, in);
  return BILLOW_OK;
}

billow_status billow_crowd_step(billow_instance* const* instances, const billow_frame* frames, uint32_t count,
                                const billow_jobs* jobs) {
  if (count == 0) return BILLOW_OK;
  if (!instances || !frames)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "instances and frames: expected pointers, found NULL");
  if (jobs && !jobs->run)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "jobs.run: expected a function, found NULL");
  Crowd crowd{instances, frames, count};
  if (billow_status bad = check_crowd(crowd)) return bad;
  const auto run = [&](billow_job job) {
    if (jobs)
      jobs->run(jobs->user, job, &crowd, crowd.groups());
    else
      for (uint32_t g = 0; g < crowd.groups(); ++g) job(&crowd, g);
  };
  if (crowd.meet()) {
    run(pose_group);
    crowd.posed = true;
  }
  run(step_group);
  return BILLOW_OK;
}

billow_status billow_instance_settle(billow_instance* instance, const billow_frame* frame, float seconds) {
  FrameInput in;
  Transform space;
  if (!(seconds >= 0 && seconds <= 3600))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "seconds: expected 0 to 3600, found %g",
                static_cast<double>(seconds));
  if (billow_status bad = check_frame(instance, frame)) return bad;
  billow_frame still = *frame;
  still.dt = 0;
  instance->instance.between.known = 0, instance->instance.between.waited = 0;  // so that this frame is due
  pose_own_body(instance, still);
  take_frame(instance, &still, in, space);
  follow_body(instance->instance, in.joints, in.scale);
  settle(instance->chains->chains,
         {0, instance->instance.roots, in.space, in.body, in.others, in.other_count}, seconds);
  in.teleport = Teleport::kNone;
  instance->instance.lengths.fresh = instance->instance.pace.fresh = 1;
  step_one(instance->instance, in);
  return BILLOW_OK;
}

billow_status billow_instance_shift_origin(billow_instance* instance, const float* offset) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  V3 by;
  if (billow_status bad = read_offset(offset, by)) return bad;
  shift_origin(instance->instance, by);
  shift_origin(instance->body->body, by);
  return BILLOW_OK;
}

size_t billow_instance_state_size(const billow_instance* instance) {
  return valid(instance) ? state_size(instance->instance, instance->body->body) : 0;
}

billow_status billow_instance_save(const billow_instance* instance, void* out, size_t capacity) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a buffer, found NULL");
  const size_t needed = state_size(instance->instance, instance->body->body);
  if (capacity < needed)
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %zu bytes, found %zu", needed,
                capacity);
  save_state(instance->instance, instance->body->body, static_cast<unsigned char*>(out));
  return BILLOW_OK;
}

billow_status billow_instance_restore(billow_instance* instance, const void* bytes, size_t size) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!bytes) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "bytes: expected a buffer, found NULL");
  if (const char* wrong = restore_state(instance->instance, instance->body->body,
                                        static_cast<const unsigned char*>(bytes), size))
    return fail(BILLOW_ERROR_BAD_DATA,
                "expected the saved state of an instance of this garment, found %s (%zu bytes)", wrong, size);
  instance->chains->settings.scale = instance->instance.chains->settings.scale;
  instance->instance.known = Instance::Known::kNothing;
  instance->instance.between.shows = false;  // the mesh is of another time
  return BILLOW_OK;
}

const float* billow_instance_position_data(const billow_instance* instance) {
  return valid(instance) ? instance->instance.positions : nullptr;
}

const float* billow_instance_normal_data(const billow_instance* instance) {
  return valid(instance) ? instance->instance.normals : nullptr;
}

billow_status billow_instance_get_bones(const billow_instance* instance, float* out, uint32_t capacity) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a buffer, found NULL");
  const Instance& i = instance->instance;
  if (capacity < i.garment->bones())
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %u bones, found %u",
                i.garment->bones(), capacity);
  for (uint32_t b = 0; b < i.garment->bones(); ++b)
    out[3 * b] = i.bones[b].x, out[3 * b + 1] = i.bones[b].y, out[3 * b + 2] = i.bones[b].z;
  return BILLOW_OK;
}

const float* billow_instance_bone_data(const billow_instance* instance) {
  static_assert(sizeof(V3) == 3 * sizeof(float));
  return valid(instance) ? &instance->instance.bones->x : nullptr;
}

const char* billow_frame_stage_name(billow_frame_stage stage) {
  return frame_stage_name(static_cast<FrameStage>(stage));
}

billow_status billow_instance_get_report(const billow_instance* instance, billow_instance_report* out) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  const InstanceReport& r = instance->instance.report;
  *out = {};
  out->pushed = r.pushed;
  out->inside = r.inside;
  out->asleep = r.asleep;
  for (int k = 0; k < kFrameStageCount; ++k) out->stage_seconds[k] = r.stage_seconds[k];
  return BILLOW_OK;
}

uint64_t billow_instance_hash(const billow_instance* instance) {
  if (!valid(instance)) return 0;
  const size_t values = 3 * size_t{instance->instance.garment->vertices()};
  const uint64_t hash = hash_of(instance->instance.positions, values, 14695981039346656037ull);
  return hash_of(instance->instance.normals, values, hash);
}

}  // extern "C"
