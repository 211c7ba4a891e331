// Billow for C++20: a thin wrapper over billow.h, which is the manual.
//
// Handles free themselves, arrays are spans, and a failing call is a Result that says why. Nothing here
// throws and nothing allocates but creation.
//
//     billow::Chains chains = billow::Chains::create(description).value();
//     if (auto status = chains.step(1.0f / 60, roots); !status) std::puts(status.message());
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "billow.hpp needs C++20; billow.h does not"
#endif

#include <billow/billow.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace billow {
// Inline, so that nobody writes it, and versioned, so that no other version's symbols (nor the library's own)
// can be taken for these.
inline namespace v0 {

using Transform = billow_transform;
using Collider = billow_collider;
using Settings = billow_settings;
using Wind = billow_wind;
using Report = billow_chains_report;
using Contact = billow_contact;

inline Transform translation(float x, float y, float z) { return {{x, y, z}, {0, 0, 0, 1}}; }
inline billow_curve constant(float value) { return {value, 0, {}}; }
// A parameter that goes linearly from the root to the tip.
inline billow_curve ramp(float root, float tip) { return {1, 2, {root, tip}}; }

// The outcome of a call. True when it succeeded.
class [[nodiscard]] Status {
 public:
  Status(billow_status status = BILLOW_OK, const char* message = nullptr)
      : status_(status), message_(message) {}
  explicit operator bool() const { return status_ == BILLOW_OK; }
  billow_status code() const { return status_; }
  // Valid until the next failing call on this thread.
  const char* message() const {
    return status_ == BILLOW_OK ? "" : message_ ? message_ : billow_last_error();
  }

 private:
  billow_status status_;
  const char* message_;  // a constant, or null: billow_last_error()
};

// A value, or the reason why there is none.
template <class T> class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(status) {}
  explicit operator bool() const { return bool(status_); }
  Status status() const { return status_; }
  const char* message() const { return status_.message(); }
  // Only when there is one.
  T& value() & {
    assert(status_);
    return value_;
  }
  T value() && {
    assert(status_);
    return std::move(value_);
  }

 private:
  Status status_;
  T value_{};
};

class Body {
 public:
  Body() = default;
  static Result<Body> create(std::span<const Collider> colliders, uint32_t joint_count = 1,
                             const Transform* joint_rest = nullptr) {
    billow_body_desc desc{};
    desc.colliders = colliders.data();
    desc.collider_count = static_cast<uint32_t>(colliders.size());
    desc.joint_rest = joint_rest;
    desc.joint_count = joint_count;
    return create(desc);
  }
  static Result<Body> create(const billow_body_desc& desc) {
    billow_body* handle = nullptr;
    if (Status s = billow_body_create(&desc, &handle); !s) return s;
    Body body;
    body.handle_.reset(handle);
    return body;
  }
  Status pose(std::span<const Transform> joints, float scale = 1) {
    return billow_body_pose(get(), joints.data(), static_cast<uint32_t>(joints.size()), scale);
  }
  Status teleport(std::span<const Transform> joints, float scale = 1) {
    return billow_body_teleport(get(), joints.data(), static_cast<uint32_t>(joints.size()), scale);
  }
  // Three floats a point; `gradients` may be empty.
  Status query(std::span<const float> points, std::span<float> distances, std::span<float> gradients = {},
               float limit = BILLOW_NO_LIMIT, uint32_t groups = BILLOW_ALL_GROUPS) const {
    if (distances.size() * 3 < points.size() || (!gradients.empty() && gradients.size() < points.size()))
      return {BILLOW_ERROR_BUFFER_TOO_SMALL, "distances and gradients: expected room for all points"};
    return billow_body_query(get(), groups, points.data(), static_cast<uint32_t>(points.size() / 3), limit,
                             distances.data(), gradients.empty() ? nullptr : gradients.data(), nullptr);
  }
  billow_body* get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(billow_body* b) const { billow_body_destroy(b); }
  };
  std::unique_ptr<billow_body, Destroy> handle_;
};

class Chains {
 public:
  Chains() = default;
  static Result<Chains> create(const billow_chains_desc& desc) {
    billow_chains* handle = nullptr;
    if (Status s = billow_chains_create(&desc, &handle); !s) return s;
    Chains chains;
    chains.handle_.reset(handle);
    return chains;
  }

  Status set(const Settings& settings) { return billow_chains_set_settings(get(), &settings); }
  Status set(const Wind& wind) { return billow_chains_set_wind(get(), &wind); }
  Settings settings() const {
    Settings s{};
    billow_chains_get_settings(get(), &s);
    return s;
  }

  Status step(float dt, std::span<const Transform> roots, const Body* body = nullptr,
              const Transform* space = nullptr) {
    billow_step s = describe(dt, roots, body, space);
    return billow_chains_step(get(), &s);
  }
  Status settle(float seconds, std::span<const Transform> roots, const Body* body = nullptr) {
    billow_step s = describe(0, roots, body, nullptr);
    return billow_chains_settle(get(), &s, seconds);
  }
  Status teleport(billow_teleport mode, std::span<const Transform> roots) {
    return billow_chains_teleport(get(), mode, roots.data(), static_cast<uint32_t>(roots.size()));
  }
  Status set_paused(bool paused) { return billow_chains_set_paused(get(), paused ? 1 : 0); }

