#include "ropes/chain_shape.h"

#include <algorithm>
#include <cmath>

namespace billow::ropes {
namespace {

Percentiles percentiles_of(std::vector<float>& values) {
  if (values.empty()) return {};
  const auto at = [&](double share) {
    const auto k =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), k, values.end());
    return static_cast<double>(*k);
  };
  return {at(0.05), at(0.5), at(0.95)};
}

}  // namespace

ChainShape measure_shape(const learn::Frames& frames, const learn::Matrix& bones,
                         const std::vector<size_t>& clips, double from_seconds) {
  const garment::Garment& garment = frames.garment();
  std::vector<V3> rest(garment.bones.size());
  garment::bone_positions(garment, garment.rest, rest);
  if (garment.chains.empty()) return {};
  const size_t chains = garment.chains.size(), pairs = garment.closed ? chains : chains - 1;
  const auto chain = [&](size_t c) -> const std::vector<uint32_t>& { return garment.chains[c % chains]; };
  const auto pattern = [&](uint32_t a, uint32_t b) {
    return garment::rope_length(garment, garment.bones[a], garment.bones[b]);
  };
  const auto first_frame =
      static_cast<uint32_t>(std::ceil(from_seconds * static_cast<double>(frames.info().frames_per_second)));
  std::vector<float> lateral, rope, angle;
  for (const size_t clip : clips)
    for (uint32_t f = frames.clips()[clip].begin + first_frame; f < frames.clips()[clip].end; ++f) {
      const auto row = bones.row(static_cast<Eigen::Index>(f));
      const auto x = [&](uint32_t b) { return rest[b] + V3{row[3 * b], row[3 * b + 1], row[3 * b + 2]}; };
      const auto relative = [&](uint32_t a, uint32_t b) { return length(x(a) - x(b)) / pattern(a, b); };
      for (size_t c = 0; c < chains; ++c)
        for (size_t i = 1; i < chain(c).size(); ++i) rope.push_back(relative(chain(c)[i - 1], chain(c)[i]));
      // Normals of the panels between two chains, from level i - 1 to i.
      const auto panel = [&](size_t c, size_t i) {
        const V3 corner = x(chain(c)[i]);
        return cross(x(chain(c + 1)[i]) - corner, x(chain(c)[i - 1]) - corner);
      };
      for (size_t c = 0; c < pairs; ++c)
        for (size_t i = 1; i < std::min(chain(c).size(), chain(c + 1).size()); ++i) {
          lateral.push_back(relative(chain(c)[i], chain(c + 1)[i]));
          if (c + 1 >= pairs && !garment.closed) continue;
          if (i >= chain(c + 2).size()) continue;
          const V3 one = panel(c, i), two = panel(c + 1, i);
          const float size = length(one) * length(two);
          if (size > 0) angle.push_back(std::acos(std::clamp(dot(one, two) / size, -1.0f, 1.0f)));
        }
    }
  return {percentiles_of(lateral), percentiles_of(rope), percentiles_of(angle)};
}

}  // namespace billow::ropes
