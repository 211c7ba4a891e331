// The reference cloth: small-step XPBD (Macklin, Storey, Lu, Terdiman, Chentanez, Jeschke and Mueller, "Small Steps
// in Physics Simulation", 2019). One step is short, so that the forces on the cloth change little during it: gravity, air,
// bending, and planes that stand for the body. It has a few sub-steps, shorter still, in which edges keep their
// length. The cloth is kept off itself at the start, and off the body at the end. The result does not depend on the number of threads.
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
  float step = 1.0f / 1200;  // s, at most; stiff fabrics take shorter ones
  int substeps = 4;
  V3 gravity{0, -9.81f, 0};
  V3 wind{0, 0, 0};          // m/s
  float air_density = 1.2f;  // kg/m3
  float damping = 0;         // 1/s, of all motion: brings cloth to rest when it is put on
  bool self_contact = true;
};

class Simulator {
 public:
  // Starts at rest at `positions`. Vertices in `pinned` go where they are told.
  Simulator(Sheet sheet, std::span<const V3> positions, std::span<const uint32_t> pinned,
            const Settings& settings, int threads);

  // Moves on by dt while the body goes from its last pose to `joints` and the pinned vertices to `pins`, both
  // steadily. `body` may be NULL.
  void step(float dt, body::Surface* body, std::span<const Transform> joints,
            std::span<const V3> attachment_points);
  // Stops all motion.
  void stop();

  const std::vector<V3>& positions() const { return x_; }
  const std::vector<V3>& velocities() const { return v_; }
  const Sheet& sheet() const { return sheet_; }
  Settings settings;

 private:
  // The body near a vertex, as a plane that moves.
  struct Contact {
    uint32_t vertex;
    V3 normal;
    float offset;  // normal . x >= offset at the start
    V3 motion;     // m, of the body in one sub-step
  };
  void find_air();
  void find_accelerations();
  void find_contacts(const billow_body* body, float from, float to);
  void move(float h);
  void move_pins(float share, std::span<const V3> attachment_points);
  void keep_lengths(float h);
  void keep_out_of_body(int substep);
  void leave_body(const body::Surface& body);
  void find_velocities(float h);

  Sheet sheet_;
  Threads threads_;
  SelfContact self_contact_;
  std::vector<V3> x_, before_, v_, air_, acceleration_;
  std::vector<float> inverse_mass_;
  std::vector<uint32_t> pinned_;
  std::vector<V3> pins_before_;
  std::vector<float> distance_, gradient_;
  std::vector<int32_t> nearest_;
  std::vector<std::vector<Contact>> contacts_;  // by blocks of vertices
};

}  // namespace billow::cloth
