// billow_settings: defaults, presets, ranges, and the way into the runtime.
#include <cmath>
#include <cstddef>

#include "api/handles.h"

namespace billow::api {
namespace {

struct FloatRange {
  const char* name;
  size_t offset;
  float low, high;
};
struct CurveRange {
  const char* name;
  size_t offset;
  float low, high;  // of the value along the whole chain
  bool positive;    // zero is not allowed
};
struct CountRange {
  const char* name;
  size_t offset;
  uint32_t low, high;
};

#define FIELD(name) #name, offsetof(billow_settings, name)
constexpr FloatRange kFloats[] = {
    {FIELD(gravity[0]), -1e4f, 1e4f},
    {FIELD(gravity[1]), -1e4f, 1e4f},
    {FIELD(gravity[2]), -1e4f, 1e4f},
    {FIELD(global_damping), 0, 1e6f},
    {FIELD(panel_drag), 0, 100},
    {FIELD(panel_lift), 0, 100},
    {FIELD(panel_folds), 0, 1},
    {FIELD(air_density), 0, 1e4f},
    {FIELD(solver.tension.tolerance), 0, 1},
    {FIELD(solver.impulse.tolerance), 0, 1},
    {FIELD(solver.tautness), 0, 0.5f},
    {FIELD(solver.gap_return), 0, 1},
    {FIELD(learnt_force), 0, 1},
    {FIELD(self_contact), 0, 1e9f},
    {FIELD(rest_speed), 0, 10},
    {FIELD(sleep_after), 0, 1e6f},
    {FIELD(solver.substep_angle), 1e-3f, 100},
    {FIELD(solver.push_extra), 0, 10},
    {FIELD(friction), 0, 100},
    {FIELD(translation_inertia), 0, 1},
    {FIELD(rotation_inertia), 0, 1},
    {FIELD(teleport_distance), 0, 1e38f},
    {FIELD(teleport_angle), 0, 1e38f},
    {FIELD(scale), 1e-3f, 1e3f},
    {FIELD(softness[0]), 0, 1},
    {FIELD(softness[1]), 0, 1},
    {FIELD(softness[2]), 0, 1},
    {FIELD(softness[3]), 0, 1},
    {FIELD(softness[4]), 0, 1},
    {FIELD(softness[5]), 0, 1},
    {FIELD(softness[6]), 0, 1},
    {FIELD(softness[7]), 0, 1},
};
static_assert(BILLOW_COLLIDER_GROUPS == 8);
constexpr CurveRange kCurves[] = {
    {FIELD(mass), 1e-9f, 1e6f, true},
    {FIELD(drag), 0, 1e6f, false},
    {FIELD(damping), 0, 1e6f, false},
    {FIELD(lateral_stretch), 0, 1e9f, false},
    {FIELD(lateral_compression), 0, 1e9f, false},
    {FIELD(lateral_shear), 0, 1e9f, false},
    {FIELD(rest_angle), 0, 1e9f, false},
    {FIELD(shrink), 0, 1e9f, false},
    {FIELD(radius), 0, 10, false},
};
constexpr CountRange kCounts[] = {
    {FIELD(solver.tension.sweeps), 1, 10000},
    {FIELD(solver.impulse.sweeps), 1, 10000},
    {FIELD(solver.tension.method), 0, 2},
    {FIELD(solver.impulse.method), 0, 2},
    {FIELD(solver.impulses), 0, 15},
    {FIELD(solver.min_substeps), 1, BILLOW_MAX_SUBSTEPS},
    {FIELD(solver.max_substeps), 1, BILLOW_MAX_SUBSTEPS},
    {FIELD(solver.push_direction), 0, 1},
    {FIELD(solver.velocity_direction), 0, 1},
    {FIELD(solver.push_method), 0, 1},
    {FIELD(solver.push_iterations), 1, 100},
    {FIELD(solver.alternations), 1, 100},
    {FIELD(solver.rope_samples), 0, 16},
    {FIELD(solver.lateral_samples), 0, 16},
    {FIELD(teleport), 0, 2},
    {FIELD(collider_groups), 0, BILLOW_ALL_GROUPS},
    {FIELD(yielding_groups), 0, BILLOW_ALL_GROUPS},
};
#undef FIELD

template <class T> const T& field(const billow_settings& s, size_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&s) + offset);
}

