// `billow demo`: the cape and the skirt.
#include <cmath>

#include "demo.h"
#include "draw_scene.h"
#include "play.h"
#include "scenes.h"

namespace billow::tool {
namespace {

constexpr int kWidth = 500, kHeight = 560;

struct Garment {
  scenes::Scene scene;
  std::string shows;
  std::vector<double> moments;  // s, ascending
  draw::Vec3 from;              // the camera, seen from the target
  draw::Vec3 aside;             // the target, seen from the pelvis
  draw::Vec3 light;
  SceneStyle style;
};

DemoPicture draw_garment(Garment garment, const std::filesystem::path& folder) {
  constexpr double kHz = 60;
  std::vector<draw::Image> panels;
  const Numbers n =
      play(garment.scene, garment.moments.back(), kHz, [&](const scenes::Scene& scene, uint32_t frame) {
        if (panels.size() == garment.moments.size()) return;
        if (frame != static_cast<uint32_t>(std::lround(kHz * garment.moments[panels.size()]))) return;
        const Snapshot moment = snapshot(scene);
        const draw::Camera camera = person_camera(moment, garment.from, garment.aside);
        draw::Canvas canvas(kWidth, kHeight);
        canvas.light.toward = garment.light;
        canvas.ground({.centre = {camera.target.x, 0, camera.target.z}});
        draw_scene(canvas, scene, moment, garment.style);
        panels.push_back(canvas.render(camera));
        label(panels.back(), rounded(moment.time, 2) + " s");
      });

  DemoPicture picture{folder / (garment.scene.name + ".png"), garment.shows, {}};
  draw::write_png(draw::strip(panels, 4, 6), picture.file);
  picture.numbers = {
      std::to_string(n.chains) + " chains, " + std::to_string(n.bones) + " bones, " +
          std::to_string(n.frames) + " frames at 60 Hz, " + rounded(n.substeps_mean, 1) +
          " sub-steps a frame",
      rounded(n.step_p50, 0) + " us a frame (p99 " + rounded(n.step_p99, 0) + ")",
      "longest rope " + rounded(100 * n.length_excess, 4) + " % over its maximum, deepest bone " +
          rounded(1000 * std::fabs(n.deepest_bone.value_or(0)), 1) +
          (n.deepest_bone.value_or(0) < 0 ? " mm inside the body" : " mm off the body"),
  };
  return picture;
}

}  // namespace

DemoPicture demo_cape(const std::filesystem::path& folder) {
  Garment cape{scenes::cape_running(),
               "a cape on a person who starts to run (10 chains of 13 to 15 bones)",
               {0.05, 0.5, 0.75, 1.0, 1.25, 1.6, 2.0, 2.4},
               {3.0f, 0.55f, -2.6f},
               {0, -0.05f, -0.32f},
               {1.0f, 1.3f, -0.25f},
               {}};
  return draw_garment(std::move(cape), folder);
}

DemoPicture demo_skirt(const std::filesystem::path& folder) {
  Garment skirt{scenes::skirt_kicking(),
                "a skirt on legs that kick at running speed (26 chains of 9 bones)",
                {0.05, 0.5, 0.65, 0.8, 1.0, 1.4, 1.8, 2.4},
                {2.7f, 0.45f, 2.9f},
                {0, -0.05f, 0},
                {-0.3f, 1.2f, 1.0f},
                {}};
  skirt.style.palette.sheet = draw::srgb(0xc3d9f2);
  skirt.style.palette.lining = draw::srgb(0x6f97cc);
  return draw_garment(std::move(skirt), folder);
}

}  // namespace billow::tool
