// The structs that a caller fills and whose defaults are zeros: billow_settings, billow_collider and billow_instance_options have files
// of their own.
#include <billow/billow.h>

extern "C" {

billow_body_desc billow_body_desc_default(void) {
  billow_body_desc d{};
  d.joint_count = 1;
  return d;
}
billow_chains_desc billow_chains_desc_default(void) { return {}; }
billow_garment_desc billow_garment_desc_default(void) { return {}; }
billow_step billow_step_default(void) { return {}; }
billow_frame billow_frame_default(void) {
  billow_frame f{};
  f.scale = 1;
  return f;
}
billow_output billow_output_default(void) { return {}; }
billow_wind billow_wind_default(void) {
  billow_wind w{};
  w.gust_frequency = 0.5f;
  return w;
}

}  // extern "C"
