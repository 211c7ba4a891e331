// The reference cloth: small-step XPBD (Macklin, Storey, Lu, Terdiman, Chentanez, Jeschke and Mueller, "Small Steps
// in Physics Simulation", 2019). Stretch is solved, once a step; gravity, bending and air are forces; the body and
// the cloth itself are kept out last. The result does not depend on the number of threads.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <span>
#include <vector>

#include "body/surface.h"
#include "cloth/self_contact.h"
#include "cloth/sheet.h"
#include "cloth/threads.h"

namespace billow::cloth {

struct Settings {
  float substep = 1.0f / 2400;  // s, at most
  V3 gravity{0, -9.81f, 0};
  V3 wind{0, 0, 0};          // m/s
  float air_density = 1.2f;  // kg/m3
  float drag_scale = 1;      // on the material's drag and lift: for the chaos floor
  bool self_contact = true;
  bool air = true;
};

// A vertex that may not be farther from a pinned one than the cloth between them is long (Kim, Chentanez and
// Mueller-Fischer, "Long Range Attachments", 2012): what edges would need many steps to hand up.
struct Tether {
  uint32_t vertex;
  uint32_t pin;  // a vertex, too
  float length;  // m
};

class Simulator {
 public:
  // Starts at rest at `positions`. Vertices in `pinned` go where they are told.
  Simulator(Sheet sheet, std::span<const V3> positions, std::span<const uint32_t> pinned,
            const Settings& settings, int threads);

  // Moves on by dt while the body goes from its last pose to `joints` and the pinned vertices to `pins`, both
  // steadily. `body` may be NULL.
  void step(float dt, body::Surface* body, std::span<const Transform> joints, std::span<const V3> pins);
  void set_tethers(std::vector<Tether> tethers) { tethers_ = std::move(tethers); }
  // Stops all motion.
  void stop();

  const std::vector<V3>& positions() const { return x_; }
  const std::vector<V3>& velocities() const { return v_; }
  const Sheet& sheet() const { return sheet_; }
  Settings settings;

 private:
  struct BodyMotion;
  void add_forces(float h);
  void add_air();
  void move_pins(float share, std::span<const V3> pins);
  void keep_lengths(float h);
  void keep_tethers();
  void keep_out_of_body(const BodyMotion& body);
  void update_velocities(float h);

  Sheet sheet_;
  Threads threads_;
  SelfContact self_contact_;
  std::vector<V3> x_, before_, v_, force_, next_;
  std::vector<float> inverse_mass_;
  std::vector<uint32_t> pinned_;
  std::vector<V3> pins_before_;
  std::vector<Tether> tethers_;
  std::vector<float> distance_, gradient_;
  std::vector<int32_t> nearest_;
};

}  // namespace billow::cloth
