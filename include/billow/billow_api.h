/* All functions of billow.h by name, for hosts that load the library at run time and look one symbol up. Made by
 * cmake/make_api.sh from billow.h.
 *
 *     const billow_api* billow = get_api(BILLOW_API_VERSION);
 */
#ifndef BILLOW_BILLOW_API_H
#define BILLOW_BILLOW_API_H

#include <billow/billow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */

/* Of billow.h: another one with every change of its declarations. */
#define BILLOW_API_VERSION 1206897611u

typedef struct billow_api {
  const char* (*version)(void);
  const char* (*last_error)(void);
  billow_status (*set_log)(const billow_log* log);
  billow_collider (*collider_default)(void);
  billow_body_desc (*body_desc_default)(void);
  billow_status (*body_create)(const billow_body_desc* desc, billow_body** out);
  billow_status (*body_create_ground)(float height, const billow_allocator* allocator, billow_body** out);
  void (*body_destroy)(billow_body* body);
  billow_status (*body_pose)(billow_body* body, const billow_transform* joints, uint32_t joint_count, float scale);
  billow_status (*body_teleport)(billow_body* body, const billow_transform* joints, uint32_t joint_count, float scale);
  billow_status (*body_query)(const billow_body* body, uint32_t groups, const float* points, uint32_t count, float limit, float* distances, float* gradients, int32_t* colliders);
  uint32_t (*body_collider_count)(const billow_body* body);
  float (*body_scale)(const billow_body* body);
  billow_status (*body_get_collider)(const billow_body* body, uint32_t index, billow_collider* out);
  billow_status (*body_get_posed_collider)(const billow_body* body, uint32_t index, billow_collider* out);
  billow_status (*body_shift_origin)(billow_body* body, const float* offset);
  billow_chains_desc (*chains_desc_default)(void);
  billow_settings (*settings_default)(void);
  billow_settings (*settings_cape)(void);
  billow_settings (*settings_skirt)(void);
  billow_wind (*wind_default)(void);
  billow_status (*chains_create)(const billow_chains_desc* desc, billow_chains** out);
  void (*chains_destroy)(billow_chains* chains);
  billow_status (*chains_set_settings)(billow_chains* chains, const billow_settings* settings);
  billow_status (*chains_get_settings)(const billow_chains* chains, billow_settings* out);
  billow_status (*chains_set_wind)(billow_chains* chains, const billow_wind* wind);
  uint32_t (*chains_chain_count)(const billow_chains* chains);
  uint32_t (*chains_bone_count)(const billow_chains* chains);
  billow_step (*step_default)(void);
  billow_status (*chains_step)(billow_chains* chains, const billow_step* step);
  billow_status (*chains_teleport)(billow_chains* chains, billow_teleport mode, const billow_transform* roots, uint32_t root_count);
  billow_status (*chains_settle)(billow_chains* chains, const billow_step* step, float seconds);
  billow_status (*chains_set_paused)(billow_chains* chains, int32_t paused);
  billow_status (*chains_wake)(billow_chains* chains);
  billow_status (*chains_shift_origin)(billow_chains* chains, const float* offset);
  billow_status (*chains_get_positions)(const billow_chains* chains, float* out, uint32_t capacity);
  billow_status (*chains_get_velocities)(const billow_chains* chains, float* out, uint32_t capacity);
  billow_status (*chains_get_tensions)(const billow_chains* chains, float* out, uint32_t capacity);
  billow_status (*chains_set_bones)(billow_chains* chains, const float* positions, const float* velocities, uint32_t count);
  billow_status (*chains_get_contacts)(const billow_chains* chains, billow_contact* out, uint32_t capacity, uint32_t* count);
  const char* (*chain_stage_name)(billow_chain_stage stage);
  billow_status (*chains_get_report)(const billow_chains* chains, billow_chains_report* out);
  size_t (*chains_state_size)(const billow_chains* chains);
  billow_status (*chains_save)(const billow_chains* chains, void* out, size_t capacity);
  billow_status (*chains_restore)(billow_chains* chains, const void* bytes, size_t size);
  uint64_t (*chains_hash)(const billow_chains* chains);
  billow_garment_desc (*garment_desc_default)(void);
  billow_status (*garment_create)(const billow_garment_desc* desc, billow_garment** out);
  billow_status (*garment_load)(const char* path, const billow_allocator* allocator, billow_garment** out);
  void (*garment_destroy)(billow_garment* garment);
  uint32_t (*garment_vertex_count)(const billow_garment* garment);
  uint32_t (*garment_triangle_count)(const billow_garment* garment);
  uint32_t (*garment_bone_count)(const billow_garment* garment);
  uint32_t (*garment_joint_count)(const billow_garment* garment);
  uint32_t (*garment_key_joint)( const billow_garment* garment);
  billow_status (*garment_get_name)(const billow_garment* garment, char* out, size_t capacity);
  billow_status (*garment_get_joint_name)(const billow_garment* garment, uint32_t joint, char* out, size_t capacity);
  billow_status (*garment_get_joint_rest)(const billow_garment* garment, billow_transform* out, uint32_t capacity);
  billow_status (*garment_get_joint_parents)(const billow_garment* garment, int32_t* out, uint32_t capacity);
  uint32_t (*garment_collider_count)(const billow_garment* garment);
  billow_status (*garment_get_collider)(const billow_garment* garment, uint32_t index, billow_collider* out);
  billow_status (*garment_get_collider_name)(const billow_garment* garment, uint32_t index, char* out, size_t capacity);
  billow_status (*garment_get_triangles)(const billow_garment* garment, uint32_t* out, uint32_t capacity);
  billow_status (*garment_get_uvs)(const billow_garment* garment, float* out, uint32_t capacity);
  billow_status (*garment_get_settings)(const billow_garment* garment, billow_settings* out);
  billow_status (*garment_get_section)(const billow_garment* garment, const char* name, const void** bytes, size_t* size);
  billow_status (*instance_create)(const billow_garment* garment, const billow_allocator* allocator, billow_instance** out);
  void (*instance_destroy)(billow_instance* instance);
  billow_chains* (*instance_chains)(const billow_instance* instance);
  const billow_body* (*instance_body)(const billow_instance* instance);
  billow_instance_options (*instance_options_default)(void);
  billow_status (*instance_set_options)(billow_instance* instance, const billow_instance_options* options);
  billow_status (*instance_get_options)(const billow_instance* instance, billow_instance_options* out);
  billow_frame (*frame_default)(void);
  billow_status (*instance_step)(billow_instance* instance, const billow_frame* frame);
  billow_status (*crowd_step)(billow_instance* const* instances, const billow_frame* frames, uint32_t count, const billow_jobs* jobs);
  billow_levels (*levels_default)(void);
  billow_status (*crowd_choose_levels)(billow_instance* const* instances, billow_frame* frames, const billow_view* views, uint32_t count, const billow_levels* levels);
  billow_status (*instance_settle)(billow_instance* instance, const billow_frame* frame, float seconds);
  billow_status (*instance_shift_origin)(billow_instance* instance, const float* offset);
  size_t (*instance_state_size)( const billow_instance* instance);
  billow_status (*instance_save)(const billow_instance* instance, void* out, size_t capacity);
  billow_status (*instance_restore)(billow_instance* instance, const void* bytes, size_t size);
  billow_status (*body_create_layer)(const billow_instance* inner, const billow_allocator* allocator, billow_body** out);
  billow_status (*body_pose_layer)(billow_body* layer, const billow_instance* inner);
  billow_status (*instance_get_positions)(const billow_instance* instance, void* out, size_t stride, uint32_t capacity);
  billow_status (*instance_get_normals)(const billow_instance* instance, void* out, size_t stride, uint32_t capacity);
  billow_output (*output_default)(void);
  billow_status (*instance_write)(const billow_instance* instance, const billow_output* outputs, uint32_t count);
  const float* (*instance_position_data)(const billow_instance* instance);
  const float* (*instance_normal_data)(const billow_instance* instance);
  billow_status (*instance_get_bones)(const billow_instance* instance, float* out, uint32_t capacity);
  const float* (*instance_bone_data)(const billow_instance* instance);
  billow_status (*instance_get_bounds)(const billow_instance* instance, billow_bounds* out);
  const char* (*frame_stage_name)(billow_frame_stage stage);
  billow_status (*instance_get_report)(const billow_instance* instance, billow_instance_report* out);
  uint64_t (*instance_hash)(const billow_instance* instance);
  billow_clock (*clock_default)(void);
  billow_status (*clock_advance)(billow_clock* clock, float dt, uint32_t* count);
  float (*clock_share)(const billow_clock* clock, uint32_t step);
  float (*clock_dt)(const billow_clock* clock);
  billow_status (*body_debug_draw)(const billow_body* body, uint32_t what, const billow_debug_draw* draw);
  billow_status (*chains_debug_draw)(const billow_chains* chains, uint32_t what, const billow_debug_draw* draw);
  billow_status (*instance_debug_draw)(const billow_instance* instance, uint32_t what, const billow_debug_draw* draw);
} billow_api;

