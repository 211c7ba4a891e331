// The exports for the web page: the C API with scalar arguments, because JavaScript has no structs. Pointers
// are offsets into the module's memory. On failure functions return a null pointer or a non-zero status;
// last_error has the reason.
#include <cstdlib>
#include <memory>
#include <new>

#include "page.h"
#include "settings.h"

using billow::viewer::Character;
using billow::viewer::Garment;
using billow::viewer::Report;

BILLOW_PAGE(version) const char* version() { return billow_version(); }
BILLOW_PAGE(last_error) const char* last_error() { return billow_last_error(); }

// Memory aligned to 64 bytes; null if there is not enough.
BILLOW_PAGE(allocate) void* allocate(size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
BILLOW_PAGE(release) void release(void* bytes) { std::free(bytes); }

// Takes ownership of a .billow file in memory from `allocate`, even if it fails.
BILLOW_PAGE(garment_open) Garment* garment_open(void* bytes, size_t size) {
  auto g = std::make_unique<Garment>();
  g->bytes = bytes;
  billow_garment_desc desc{};
  desc.bytes = bytes, desc.size = size, desc.keep = 1;
  return billow_garment_create(&desc, &g->garment) == BILLOW_OK ? g.release() : nullptr;
}
BILLOW_PAGE(garment_close) void garment_close(Garment* g) { delete g; }

BILLOW_PAGE(garment_vertices) uint32_t garment_vertices(const Garment* g) {
  return billow_garment_vertex_count(g->garment);
}
BILLOW_PAGE(garment_triangles) uint32_t garment_triangles(const Garment* g) {
  return billow_garment_triangle_count(g->garment);
}
BILLOW_PAGE(garment_joints) uint32_t garment_joints(const Garment* g) {
  return billow_garment_joint_count(g->garment);
}
BILLOW_PAGE(garment_name) const char* garment_name(Garment* g) {
  billow_garment_get_name(g->garment, g->text, sizeof g->text);
  return g->text;
}
BILLOW_PAGE(garment_joint_name) const char* garment_joint_name(Garment* g, uint32_t joint) {
  billow_garment_get_joint_name(g->garment, joint, g->text, sizeof g->text);
  return g->text;
}
BILLOW_PAGE(garment_read_joint_rest) int garment_read_joint_rest(const Garment* g, billow_transform* out) {
  return billow_garment_get_joint_rest(g->garment, out, billow_garment_joint_count(g->garment));
}
BILLOW_PAGE(garment_read_triangles) int garment_read_triangles(const Garment* g, uint32_t* out) {
  return billow_garment_get_triangles(g->garment, out, billow_garment_triangle_count(g->garment));
}
BILLOW_PAGE(garment_read_uvs) int garment_read_uvs(const Garment* g, float* out) {
  return billow_garment_get_uvs(g->garment, out, billow_garment_vertex_count(g->garment));
}
// The address and size of a section of the file; null and 0 if it is missing.
BILLOW_PAGE(garment_section) const void* garment_section(const Garment* g, const char* name, size_t* size) {
  const void* bytes = nullptr;
  billow_garment_get_section(g->garment, name, &bytes, size);
  return bytes;
}

BILLOW_PAGE(character_create) Character* character_create(const Garment* g) {
  auto c = std::make_unique<Character>();
  c->garment = g;
  if (billow_instance_create(g->garment, nullptr, &c->instance) != BILLOW_OK) return nullptr;
  c->joints.resize(billow_garment_joint_count(g->garment));
  billow_garment_get_joint_rest(g->garment, c->joints.data(), static_cast<uint32_t>(c->joints.size()));
  c->bones.resize(3 * size_t{billow_chains_bone_count(c->chains())});
  c->distances.resize(c->vertices());
  c->without_shape.resize(3 * size_t{c->vertices()});
  return c.release();
}
BILLOW_PAGE(character_destroy) void character_destroy(Character* c) { delete c; }

// Seven floats per joint, position and rotation, in the order of the garment's joints. To be written before
// each step.
BILLOW_PAGE(character_joints) billow_transform* character_joints(Character* c) { return c->joints.data(); }

BILLOW_PAGE(character_step) int character_step(Character* c, float dt, int teleport, int skip_mesh) {
  billow_frame frame = c->frame(dt);
  frame.teleport = static_cast<billow_teleport>(teleport);
  frame.skip_mesh = skip_mesh;
  return billow_instance_step(c->instance, &frame);
}
BILLOW_PAGE(character_settle) int character_settle(Character* c, float seconds) {
  const billow_frame frame = c->frame(0);
  return billow_instance_settle(c->instance, &frame, seconds);
}

BILLOW_PAGE(character_positions) const float* character_positions(const Character* c) {
  return billow_instance_position_data(c->instance);
}
BILLOW_PAGE(character_normals) const float* character_normals(const Character* c) {
  return billow_instance_normal_data(c->instance);
}
BILLOW_PAGE(character_bone_count) uint32_t character_bone_count(const Character* c) {
  return billow_chains_bone_count(c->chains());
}
// The bones of all chains, chain by chain from root to tip.
BILLOW_PAGE(character_bones) const float* character_bones(Character* c) {
  billow_chains_get_positions(c->chains(), c->bones.data(), billow_chains_bone_count(c->chains()));
  return c->bones.data();
}

// The signed distance of each vertex to the rigid colliders in metres, negative inside, up to 0.02.
BILLOW_PAGE(character_distances) const float* character_distances(Character* c) {
  billow_settings settings;
  billow_chains_get_settings(c->chains(), &settings);
  uint32_t rigid = settings.collider_groups;
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g)
    if (settings.softness[g] > 0) rigid &= ~(1u << g);
  const billow_status bad =
      billow_body_query(billow_instance_body(c->instance), rigid, billow_instance_position_data(c->instance),
                        c->vertices(), 0.02f, c->distances.data(), nullptr, nullptr);
  return bad ? nullptr : c->distances.data();
}

