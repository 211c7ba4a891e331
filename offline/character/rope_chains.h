// The rope chains of a garment on a moving body, as the runtime simulates them.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <span>
#include <vector>

#include "body/surface.h"
#include "character/clothed_character.h"
#include "garment/garment.h"

namespace billow::character {

// Chain settings for a garment. Mass, air, thickness and friction follow from its material and pattern; the
// rest was fitted to the built-in skirt (closed garments) or cape (open ones), see docs/training.md.
billow_settings rope_settings(const garment::Garment& garment);

class RopeChains {
 public:
  // Starts with the body posed at `joints`. Keeps a reference to the garment, which has to be draped.
  RopeChains(const garment::Garment& garment, const CharacterBody& character_body,
             std::span<const Transform> joints, const billow_settings& settings);
  // The same with precomputed chain_cloth(), which takes longer than a frame.
  RopeChains(const garment::Garment& garment, const garment::ChainCloth& cloth,
             const CharacterBody& character_body, std::span<const Transform> joints,
             const billow_settings& settings);

  void step(float dt, std::span<const Transform> joints);
  // All bones of the garment, including kinematic ones.
  std::span<const V3> bones() const { return bones_; }
  // Report of the last step.
  billow_chains_report report() const;
  billow_chains* chains() { return chains_.get(); }

 private:
  struct Destroy {
    void operator()(billow_chains* chains) const { billow_chains_destroy(chains); }
  };
  // As in the runtime's stage "follow": the frame of the seam at a bone, with the bone's rest offset applied.
  Transform attachment_frame(uint32_t bone) const;
  void place_roots(std::span<const Transform> joints);
  void read_bones();

  const garment::Garment& garment_;
  std::vector<Transform> rest_inverse_, skinning_;
  body::Surface surface_;
  std::unique_ptr<billow_chains, Destroy> chains_;
  std::vector<V3> attachment_points_, bones_, simulated_;
  std::vector<billow_transform> roots_;
  // Per bone: attachments among its three vertices, with their barycentric weights.
  std::vector<std::vector<std::pair<size_t, float>>> attachment_shares_;
  std::vector<V3> attachment_offset_;  // per bone: at rest, from the weighted mean of these attachments
};

}  // namespace billow::character
