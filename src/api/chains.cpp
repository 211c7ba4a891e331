#include <cmath>
#include <initializer_list>

#include "api/handles.h"
#include "runtime/frame_entry.h"
#include "runtime/shift_origin.h"

namespace billow::api {
namespace {

struct Named {
  const char* name;
  const float* numbers;
};

billow_status check_desc(const billow_chains_desc& d) {
  if (d.chain_count < 1 || d.chain_count > BILLOW_MAX_CHAINS)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "chain_count: expected 1 to %d, found %u", BILLOW_MAX_CHAINS,
                d.chain_count);
  if (!d.bone_counts || !d.rest_positions)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "bone_counts and rest_positions: expected arrays, found NULL");
  if (d.closed && d.neighbours && d.chain_count < 3)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "chain_count: expected at least 3 for a closed ring, found %u",
                d.chain_count);
  if (d.max_colliders > BILLOW_MAX_COLLIDERS)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "max_colliders: expected at most %d, found %u",
                BILLOW_MAX_COLLIDERS, d.max_colliders);
  if (d.allocator && (!d.allocator->allocate || !d.allocator->release))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "allocator: expected both functions, found NULL");
  size_t bone = 0;
  for (uint32_t c = 0; c < d.chain_count; ++c) {
    uint32_t n = d.bone_counts[c];
    if (n < 2 || n > BILLOW_MAX_BONES_PER_CHAIN)
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "bone_counts[%u]: expected 2 to %d, found %u", c,
                  BILLOW_MAX_BONES_PER_CHAIN, n);
    for (uint32_t i = 0; i < n; ++i, ++bone) {
      const float* p = d.rest_positions + 3 * bone;
      for (int k = 0; k < 3; ++k)
        if (!std::isfinite(p[k]) || std::fabs(p[k]) > 1e9f)
          return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                      "rest_positions, chain %u bone %u: expected finite numbers within 1e9, found %g", c, i,
                      static_cast<double>(p[k]));
      if (d.mass_factors && !(d.mass_factors[bone] > 0 && d.mass_factors[bone] <= 1e6f))
        return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                    "mass_factors, chain %u bone %u: expected more than 0, at most 1e6, found %g", c, i,
                    static_cast<double>(d.mass_factors[bone]));
      for (const auto& [name, numbers] :
           {Named{"lateral_lengths", d.lateral_lengths}, Named{"areas", d.areas}})
        if (numbers && !(numbers[bone] >= 0 && numbers[bone] <= 1e6f))
          return fail(BILLOW_ERROR_INVALID_ARGUMENT, "%s, chain %u bone %u: expected 0 to 1e6, found %g",
                      name, c, i, static_cast<double>(numbers[bone]));
      if (i == 0) continue;
      float rest = std::hypot(p[0] - p[-3], p[1] - p[-2], p[2] - p[-1]);
      float longest = d.max_lengths ? d.max_lengths[bone] : rest;
      if (!(longest >= 1e-5f && longest <= 1e6f))
        return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                    "chain %u bone %u: expected a rope of 1e-5 to 1e6 m, found %g", c, i,
                    static_cast<double>(longest));
    }
  }
  return BILLOW_OK;
}

billow_status read_step(billow_chains* chains, const billow_step* step, StepInput& in, Transform& space) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!step || !step->roots)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "step and step.roots: expected pointers, found NULL");
  Chains& c = chains->chains;
  if (step->root_count != static_cast<uint32_t>(c.set.layout.chains))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "step.root_count: expected %d, found %u", c.set.layout.chains,
                step->root_count);
  if (!(step->dt >= 0))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "step.dt: expected 0 or more, found %g",
                static_cast<double>(step->dt));
  if (step->body && !valid(step->body))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "step.body: expected a billow_body or NULL, found something else");
  if (step->body && step->body->body.collider_count > c.max_colliders)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "step.body: expected at most %d colliders (max_colliders), found %d", c.max_colliders,
                step->body->body.collider_count);
  if (billow_status bad = read_others("step", step->others, step->other_count, step->body, c.max_colliders,
                                      chains->others, in.other_count))
    return bad;
  if (step->space)
    if (billow_status bad = read_transforms("step.space", step->space, 1, &space)) return bad;
  if (billow_status bad = read_transforms("step.roots", step->roots, step->root_count, chains->roots))
    return bad;
  constexpr float kLongestStep = 0.25f, kShortestStep = 1e-6f;
  in.dt = step->dt > kLongestStep ? kLongestStep : step->dt < kShortestStep ? 0 : step->dt;
  in.roots = chains->roots;
  in.space = step->space ? &space : nullptr;
  in.body = step->body ? &step->body->body : nullptr;
  in.others = chains->others;
  return BILLOW_OK;
}

