// The part of billow.hpp for chains and bodies without garments.
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "the C++ wrapper needs C++20; billow.h does not"
#endif

#include <billow/billow.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

inline const char* version() { return billow_version(); }
inline Collider collider_default() { return billow_collider_default(); }
inline Settings settings_default() { return billow_settings_default(); }
inline Settings settings_cape() { return billow_settings_cape(); }
inline Settings settings_skirt() { return billow_settings_skirt(); }
inline Wind wind_default() { return billow_wind_default(); }
inline billow_body_desc body_desc_default() { return billow_body_desc_default(); }
inline billow_chains_desc chains_desc_default() { return billow_chains_desc_default(); }
inline billow_step step_default() { return billow_step_default(); }
inline billow_clock clock_default() { return billow_clock_default(); }
inline const char* stage_name(billow_chain_stage stage) { return billow_chain_stage_name(stage); }

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

// Null: nobody listens.
inline Status set_log(const billow_log* log) { return billow_set_log(log); }

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

// Steps of a fixed length at any frame rate. A copy is its saved state.
class Clock {
 public:
  explicit Clock(float rate = clock_default().rate) { clock_.rate = rate; }
  explicit Clock(const billow_clock& clock) : clock_(clock) {}
  // How many steps to take.
  Result<uint32_t> advance(float dt) {
    uint32_t count = 0;
    if (Status s = billow_clock_advance(&clock_, dt, &count); !s) return s;
    return count;
  }
  float share(uint32_t step) const { return billow_clock_share(&clock_, step); }
  float dt() const { return billow_clock_dt(&clock_); }
  const billow_clock& get() const { return clock_; }

 private:
  billow_clock clock_ = clock_default();
};

class Body {
 public:
  Body() = default;
  static Result<Body> create(std::span<const Collider> colliders, uint32_t joint_count = 1,
                             const Transform* joint_rest = nullptr) {
    billow_body_desc desc = body_desc_default();
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
  // All below a height.
  static Result<Body> ground(float height) {
    billow_body* handle = nullptr;
    if (Status s = billow_body_create_ground(height, nullptr, &handle); !s) return s;
    Body body;
    body.handle_.reset(handle);
    return body;
  }
  // Of the outside of a garment that others are worn over; pose_layer moves it.
  static Result<Body> layer(const billow_instance* inner) {
    billow_body* handle = nullptr;
    if (Status s = billow_body_create_layer(inner, nullptr, &handle); !s) return s;
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
  Status pose_layer(const billow_instance* inner) { return billow_body_pose_layer(get(), inner); }
  Status shift_origin(std::span<const float, 3> offset) {
    return billow_body_shift_origin(get(), offset.data());
  }
  uint32_t collider_count() const { return billow_body_collider_count(get()); }
  float scale() const { return billow_body_scale(get()); }
  // As described, and where it is.
  Result<Collider> collider(uint32_t index) const {
    Collider c{};
    if (Status s = billow_body_get_collider(get(), index, &c); !s) return s;
    return c;
  }
  Result<Collider> posed_collider(uint32_t index) const {
    Collider c{};
    if (Status s = billow_body_get_posed_collider(get(), index, &c); !s) return s;
    return c;
  }
  Status debug_draw(uint32_t what, const billow_debug_draw& draw) const {
    return billow_body_debug_draw(get(), what, &draw);
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
  Status step(const billow_step& s) { return billow_chains_step(get(), &s); }
  Status settle(float seconds, std::span<const Transform> roots, const Body* body = nullptr) {
    billow_step s = describe(0, roots, body, nullptr);
    return billow_chains_settle(get(), &s, seconds);
  }
  Status teleport(billow_teleport mode, std::span<const Transform> roots) {
    return billow_chains_teleport(get(), mode, roots.data(), static_cast<uint32_t>(roots.size()));
  }
  Status set_paused(bool paused) { return billow_chains_set_paused(get(), paused ? 1 : 0); }
  Status wake() { return billow_chains_wake(get()); }
  Status shift_origin(std::span<const float, 3> offset) {
    return billow_chains_shift_origin(get(), offset.data());
  }

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
  Status debug_draw(uint32_t what, const billow_debug_draw& draw) const {
    return billow_chains_debug_draw(get(), what, &draw);
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
    return {
        dt, roots.data(), static_cast<uint32_t>(roots.size()), space, body ? body->get() : nullptr, nullptr,
        0};
  }
  struct Destroy {
    void operator()(billow_chains* c) const { billow_chains_destroy(c); }
  };
  std::unique_ptr<billow_chains, Destroy> handle_;
};

}  // namespace v0
}  // namespace billow