/* F(name) for each of them. */
#define BILLOW_FUNCTIONS(F) \
  F(version) \
  F(last_error) \
  F(set_log) \
  F(collider_default) \
  F(body_desc_default) \
  F(body_create) \
  F(body_create_ground) \
  F(body_destroy) \
  F(body_pose) \
  F(body_teleport) \
  F(body_query) \
  F(body_collider_count) \
  F(body_scale) \
  F(body_get_collider) \
  F(body_get_posed_collider) \
  F(body_shift_origin) \
  F(chains_desc_default) \
  F(settings_default) \
  F(settings_cape) \
  F(settings_skirt) \
  F(wind_default) \
  F(chains_create) \
  F(chains_destroy) \
  F(chains_set_settings) \
  F(chains_get_settings) \
  F(chains_set_wind) \
  F(chains_chain_count) \
  F(chains_bone_count) \
  F(step_default) \
  F(chains_step) \
  F(chains_teleport) \
  F(chains_settle) \
  F(chains_set_paused) \
  F(chains_wake) \
  F(chains_shift_origin) \
  F(chains_get_positions) \
  F(chains_get_velocities) \
  F(chains_get_tensions) \
  F(chains_set_bones) \
  F(chains_get_contacts) \
  F(chain_stage_name) \
  F(chains_get_report) \
  F(chains_state_size) \
  F(chains_save) \
  F(chains_restore) \
  F(chains_hash) \
  F(garment_desc_default) \
  F(garment_create) \
  F(garment_load) \
  F(garment_destroy) \
  F(garment_vertex_count) \
  F(garment_triangle_count) \
  F(garment_bone_count) \
  F(garment_joint_count) \
  F(garment_key_joint) \
  F(garment_get_name) \
  F(garment_get_joint_name) \
  F(garment_get_joint_rest) \
  F(garment_get_joint_parents) \
  F(garment_collider_count) \
  F(garment_get_collider) \
  F(garment_get_collider_name) \
  F(garment_get_triangles) \
  F(garment_get_uvs) \
  F(garment_get_settings) \
  F(garment_get_section) \
  F(instance_create) \
  F(instance_destroy) \
  F(instance_chains) \
  F(instance_body) \
  F(instance_options_default) \
  F(instance_set_options) \
  F(instance_get_options) \
  F(frame_default) \
  F(instance_step) \
  F(crowd_step) \
  F(levels_default) \
  F(crowd_choose_levels) \
  F(instance_settle) \
  F(instance_shift_origin) \
  F(instance_state_size) \
  F(instance_save) \
  F(instance_restore) \
  F(body_create_layer) \
  F(body_pose_layer) \
  F(instance_get_positions) \
  F(instance_get_normals) \
  F(output_default) \
  F(instance_write) \
  F(instance_position_data) \
  F(instance_normal_data) \
  F(instance_get_bones) \
  F(instance_bone_data) \
  F(instance_get_bounds) \
  F(frame_stage_name) \
  F(instance_get_report) \
  F(instance_hash) \
  F(clock_default) \
  F(clock_advance) \
  F(clock_share) \
  F(clock_dt) \
  F(body_debug_draw) \
  F(chains_debug_draw) \
  F(instance_debug_draw)

/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif /* BILLOW_BILLOW_API_H */
