#include "character/rope_settings.h"

#include "cloth/material.h"
#include "garment/chain_cloth.h"

namespace billow::character {
namespace {

// What no table of fabrics says: found by `billow ropes fit` on training clips of the built-in garments' data sets, compression then
// by hand on all training clips; a last fit from here found nothing that validation clips liked by more than 0.3 %.
struct Fitted {
  float drag, lift, friction, thickness;  // times the material's
  float stretch, compression, shear;      // N/m, between neighbours
  float damping;                          // 1/s
  float rest_angle;                       // N
};
constexpr Fitted kCape{1, 1, 4, 2, 10, 0.005f, 40, 1, 0};
constexpr Fitted kSkirt{1, 0.25f, 4, 1, 5, 0.01f, 10, 0.25f, 0.0005f};

// Coarser than the default: the cloth is followed as well.
constexpr float kSubstepAngle = 0.4f;
constexpr uint32_t kLateralSamples = 1;

}  // namespace

billow_settings rope_settings(const garment::Garment& garment) {
  const cloth::Material material = cloth::material_named(garment.material);
  const Fitted& fitted = garment.closed ? kSkirt : kCape;
  billow_settings s = billow_settings_default();
  s.mass.value = material.density * garment::chain_cloth(garment).mean_area;
  s.radius.value = fitted.thickness * material.thickness;
  s.friction = fitted.friction * material.friction;
  s.panel_drag = fitted.drag * material.drag;
  s.panel_lift = fitted.lift * material.lift;
  s.panel_folds = 1;
  s.lateral_stretch.value = fitted.stretch;
  s.lateral_compression.value = fitted.compression;
  s.lateral_shear.value = fitted.shear;
  s.damping.value = fitted.damping;
  s.rest_angle.value = fitted.rest_angle;
  s.solver.substep_angle = kSubstepAngle;
  s.solver.lateral_samples = kLateralSamples;
  // Cloth slides over a thigh that is raised; along the history it would stick there.
  s.solver.push_direction = s.solver.velocity_direction = BILLOW_CONTACT_DIRECTION_GRADIENT;
  return s;
}

}  // namespace billow::character
