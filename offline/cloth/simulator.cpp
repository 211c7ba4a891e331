#include "cloth/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "api/handles.h"
#include "cloth/constants.h"
#include "sdf/query_points.h"

namespace billow::cloth {
namespace {

constexpr size_t kBlock = 1024;  // vertices per block

void expect_finite(std::span<const V3> positions, const char* what) {
  for (const V3& p : positions)
    if (!std::isfinite(p.x + p.y + p.z))
      throw std::invalid_argument(std::string("cloth: expected ") + what + " that are finite");
}

// The colliders of some groups, moving from one share of the frame to another.
struct PosedBody {
  PosedBody(const Body& body, float from, float to, uint32_t rigid, uint32_t yielding = 0) {
    for (int i = 0; i < body.collider_count; ++i)
      colliders[i] = pose_collider(body.colliders[i], body.scale, blend(body.before[i], body.now[i], from),
                                   blend(body.before[i], body.now[i], to));
    bounds = BodyBounds(colliders, body.collider_count, rigid, yielding);
  }
  void query(std::span<const V3> points, float limit, float* distances, float* gradients,
             int32_t* nearest) const {
    query_points(colliders, bounds, &points[0].x, points.size(), limit, distances, gradients, nearest);
  }

  PosedCollider colliders[kMaxColliders];
  BodyBounds bounds;
};

}  // namespace

Simulator::Simulator(Sheet sheet, std::span<const V3> positions, std::span<const uint32_t> pinned,
                     const Settings& initial_settings, int threads)
    : settings(initial_settings),
      sheet_(std::move(sheet)),
      threads_(threads),
      self_contact_(sheet_),
      x_(positions.begin(), positions.end()),
      previous_(x_),
      v_(x_.size(), V3{0, 0, 0}),
      air_(v_),
      soft_(v_),
      acceleration_(v_),
      pinned_(pinned.begin(), pinned.end()),
      distance_(x_.size()),
      gradient_(3 * x_.size()),
      nearest_(x_.size()),
      contacts_((x_.size() + kBlock - 1) / kBlock) {
  if (positions.size() != sheet_.size())
    throw std::invalid_argument("cloth: expected " + std::to_string(sheet_.size()) + " positions, found " +
                                std::to_string(positions.size()));
  expect_finite(positions, "positions");
  for (const float m : sheet_.mass) inverse_mass_.push_back(1 / m);
  for (const uint32_t p : pinned_) {
    inverse_mass_[p] = 0;
    last_attachment_points_.push_back(x_[p]);
  }
}

void Simulator::stop() { std::fill(v_.begin(), v_.end(), V3{0, 0, 0}); }

FrameSteps frame_steps(float dt, const Settings& settings, float max_bending_step) {
  const int substeps = std::max(1, settings.substeps);
  const bool fine = max_bending_step < settings.step;
  const float step =
      fine ? std::min(settings.step, max_bending_step * static_cast<float>(substeps)) : settings.step;
  return {std::max(1, static_cast<int>(std::ceil(dt / step - 1e-4f))), substeps, fine};
}

void Simulator::step(float dt, body::Surface* body, std::span<const Transform> joints,
                     std::span<const V3> attachment_points) {
  if (attachment_points.size() != pinned_.size())
    throw std::invalid_argument("cloth: expected " + std::to_string(pinned_.size()) +
                                " attachment points, found " + std::to_string(attachment_points.size()));
  expect_finite(attachment_points, "attachment points");
  if (!std::isfinite(dt) || dt < 0)
    throw std::invalid_argument("cloth: expected a finite time step of 0 or more");
  if (body) {
    const auto posed = body::to_api(joints);
    if (billow_body_pose(body->get(), posed.data(), static_cast<uint32_t>(posed.size()), 1))
      throw std::invalid_argument(std::string("cloth: ") + billow_last_error());
  }
  const auto [steps, substeps, bend_every_substep] = frame_steps(dt, settings, sheet_.max_step);
  const float step_time = dt / static_cast<float>(steps), h = step_time / static_cast<float>(substeps);
  const int air_every = std::max(1, static_cast<int>(kAirStep / step_time + 0.5f));
  for (int i = 0; i < steps; ++i) {
    const float from = static_cast<float>(i) / static_cast<float>(steps);
    const float to = static_cast<float>(i + 1) / static_cast<float>(steps);
    if (i % air_every == 0) {
      compute_air_forces();
      compute_soft_contacts(body ? body->get() : nullptr, from);
    }
    // Self-contact comes first, so that body contacts take precedence.
    if (settings.self_contact) {
      self_contact_.find_pairs(x_, v_, step_time, threads_);
      self_contact_.resolve(x_, v_, inverse_mass_, step_time, threads_);
    }
    find_contacts(body ? body->get() : nullptr, from, to);
    for (int k = 0; k < substeps; ++k) {
      if (k == 0 || bend_every_substep) compute_accelerations();
      predict(h);
      move_attachments(from + (to - from) * static_cast<float>(k + 1) / static_cast<float>(substeps),
                       attachment_points);
      solve_stretch(h);
      solve_body_contacts(k);
      update_velocities(h);
    }
  }
  last_attachment_points_.assign(attachment_points.begin(), attachment_points.end());
  if (body) push_out_of_body(body->get());
}

// Drag and lift on triangles as flat plates.
void Simulator::compute_air_forces() {
  std::fill(air_.begin(), air_.end(), V3{0, 0, 0});
  if (!(settings.air_density > 0)) return;
  const float drag = sheet_.material.drag, lift = sheet_.material.lift;
  for (const Triangle& t : sheet_.triangles) {
    const V3 flow = settings.wind - (v_[t[0]] + v_[t[1]] + v_[t[2]]) * (1.0f / 3);
    const V3 normal = cross(x_[t[1]] - x_[t[0]], x_[t[2]] - x_[t[0]]);  // length: twice the area
    const float area2 = length(normal), speed = length(flow);
    if (!(area2 > 1e-12f) || !(speed > 1e-4f)) continue;
    const V3 n = normal * (1 / area2);
    const float facing = dot(flow, n);
    // 1/2 rho A |u . n|, times the flow (drag) and its perpendicular towards the normal (lift).
    const float scale = 0.25f * settings.air_density * area2 * std::fabs(facing);
    const V3 force =
        (flow * drag + (n * (facing > 0 ? speed : -speed) - flow * (std::fabs(facing) / speed)) * lift) *
        (scale * (1.0f / 3));
    for (const uint32_t v : t) air_[v] += force;
  }
}

// Soft colliders push as they push rope chains (src/rope/apply_soft_contacts.cpp).
void Simulator::compute_soft_contacts(const billow_body* body, float at) {
  const uint32_t groups = settings.contacts.soft_groups();
  if (!body || !groups) return;
  const PosedBody posed(body->body, at, at, groups);
  const float range = sheet_.material.thickness + kSoftShell, gravity = length(settings.gravity);
  threads_.for_range(contacts_.size(), [&](size_t first, size_t last) {
    for (size_t k = first; k < last; ++k) {
      const size_t begin = kBlock * k, end = std::min(begin + kBlock, x_.size());
      posed.query({&x_[begin], end - begin}, range, &distance_[begin], &gradient_[3 * begin],
                  &nearest_[begin]);
      for (size_t v = begin; v < end; ++v) {
        soft_[v] = {0, 0, 0};
        if (nearest_[v] < 0) continue;
        const float softness = settings.contacts.softness[body->body.colliders[nearest_[v]].group];
        const float depth = std::min((range - distance_[v]) / kSoftShell, 1.0f);
        soft_[v] = V3{gradient_[3 * v], gradient_[3 * v + 1], gradient_[3 * v + 2]} *
                   ((1 - softness) * gravity * depth);
      }
    }
  });
}

// Gravity, air, damping, and bending with its Rayleigh damping.
void Simulator::compute_accelerations() {
  const float damping = sheet_.material.damping;
  threads_.for_range(x_.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      V3 bend{0, 0, 0};
      for (uint32_t k = sheet_.row_start[v]; k < sheet_.row_start[v + 1]; ++k) {
        const uint32_t o = sheet_.column[k];
        bend += (x_[o] + v_[o] * damping) * sheet_.value[k];
      }
      acceleration_[v] =
          settings.gravity + soft_[v] + (air_[v] - bend) * inverse_mass_[v] - v_[v] * settings.damping;
    }
  });
}

