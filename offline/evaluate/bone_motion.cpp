#include "evaluate/bone_motion.h"

namespace billow::evaluate {

BoneMotion::BoneMotion(const garment::Garment& garment) : rest_(garment.bones.size()) {
  garment::places_of_bones(garment, garment.rest, rest_);
  std::vector<uint32_t> sizes, bones;
  for (const auto& chain : garment.chains) {
    sizes.push_back(static_cast<uint32_t>(chain.size()));
    bones.insert(bones.end(), chain.begin(), chain.end());
  }
  const BoneChains chains{sizes, bones, garment.closed};
  axes_.resize(bones.size());
  find_bone_axes(chains, axes_.data());
  followers_.resize(rest_.size());
  followers_.resize(find_bone_followers(chains, rest_, followers_.data()));
}

std::vector<Transform> BoneMotion::from(std::span<const float> displacements) const {
  std::vector<V3> places(rest_);
  for (size_t b = 0; b < places.size(); ++b)
    places[b] += V3{displacements[3 * b], displacements[3 * b + 1], displacements[3 * b + 2]};
  std::vector<Transform> out(rest_.size());
  find_bone_motions(axes_, followers_, rest_, places.data(), out.data());
  return out;
}

}  // namespace billow::evaluate
