// The reference cloth: small-step XPBD (Macklin, Storey, Lu, Terdiman, Chentanez, Jeschke and Mueller, "Small
// Steps in Physics Simulation", 2019). Gravity, air, bending and the contact planes of the body are computed
// once per step and held constant over its sub-steps, which solve stretch and body contacts. Self-contact is
// resolved at the start of a step, remaining penetration of the body at the end of a frame. Results do not
// depend on the number of threads.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <span>
#include <vector>

#include "body/contacts.h"
#include "body/surface.h"
#include "cloth/constants.h"
#include "cloth/sheet.h"
#include "cloth/threads.h"
#include "core/vec.h"

namespace billow::cloth {

// Self-contact between vertices as spheres of a radius close to the mesh spacing: dense enough that no vertex
// passes through a triangle.
class SelfContact {
 public:
  explicit SelfContact(const Sheet& sheet);

  // Broad phase: updates the candidate pairs for the next dt seconds, if the current ones may be incomplete.
  void find_pairs(std::span<const V3> x, std::span<const V3> v, float dt, ThreadTeam& threads);
  // Narrow phase: separates vertices and removes their approach velocity, with friction. dt: s, since the
  // last call.
  void resolve(std::span<V3> x, std::span<V3> v, std::span<const float> inverse_mass, float dt,
               ThreadTeam& threads);

  float distance() const { return distance_; }

 private:
  struct Grid {
    V3 low{0, 0, 0};
    float inverse_size = 0;
    int nx = 0, ny = 0;
    int cell(V3 p) const;
  };
  void build_grid(std::span<const V3> x, float reach);

  const Sheet& sheet_;
  float distance_;
  float margin_left_ = 0;  // m, motion relative to the mean velocity for which the pairs remain valid
  Grid grid_;
  // The vertices of cell c are members_[cell_start_[c]] up to members_[cell_start_[c + 1]]; sorted_ has their
  // positions.
  std::vector<uint32_t> cell_start_, cell_of_, members_;
  std::vector<V3> sorted_;
  // Up to kMaxPairs candidates per vertex.
  std::vector<uint32_t> pairs_;
  std::vector<uint8_t> pair_count_;
  struct Change {
    V3 x, v;
  };
  std::vector<Change> changes_;
};

struct Settings {
  float step = 1.0f / 1200;  // s, maximum
  int substeps = 4;
  V3 gravity{0, -9.81f, 0};
  V3 wind{0, 0, 0};          // m/s
  float air_density = 1.2f;  // kg/m3
  float damping = 0;         // 1/s, of velocities: settles the static drape
  bool self_contact = true;
  body::Contacts contacts;  // with the body: its rigid colliders are constraints, its soft ones forces
};

// How a frame is divided. The bending of a fine mesh needs shorter steps than all else: it is then evaluated in every sub-step.
struct FrameSteps {
  int steps, substeps;
  bool bend_every_substep;
};
FrameSteps frame_steps(float dt, const Settings& settings, float max_bending_step);

class Simulator {
 public:
  // Starts at rest at `positions`. Vertices in `pinned` are kinematic.
  Simulator(Sheet sheet, std::span<const V3> positions, std::span<const uint32_t> pinned,
            const Settings& settings, int threads);

  // Advances by dt. The body moves linearly from its last pose to `joints`, the pinned vertices to
  // `attachment_points`. `body` may be NULL.
  void step(float dt, body::Surface* body, std::span<const Transform> joints,
            std::span<const V3> attachment_points);
  // Sets all velocities to 0.
  void stop();

  const std::vector<V3>& positions() const { return x_; }
  const std::vector<V3>& velocities() const { return v_; }
  const Sheet& sheet() const { return sheet_; }
  Settings settings;

 private:
  // The body near a vertex as a moving plane.
  struct Contact {
    uint32_t vertex;
    V3 normal;
    float offset;  // constraint: normal . x >= offset, at the start of the step
    V3 motion;     // m, of the plane per sub-step
    float friction;
  };
  void compute_air_forces();
  void compute_soft_contacts(const billow_body* body, float at);
  void compute_accelerations();
  void find_contacts(const billow_body* body, float from, float to);
  void predict(float h);
  void move_attachments(float share, std::span<const V3> attachment_points);
  void solve_stretch(float h);
  void solve_body_contacts(int substep);
  void push_out_of_body(const billow_body* body);
  void update_velocities(float h);

  Sheet sheet_;
  ThreadTeam threads_;
  SelfContact self_contact_;
  std::vector<V3> x_, previous_, v_, air_, soft_, acceleration_;
  std::vector<float> inverse_mass_;
  std::vector<uint32_t> pinned_;
  std::vector<V3> last_attachment_points_;
  std::vector<float> distance_, gradient_;
  std::vector<int32_t> nearest_;
  std::vector<std::vector<Contact>> contacts_;  // per block of vertices
};

}  // namespace billow::cloth