// Hands out one value of every bone, chain after chain.
template <class F>
billow_status read_bones(const billow_chains* chains, const float* out, uint32_t capacity, F write) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a buffer, found NULL");
  const Chains& c = chains->chains;
  if (capacity < static_cast<uint32_t>(c.bone_total))
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %d bones, found %u", c.bone_total,
                capacity);
  size_t bone = 0;
  for (int chain = 0; chain < c.set.layout.chains; ++chain)
    for (int i = 0; i < c.set.bones[chain]; ++i, ++bone) write(c.set, c.set.layout.at(i, chain), bone);
  return BILLOW_OK;
}

billow_status read_vectors(const billow_chains* chains, const Rows3 ChainSet::*rows, float* out,
                           uint32_t capacity) {
  return read_bones(chains, out, capacity, [&](const ChainSet& set, size_t at, size_t bone) {
    V3 v = get(set.*rows, at);
    out[3 * bone] = v.x;
    out[3 * bone + 1] = v.y;
    out[3 * bone + 2] = v.z;
  });
}

}  // namespace
}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

billow_status billow_chains_create(const billow_chains_desc* desc, billow_chains** out) {
  if (!desc || !out)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "desc and out: expected pointers, found NULL");
  *out = nullptr;
  if (billow_status bad = check_desc(*desc)) return bad;
  ChainsDescription d;
  d.chains = static_cast<int>(desc->chain_count);
  d.bone_counts = desc->bone_counts;
  d.rest_positions = desc->rest_positions;
  d.max_lengths = desc->max_lengths;
  d.mass_factors = desc->mass_factors;
  d.lateral_lengths = desc->lateral_lengths;
  d.areas = desc->areas;
  d.neighbours = desc->neighbours != 0;
  d.closed = desc->closed != 0;
  d.max_colliders = desc->max_colliders ? static_cast<int>(desc->max_colliders) : 32;

  billow_status bad = BILLOW_OK;
  billow_chains* chains = create_in_one_block<billow_chains>(
      allocator_or_malloc(desc->allocator), [&](billow_chains& c, Arena& arena) {
        c.roots = arena.take<Transform>(desc->chain_count);
        c.others = arena.take<const Body*>(static_cast<size_t>(d.max_colliders));
        if (c.roots && desc->root_rest) {
          bad = read_transforms("root_rest", desc->root_rest, desc->chain_count, c.roots);
          d.root_rest = c.roots;
        }
        if (!bad) build(c.chains, d, arena);
      });
  if (!chains) return fail(BILLOW_ERROR_OUT_OF_MEMORY, "no memory for %u chains", desc->chain_count);
  if (bad) {
    billow_allocator allocator = chains->allocator;
    allocator.release(allocator.user, chains);
    return bad;
  }
  chains->magic = kChainsMagic;
  billow_settings settings = billow_settings_default();
  billow_chains_set_settings(chains, &settings);
  *out = chains;
  return BILLOW_OK;
}

void billow_chains_destroy(billow_chains* chains) {
  if (!valid(chains)) return;
  chains->magic = 0;
  billow_allocator allocator = chains->allocator;
  allocator.release(allocator.user, chains);
}

billow_status billow_chains_set_settings(billow_chains* chains, const billow_settings* settings) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!settings) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "settings: expected a pointer, found NULL");
  Settings s;
  if (billow_status bad = read_settings(*settings, s)) return bad;
  apply_settings(chains->chains, s);
  chains->settings = *settings;
  return BILLOW_OK;
}

