// The reference cloth for many clips at once: the physics of cloth::Simulator on a CUDA device. Positions agree
// with it to the last bit, unless rounding of the mean velocity moves the instant at which self-contact looks
// for candidates; then they agree to within rounding until chaos amplifies it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "body/surface.h"
#include "cloth/batch/backend.h"
#include "cloth/simulator.h"

namespace billow::cloth {

// An empty string if a batch can simulate this cloth on this body, else what it does not support.
std::string why_not_in_batch(const Sheet& sheet, const body::Surface& body);

// A body in the form of cloth/batch/body.h: one collider, and the colliders of some groups.
BatchCollider batch_collider(const Collider& collider);
struct SetTables {
  std::vector<uint8_t> indices, blends;
};
SetTables collider_set(const Body& body, uint32_t groups);

class BatchSimulator {
 public:
  // Clip c starts at rest at positions[c]. Vertices in `pinned` are kinematic. All clips have the colliders of
  // `body`, in poses of their own. Throws std::invalid_argument for what why_not_in_batch() reports.
  BatchSimulator(const Sheet& sheet, const body::Surface& body, std::span<const std::vector<V3>> positions,
                 std::span<const uint32_t> pinned, const Settings& settings,
                 std::unique_ptr<Backend> backend);

  // Input of the next frame of a clip, which lasts dt: the body moves linearly from its last pose to that at
  // `joints`, the pinned vertices by `attachment_share` of their distance to `attachment_points`. Clips without
  // input do not move. May be called for different clips on different threads.
  void prepare(size_t clip, float dt, body::Surface& body, std::span<const Transform> joints,
               std::span<const V3> attachment_points, float attachment_share = 1);
  // Begins to simulate the frame, and waits for its end. In between, positions() are those before it.
  void start();
  void finish();

  size_t clips() const { return clips_; }
  std::span<const V3> positions(size_t clip) const { return {positions_[current_] + clip * size_, size_}; }

 private:
  template <class T> const T* upload(const std::vector<T>& values);
  template <class T> T* allocate(size_t count);
  Rows rows(size_t count);
  ClipState make_state(const std::vector<V3>& positions, V3* x);
  void upload_sheet(const Sheet& sheet, std::span<const uint32_t> pinned);
  void upload_stretch(const Sheet& sheet, std::span<const float> inverse_mass);
  void upload_bending(const Sheet& sheet);
  void upload_triangles(const Sheet& sheet);
  void upload_body(const body::Surface& body, const body::Contacts& contacts);
  ColliderSet upload_set(const Body& body, uint32_t groups);
  void make_input(size_t colliders);

  std::unique_ptr<Backend> backend_;
  size_t clips_, size_;
  float max_step_;
  Settings settings_;
  std::vector<uint32_t> pinned_;
  BatchArguments arguments_{};
  // Input of a frame: one block on the host, and the same on the device.
  struct Input {
    ClipFrame* clips = nullptr;
    Transform *before = nullptr, *now = nullptr;
    V3* attachment_points = nullptr;
  } input_;
  void *input_on_host_ = nullptr, *input_on_device_ = nullptr;
  size_t input_bytes_ = 0;
  V3* positions_on_device_ = nullptr;
  V3* positions_[2] = {nullptr, nullptr};
  size_t current_ = 0;
};

}  // namespace billow::cloth