billow_status check(const billow_settings& s) {
  for (const FloatRange& r : kFloats) {
    float v = field<float>(s, r.offset);
    if (!(v >= r.low && v <= r.high))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "settings.%s: expected %g to %g, found %g", r.name,
                  static_cast<double>(r.low), static_cast<double>(r.high), static_cast<double>(v));
  }
  for (const CountRange& r : kCounts) {
    uint32_t v = field<uint32_t>(s, r.offset);
    if (v < r.low || v > r.high)
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "settings.%s: expected %u to %u, found %u", r.name, r.low,
                  r.high, v);
  }
  for (const CurveRange& r : kCurves) {
    const billow_curve& c = field<billow_curve>(s, r.offset);
    if (c.point_count > BILLOW_CURVE_POINTS)
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "settings.%s.point_count: expected at most %d, found %u",
                  r.name, BILLOW_CURVE_POINTS, c.point_count);
    for (uint32_t i = 0; i < (c.point_count ? c.point_count : 1); ++i) {
      float v = c.point_count ? c.value * c.points[i] : c.value;
      if (!(v >= r.low && v <= r.high))
        return fail(BILLOW_ERROR_INVALID_ARGUMENT, "settings.%s: expected %g to %g along the chain, found %g",
                    r.name, static_cast<double>(r.low), static_cast<double>(r.high), static_cast<double>(v));
    }
  }
  if (s.solver.min_substeps > s.solver.max_substeps)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "settings.solver.min_substeps: expected at most max_substeps (%u), found %u",
                s.solver.max_substeps, s.solver.min_substeps);
  return BILLOW_OK;
}

Curve read_curve(const billow_curve& in) {
  Curve c;
  c.value = in.value;
  c.point_count = static_cast<int>(in.point_count);
  for (int i = 0; i < c.point_count; ++i) c.points[i] = in.points[i];
  return c;
}

SolverSettings read_solver(const billow_linear_solver& in) {
  return {static_cast<Solver>(in.method), static_cast<int>(in.sweeps), in.tolerance, in.warm_start != 0};
}

}  // namespace

billow_status read_settings(const billow_settings& in, Settings& out) {
  if (billow_status bad = check(in)) return bad;
  RopeSettings& r = out.rope;
  r.gravity = {in.gravity[0], in.gravity[1], in.gravity[2]};
  r.global_damping = in.global_damping;
  r.panel_drag = in.panel_drag;
  r.panel_lift = in.panel_lift;
  r.panel_folds = in.panel_folds;
  r.air_density = in.air_density;
  r.tension = read_solver(in.solver.tension);
  r.impulse = read_solver(in.solver.impulse);
  r.impulses = in.solver.impulses;
  r.tautness = in.solver.tautness;
  r.gap_return = in.solver.gap_return;
  r.move_with_parent = in.solver.move_with_parent != 0;
  r.min_substeps = static_cast<int>(in.solver.min_substeps);
  r.max_substeps = static_cast<int>(in.solver.max_substeps);
  r.substep_angle = in.solver.substep_angle;
  r.energy_guard = in.solver.energy_guard != 0;
  r.learnt_force = in.learnt_force;
  r.self_contact = in.self_contact;
  r.rest_speed = in.rest_speed;
  r.sleep_after = in.sleep_after;
  r.push_along_history = in.solver.push_direction == BILLOW_CONTACT_DIRECTION_HISTORY;
  r.velocity_along_history = in.solver.velocity_direction == BILLOW_CONTACT_DIRECTION_HISTORY;
  r.line_search = in.solver.push_method == BILLOW_PUSH_METHOD_LINE_SEARCH;
  r.push_iterations = static_cast<int>(in.solver.push_iterations);
  r.push_extra = in.solver.push_extra;
  r.friction = in.friction;
  r.alternations = static_cast<int>(in.solver.alternations);
  r.rope_samples = static_cast<int>(in.solver.rope_samples);
  r.lateral_samples = static_cast<int>(in.solver.lateral_samples);
  r.swept = in.solver.swept != 0;
  r.rigid_groups = r.soft_groups = r.yielding_groups = 0;
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g) {
    r.softness[g] = in.softness[g];
    const uint32_t bit = in.collider_groups & 1u << g;
    (in.yielding_groups >> g & 1 ? r.yielding_groups
     : in.softness[g] > 0        ? r.soft_groups
                                 : r.rigid_groups) |= bit;
  }
  out.mass = read_curve(in.mass);
  out.drag = read_curve(in.drag);
  out.damping = read_curve(in.damping);
  out.lateral_stretch = read_curve(in.lateral_stretch);
  out.lateral_compression = read_curve(in.lateral_compression);
  out.lateral_shear = read_curve(in.lateral_shear);
  out.rest_angle = read_curve(in.rest_angle);
  out.shrink = read_curve(in.shrink);
  out.radius = read_curve(in.radius);
  out.translation_inertia = in.translation_inertia;
  out.rotation_inertia = in.rotation_inertia;
  out.teleport = static_cast<Teleport>(in.teleport);
  out.teleport_distance = in.teleport_distance;
  out.teleport_angle = in.teleport_angle;
  out.scale = in.scale;
  out.profile = in.profile != 0;
  return BILLOW_OK;
}

}  // namespace billow::api

