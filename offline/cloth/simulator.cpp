#include "cloth/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "api/handles.h"
#include "sdf/query_points.h"

namespace billow::cloth {
namespace {

constexpr float kForceStep = 1.0f / 240;  // s, how often the air's force is worked out anew
constexpr float kPairStep = 1.0f / 300;   // s, how often pairs of vertices that may touch are looked for
constexpr float kFastest = 30;            // m/s

}  // namespace

// The body's colliders over one sub-step.
struct Simulator::BodyMotion {
  PosedCollider posed[kMaxColliders];
  ColliderBounds bounds;
  int count = 0;

  BodyMotion(const billow_body* body, float from, float to) {
    if (!body) return;
    const Body& b = body->body;
    count = b.collider_count;
    for (int i = 0; i < count; ++i)
      posed[i] = pose_collider(b.colliders[i], b.scale, blend(b.before[i], b.now[i], from),
                               blend(b.before[i], b.now[i], to));
    bound_colliders(bounds, posed, count);
  }
};

Simulator::Simulator(Sheet sheet, std::span<const V3> positions, std::span<const uint32_t> pinned,
                     const Settings& given, int threads)
    : settings(given),
      sheet_(std::move(sheet)),
      threads_(threads),
      self_contact_(sheet_),
      x_(positions.begin(), positions.end()),
      before_(x_),
      v_(x_.size(), V3{0, 0, 0}),
      force_(v_),
      next_(x_),
      pinned_(pinned.begin(), pinned.end()),
      distance_(x_.size()),
      gradient_(3 * x_.size()),
      nearest_(x_.size()) {
  if (positions.size() != sheet_.size())
    throw std::invalid_argument("cloth: expected " + std::to_string(sheet_.size()) + " positions, found " +
                                std::to_string(positions.size()));
  for (const float m : sheet_.mass) inverse_mass_.push_back(1 / m);
  for (const uint32_t p : pinned_) {
    inverse_mass_[p] = 0;
    pins_before_.push_back(x_[p]);
  }
}

void Simulator::stop() { std::fill(v_.begin(), v_.end(), V3{0, 0, 0}); }

void Simulator::step(float dt, body::Surface* body, std::span<const Transform> joints,
                     std::span<const V3> pins) {
  if (body) {
    const auto posed = body::to_api(joints);
    if (billow_body_pose(body->get(), posed.data(), static_cast<uint32_t>(posed.size()), 1))
      throw std::invalid_argument(std::string("cloth: ") + billow_last_error());
  }
  const int count = std::max(1, static_cast<int>(std::ceil(dt / settings.substep - 1e-4f)));
  const float h = dt / static_cast<float>(count);
  const int air_every = std::max(1, static_cast<int>(kForceStep / h));
  const int pairs_every = std::max(1, static_cast<int>(kPairStep / h));
  for (int i = 0; i < count; ++i) {
    const float from = static_cast<float>(i) / static_cast<float>(count);
    const float to = static_cast<float>(i + 1) / static_cast<float>(count);
    if (i % air_every == 0) add_air();
    if (settings.self_contact && i % pairs_every == 0)
      self_contact_.find_pairs(x_, 0.5f * self_contact_.distance(), threads_);
    add_forces(h);
    move_pins(to, pins);
    keep_tethers();
    keep_lengths(h);
    if (settings.self_contact) {
      self_contact_.push_apart(x_, before_, inverse_mass_, next_, threads_);
      x_.swap(next_);
    }
    keep_out_of_body(BodyMotion(body ? body->get() : nullptr, from, to));
    update_velocities(h);
  }
  pins_before_.assign(pins.begin(), pins.end());
}

// Air presses on triangles across its flow (drag) and along their normal (lift), as on plates.
void Simulator::add_air() {
  std::fill(force_.begin(), force_.end(), V3{0, 0, 0});
  if (!settings.air) return;
  const float drag = sheet_.material.drag * settings.drag_scale,
              lift = sheet_.material.lift * settings.drag_scale;
  for (const Triangle& t : sheet_.triangles) {
    const V3 flow = settings.wind - (v_[t[0]] + v_[t[1]] + v_[t[2]]) * (1.0f / 3);
    const V3 normal = cross(x_[t[1]] - x_[t[0]], x_[t[2]] - x_[t[0]]);  // twice the area long
    const float area2 = length(normal), speed = length(flow);
    if (!(area2 > 1e-12f) || !(speed > 1e-4f)) continue;
    const V3 n = normal * (1 / area2);
    const float facing = dot(flow, n);
    // 1/2 rho A |u| ((u . n) shares): along the flow and along the normal.
    const float scale = 0.25f * settings.air_density * area2 * std::fabs(facing);
    const V3 force =
        (flow * drag + (n * (facing > 0 ? speed : -speed) - flow * (std::fabs(facing) / speed)) * lift) *
        (scale * (1.0f / 3));
    for (const uint32_t v : t) force_[v] += force;
  }
}

void Simulator::add_forces(float h) {
  const float damping = sheet_.material.damping;
  threads_.for_range(x_.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      before_[v] = x_[v];
      if (!(inverse_mass_[v] > 0)) continue;
      // Bending, of where it is and of how fast that changes.
      V3 bend{0, 0, 0};
      for (uint32_t k = sheet_.row_start[v]; k < sheet_.row_start[v + 1]; ++k) {
        const uint32_t o = sheet_.column[k];
        bend += (x_[o] + v_[o] * damping) * sheet_.value[k];
      }
      next_[v] = v_[v] + (settings.gravity + (force_[v] - bend) * inverse_mass_[v]) * h;
      const float speed = length(next_[v]);
      if (speed > kFastest) next_[v] = next_[v] * (kFastest / speed);
    }
  });
  threads_.for_range(x_.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v)
      if (inverse_mass_[v] > 0) x_[v] = before_[v] + next_[v] * h;
  });
}

