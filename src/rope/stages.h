// The stages of a sub-step, each in the file of its name (paper, Section "Rope Chain Simulation").
//
//   find_self_contacts    folds that meet push each other apart
//   apply_forces          F_ext(x, v) / M
//   apply_soft_contacts   push of soft colliders, part of the forces
//   accelerate            v += dt/2 (F_ext + tension) / M, then damping      steps 1 and 4
//   apply_impulses        no taut rope lengthens                             settings.impulses
//   move                  x += dt v, no rope over length                     step 2
//   collide               bones, ropes and lateral segments leave the body   step 3, positions
//   respond_to_contacts   nothing moves into the body; friction              step 3, velocities; again after 4
//   guard_energy          no energy that no force supplied                   at the end
//   rub_cloth             friction within cloth                              at the end
#pragma once

#include "rope/chain_set.h"
#include "sdf/query.h"

namespace billow {

// Pushes between bones and panels that meet (settings.self_contact); they act throughout the sub-step.
void find_self_contacts(ChainSet& set, float dt);
void forget_sides(ChainSet& set);  // of chains that are placed anew

// External accelerations at the present x and v. `dt` is the sub-step: stiff springs and strong drag are limited,
// as by an implicit step, so that no stiffness is unstable.
void apply_forces(ChainSet& set, float dt, double time);
void apply_panel_forces(ChainSet& set, float dt);       // part of it: drag and lift of the panels
void apply_rest_angle_forces(ChainSet& set, float dt);  // part of it: rest angles between ropes
void evaluate_wind(ChainSet& set, double time);         // part of it: air velocity at the bones

// Springs are limited as by an implicit step of at least this length (s), so that they are as stiff at every
// frame rate. Sub-steps of chains with springs are no longer. min_substeps asks for stiffer springs: at 60 Hz,
// steps are as long as that.
inline constexpr float kSpringStep = 1.0f / 120;
inline float spring_step(const RopeSettings& settings, float dt) {
  const float step =
      settings.min_substeps > 2 ? 2 * kSpringStep / static_cast<float>(settings.min_substeps) : kSpringStep;
  return dt > step ? dt : step;
}

inline F4 stable_spring(F4 stiffness, F4 w_sum, float step) {
  return stiffness / (1.0f + (2.0f * step * step) * stiffness * w_sum);
}

// Adds the push of soft colliders to the accelerations.
void apply_soft_contacts(ChainSet& set, const PosedCollider* colliders, int collider_count);

// If closed, copies chain 0's x and v after the last chain, so that edges and panels need no special case.
void wrap_around(ChainSet& set);

// Tensions, then half a velocity update. `h` is dt/2.
void accelerate(ChainSet& set, float h);

// With `contacts`, the body holds the bones that collide() found touching.
void apply_impulses(ChainSet& set, float dt, bool contacts);

void move(ChainSet& set, float dt);

void collide(ChainSet& set, const PosedCollider* colliders, int collider_count, float dt);

// Velocities of the bones that collide() found in contact.
enum class ContactPass { kWithCollision, kAfterSecondVelocity };
void respond_to_contacts(ChainSet& set, ContactPass pass);

// Stores positions and energy at the start of the sub-step (h = dt/2; forces have been applied).
void start_substep(ChainSet& set, float h);
// After each half velocity update: limits excessive growth, before contacts and impulses react to it.
void limit_half_step(ChainSet& set, float h, Outcome& outcome);
// At the end: enforces the energy bound, if settings.energy_guard. With `contacts`, collide() found those of this
// sub-step.
void guard_energy(ChainSet& set, float dt, bool contacts, Outcome& outcome);

// Rest, if settings.rest_speed. Of chains with cloth between them: slows all bones by the same deceleration.
void rub_cloth(ChainSet& set, float dt);
// Of other chains: damps those whose bones are all slower than settings.rest_speed.
void calm_slow_chains(ChainSet& set, float dt);

// Number of sub-steps that this frame needs: so that no rope rotates by more than settings.substep_angle in
// one, and the fastest swing is resolved. Not limited to max_substeps.
float wanted_substeps(const ChainSet& set, float dt);

}  // namespace billow