billow_status billow_chains_get_settings(const billow_chains* chains, billow_settings* out) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  *out = chains->settings;
  return BILLOW_OK;
}

billow_status billow_chains_set_wind(billow_chains* chains, const billow_wind* wind) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!wind) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "wind: expected a pointer, found NULL");
  for (float v : wind->velocity)
    if (!(std::fabs(v) <= 1e4f))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "wind.velocity: expected within 1e4 m/s, found %g",
                  static_cast<double>(v));
  if (!(wind->gust >= 0 && wind->gust <= 1))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "wind.gust: expected 0 to 1, found %g",
                static_cast<double>(wind->gust));
  if (!(wind->gust_frequency >= 0 && wind->gust_frequency <= 100))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "wind.gust_frequency: expected 0 to 100 Hz, found %g",
                static_cast<double>(wind->gust_frequency));
  chains->chains.set.wind = {{wind->velocity[0], wind->velocity[1], wind->velocity[2]},
                             wind->gust,
                             wind->gust_frequency,
                             wind->seed,
                             wind->field,
                             wind->user};
  wake(chains->chains);
  return BILLOW_OK;
}

uint32_t billow_chains_chain_count(const billow_chains* chains) {
  return valid(chains) ? static_cast<uint32_t>(chains->chains.set.layout.chains) : 0;
}

uint32_t billow_chains_bone_count(const billow_chains* chains) {
  return valid(chains) ? static_cast<uint32_t>(chains->chains.bone_total) : 0;
}

billow_status billow_chains_step(billow_chains* chains, const billow_step* step) {
  StepInput in;
  Transform space;
  if (billow_status bad = read_step(chains, step, in, space)) return bad;
  best_frame_entry().step_chains(&chains->chains, &in);
  return BILLOW_OK;
}

billow_status billow_chains_settle(billow_chains* chains, const billow_step* step, float seconds) {
  StepInput in;
  Transform space;
  if (!(seconds >= 0 && seconds <= 3600))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "seconds: expected 0 to 3600, found %g",
                static_cast<double>(seconds));
  if (billow_status bad = read_step(chains, step, in, space)) return bad;
  settle(chains->chains, in, seconds);
  return BILLOW_OK;
}

billow_status billow_chains_teleport(billow_chains* chains, billow_teleport mode,
                                     const billow_transform* roots, uint32_t root_count) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!roots) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "roots: expected an array, found NULL");
  if (mode != BILLOW_TELEPORT_RESET && mode != BILLOW_TELEPORT_KEEP)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "mode: expected reset or keep, found %d",
                static_cast<int>(mode));
  if (root_count != billow_chains_chain_count(chains))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "root_count: expected %u, found %u",
                billow_chains_chain_count(chains), root_count);
  if (billow_status bad = read_transforms("roots", roots, root_count, chains->roots)) return bad;
  teleport(chains->chains, static_cast<Teleport>(mode), chains->roots);
  return BILLOW_OK;
}

billow_status billow_chains_set_paused(billow_chains* chains, int32_t paused) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  chains->chains.paused = paused != 0;
  return BILLOW_OK;
}

billow_status billow_chains_wake(billow_chains* chains) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  wake(chains->chains);
  return BILLOW_OK;
}

billow_status billow_chains_shift_origin(billow_chains* chains, const float* offset) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  V3 by;
  if (billow_status bad = read_offset(offset, by)) return bad;
  shift_origin(chains->chains, by);
  return BILLOW_OK;
}

billow_status billow_chains_get_positions(const billow_chains* chains, float* out, uint32_t capacity) {
  return read_vectors(chains, &ChainSet::x, out, capacity);
}

billow_status billow_chains_get_velocities(const billow_chains* chains, float* out, uint32_t capacity) {
  return read_vectors(chains, &ChainSet::v, out, capacity);
}

billow_status billow_chains_get_tensions(const billow_chains* chains, float* out, uint32_t capacity) {
  return read_bones(chains, out, capacity,
                    [&](const ChainSet& set, size_t at, size_t bone) { out[bone] = set.tension[at]; });
}

