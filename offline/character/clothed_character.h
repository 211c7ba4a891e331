// A person in a garment: the reference cloth, attached to a body that moves.
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

// The garment's cloth as it is cut, in its material.
cloth::Sheet sheet_of(const garment::Garment& garment);

std::vector<Transform> inverses(std::span<const Transform> joints);

class ClothedCharacter {
 public:
  // Starts at `vertices`, at rest, on a body that stands at `joints`. Keeps references to garment and character.
  ClothedCharacter(const garment::Garment& garment, const CharacterBody& character_body,
                   std::span<const V3> vertices, std::span<const Transform> joints,
                   const cloth::Settings& settings, int threads);

  // Moves on while the body goes steadily to `joints`.
  void step(float dt, std::span<const Transform> joints);
  // The same while the garment is put on: seams go to `attachment_share` of the way from where they are to the body.
  void step(float dt, std::span<const Transform> joints, float attachment_share);

  std::span<const V3> vertices() const { return cloth_.positions(); }
  cloth::Simulator& cloth() { return cloth_; }
  const body::Surface& surface() const { return surface_; }

 private:
  const garment::Garment& garment_;
  std::vector<Transform> rest_inverse_, moved_;
  body::Surface surface_;
  std::vector<V3> attachment_points_;
  cloth::Simulator cloth_;
};

// Puts the garment on a resting person and lets it come to rest: fills garment.rest. Arms are raised until the
// cloth has fallen. `report` is told the share that is done.
struct Drape {
  float seconds;        // that it took
  float fastest, mean;  // m/s, at the end
};
Drape drape(garment::Garment& garment, const body::Person& person, int threads,
            const std::function<void(float)>& report = {});

}  // namespace billow::character
