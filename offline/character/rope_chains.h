// The rope chains of a garment on a moving body: what the runtime simulates instead of the cloth.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <span>
#include <vector>

#include "body/surface.h"
#include "character/clothed_character.h"
#include "character/rope_settings.h"
#include "garment/chain_cloth.h"
#include "garment/garment.h"

namespace billow::character {

class RopeChains {
 public:
  // On a body that stands at `joints`. Keeps a reference to the garment, whose rest has to be there.
  RopeChains(const garment::Garment& garment, const CharacterBody& character_body,
             std::span<const Transform> joints, const billow_settings& settings);
  // The same where the cloth around the bones is known already: finding it takes longer than a frame.
  RopeChains(const garment::Garment& garment, const garment::ChainCloth& cloth,
             const CharacterBody& character_body, std::span<const Transform> joints,
             const billow_settings& settings);

  void step(float dt, std::span<const Transform> joints);
  // All bones of the garment, those that are not simulated too.
  std::span<const V3> bones() const { return bones_; }
  // Of the last step.
  billow_chains_report report() const;

 private:
  struct Destroy {
    void operator()(billow_chains* chains) const { billow_chains_destroy(chains); }
  };
  // As the runtime's stage "follow" has it: the seam under a bone, moved to where the bone was on it at rest.
  Transform attachment_frame(uint32_t bone) const;
  void place_roots(std::span<const Transform> joints);
  void read_bones();

  const garment::Garment& garment_;
  std::vector<Transform> rest_inverse_, moved_;
  body::Surface surface_;
  std::unique_ptr<billow_chains, Destroy> chains_;
  std::vector<V3> attachment_points_, bones_, simulated_;
  std::vector<billow_transform> roots_;
  // For each bone the attachments it lies on, as far as it lies on any.
  std::vector<std::vector<std::pair<size_t, float>>> attachment_shares_;
  std::vector<V3> attachment_offset_;  // at rest, from the mean of these attachments to the bone
};

}  // namespace billow::character
