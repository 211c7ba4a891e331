// Chains and body as a garment file describes them.
#include "api/handles.h"

namespace billow::api {
namespace {

// Scratch memory of a function.
template <class T> struct Scratch {
  Scratch(const billow_allocator& a, size_t count)
      : allocator(a), get(static_cast<T*>(a.allocate(a.user, count * sizeof(T), Arena::kAlignment))) {}
  ~Scratch() {
    if (get) allocator.release(allocator.user, get);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  billow_allocator allocator;
  T* get;
};

// The mass setting is that of a bone with the mean area of all simulated bones. Bones without cloth get a minimum.
void read_chain_cloth(const Garment& g, float* lateral, float* areas, float* factors) {
  constexpr float kMinFactor = 0.05f;
  float sum = 0;
  size_t b = 0, simulated = 0;
  for (const uint32_t size : g.view.chain_sizes)
    for (uint32_t k = 0; k < size; ++k, ++b) {
      lateral[b] = g.view.chain_cloth[b].lateral_length;
      areas[b] = g.view.chain_cloth[b].area;
      if (k > 0) sum += areas[b], ++simulated;
    }
  const float per_mean = sum > 0 ? static_cast<float>(simulated) / sum : 0.0f;
  for (b = 0; b < g.view.chain_cloth.size(); ++b) {
    const float factor = areas[b] * per_mean;
    factors[b] = factor > kMinFactor ? (factor < 1e6f ? factor : 1e6f) : kMinFactor;
  }
}

}  // namespace

billow_collider collider_of(const asset::ColliderRecord& r) {
  billow_collider c = billow_collider_default();
  c.shape = static_cast<billow_shape>(r.shape);
  for (int k = 0; k < 3; ++k) {
    c.position[k] = r.position[k];
    c.end[k] = r.end[k];
    c.half_extents[k] = r.half_extents[k];
  }
  for (int k = 0; k < 4; ++k) {
    c.rotation[k] = r.rotation[k];
    c.joint[k] = r.joint[k];
    c.weight[k] = r.weight[k] > 0 ? r.weight[k] : 0.0f;
  }
  c.radius = r.radius, c.radius_end = r.radius_end;
  c.blend_with = r.blend_with, c.blend_radius = r.blend_radius, c.group = r.group;
  return c;
}

billow_status create_chains(const Garment& g, const billow_allocator& allocator, billow_chains** out) {
  const size_t bones = g.view.chain_bones.size();
  const Scratch<float> numbers(allocator, 7 * bones);
  if (!numbers.get) return fail(BILLOW_ERROR_OUT_OF_MEMORY, "no memory for %zu bones", bones);
  float *rest = numbers.get, *lengths = numbers.get + 3 * bones;
  float *lateral = lengths + bones, *areas = lateral + bones, *factors = areas + bones;
  for (size_t b = 0; b < bones; ++b) {
    const V3 p = g.bone_rest[g.view.chain_bones[b].bone];
    rest[3 * b] = p.x, rest[3 * b + 1] = p.y, rest[3 * b + 2] = p.z;
    lengths[b] = g.view.chain_bones[b].max_length;
  }
  billow_chains_desc desc{};
  desc.chain_count = g.view.record->chains;
  desc.bone_counts = g.view.chain_sizes.data();
  desc.rest_positions = rest;
  desc.max_lengths = lengths;
  if (!g.view.chain_cloth.empty()) {
    read_chain_cloth(g, lateral, areas, factors);
    desc.lateral_lengths = lateral, desc.areas = areas, desc.mass_factors = factors;
  }
  desc.neighbours = 1;
  desc.closed = g.view.record->closed != 0;
  desc.max_colliders = BILLOW_MAX_COLLIDERS;
  desc.allocator = &allocator;
  billow_chains* chains = nullptr;
  if (billow_status bad = billow_chains_create(&desc, &chains)) return bad;
  const billow_settings settings = settings_of(g);
  if (billow_status bad = billow_chains_set_settings(chains, &settings)) {
    billow_chains_destroy(chains);
    return bad;
  }
  *out = chains;
  return BILLOW_OK;
}

billow_status create_body(const Garment& g, const billow_allocator& allocator, billow_body** out) {
  const uint32_t joints = g.view.record->joints;
  const Scratch<billow_transform> rest(allocator, joints);
  if (!rest.get) return fail(BILLOW_ERROR_OUT_OF_MEMORY, "no memory for %u joints", joints);
  for (uint32_t j = 0; j < joints; ++j) {
    const Transform t = inverse(g.joint_rest_inverse[j]);
    rest.get[j] = {{t.position.x, t.position.y, t.position.z},
                   {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w}};
  }
  billow_collider colliders[BILLOW_MAX_COLLIDERS];
  for (size_t i = 0; i < g.view.colliders.size(); ++i) colliders[i] = collider_of(g.view.colliders[i]);
  billow_body_desc desc{};
  desc.colliders = colliders;
  desc.collider_count = g.view.record->colliders;
  desc.joint_rest = rest.get;
  desc.joint_count = joints;
  desc.allocator = &allocator;
  return billow_body_create(&desc, out);
}

}  // namespace billow::api
