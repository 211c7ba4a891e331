// The structs of the C API: their defaults, and where their fields are. The package reads and writes fields in bytes of the same
// layout, so that a field needs one line here and one there.
#include <cstddef>
#include <map>
#include <type_traits>

#include "objects.h"

namespace billow::python {
namespace {

struct Field {
  std::string name, type;  // a letter of Python's struct module, or the name of a struct
  size_t offset, count;
};
struct Layout {
  size_t size;
  std::vector<Field> fields;
  py::bytes initial;
};

template <class T> const char* type_name() {
  if constexpr (std::is_same_v<T, billow_curve>)
    return "curve";
  else if constexpr (std::is_same_v<T, billow_linear_solver>)
    return "linear_solver";
  else if constexpr (std::is_same_v<T, billow_solver_settings>)
    return "solver_settings";
  else if constexpr (std::is_same_v<T, float>)
    return "f";
  else if constexpr (std::is_same_v<T, double>)
    return "d";
  else if constexpr (std::is_same_v<T, uint32_t>)
    return "I";
  else if constexpr (std::is_same_v<T, uint64_t>)
    return "Q";
  else {
    static_assert(sizeof(T) == sizeof(int32_t) && (std::is_enum_v<T> || std::is_same_v<T, int32_t>));
    return "i";
  }
}

template <class T> Field describe(const char* name, size_t offset) {
  using Element = std::remove_all_extents_t<T>;
  return {name, type_name<Element>(), offset, sizeof(T) / sizeof(Element)};
}

#define BILLOW_FIELD(name) describe<decltype(S::name)>(#name, offsetof(S, name))

template <class T> Layout layout_of(const T& initial, std::vector<Field> fields) {
  return {sizeof(T), std::move(fields), to_bytes(initial)};
}

std::vector<Field> fields_of_settings() {
  using S = billow_settings;
  return {BILLOW_FIELD(mass),
          BILLOW_FIELD(damping),
          BILLOW_FIELD(global_damping),
          BILLOW_FIELD(lateral_stretch),
          BILLOW_FIELD(lateral_compression),
          BILLOW_FIELD(lateral_shear),
          BILLOW_FIELD(rest_angle),
          BILLOW_FIELD(shrink),
          BILLOW_FIELD(gravity),
          BILLOW_FIELD(drag),
          BILLOW_FIELD(panel_drag),
          BILLOW_FIELD(panel_lift),
          BILLOW_FIELD(panel_folds),
          BILLOW_FIELD(air_density),
          BILLOW_FIELD(radius),
          BILLOW_FIELD(friction),
          BILLOW_FIELD(collider_groups),
          BILLOW_FIELD(softness),
          BILLOW_FIELD(yielding_groups),
          BILLOW_FIELD(translation_inertia),
          BILLOW_FIELD(rotation_inertia),
          BILLOW_FIELD(teleport),
          BILLOW_FIELD(teleport_distance),
          BILLOW_FIELD(teleport_angle),
          BILLOW_FIELD(self_contact),
          BILLOW_FIELD(learnt_force),
          BILLOW_FIELD(rest_speed),
          BILLOW_FIELD(sleep_after),
          BILLOW_FIELD(scale),
          BILLOW_FIELD(profile),
          BILLOW_FIELD(solver)};
}

std::vector<Field> fields_of_solver() {
  using S = billow_solver_settings;
  return {BILLOW_FIELD(min_substeps), BILLOW_FIELD(max_substeps),    BILLOW_FIELD(substep_angle),
          BILLOW_FIELD(tension),      BILLOW_FIELD(impulse),         BILLOW_FIELD(impulses),
          BILLOW_FIELD(tautness),     BILLOW_FIELD(gap_return),      BILLOW_FIELD(move_with_parent),
          BILLOW_FIELD(energy_guard), BILLOW_FIELD(push_direction),  BILLOW_FIELD(velocity_direction),
          BILLOW_FIELD(push_method),  BILLOW_FIELD(push_iterations), BILLOW_FIELD(push_extra),
          BILLOW_FIELD(alternations), BILLOW_FIELD(rope_samples),    BILLOW_FIELD(lateral_samples),
          BILLOW_FIELD(swept)};
}

std::vector<Field> fields_of_linear_solver() {
  using S = billow_linear_solver;
  return {BILLOW_FIELD(method), BILLOW_FIELD(sweeps), BILLOW_FIELD(tolerance), BILLOW_FIELD(warm_start)};
}

std::vector<Field> fields_of_curve() {
  using S = billow_curve;
  return {BILLOW_FIELD(value), BILLOW_FIELD(point_count), BILLOW_FIELD(points)};
}

// Pointers are not fields: what they point to is passed beside the struct.
std::vector<Field> fields_of_wind() {
  using S = billow_wind;
  return {BILLOW_FIELD(velocity), BILLOW_FIELD(gust), BILLOW_FIELD(gust_frequency), BILLOW_FIELD(seed)};
}

std::vector<Field> fields_of_collider() {
  using S = billow_collider;
  return {BILLOW_FIELD(shape),  BILLOW_FIELD(position),   BILLOW_FIELD(rotation),     BILLOW_FIELD(end),
          BILLOW_FIELD(radius), BILLOW_FIELD(radius_end), BILLOW_FIELD(half_extents), BILLOW_FIELD(joint),
          BILLOW_FIELD(weight), BILLOW_FIELD(blend_with), BILLOW_FIELD(blend_radius), BILLOW_FIELD(group)};
}

std::vector<Field> fields_of_options() {
  using S = billow_instance_options;
  return {BILLOW_FIELD(networks), BILLOW_FIELD(shape),    BILLOW_FIELD(linear_blend), BILLOW_FIELD(lengths),
          BILLOW_FIELD(push_out), BILLOW_FIELD(normals),  BILLOW_FIELD(profile),      BILLOW_FIELD(clearance),
          BILLOW_FIELD(softness), BILLOW_FIELD(interval), BILLOW_FIELD(stagger),      BILLOW_FIELD(blend)};
}

std::vector<Field> fields_of_levels() {
  using S = billow_levels;
  return {BILLOW_FIELD(near_distance), BILLOW_FIELD(budget_ms), BILLOW_FIELD(frame_ms)};
}

std::vector<Field> fields_of_clock() {
  using S = billow_clock;
  return {BILLOW_FIELD(rate), BILLOW_FIELD(max_steps), BILLOW_FIELD(steps),
          BILLOW_FIELD(left), BILLOW_FIELD(before),    BILLOW_FIELD(frame)};
}

// Each struct as (size, [(name, type, offset, count)], default bytes).
py::dict layouts() {
  const std::map<std::string, Layout> all = {
      {"settings", layout_of(billow_settings_default(), fields_of_settings())},
      {"solver_settings", layout_of(billow_settings_default().solver, fields_of_solver())},
      {"linear_solver", layout_of(billow_settings_default().solver.tension, fields_of_linear_solver())},
      {"curve", layout_of(billow_curve{}, fields_of_curve())},
      {"wind", layout_of(billow_wind_default(), fields_of_wind())},
      {"collider", layout_of(billow_collider_default(), fields_of_collider())},
      {"instance_options", layout_of(billow_instance_options_default(), fields_of_options())},
      {"levels", layout_of(billow_levels_default(), fields_of_levels())},
      {"clock", layout_of(billow_clock_default(), fields_of_clock())},
  };
  py::dict out;
  for (const auto& [name, layout] : all) {
    py::list fields;
    for (const Field& f : layout.fields) fields.append(py::make_tuple(f.name, f.type, f.offset, f.count));
    out[name.c_str()] = py::make_tuple(layout.size, fields, layout.initial);
  }
  return out;
}

}  // namespace

void add_structs(py::module_& module) {
  module.def("layouts", &layouts);
  module.def("settings_cape", [] { return to_bytes(billow_settings_cape()); });
  module.def("settings_skirt", [] { return to_bytes(billow_settings_skirt()); });
  module.def("clock_advance", [](const py::bytes& bytes, float dt) {
    billow_clock clock = from_bytes<billow_clock>(bytes);
    uint32_t count = 0;
    check(billow_clock_advance(&clock, dt, &count));
    return py::make_tuple(to_bytes(clock), count);
  });
  module.def("clock_share", [](const py::bytes& bytes, uint32_t step) {
    const billow_clock clock = from_bytes<billow_clock>(bytes);
    return billow_clock_share(&clock, step);
  });
  module.def("clock_dt", [](const py::bytes& bytes) {
    const billow_clock clock = from_bytes<billow_clock>(bytes);
    return billow_clock_dt(&clock);
  });
}

}  // namespace billow::python
