#include "dress/rope_settings.h"

#include "cloth/material.h"
#include "garment/chain_cloth.h"

namespace billow::dress {
namespace {

// What no table of fabrics says: found by `billow ropes fit` on the training clips of the built-in garments' data sets.
struct Fitted {
  float drag, lift;                   // times the material's
  float folds;                        // share of the folded cloth that the air meets
  float stretch, compression, shear;  // N/m, between neighbours
  float damping, global_damping;      // 1/s
  float friction;                     // times the material's
};
constexpr Fitted kCape{1, 1, 1, 10, 0.05f, 10, 0.5f, 0, 1};
constexpr Fitted kSkirt{1, 1, 1, 10, 0.05f, 10, 0.5f, 0, 1};

}  // namespace

billow_settings rope_settings(const garment::Garment& garment) {
  const cloth::Material material = cloth::material_named(garment.material);
  const Fitted& fitted = garment.ring ? kSkirt : kCape;
  billow_settings s = billow_settings_default();
  s.mass.value = material.density * garment::chain_cloth(garment).mean_area;
  s.radius.value = material.thickness;
  s.friction = fitted.friction * material.friction;
  s.panel_drag = fitted.drag * material.drag;
  s.panel_lift = fitted.lift * material.lift;
  s.panel_folds = fitted.folds;
  s.lateral_stretch.value = fitted.stretch;
  s.lateral_compression.value = fitted.compression;
  s.lateral_shear.value = fitted.shear;
  s.damping.value = fitted.damping;
  s.global_damping = fitted.global_damping;
  // Cloth that slides over a thigh as it is raised: with velocities taken along the history it sticks there.
  s.velocity_direction = BILLOW_ALONG_GRADIENT;
  return s;
}

}  // namespace billow::dress