extern "C" {

billow_settings billow_settings_default(void) {
  billow_settings s{};
  s.gravity[1] = -9.81f;
  s.mass.value = 0.02f;
  s.air_density = 1.2f;
  s.solver.tension = s.solver.impulse = {BILLOW_SOLVER_DIRECT, 10, 1e-6f, 0};
  s.solver.impulses = BILLOW_IMPULSE_AFTER_SECOND_VELOCITY;
  s.solver.tautness = 0.01f;
  s.solver.gap_return = 0.2f;
  s.solver.move_with_parent = 1;
  s.solver.min_substeps = 1;
  s.solver.max_substeps = 8;
  s.solver.substep_angle = 0.1f;
  s.solver.energy_guard = 1;
  s.learnt_force = 1;
  s.rest_speed = 0.01f;
  s.sleep_after = 1;
  s.solver.push_direction = BILLOW_CONTACT_DIRECTION_HISTORY;
  s.solver.velocity_direction = BILLOW_CONTACT_DIRECTION_HISTORY;
  s.solver.push_method = BILLOW_PUSH_METHOD_DEPTH;
  s.solver.push_iterations = 2;
  s.radius.value = 0.005f;
  s.friction = 0.3f;
  s.collider_groups = BILLOW_ALL_GROUPS;
  s.solver.alternations = 1;
  s.solver.rope_samples = 1;
  s.solver.lateral_samples = 3;
  s.solver.swept = 1;
  s.translation_inertia = 1;
  s.rotation_inertia = 1;
  s.teleport = BILLOW_TELEPORT_KEEP;
  s.teleport_distance = 1e30f;
  s.teleport_angle = 1e30f;
  s.scale = 1;
  return s;
}

billow_settings billow_settings_cape(void) {
  billow_settings s = billow_settings_default();
  s.mass.value = 0.006f;  // 140 bones: a light wool of 0.8 kg
  s.panel_drag = 1.2f;
  s.panel_lift = 0.8f;
  s.lateral_stretch.value = 2.0f;
  s.lateral_compression.value = 1.0f;
  s.damping.value = 0.5f;
  return s;
}

billow_settings billow_settings_skirt(void) {
  billow_settings s = billow_settings_default();
  s.mass.value = 0.004f;  // 234 bones: 0.9 kg
  s.panel_drag = 1.2f;
  s.lateral_stretch.value = 2.0f;
  s.lateral_compression.value = 1.0f;
  s.damping.value = 8.0f;
  s.global_damping = 2.5f;
  return s;
}

}  // extern "C"
