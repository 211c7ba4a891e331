#include "rope/chain_set.h"

#include <initializer_list>

namespace billow {

void allocate(ChainSet& set, Arena& arena) {
  const size_t n = set.layout.row_floats();
  const size_t row = static_cast<size_t>(set.layout.pitch);
  const size_t chains = static_cast<size_t>(set.layout.chains);
  auto rows3 = [&](size_t floats) {
    return Rows3{arena.take<float>(floats), arena.take<float>(floats), arena.take<float>(floats)};
  };
  set.bones = arena.take<int>(chains);
  for (float** p : {&set.rest_length,
                    &set.rest_lateral,
                    &set.longest_lateral,
                    &set.mass_factor,
                    &set.is_bone,
                    &set.mass,
                    &set.w,
                    &set.max_length,
                    &set.lateral_length,
                    &set.lateral_longest,
                    &set.panel_area,
                    &set.area,
                    &set.loose_area,
                    &set.panel_diagonal,
                    &set.shear,
                    &set.lateral_w,
                    &set.drag,
                    &set.damping,
                    &set.stretch,
                    &set.compression,
                    &set.rest_angle,
                    &set.shrink,
                    &set.radius,
                    &set.tension,
                    &set.impulse,
                    &set.contact_collider,
                    &set.trouble,
                    &set.held,
                    &set.grip,
                    &set.distance})
    *p = arena.take<float>(n);
  for (Rows3* p : {&set.rest, &set.rest_direction, &set.x, &set.v, &set.x_before, &set.acceleration,
                   &set.acceleration_before, &set.learnt, &set.self_push, &set.air, &set.contact_normal,
                   &set.touch_normal, &set.touch_velocity})
    *p = rows3(n);
  LateralScratch& lateral = set.lateral;
  for (Rows3* p : {&set.root_target, &set.edge, &lateral.near_shift, &lateral.far_shift, &lateral.normal,
                   &lateral.velocity, &lateral.gradient})
    *p = rows3(row);
  for (float** p : {&lateral.touched, &lateral.collider, &lateral.grip}) *p = arena.take<float>(row);
  SelfContactRows& self = set.self;
  self.columns = set.layout.neighbours ? round_up_lanes(set.layout.chains) + 2 * SelfContactRows::kMargin : 0;
  self.sides = arena.take<uint8_t>(self.side_bytes(set.layout));
  const size_t wide = static_cast<size_t>(set.layout.levels * self.columns);
  for (Rows3* p : {&self.x, &self.push, &self.across, &self.along, &self.normal}) *p = rows3(wide);
  for (float** p : {&self.w, &self.across_at, &self.along_at, &self.normal_at, &self.length})
    *p = arena.take<float>(wide);
  const size_t levels = static_cast<size_t>(set.layout.levels),
               groups = static_cast<size_t>(set.layout.groups());
  set.broad_phase = arena.take<BroadPhase>(groups);
  RopeScratch& r = set.rope;
  for (F4** p : {&r.diagonal, &r.next, &r.rhs, &r.solution, &r.ratio}) *p = arena.take<F4>(levels);
  for (M4** p : {&r.taut, &r.active}) *p = arena.take<M4>(levels);
  r.ropes = arena.take<Rope4>(levels);
  r.hold = arena.take<Hold4>(levels);
  r.vectors = arena.take<V3x4>(levels);
  for (float*& q : set.root_rotation) q = arena.take<float>(row);
  set.start_energy = arena.take<float>(row);
  set.collider_energy = arena.take<float>(row);
  set.energy_lost = arena.take<float>(row);
  set.air_points = arena.take<float>(3 * chains);
  set.air_velocities = arena.take<float>(3 * chains);
}

}  // namespace billow
