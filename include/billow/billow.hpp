// Billow for C++20: a thin wrapper over billow.h, which is the manual.
//
// Handles free themselves, arrays are spans, and a failing call is a Result that says why. Nothing here
// throws and nothing allocates but creation and names.
//
//     billow::Chains chains = billow::Chains::create(description).value();
//     if (auto status = chains.step(1.0f / 60, roots); !status) std::puts(status.message());
#pragma once

#include <billow/billow_chains.hpp>
#include <string>

namespace billow {
inline namespace v0 {

inline billow_garment_desc garment_desc_default() { return billow_garment_desc_default(); }
inline billow_instance_options options_default() { return billow_instance_options_default(); }
inline billow_frame frame_default() { return billow_frame_default(); }
inline billow_output output_default() { return billow_output_default(); }
inline const char* stage_name(billow_frame_stage stage) { return billow_frame_stage_name(stage); }

// A garment file; outlives its instances.
class Garment {
 public:
  Garment() = default;
  static Result<Garment> create(std::span<const std::byte> bytes, bool keep = false) {
    billow_garment_desc desc = garment_desc_default();
    desc.bytes = bytes.data();
    desc.size = bytes.size();
    desc.keep = keep ? 1 : 0;
    billow_garment* handle = nullptr;
    if (Status s = billow_garment_create(&desc, &handle); !s) return s;
    return Garment(handle);
  }
  static Result<Garment> load(const char* path, const billow_allocator* allocator = nullptr) {
    billow_garment* handle = nullptr;
    if (Status s = billow_garment_load(path, allocator, &handle); !s) return s;
    return Garment(handle);
  }
  uint32_t vertex_count() const { return billow_garment_vertex_count(get()); }
  uint32_t triangle_count() const { return billow_garment_triangle_count(get()); }
  uint32_t bone_count() const { return billow_garment_bone_count(get()); }
  uint32_t joint_count() const { return billow_garment_joint_count(get()); }
  uint32_t key_joint() const { return billow_garment_key_joint(get()); }
  uint32_t collider_count() const { return billow_garment_collider_count(get()); }
  std::string name() const {
    char name[BILLOW_MAX_NAME] = "";
    billow_garment_get_name(get(), name, sizeof name);
    return name;
  }
  std::string joint_name(uint32_t joint) const {
    char name[BILLOW_MAX_NAME] = "";
    billow_garment_get_joint_name(get(), joint, name, sizeof name);
    return name;
  }
  std::string collider_name(uint32_t index) const {
    char name[BILLOW_MAX_NAME] = "";
    billow_garment_get_collider_name(get(), index, name, sizeof name);
    return name;
  }
  Status joint_rest(std::span<Transform> out) const {
    return billow_garment_get_joint_rest(get(), out.data(), static_cast<uint32_t>(out.size()));
  }
  Status joint_parents(std::span<int32_t> out) const {
    return billow_garment_get_joint_parents(get(), out.data(), static_cast<uint32_t>(out.size()));
  }
  Result<Collider> collider(uint32_t index) const {
    Collider c{};
    if (Status s = billow_garment_get_collider(get(), index, &c); !s) return s;
    return c;
  }
  // Two floats a vertex.
  Status uvs(std::span<float> out) const {
    return billow_garment_get_uvs(get(), out.data(), static_cast<uint32_t>(out.size() / 2));
  }
  Settings settings() const {
    Settings s{};
    billow_garment_get_settings(get(), &s);
    return s;
  }
  // Empty if there is none.
  std::span<const std::byte> section(const char* name) const {
    const void* bytes = nullptr;
    size_t size = 0;
    billow_garment_get_section(get(), name, &bytes, &size);
    return {static_cast<const std::byte*>(bytes), size};
  }
  // Three a triangle.
  Status triangles(std::span<uint32_t> out) const {
    return billow_garment_get_triangles(get(), out.data(), static_cast<uint32_t>(out.size() / 3));
  }
  billow_garment* get() const { return handle_.get(); }

 private:
  explicit Garment(billow_garment* handle) : handle_(handle) {}
  struct Destroy {
    void operator()(billow_garment* g) const { billow_garment_destroy(g); }
  };
  std::unique_ptr<billow_garment, Destroy> handle_;
};

// One character that wears a garment.
class Instance {
 public:
  Instance() = default;
  static Result<Instance> create(const Garment& garment, const billow_allocator* allocator = nullptr) {
    billow_instance* handle = nullptr;
    if (Status s = billow_instance_create(garment.get(), allocator, &handle); !s) return s;
    Instance instance;
    instance.handle_.reset(handle);
    instance.vertices_ = garment.vertex_count();
    instance.bones_ = garment.bone_count();
    return instance;
  }
  Status set(const billow_instance_options& options) { return billow_instance_set_options(get(), &options); }
  billow_instance_options options() const {
    billow_instance_options o{};
    billow_instance_get_options(get(), &o);
    return o;
  }
  Status step(const billow_frame& frame) { return billow_instance_step(get(), &frame); }
  // `others` are met beside the garment's own body.
  Status step(float dt, std::span<const Transform> joints, std::span<const billow_body* const> others = {}) {
    billow_frame frame = frame_default();
    frame.dt = dt;
    frame.joints = joints.data();
    frame.joint_count = static_cast<uint32_t>(joints.size());
    frame.others = others.data();
    frame.other_count = static_cast<uint32_t>(others.size());
    return step(frame);
  }
  Status settle(const billow_frame& frame, float seconds) {
    return billow_instance_settle(get(), &frame, seconds);
  }
  Status shift_origin(std::span<const float, 3> offset) {
    return billow_instance_shift_origin(get(), offset.data());
  }
  // Three floats a vertex, until the next step.
  std::span<const float> positions() const {
    return {billow_instance_position_data(get()), 3 * size_t{vertices_}};
  }
  std::span<const float> normals() const {
    return {billow_instance_normal_data(get()), 3 * size_t{vertices_}};
  }
  // Three floats a bone, until the next step.
  std::span<const float> bones() const { return {billow_instance_bone_data(get()), 3 * size_t{bones_}}; }
  Status write(std::span<const billow_output> outputs) const {
    return billow_instance_write(get(), outputs.data(), static_cast<uint32_t>(outputs.size()));
  }
  // Into a vertex buffer.
  Status write_positions(void* out, size_t stride, uint32_t capacity) const {
    return billow_instance_get_positions(get(), out, stride, capacity);
  }
  Status write_normals(void* out, size_t stride, uint32_t capacity) const {
    return billow_instance_get_normals(get(), out, stride, capacity);
  }
  // Three floats a bone.
  Status bones(std::span<float> out) const {
    return billow_instance_get_bones(get(), out.data(), static_cast<uint32_t>(out.size() / 3));
  }
  billow_bounds bounds() const {
    billow_bounds b{};
    billow_instance_get_bounds(get(), &b);
    return b;
  }
  Status debug_draw(uint32_t what, const billow_debug_draw& draw) const {
    return billow_instance_debug_draw(get(), what, &draw);
  }
  billow_instance_report report() const {
    billow_instance_report r{};
    billow_instance_get_report(get(), &r);
    return r;
  }
  size_t state_size() const { return billow_instance_state_size(get()); }
  Status save(std::span<std::byte> out) const { return billow_instance_save(get(), out.data(), out.size()); }
  Status restore(std::span<const std::byte> bytes) {
    return billow_instance_restore(get(), bytes.data(), bytes.size());
  }
  // Owned by the instance.
  billow_chains* chains() const { return billow_instance_chains(get()); }
  const billow_body* body() const { return billow_instance_body(get()); }
  uint64_t hash() const { return billow_instance_hash(get()); }
  billow_instance* get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(billow_instance* i) const { billow_instance_destroy(i); }
  };
  std::unique_ptr<billow_instance, Destroy> handle_;
  uint32_t vertices_ = 0, bones_ = 0;
};

// One frame of characters in the same garment, on the threads of `jobs` if there are any.
inline Status step_crowd(std::span<billow_instance* const> instances, std::span<const billow_frame> frames,
                         const billow_jobs* jobs = nullptr) {
  if (instances.size() != frames.size())
    return {BILLOW_ERROR_INVALID_ARGUMENT, "frames: expected as many as instances"};
  return billow_crowd_step(instances.data(), frames.data(), static_cast<uint32_t>(frames.size()), jobs);
}

// Levels of detail by how a camera sees the characters, before step_crowd.
inline Status choose_levels(std::span<billow_instance* const> instances, std::span<billow_frame> frames,
                            std::span<const billow_view> views,
                            const billow_levels& levels = billow_levels_default()) {
  if (instances.size() != frames.size() || instances.size() != views.size())
    return {BILLOW_ERROR_INVALID_ARGUMENT, "frames and views: expected as many as instances"};
  return billow_crowd_choose_levels(instances.data(), frames.data(), views.data(),
                                    static_cast<uint32_t>(frames.size()), &levels);
}

}  // namespace v0
}  // namespace billow
