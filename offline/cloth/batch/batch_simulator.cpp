#include "cloth/batch/batch_simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "api/handles.h"

namespace billow::cloth {
namespace {

size_t aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

BatchSimulator::BatchSimulator(const Sheet& sheet, const body::Surface& body,
                               std::span<const std::vector<V3>> positions, std::span<const uint32_t> pinned,
                               const Settings& settings, std::unique_ptr<Backend> backend)
    : backend_(std::move(backend)),
      clips_(positions.size()),
      size_(sheet.size()),
      max_step_(sheet.max_step),
      settings_(settings),
      pinned_(pinned.begin(), pinned.end()) {
  if (const std::string why = why_not_in_batch(sheet, body); !why.empty())
    throw std::invalid_argument("cloth: " + why);
  upload_sheet(sheet, pinned);
  upload_body(body, settings.contacts);
  arguments_.forces = {settings.gravity, settings.wind, settings.air_density, settings.damping,
                       settings.self_contact};
  positions_on_device_ = allocate<V3>(clips_ * size_);
  std::vector<ClipState> states;
  for (size_t c = 0; c < clips_; ++c) {
    if (positions[c].size() != size_)
      throw std::invalid_argument("cloth: expected " + std::to_string(size_) + " positions, found " +
                                  std::to_string(positions[c].size()));
    states.push_back(make_state(positions[c], positions_on_device_ + c * size_));
  }
  arguments_.states = upload(states);
  arguments_.clips = static_cast<uint32_t>(clips_);
  for (V3*& p : positions_) p = static_cast<V3*>(backend_->allocate_on_host(clips_ * size_ * sizeof(V3)));
  for (size_t c = 0; c < clips_; ++c)
    std::copy(positions[c].begin(), positions[c].end(), positions_[current_] + c * size_);
  make_input(body.get()->body.collider_count);
}

Rows BatchSimulator::rows(size_t count) { return {allocate<float>(3 * count), static_cast<uint32_t>(count)}; }

ClipState BatchSimulator::make_state(const std::vector<V3>& positions, V3* x) {
  ClipState s{};
  s.x = x;
  backend_->upload(x, positions.data(), positions.size() * sizeof(V3));
  backend_->wait();
  for (Rows* r : {&s.previous, &s.v, &s.air, &s.soft, &s.acceleration, &s.damped, &s.change_x, &s.change_v,
                  &s.normal, &s.motion})
    *r = rows(size_);
  s.offset = allocate<float>(size_);
  s.touches = allocate<uint8_t>(size_);
  s.triangle_force = rows(arguments_.sheet.triangles);
  std::vector<V3> attached;
  for (const uint32_t p : pinned_) attached.push_back(positions[p]);
  s.target = allocate<V3>(attached.size());
  s.last_target = allocate<V3>(attached.size());
  backend_->upload(s.last_target, attached.data(), attached.size() * sizeof(V3));
  backend_->wait();
  s.pairs = allocate<uint16_t>(size_ * kMaxPairs);
  s.pair_count = allocate<uint8_t>(size_);
  s.bucket_start = allocate<uint32_t>(kBuckets + 1);
  s.members = allocate<uint16_t>(size_);
  s.slot = allocate<uint16_t>(size_);
  s.margin_left = allocate<float>(1);
  return s;
}

// Lays the input out in one block, so that one copy uploads it.
void BatchSimulator::make_input(size_t colliders) {
  const size_t before = aligned(clips_ * sizeof(ClipFrame)),
               now = before + aligned(clips_ * colliders * sizeof(Transform)),
               points = now + aligned(clips_ * colliders * sizeof(Transform));
  input_bytes_ = points + aligned(clips_ * pinned_.size() * sizeof(V3));
  input_on_host_ = backend_->allocate_on_host(input_bytes_);
  input_on_device_ = backend_->allocate(input_bytes_);
  const auto at = [](void* block, size_t offset) -> void* { return static_cast<char*>(block) + offset; };
  input_ = {static_cast<ClipFrame*>(input_on_host_), static_cast<Transform*>(at(input_on_host_, before)),
            static_cast<Transform*>(at(input_on_host_, now)), static_cast<V3*>(at(input_on_host_, points))};
  arguments_.frame = {
      static_cast<ClipFrame*>(input_on_device_), static_cast<Transform*>(at(input_on_device_, before)),
      static_cast<Transform*>(at(input_on_device_, now)), static_cast<V3*>(at(input_on_device_, points))};
}

void BatchSimulator::prepare(size_t clip, float dt, body::Surface& body, std::span<const Transform> joints,
                             std::span<const V3> attachment_points, float attachment_share) {
  if (attachment_points.size() != pinned_.size())
    throw std::invalid_argument("cloth: expected " + std::to_string(pinned_.size()) +
                                " attachment points, found " + std::to_string(attachment_points.size()));
  for (const V3& p : attachment_points)
    if (!std::isfinite(p.x + p.y + p.z))
      throw std::invalid_argument("cloth: expected attachment points that are finite");
  if (!std::isfinite(dt) || dt < 0)
    throw std::invalid_argument("cloth: expected a finite time step of 0 or more");
  const auto posed = body::to_api(joints);
  if (billow_body_pose(body.get(), posed.data(), static_cast<uint32_t>(posed.size()), 1))
    throw std::invalid_argument(std::string("cloth: ") + billow_last_error());
  const Body& b = body.get()->body;
  const size_t colliders = arguments_.body.count;
  if (static_cast<size_t>(b.collider_count) != colliders)
    throw std::invalid_argument("cloth: expected the same colliders for all clips");
  const FrameSteps division = frame_steps(dt, settings_, max_step_);
  ClipFrame f{};
  f.active = 1;
  f.steps = static_cast<uint32_t>(division.steps);
  f.substeps = static_cast<uint32_t>(division.substeps);
  f.bend_every_substep = division.bend_every_substep;
  f.step_time = dt / static_cast<float>(f.steps);
  f.h = f.step_time / static_cast<float>(f.substeps);
  f.air_every = static_cast<uint32_t>(std::max(1, static_cast<int>(kAirStep / f.step_time + 0.5f)));
  f.attachment_share = attachment_share;
  input_.clips[clip] = f;
  std::copy_n(b.before, colliders, input_.before + clip * colliders);
  std::copy_n(b.now, colliders, input_.now + clip * colliders);
  std::copy(attachment_points.begin(), attachment_points.end(),
            input_.attachment_points + clip * pinned_.size());
}

void BatchSimulator::start() {
  backend_->upload(input_on_device_, input_on_host_, input_bytes_);
  backend_->run(arguments_);
  backend_->download(positions_[1 - current_], positions_on_device_, clips_ * size_ * sizeof(V3));
}

void BatchSimulator::finish() {
  backend_->wait();
  current_ = 1 - current_;
  for (size_t c = 0; c < clips_; ++c) input_.clips[c].active = 0;
}

}  // namespace billow::cloth