  uint32_t chain_count() const { return billow_chains_chain_count(get()); }
  uint32_t bone_count() const { return billow_chains_bone_count(get()); }
  // Three floats a bone (tensions: one), chain after chain from root to tip.
  Status positions(std::span<float> out) const {
    return billow_chains_get_positions(get(), out.data(), static_cast<uint32_t>(out.size() / 3));
  }
  Status velocities(std::span<float> out) const {
    return billow_chains_get_velocities(get(), out.data(), static_cast<uint32_t>(out.size() / 3));
  }
  Status tensions(std::span<float> out) const {
    return billow_chains_get_tensions(get(), out.data(), static_cast<uint32_t>(out.size()));
  }
  // Either may be empty.
  Status set_bones(std::span<const float> positions, std::span<const float> velocities) {
    const size_t floats = positions.empty() ? velocities.size() : positions.size();
    if (!positions.empty() && !velocities.empty() && positions.size() != velocities.size())
      return {BILLOW_ERROR_INVALID_ARGUMENT, "positions and velocities: expected as many"};
    return billow_chains_set_bones(get(), positions.empty() ? nullptr : positions.data(),
                                   velocities.empty() ? nullptr : velocities.data(),
                                   static_cast<uint32_t>(floats / 3));
  }
  // Fills `out`, which has room for report().contacts.
  Status contacts(std::span<Contact> out) const {
    uint32_t count = 0;
    return billow_chains_get_contacts(get(), out.data(), static_cast<uint32_t>(out.size()), &count);
  }
  Report report() const {
    Report r{};
    billow_chains_get_report(get(), &r);
    return r;
  }

  size_t state_size() const { return billow_chains_state_size(get()); }
  Status save(std::span<std::byte> out) const { return billow_chains_save(get(), out.data(), out.size()); }
  Status restore(std::span<const std::byte> bytes) {
    return billow_chains_restore(get(), bytes.data(), bytes.size());
  }
  uint64_t hash() const { return billow_chains_hash(get()); }

  billow_chains* get() const { return handle_.get(); }

 private:
  static billow_step describe(float dt, std::span<const Transform> roots, const Body* body,
                              const Transform* space) {
    return {dt, roots.data(), static_cast<uint32_t>(roots.size()), space, body ? body->get() : nullptr};
  }
  struct Destroy {
    void operator()(billow_chains* c) const { billow_chains_destroy(c); }
  };
  std::unique_ptr<billow_chains, Destroy> handle_;
};

// A garment file; outlives its instances.
class Garment {
 public:
  Garment() = default;
  static Result<Garment> create(std::span<const std::byte> bytes, bool keep = false) {
    billow_garment_desc desc{};
    desc.bytes = bytes.data();
    desc.size = bytes.size();
    desc.keep = keep ? 1 : 0;
    billow_garment* handle = nullptr;
    if (Status s = billow_garment_create(&desc, &handle); !s) return s;
    return Garment(handle);
  }
  static Result<Garment> load(const char* path) {
    billow_garment* handle = nullptr;
    if (Status s = billow_garment_load(path, nullptr, &handle); !s) return s;
    return Garment(handle);
  }
  uint32_t vertex_count() const { return billow_garment_vertex_count(get()); }
  uint32_t triangle_count() const { return billow_garment_triangle_count(get()); }
  uint32_t bone_count() const { return billow_garment_bone_count(get()); }
  uint32_t joint_count() const { return billow_garment_joint_count(get()); }
  uint32_t key_joint() const { return billow_garment_key_joint(get()); }
  std::string joint_name(uint32_t joint) const {
    char name[BILLOW_MAX_NAME] = "";
    billow_garment_get_joint_name(get(), joint, name, sizeof name);
    return name;
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
  static Result<Instance> create(const Garment& garment) {
    billow_instance* handle = nullptr;
    if (Status s = billow_instance_create(garment.get(), nullptr, &handle); !s) return s;
    Instance instance;
    instance.handle_.reset(handle);
    instance.vertices_ = garment.vertex_count();
    return instance;
  }
  Status set(const billow_instance_options& options) { return billow_instance_set_options(get(), &options); }
  Status step(const billow_frame& frame) { return billow_instance_step(get(), &frame); }
  Status step(float dt, std::span<const Transform> joints) {
    billow_frame frame{};
    frame.dt = dt;
    frame.joints = joints.data();
    frame.joint_count = static_cast<uint32_t>(joints.size());
    return step(frame);
  }
  // Three floats a vertex, until the next step.
  std::span<const float> positions() const {
    return {billow_instance_position_data(get()), 3 * size_t{vertices_}};
  }
  std::span<const float> normals() const {
    return {billow_instance_normal_data(get()), 3 * size_t{vertices_}};
  }
  Status write(std::span<const billow_output> outputs) const {
    return billow_instance_write(get(), outputs.data(), static_cast<uint32_t>(outputs.size()));
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
  uint64_t hash() const { return billow_instance_hash(get()); }
  billow_instance* get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(billow_instance* i) const { billow_instance_destroy(i); }
  };
  std::unique_ptr<billow_instance, Destroy> handle_;
  uint32_t vertices_ = 0;
};

}  // namespace v0
}  // namespace billow
