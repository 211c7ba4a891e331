// Lengths on the flat pattern that cloth was cut from.
#pragma once

#include "core/vec.h"

namespace billow {

struct PatternUv {
  float u, v;
};
inline PatternUv on_pattern(const float* pattern_uvs, uint32_t from, uint32_t to) {
  return {pattern_uvs[2 * size_t{to}] - pattern_uvs[2 * size_t{from}],
          pattern_uvs[2 * size_t{to} + 1] - pattern_uvs[2 * size_t{from} + 1]};
}

inline V3 at_rest(const float* rest, uint32_t from, uint32_t to) {
  const float *a = rest + 3 * size_t{from}, *b = rest + 3 * size_t{to};
  return {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
}

// Whether an edge crosses a seam of the pattern. Folds make cloth shorter than its pattern, but not by this factor.
inline bool across_seam(const float* pattern_uvs, const float* rest, uint32_t a, uint32_t b) {
  constexpr float kMaxRatio = 4;
  const PatternUv d = on_pattern(pattern_uvs, a, b);
  const V3 r = at_rest(rest, a, b);
  return d.u * d.u + d.v * d.v > kMaxRatio * kMaxRatio * dot(r, r) + 1e-12f;
}

// Length of an edge on the pattern; at rest for a garment without a pattern and across a seam.
inline float pattern_length(const float* pattern_uvs, const float* rest, uint32_t a, uint32_t b) {
  const V3 r = at_rest(rest, a, b);
  if (!pattern_uvs || across_seam(pattern_uvs, rest, a, b)) return std::sqrt(dot(r, r));
  const PatternUv d = on_pattern(pattern_uvs, a, b);
  return std::sqrt(d.u * d.u + d.v * d.v);
}

}  // namespace billow