void Simulator::find_contacts(const billow_body* body, float from, float to) {
  for (auto& block : contacts_) block.clear();
  if (!body) return;
  // Query colliders at the start of the step; take their motion over the step.
  const uint32_t rigid = settings.contacts.rigid_groups(), yielding = settings.contacts.yielding_groups();
  const PosedBody posed(body->body, from, from, rigid, yielding),
      moving(body->body, from, to, rigid, yielding);
  const float thickness = sheet_.material.thickness;
  const float per_substep = 1 / static_cast<float>(std::max(1, settings.substeps));
  threads_.for_range(contacts_.size(), [&](size_t first, size_t last) {
    for (size_t k = first; k < last; ++k) {
      const size_t begin = kBlock * k, end = std::min(begin + kBlock, x_.size());
      posed.query({&x_[begin], end - begin}, thickness + kContactMargin, &distance_[begin],
                  &gradient_[3 * begin], &nearest_[begin]);
      for (size_t v = begin; v < end; ++v) {
        if (nearest_[v] < 0 || !(inverse_mass_[v] > 0)) continue;
        const V3 n{gradient_[3 * v], gradient_[3 * v + 1], gradient_[3 * v + 2]};
        const V3 carried = lane(embed_with(moving.colliders[nearest_[v]], splat(x_[v])), 0);
        const bool slides = yielding >> body->body.colliders[nearest_[v]].group & 1;
        contacts_[k].push_back({static_cast<uint32_t>(v), n, dot(n, x_[v]) + thickness - distance_[v],
                                (carried - x_[v]) * per_substep, slides ? 0 : sheet_.material.friction});
      }
    }
  });
}

