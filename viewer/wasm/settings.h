// The chain settings that the page has controls for, by name, as doubles.
#pragma once

#include <billow/billow.h>

namespace billow::viewer {

int setting_count();
const char* setting_name(int setting);
double get_setting(const billow_settings& settings, int setting);
void set_setting(billow_settings& settings, int setting, double value);

}  // namespace billow::viewer