void Simulator::move_pins(float share, std::span<const V3> pins) {
  for (size_t i = 0; i < pinned_.size(); ++i)
    x_[pinned_[i]] = pins_before_[i] + (pins[i] - pins_before_[i]) * share;
}

void Simulator::keep_lengths(float h) {
  const float inverse_h2 = 1 / (h * h);
  for (size_t g = 0; g + 1 < sheet_.group_start.size(); ++g) {
    const StretchEdge* edges = sheet_.edges.data() + sheet_.group_start[g];
    threads_.for_range(sheet_.group_start[g + 1] - sheet_.group_start[g], [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        const StretchEdge& e = edges[k];
        const float wa = inverse_mass_[e.a], wb = inverse_mass_[e.b], w = wa + wb;
        if (!(w > 0)) continue;
        const V3 d = x_[e.a] - x_[e.b];
        const float l = std::sqrt(dot(d, d));
        if (!(l > 1e-9f)) continue;
        const V3 pull = d * ((l - e.length) / (l * (w + e.compliance * inverse_h2)));
        x_[e.a] -= pull * wa;
        x_[e.b] += pull * wb;
      }
    });
  }
}

void Simulator::keep_tethers() {
  threads_.for_range(tethers_.size(), [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      const Tether& t = tethers_[k];
      const V3 d = x_[t.vertex] - x_[t.pin];
      const float l2 = dot(d, d);
      if (l2 > t.length * t.length) x_[t.vertex] -= d * (1 - t.length / std::sqrt(l2));
    }
  });
}

void Simulator::keep_out_of_body(const BodyMotion& body) {
  if (body.count == 0) return;
  const float thickness = sheet_.material.thickness, friction = sheet_.material.friction;
  threads_.for_range((x_.size() + 31) / 32, [&](size_t first, size_t last) {
    const size_t begin = 32 * first, end = std::min(32 * last, x_.size());
    query_points(body.posed, body.bounds, &x_[begin].x, end - begin, thickness, &distance_[begin],
                 &gradient_[3 * begin], &nearest_[begin]);
    for (size_t v = begin; v < end; ++v) {
      if (nearest_[v] < 0 || !(inverse_mass_[v] > 0)) continue;
      const V3 n{gradient_[3 * v], gradient_[3 * v + 1], gradient_[3 * v + 2]};
      const float push = thickness - distance_[v];
      x_[v] += n * push;
      // Hold back what slides along the skin, which itself moves.
      const PosedCollider& c = body.posed[nearest_[v]];
      const V3 carried = lane(embed_with(c, splat(before_[v])), 0);
      const V3 slid = x_[v] - carried, along = slid - n * dot(slid, n);
      const float slide = length(along);
      if (slide > 1e-9f) x_[v] -= along * (std::min(friction * push, slide) / slide);
    }
  });
}

void Simulator::update_velocities(float h) {
  const float inverse_h = 1 / h;
  threads_.for_range(x_.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) v_[v] = (x_[v] - before_[v]) * inverse_h;
  });
}

}  // namespace billow::cloth
