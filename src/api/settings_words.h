// billow_settings field by field, in the order in which garment files keep them: words of 32 bits. New fields go to the end;
// a file that has fewer is older, and what it lacks has its default.
#pragma once

#include <billow/billow.h>

#include <cstdint>
#include <cstring>
#include <span>

namespace billow::api {

// Calls f with each word, as an object of 32 bits.
template <class Settings, class F> void visit_settings(Settings& s, F f) {
  const auto curve = [&](auto& c) {
    f(c.value), f(c.point_count);
    for (auto& p : c.points) f(p);
  };
  const auto solver = [&](auto& x) { f(x.method), f(x.sweeps), f(x.tolerance), f(x.warm_start); };
  for (auto& g : s.gravity) f(g);
  curve(s.mass), curve(s.drag), curve(s.damping), f(s.global_damping);
  curve(s.lateral_stretch), curve(s.lateral_compression), curve(s.rest_angle), curve(s.shrink);
  f(s.panel_drag), f(s.panel_lift), f(s.air_density);
  solver(s.solver.tension), solver(s.solver.impulse);
  f(s.solver.impulses), f(s.solver.tautness), f(s.solver.gap_return), f(s.solver.move_with_parent);
  f(s.solver.min_substeps), f(s.solver.max_substeps), f(s.solver.substep_angle), f(s.solver.energy_guard),
      f(s.rest_speed);
  f(s.solver.push_direction), f(s.solver.velocity_direction), f(s.solver.push_method),
      f(s.solver.push_iterations);
  curve(s.radius), f(s.solver.push_extra), f(s.friction);
  f(s.solver.alternations), f(s.solver.rope_samples), f(s.solver.lateral_samples), f(s.solver.swept);
  f(s.translation_inertia), f(s.rotation_inertia);
  f(s.teleport), f(s.teleport_distance), f(s.teleport_angle), f(s.scale), f(s.profile);
  f(s.panel_folds), curve(s.lateral_shear);
  f(s.collider_groups);
  for (auto& x : s.softness) f(x);
  f(s.learnt_force), f(s.self_contact), f(s.yielding_groups), f(s.sleep_after);
}

// Sets as many fields as there are words. They are not checked: billow_chains_set_settings does that.
inline void read_settings_words(std::span<const uint32_t> words, billow_settings& settings) {
  size_t next = 0;
  visit_settings(settings, [&](auto& field) {
    static_assert(sizeof field == 4);
    if (next < words.size()) std::memcpy(&field, &words[next], 4);
    ++next;
  });
}

}  // namespace billow::api
