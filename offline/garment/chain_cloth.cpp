#include "garment/chain_cloth.h"

#include <algorithm>
#include <limits>

namespace billow::garment {
namespace {

// The cloth as it is cut, or as modelled where there is no pattern.
std::vector<V3> spread_out(const Garment& g) {
  std::vector<V3> places = g.shape;
  for (size_t v = 0; v < g.pattern_uvs.size(); ++v) places[v] = {g.pattern_uvs[v][0], g.pattern_uvs[v][1], 0};
  return places;
}

std::vector<float> areas_around(const Garment& g, const std::vector<uint32_t>& bones) {
  const std::vector<V3> cloth = spread_out(g);
  std::vector<V3> places;
  for (const uint32_t b : bones) places.push_back(place_of(g.bones[b], cloth));
  std::vector<float> areas(bones.size());
  for (const Triangle& t : g.triangles) {
    const V3 a = cloth[t[0]], b = cloth[t[1]], c = cloth[t[2]], middle = (a + b + c) * (1.0f / 3);
    size_t nearest = 0;
    float least = std::numeric_limits<float>::max();
    for (size_t i = 0; i < places.size(); ++i) {
      const V3 d = places[i] - middle;
      if (const float squared = dot(d, d); squared < least) least = squared, nearest = i;
    }
    areas[nearest] += 0.5f * length(cross(b - a, c - a));
  }
  return areas;
}

}  // namespace

ChainCloth chain_cloth(const Garment& g) {
  ChainCloth cloth;
  std::vector<uint32_t> bones;
  for (size_t c = 0; c < g.chains.size(); ++c) {
    const auto &chain = g.chains[c], &next = g.chains[c + 1 < g.chains.size() ? c + 1 : 0];
    const bool beside = c + 1 < g.chains.size() || g.closed;
    bones.insert(bones.end(), chain.begin(), chain.end());
    for (size_t k = 0; k < chain.size(); ++k)
      cloth.lateral_lengths.push_back(
          beside && k < next.size() ? rope_length(g, g.bones[chain[k]], g.bones[next[k]]) : 0);
  }
  cloth.areas = areas_around(g, bones);
  size_t at = 0, simulated = 0;
  for (const auto& chain : g.chains)
    for (size_t k = 0; k < chain.size(); ++k, ++at)
      if (k > 0) cloth.mean_area += cloth.areas[at], ++simulated;
  cloth.mean_area /= static_cast<float>(std::max<size_t>(1, simulated));
  // A bone that no cloth is nearest to still has some mass.
  for (const float area : cloth.areas)
    cloth.mass_factors.push_back(std::max(0.05f, area / std::max(cloth.mean_area, 1e-12f)));
  return cloth;
}

}  // namespace billow::garment
