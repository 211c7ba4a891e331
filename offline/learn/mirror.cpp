#include "learn/mirror.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace billow::learn {
namespace {

constexpr float kAlike = 1e-3f;  // m

// The place nearest to where each is seen in the mirror; empty if one has none near, or two have the same.
std::vector<uint32_t> pair_up(const std::vector<V3>& places) {
  std::vector<uint32_t> by_height(places.size());
  std::iota(by_height.begin(), by_height.end(), 0u);
  const auto lower = [&](uint32_t a, float y) { return places[a].y < y; };
  std::sort(by_height.begin(), by_height.end(),
            [&](uint32_t a, uint32_t b) { return places[a].y < places[b].y; });
  std::vector<uint32_t> out;
  for (const V3& p : places) {
    const V3 wanted = mirrored(p);
    float nearest = kAlike;
    uint32_t found = 0;
    for (auto it = std::lower_bound(by_height.begin(), by_height.end(), p.y - kAlike, lower);
         it != by_height.end() && places[*it].y <= p.y + kAlike; ++it) {
      const float d = length(places[*it] - wanted);
      if (d < nearest) nearest = d, found = *it;
    }
    if (nearest == kAlike) return {};
    out.push_back(found);
  }
  for (uint32_t i = 0; i < out.size(); ++i)
    if (out[out[i]] != i) return {};
  return out;
}

}  // namespace

std::optional<Mirror> find_mirror(const garment::Garment& g) {
  std::vector<V3> bones(g.bones.size());
  garment::places_of_bones(g, g.shape, bones);
  Mirror mirror{pair_up(g.shape), pair_up(bones)};
  if (mirror.vertices.size() != g.size() || mirror.bones.size() != bones.size()) return std::nullopt;
  return mirror;
}

}  // namespace billow::learn