billow_status billow_chains_set_bones(billow_chains* chains, const float* positions, const float* velocities,
                                      uint32_t count) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  Chains& c = chains->chains;
  if (count != static_cast<uint32_t>(c.bone_total))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "count: expected %d bones, found %u", c.bone_total, count);
  if (!c.started)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "chains: expected a first step before, found none");
  for (const float* values : {positions, velocities})
    if (values)
      if (billow_status bad =
              check_finite(values == positions ? "positions" : "velocities", values, 3 * size_t{count}))
        return bad;
  wake(c);
  if (positions) forget_sides(c.set);
  const float* sources[2] = {positions, velocities};
  const Rows3* rows[2] = {&c.set.x, &c.set.v};
  for (int k = 0; k < 2; ++k) {
    const float* from = sources[k];
    for (int chain = 0; from && chain < c.set.layout.chains; ++chain)
      for (int i = 0; i < c.set.bones[chain]; ++i, from += 3)
        if (i > 0) set(*rows[k], c.set.layout.at(i, chain), V3{from[0], from[1], from[2]});
  }
  return BILLOW_OK;
}

billow_status billow_chains_get_contacts(const billow_chains* chains, billow_contact* out, uint32_t capacity,
                                         uint32_t* count) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!count || (capacity > 0 && !out))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out and count: expected pointers, found NULL");
  const ChainSet& set = chains->chains.set;
  *count = 0;
  for (int c = 0; c < set.layout.chains; ++c)
    for (int i = 1; i < set.bones[c]; ++i) *count += set.contact_collider[set.layout.at(i, c)] >= 0;
  if (capacity < *count)
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %u contacts, found %u", *count,
                capacity);
  uint32_t n = 0;
  for (int c = 0; c < set.layout.chains; ++c) {
    for (int i = 1; i < set.bones[c]; ++i) {
      size_t at = set.layout.at(i, c);
      if (set.contact_collider[at] < 0) continue;
      V3 normal = get(set.contact_normal, at);
      out[n++] = {static_cast<uint32_t>(c),
                  static_cast<uint32_t>(i),
                  static_cast<int32_t>(set.contact_collider[at]),
                  {normal.x, normal.y, normal.z}};
    }
  }
  return BILLOW_OK;
}

const char* billow_chain_stage_name(billow_chain_stage stage) {
  return stage_name(static_cast<Stage>(stage));
}

billow_status billow_chains_get_report(const billow_chains* chains, billow_chains_report* out) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  const Report& r = chains->chains.report;
  *out = {};
  out->flags = r.flags;
  out->substeps = static_cast<uint32_t>(r.substeps);
  out->contacts = static_cast<uint32_t>(r.contacts);
  out->trapped = static_cast<uint32_t>(r.trapped);
  out->enclosed = static_cast<uint32_t>(r.enclosed);
  out->collider_work = r.collider_work;
  for (int i = 0; i < kStageCount; ++i) out->stage_seconds[i] = r.stage_seconds[i];
  return BILLOW_OK;
}

size_t billow_chains_state_size(const billow_chains* chains) {
  return valid(chains) ? state_size(chains->chains) : 0;
}

billow_status billow_chains_save(const billow_chains* chains, void* out, size_t capacity) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a buffer, found NULL");
  size_t needed = state_size(chains->chains);
  if (capacity < needed)
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %zu bytes, found %zu", needed,
                capacity);
  save_state(chains->chains, static_cast<unsigned char*>(out));
  return BILLOW_OK;
}

billow_status billow_chains_restore(billow_chains* chains, const void* bytes, size_t size) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (!bytes) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "bytes: expected a buffer, found NULL");
  if (const char* wrong = restore_state(chains->chains, static_cast<const unsigned char*>(bytes), size))
    return fail(BILLOW_ERROR_BAD_DATA, "expected the saved state of these chains, found %s (%zu bytes)",
                wrong, size);
  return BILLOW_OK;
}

uint64_t billow_chains_hash(const billow_chains* chains) {
  return valid(chains) ? state_hash(chains->chains) : 0;
}

}  // extern "C"
