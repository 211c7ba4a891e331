// A character in a garment: the reference cloth attached to a moving body, and its static drape.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "body/person.h"
#include "body/surface.h"
#include "cloth/simulator.h"
#include "garment/garment.h"

namespace billow::character {

struct CharacterBody {
  const body::Skeleton& skeleton;
  std::span<const billow_collider> colliders;
};
inline CharacterBody character_body(const body::Person& person) {
  return {person.skeleton, person.colliders};
}

// The garment's cloth for the simulator, from its pattern and material.
cloth::Sheet sheet_of(const garment::Garment& garment);

std::vector<Transform> inverses(std::span<const Transform> joints);

class ClothedCharacter {
 public:
  // Starts at rest at `vertices`, with the body posed at `joints`. Keeps references to garment and character.
  ClothedCharacter(const garment::Garment& garment, const CharacterBody& character_body,
                   std::span<const V3> vertices, std::span<const Transform> joints,
                   const cloth::Settings& settings, int threads);

  // Advances by dt while the body moves linearly to `joints`.
  void step(float dt, std::span<const Transform> joints);
  // The same while the garment is being put on: attached vertices move by `attachment_share` of their
  // distance to the body.
  void step(float dt, std::span<const Transform> joints, float attachment_share);

  std::span<const V3> vertices() const { return cloth_.positions(); }
  cloth::Simulator& cloth() { return cloth_; }
  const body::Surface& surface() const { return surface_; }

 private:
  const garment::Garment& garment_;
  std::vector<Transform> rest_inverse_, skinning_;
  body::Surface surface_;
  std::vector<V3> attachment_points_;
  cloth::Simulator cloth_;
};

// Simulates the garment on a character until it settles and stores the result in garment.rest. Arms that hang at rest are
// raised until the cloth has fallen, then lowered to the rest pose. `report` receives the progress, 0 to 1.
struct Drape {
  float seconds;        // simulated
  float fastest, mean;  // m/s, final speeds of the vertices
};
Drape drape(garment::Garment& garment, const CharacterBody& character_body, int threads,
            const std::function<void(float)>& report = {});

}  // namespace billow::character
