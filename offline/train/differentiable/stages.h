// The stages of a differentiable sub-step, by the names of the runtime's (rope/stages.h). For sources of this folder only.
#pragma once

#include "train/differentiable/chain_model.h"

namespace billow::train::differentiable {

// Times of a sub-step, [clips, 1, 1, 1].
struct Times {
  Tensor dt, h, spring;  // h = dt/2; spring: of which springs are limited (spring_step() in rope/stages.h)
};

// What acts on the chains and stays the same throughout a sub-step.
struct SubstepInput {
  Times times;
  Tensor root_target;        // [clips, chains, 1, 3]
  Tensor root_rotation;      // [clips, chains, 1, 4], at its end
  Tensor root_acceleration;  // [clips, chains, 1, 3], in the first half
  Tensor common;             // [clips, 1, 3]: approximate displacement of all roots
  Tensor constant;           // [clips, chains, bones, 3]: learnt force and pushes of folds; undefined: none
  bool has_learnt = false;
  const PosedBody* body = nullptr;  // null: none
};

// Bones that touch: [clips, chains, bones, 1 or 3].
struct Contacts {
  Tensor held;  // 1: held by the body, 2: sticks to it, else 0
  Tensor grip, normal, velocity;
  bool any() const { return held.defined(); }
};

// External accelerations, F_ext / M; those of roots are 0.
Tensor apply_forces(const ChainModel& model, const SubstepInput& in, const Tensor& x, const Tensor& v);
Tensor apply_panel_forces(const ChainModel& model, const SubstepInput& in, const Tensor& x,
                          const Tensor& v);  // part of it
Tensor apply_rest_angle_forces(const ChainModel& model, const SubstepInput& in,
                               const Tensor& x);                                              // part of it
Tensor apply_soft_contacts(const ChainModel& model, const PosedBody& body, const Tensor& x);  // part of it

// Ropes of all bones but roots, [clips, chains, bones - 1, 1 or 3].
struct Ropes {
  Tensor direction, length, gap, taut;
};
Ropes ropes_of(const ChainModel& model, const Tensor& x);

// Tensions, then half a velocity update: returns the velocities. `root_acceleration`: [clips, chains, 1, 3].
Tensor accelerate(const ChainModel& model, const Times& times, const Tensor& x, const Tensor& v,
                  const Tensor& acceleration, const Tensor& root_acceleration);

// Returns the velocities; adds to the colliders' work, [clips, chains, 1, 1].
Tensor apply_impulses(const ChainModel& model, const Times& times, const Tensor& x, const Tensor& v,
                      Contacts& contacts, Tensor& collider_work);

Tensor move(const ChainModel& model, const SubstepInput& in, const Tensor& x, const Tensor& v);

// Returns the places; sets the contacts.
Tensor collide(const ChainModel& model, const SubstepInput& in, const Tensor& x_before, const Tensor& x,
               Contacts& contacts);
// Returns the velocities; releases contacts.
Tensor respond_to_contacts(const ChainModel& model, const Tensor& v, Contacts& contacts,
                           Tensor& collider_work);

// The energy guard of one sub-step.
class EnergyGuard {
 public:
  // `acceleration`: at its start, with x and v.
  EnergyGuard(const ChainModel& model, const SubstepInput& in, const Tensor& x, const Tensor& v,
              const Tensor& acceleration);
  // After each half velocity update. `acceleration`: the present one.
  Tensor limit_half_step(const Tensor& x, const Tensor& v, const Tensor& acceleration) const;
  // At the end; replaces `energy_lost`.
  Tensor finish(const Tensor& x, const Tensor& v, const Tensor& acceleration, const Contacts& contacts,
                Tensor& energy_lost) const;

  Tensor collider_work;  // [clips, chains, 1, 1]

 private:
  struct Load {
    Tensor squares, rounding;
  };
  Tensor kinetic(const Tensor& v) const;
  Tensor supplied(const Tensor& x, const Tensor& acceleration) const;
  Load load_of(const Tensor& x, const Tensor& acceleration) const;
  Tensor limited(const Tensor& v, const Tensor& now, const Tensor& allowed) const;

  const ChainModel& model_;
  Times times_;
  Tensor x_, acceleration_, energy_;
};

// Friction within cloth.
Tensor rub_cloth(const ChainModel& model, const Tensor& dt, const Tensor& v, bool has_learnt);

}  // namespace billow::train::differentiable
