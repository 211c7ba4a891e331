// One frame of one clip by a team: the stages of cloth::Simulator, in its order and with its arithmetic.
// Stages that visit every vertex are joined where no other vertex is read in between.
#pragma once

#include "cloth/batch/memory.h"
#include "cloth/batch/self_contact.h"
#include "cloth/batch/team.h"

namespace billow::cloth {

template <class Team> class FrameOfClip {
 public:
  // `state` is that of the clip. `x` are its positions; `placed` and `motion` have room for the colliders. All
  // of them are best in fast memory.
  BILLOW_DEVICE FrameOfClip(const Team& team, const BatchArguments& arguments, uint32_t clip,
                            const ClipState& state, V3* x, PlacedCollider* placed, ColliderMotion* motion)
      : team_(team),
        sheet_(arguments.sheet),
        forces_(arguments.forces),
        body_(arguments.body),
        s_(state),
        frame_(arguments.frame.clips[clip]),
        before_(arguments.frame.before + size_t{clip} * arguments.body.count),
        now_(arguments.frame.now + size_t{clip} * arguments.body.count),
        attachment_points_(arguments.frame.attachment_points + size_t{clip} * arguments.sheet.pinned),
        x_(x),
        placed_(placed),
        motion_(motion) {}

  BILLOW_DEVICE void advance() {
    ClipSelfContact<Team> self_contact(team_, sheet_, s_, x_);
    const uint32_t steps = frame_.steps, substeps = frame_.substeps;
    set_targets();
    for (uint32_t i = 0; i < steps; ++i) {
      const float from = static_cast<float>(i) / static_cast<float>(steps);
      const float to = static_cast<float>(i + 1) / static_cast<float>(steps);
      place_colliders(from, to);
      if (i % frame_.air_every == 0) {
        compute_air_forces();
        compute_soft_contacts();
      }
      if (forces_.self_contact) {
        self_contact.find_pairs(frame_.step_time);
        self_contact.resolve(frame_.step_time);
      }
      compute_accelerations();
      find_contacts();
      const auto share = [&](uint32_t k) {
        return from + (to - from) * static_cast<float>(k + 1) / static_cast<float>(substeps);
      };
      start_substeps(share(0));
      for (uint32_t k = 0; k < substeps; ++k) {
        const bool last = k + 1 == substeps, bends = frame_.bend_every_substep && !last;
        solve_stretch();
        finish_substep(k, last || bends, share(k + 1));
        if (!bends) continue;
        compute_accelerations();
        start_substeps(share(k + 1));
      }
    }
    place_colliders(1, 1);
    push_out_of_body();
    team_.each(sheet_.pinned, [&](uint32_t i) { s_.last_target[i] = s_.target[i]; });
  }

 private:
  BILLOW_DEVICE void set_targets() {
    team_.each(sheet_.pinned, [&](uint32_t i) {
      const V3 now = x_[sheet_.pinned_vertex[i]];
      s_.target[i] = now + (attachment_points_[i] - now) * frame_.attachment_share;
    });
  }

  BILLOW_DEVICE void place_colliders(float from, float to) {
    team_.each(body_.count, [&](uint32_t i) {
      const Transform start = blend(before_[i], now_[i], from), end = blend(before_[i], now_[i], to);
      placed_[i] = place_collider(body_.colliders[i], start);
      motion_[i] = collider_motion(start, end);
    });
  }

  // Drag and lift on triangles as flat plates, then their sums around the vertices.
  BILLOW_DEVICE void compute_air_forces() {
    if (!(forces_.air_density > 0)) return;  // the forces remain 0
    const Rows force = s_.triangle_force, air = s_.air;
    team_.each(sheet_.triangles, [&](uint32_t t) { set(force, t, air_force(t)); });
    team_.each(sheet_.vertices, [&](uint32_t v) {
      V3 sum{0, 0, 0};
      for (uint32_t k = 0; k < sheet_.around_count[v]; ++k)
        sum += get(force, sheet_.around[k * sheet_.vertices + v]);
      set(air, v, sum);
    });
  }

  BILLOW_DEVICE V3 air_force(uint32_t t) const {
    const uint32_t a = sheet_.corners[t], b = sheet_.corners[sheet_.triangles + t],
                   c = sheet_.corners[2 * sheet_.triangles + t];
    const Rows v = s_.v;
    const V3 flow = forces_.wind - (get(v, a) + get(v, b) + get(v, c)) * (1.0f / 3);
    const V3 normal = cross(x_[b] - x_[a], x_[c] - x_[a]);
    const float area2 = length(normal), speed = length(flow);
    if (!(area2 > 1e-12f) || !(speed > 1e-4f)) return {0, 0, 0};
    const V3 n = normal * (1 / area2);
    const float facing = dot(flow, n);
    const float scale = 0.25f * forces_.air_density * area2 * std::fabs(facing);
    return (flow * sheet_.drag +
            (n * (facing > 0 ? speed : -speed) - flow * (std::fabs(facing) / speed)) * sheet_.lift) *
           (scale * (1.0f / 3));
  }

  BILLOW_DEVICE void compute_soft_contacts() {
    if (body_.soft.count == 0) return;
    const float range = sheet_.thickness + kSoftShell, gravity = length(forces_.gravity);
    team_.each(sheet_.vertices, [&](uint32_t v) {
      const NearestSurface near = nearest_surface(body_, body_.soft, placed_, x_[v], range);
      V3 push{0, 0, 0};
      if (near.first >= 0) {
        const float softness = body_.softness[body_.colliders[near.first].group];
        const float depth = lesser((range - near.phi) / kSoftShell, 1.0f);
        push = near.gradient * ((1 - softness) * gravity * depth);
      }
      set(s_.soft, v, push);
    });
  }

  // Gravity, air, damping, and bending with its Rayleigh damping.
  BILLOW_DEVICE void compute_accelerations() {
    const Rows damped = s_.damped, velocity = s_.v;
    team_.each(sheet_.vertices,
               [&](uint32_t v) { set(damped, v, x_[v] + get(velocity, v) * sheet_.damping); });
    team_.each(sheet_.vertices, [&](uint32_t v) {
      V3 bend{0, 0, 0};
      for (uint32_t k = 0; k < sheet_.bend_count[v]; ++k) {
        const size_t at = size_t{k} * sheet_.vertices + v;
        bend += get(damped, sheet_.bend_column[at]) * sheet_.bend_value[at];
      }
      set(s_.acceleration, v,
          forces_.gravity + get(s_.soft, v) + (get(s_.air, v) - bend) * sheet_.inverse_mass[v] -
              get(velocity, v) * forces_.damping);
    });
  }

  // The body near each vertex as a moving plane.
  BILLOW_DEVICE void find_contacts() {
    const float thickness = sheet_.thickness;
    const float per_substep = 1 / static_cast<float>(frame_.substeps);
    team_.each(sheet_.vertices, [&](uint32_t v) {
      s_.touches[v] = 0;
      if (!(sheet_.inverse_mass[v] > 0)) return;
      const V3 x = x_[v];
      const NearestSurface near = nearest_to_body(body_, placed_, x, thickness + kContactMargin);
      if (near.first < 0) return;
      s_.touches[v] = body_.yielding_groups >> body_.colliders[near.first].group & 1 ? kSlides : kGrips;
      set(s_.normal, v, near.gradient);
      s_.offset[v] = dot(near.gradient, x) + thickness - near.phi;
      set(s_.motion, v, (carry_with(motion_[near.first], x) - x) * per_substep);
    });
  }

  BILLOW_DEVICE void start_substeps(float share) {
    team_.each(sheet_.vertices, [&](uint32_t v) { predict(v, x_[v], get(s_.v, v), share); });
  }

  BILLOW_DEVICE void predict(uint32_t v, V3 x, V3 velocity, float share) const {
    set(s_.previous, v, x);
    if (!(sheet_.inverse_mass[v] > 0)) {
      const uint32_t i = sheet_.pin[v];
      x_[v] = s_.last_target[i] + (s_.target[i] - s_.last_target[i]) * share;
      return;
    }
    velocity = velocity + get(s_.acceleration, v) * frame_.h;
    const float speed2 = dot(velocity, velocity);
    if (speed2 > kMaxSpeed * kMaxSpeed) velocity = velocity * (kMaxSpeed / std::sqrt(speed2));
    x_[v] = x + velocity * frame_.h;
  }

  BILLOW_DEVICE void solve_stretch() {
    const float inverse_h2 = 1 / (frame_.h * frame_.h);
    const uint32_t* ends = sheet_.edge_ends;
    const EdgeTerms* terms = sheet_.edge_terms;
    for (uint32_t g = 0; g < sheet_.groups; ++g) {
      const uint32_t first = sheet_.group_start[g];
      team_.template each<4>(sheet_.group_start[g + 1] - first, [&](uint32_t k) {
        const uint32_t both = ends[first + k], a = both & 0xffff, b = both >> 16;
        const EdgeTerms e = terms[first + k];
        const V3 xa = x_[a], xb = x_[b], d = xa - xb;
        const float l2 = dot(d, d);
        const V3 pull =
            d * ((l2 - e.rest2) /
                 ((l2 + e.rest2) * (e.inverse_mass_a + e.inverse_mass_b + e.compliance * inverse_h2)));
        x_[a] = xa - pull * e.inverse_mass_a;
        x_[b] = xb + pull * e.inverse_mass_b;
      });
    }
  }

  // Solves body contacts, updates velocities and, unless it is the `last`, starts the next sub-step.
  BILLOW_DEVICE void finish_substep(uint32_t substep, bool last, float next_share) {
    const float inverse_h = 1 / frame_.h, elapsed = static_cast<float>(substep + 1);
    team_.each(sheet_.vertices, [&](uint32_t v) {
      V3 x = x_[v], before = get(s_.previous, v);
      if (s_.touches[v]) solve_body_contact(v, elapsed, x, before);
      const V3 velocity = (x - before) * inverse_h;
      if (!last) return predict(v, x, velocity, next_share);
      x_[v] = x;
      set(s_.v, v, velocity);
    });
  }

  // Projects a vertex out of its contact plane, with Coulomb friction.
  BILLOW_DEVICE void solve_body_contact(uint32_t v, float elapsed, V3& x, V3& before) const {
    const V3 normal = get(s_.normal, v), motion = get(s_.motion, v);
    const float push = s_.offset[v] + dot(normal, motion) * elapsed - dot(normal, x);
    if (push <= 0) return;
    x += normal * push;
    const V3 relative = x - before - motion;
    const float separating = dot(relative, normal);
    if (separating > 0) before += normal * separating;
    const V3 tangential = relative - normal * separating;
    const float tangential2 = dot(tangential, tangential),
                max_friction = s_.touches[v] == kGrips ? sheet_.friction * push : 0.0f;
    x -= tangential2 > max_friction * max_friction ? tangential * (max_friction / std::sqrt(tangential2))
                                                   : tangential;
  }

  // As in cloth::Simulator, but every vertex iterates by itself.
  BILLOW_DEVICE void push_out_of_body() {
    if (body_.rigid.count + body_.yielding.count == 0) return;
    team_.each(sheet_.vertices, [&](uint32_t v) {
      if (!(sheet_.inverse_mass[v] > 0)) return;
      V3 x = x_[v], last_gradient{0, 0, 0};
      for (int k = 0; k < kMaxPushOuts; ++k) {
        const NearestSurface near = nearest_to_body(body_, placed_, x, kPushOutClearance);
        if (!(near.phi < 0)) break;
        const V3 n = near.gradient, both = n + last_gradient;
        const bool pinched = dot(n, last_gradient) < 0 && dot(both, both) > 0.01f;
        const V3 direction = pinched ? both * (1 / length(both)) : n;
        x += direction * ((kPushOutClearance - near.phi) / greater(0.2f, dot(direction, n)));
        last_gradient = n;
      }
      x_[v] = x;
    });
  }

  const Team& team_;
  const BatchSheet& sheet_;
  const BatchForces& forces_;
  const BatchBody& body_;
  const ClipState& s_;
  const ClipFrame& frame_;
  const Transform *before_, *now_;
  const V3* attachment_points_;
  V3* x_;
  PlacedCollider* placed_;
  ColliderMotion* motion_;
};

}  // namespace billow::cloth