void Simulator::predict(float h) {
  threads_.for_range(x_.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      previous_[v] = x_[v];
      if (!(inverse_mass_[v] > 0)) continue;
      V3 velocity = v_[v] + acceleration_[v] * h;
      const float speed2 = dot(velocity, velocity);
      if (speed2 > kMaxSpeed * kMaxSpeed) velocity = velocity * (kMaxSpeed / std::sqrt(speed2));
      x_[v] += velocity * h;
    }
  });
}

void Simulator::move_attachments(float share, std::span<const V3> attachment_points) {
  for (size_t i = 0; i < pinned_.size(); ++i)
    x_[pinned_[i]] = last_attachment_points_[i] + (attachment_points[i] - last_attachment_points_[i]) * share;
}

void Simulator::solve_stretch(float h) {
  const float inverse_h2 = 1 / (h * h);
  for (size_t g = 0; g + 1 < sheet_.group_start.size(); ++g) {
    const StretchEdge* edges = sheet_.edges.data() + sheet_.group_start[g];
    threads_.for_range(sheet_.group_start[g + 1] - sheet_.group_start[g], [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        const StretchEdge& e = edges[k];
        const float wa = inverse_mass_[e.a], wb = inverse_mass_[e.b];
        const V3 d = x_[e.a] - x_[e.b];
        // (l - L) / l without a root: l is close to (l^2 + L^2) / 2 L.
        const float l2 = dot(d, d), rest2 = e.length * e.length;
        const V3 pull = d * ((l2 - rest2) / ((l2 + rest2) * (wa + wb + e.compliance * inverse_h2)));
        x_[e.a] -= pull * wa;
        x_[e.b] += pull * wb;
      }
    });
  }
}

// Projects vertices out of the contact planes, with Coulomb friction.
void Simulator::solve_body_contacts(int substep) {
  const float elapsed = static_cast<float>(substep + 1);
  threads_.for_range(contacts_.size(), [&](size_t first, size_t last) {
    for (size_t k = first; k < last; ++k)
      for (const Contact& c : contacts_[k]) {
        V3& x = x_[c.vertex];
        V3& before = previous_[c.vertex];
        const float push = c.offset + dot(c.normal, c.motion) * elapsed - dot(c.normal, x);
        if (push <= 0) continue;
        x += c.normal * push;
        // Correct the previous position too, so that resolving old penetration adds no velocity.
        const V3 relative = x - before - c.motion;
        const float separating = dot(relative, c.normal);
        if (separating > 0) before += c.normal * separating;
        const V3 tangential = relative - c.normal * separating;
        const float tangential2 = dot(tangential, tangential), max_friction = c.friction * push;
        x -= tangential2 > max_friction * max_friction ? tangential * (max_friction / std::sqrt(tangential2))
                                                       : tangential;
      }
  });
}

// Moves out cloth that is pinched between limbs, which the contact planes cannot resolve. It follows the
// gradient of the SDF; where that alternates between two limbs, the bisector of both. Velocities are not
// changed. Attached vertices follow the skin, whatever colliders say: a collar may well lie in the collider of a helmet.
void Simulator::push_out_of_body(const billow_body* body) {
  const PosedBody posed(body->body, 1, 1, settings.contacts.rigid_groups(),
                        settings.contacts.yielding_groups());
  struct Inside {
    uint32_t vertex;
    V3 direction;  // gradient of the last iteration
  };
  std::vector<Inside> inside;
  for (size_t v = 0; v < x_.size(); ++v)
    if (inverse_mass_[v] > 0) inside.push_back({static_cast<uint32_t>(v), {0, 0, 0}});
  std::vector<V3> positions, gradients;
  std::vector<float> distances;
  for (int k = 0; k < kMaxPushOuts && !inside.empty(); ++k) {
    positions.clear();
    for (const Inside& i : inside) positions.push_back(x_[i.vertex]);
    distances.resize(positions.size());
    gradients.resize(positions.size());
    posed.query(positions, kPushOutClearance, distances.data(), &gradients[0].x, nullptr);
    size_t remaining = 0;
    for (size_t i = 0; i < inside.size(); ++i) {
      if (!(distances[i] < 0)) continue;
      const V3 n = gradients[i], both = n + inside[i].direction;
      const bool pinched = dot(n, inside[i].direction) < 0 && dot(both, both) > 0.01f;
      const V3 direction = pinched ? both * (1 / length(both)) : n;
      x_[inside[i].vertex] +=
          direction * ((kPushOutClearance - distances[i]) / std::max(0.2f, dot(direction, n)));
      inside[remaining++] = {inside[i].vertex, n};
    }
    inside.resize(remaining);
  }
}

void Simulator::update_velocities(float h) {
  const float inverse_h = 1 / h;
  threads_.for_range(x_.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) v_[v] = (x_[v] - previous_[v]) * inverse_h;
  });
}

}  // namespace billow::cloth