// Positions of the last frame without the shape network, for comparison: x y z of each vertex. The instance's
// state and positions are unchanged afterwards.
BILLOW_PAGE(character_without_shape) const float* character_without_shape(Character* c) {
  billow_instance_options options;
  billow_instance_get_options(c->instance, &options);
  c->state.resize(billow_instance_state_size(c->instance));
  billow_instance_save(c->instance, c->state.data(), c->state.size());
  const billow_frame again = c->frame(0);
  // Both frames at once, not blended.
  billow_instance_options shown = options, no_shape = options;
  shown.blend = no_shape.blend = 0;
  no_shape.shape = 0, no_shape.profile = 0, no_shape.interval = 1, no_shape.stagger = 0;
  billow_instance_set_options(c->instance, &no_shape);
  billow_status bad = billow_instance_step(c->instance, &again);
  if (!bad) bad = billow_instance_get_positions(c->instance, c->without_shape.data(), 0, c->vertices());
  billow_instance_set_options(c->instance, &shown);
  if (!bad) bad = billow_instance_restore(c->instance, c->state.data(), c->state.size());
  if (!bad) bad = billow_instance_step(c->instance, &again);
  billow_instance_set_options(c->instance, &options);
  if (!bad) bad = billow_instance_restore(c->instance, c->state.data(), c->state.size());
  return bad ? nullptr : c->without_shape.data();
}

BILLOW_PAGE(character_set_options)
int character_set_options(Character* c, int networks, int shape, int linear_blend, int lengths, int push_out,
                          int profile) {
  billow_instance_options options = billow_instance_options_default();
  options.networks = networks, options.shape = shape, options.linear_blend = linear_blend;
  options.lengths = lengths ? BILLOW_LENGTHS_HIGH : BILLOW_LENGTHS_OFF;
  options.push_out = push_out, options.profile = profile;
  return billow_instance_set_options(c->instance, &options);
}

BILLOW_PAGE(setting_count) int setting_count() { return billow::viewer::setting_count(); }
BILLOW_PAGE(setting_name) const char* setting_name(int setting) {
  return billow::viewer::setting_name(setting);
}
BILLOW_PAGE(character_get_setting) double character_get_setting(const Character* c, int setting) {
  billow_settings settings;
  billow_chains_get_settings(c->chains(), &settings);
  return billow::viewer::get_setting(settings, setting);
}
BILLOW_PAGE(character_set_setting) int character_set_setting(Character* c, int setting, double value) {
  billow_settings settings;
  billow_chains_get_settings(c->chains(), &settings);
  billow::viewer::set_setting(settings, setting, value);
  return billow_chains_set_settings(c->chains(), &settings);
}
BILLOW_PAGE(character_set_wind)
int character_set_wind(Character* c, float x, float y, float z, float gust, float frequency, uint32_t seed) {
  billow_wind wind{};
  wind.velocity[0] = x, wind.velocity[1] = y, wind.velocity[2] = z;
  wind.gust = gust, wind.gust_frequency = frequency, wind.seed = seed;
  return billow_chains_set_wind(c->chains(), &wind);
}

BILLOW_PAGE(character_state_size) size_t character_state_size(const Character* c) {
  return billow_instance_state_size(c->instance);
}
BILLOW_PAGE(character_save) int character_save(const Character* c, void* out) {
  return billow_instance_save(c->instance, out, billow_instance_state_size(c->instance));
}
BILLOW_PAGE(character_restore) int character_restore(Character* c, const void* bytes, size_t size) {
  return billow_instance_restore(c->instance, bytes, size);
}
BILLOW_PAGE(character_hash) uint64_t character_hash(const Character* c) {
  return billow_instance_hash(c->instance);
}

BILLOW_PAGE(stage_name) const char* stage_name(int stage) {
  return billow_frame_stage_name(static_cast<billow_frame_stage>(stage));
}
BILLOW_PAGE(chain_stage_name) const char* chain_stage_name(int stage) {
  return billow_chain_stage_name(static_cast<billow_chain_stage>(stage));
}
// An array of doubles: seconds of the frame's stages, of the chains' stages, then the counts of struct
// Report.
BILLOW_PAGE(character_report) const double* character_report(Character* c) {
  billow_instance_report mesh;
  billow_chains_report chains;
  if (billow_instance_get_report(c->instance, &mesh) || billow_chains_get_report(c->chains(), &chains))
    return nullptr;
  Report& r = c->report;
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k) r.stages[k] = mesh.stage_seconds[k];
  for (int k = 0; k < BILLOW_CHAIN_STAGE_COUNT; ++k) r.chain_stages[k] = chains.stage_seconds[k];
  r.pushed = mesh.pushed, r.inside = mesh.inside, r.substeps = chains.substeps, r.contacts = chains.contacts;
  r.trapped = chains.trapped, r.enclosed = chains.enclosed, r.flags = chains.flags;
  return r.stages;
}
