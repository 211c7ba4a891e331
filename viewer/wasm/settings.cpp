#include "settings.h"

namespace billow::viewer {
namespace {

using S = billow_settings;

// Access to a field as a double. For a curve it is the factor that the curve is multiplied by.
struct Setting {
  const char* name;
  double (*get)(const S&);
  void (*set)(S&, double);
};

#define BILLOW_NUMBER(name, type, field)                           \
  {                                                                \
    name, [](const S& s) { return static_cast<double>(s.field); }, \
        [](S& s, double v) { s.field = static_cast<type>(v); }     \
  }

// clang-format off
constexpr Setting kSettings[] = {
    BILLOW_NUMBER("gravity", float, gravity[1]),
    BILLOW_NUMBER("drag", float, drag.value),
    BILLOW_NUMBER("damping", float, damping.value),
    BILLOW_NUMBER("global_damping", float, global_damping),
    BILLOW_NUMBER("lateral_stretch", float, lateral_stretch.value),
    BILLOW_NUMBER("lateral_compression", float, lateral_compression.value),
    BILLOW_NUMBER("lateral_shear", float, lateral_shear.value),
    BILLOW_NUMBER("panel_drag", float, panel_drag),
    BILLOW_NUMBER("tension_method", billow_solver, solver.tension.method),
    BILLOW_NUMBER("tension_sweeps", uint32_t, solver.tension.sweeps),
    BILLOW_NUMBER("impulse_method", billow_solver, solver.impulse.method),
    BILLOW_NUMBER("impulse_sweeps", uint32_t, solver.impulse.sweeps),
    BILLOW_NUMBER("min_substeps", uint32_t, solver.min_substeps),
    BILLOW_NUMBER("max_substeps", uint32_t, solver.max_substeps),
    BILLOW_NUMBER("push_direction", billow_contact_direction, solver.push_direction),
    BILLOW_NUMBER("velocity_direction", billow_contact_direction, solver.velocity_direction),
    BILLOW_NUMBER("friction", float, friction),
    BILLOW_NUMBER("profile", int32_t, profile),
};
// clang-format on
#undef BILLOW_NUMBER

}  // namespace

int setting_count() { return static_cast<int>(sizeof kSettings / sizeof *kSettings); }
const char* setting_name(int setting) { return kSettings[setting].name; }
double get_setting(const S& settings, int setting) { return kSettings[setting].get(settings); }
void set_setting(S& settings, int setting, double value) { kSettings[setting].set(settings, value); }

}  // namespace billow::viewer
