// Small sets of chains for tests of the API and the runtime.
#pragma once

#include <billow/billow.hpp>
#include <string>
#include <vector>

#include "scenes.h"
#include "support/vector.h"

namespace billow::testing {

inline constexpr float kFrame = 1.0f / 60;

// A chain straight down from the origin.
inline Chains hanging_chain(int ropes, float rope_length,
                            const Settings& settings = billow_settings_default()) {
  std::vector<float> rest;
  for (int i = 0; i <= ropes; ++i)
    rest.insert(rest.end(), {0.0f, -rope_length * static_cast<float>(i), 0.0f});
  return scenes::make_chains({static_cast<uint32_t>(ropes + 1)}, rest, false, false, settings);
}

// Neighbouring chains side by side along x from the origin, straight down.
struct Sheet {
  Chains chains;
  std::vector<Transform> roots;
};
inline Sheet hanging_sheet(int columns, int ropes, float spacing, float rope_length,
                           const Settings& settings) {
  Sheet sheet;
  std::vector<float> rest;
  for (int c = 0; c < columns; ++c) {
    const float x = spacing * static_cast<float>(c);
    for (int i = 0; i <= ropes; ++i) rest.insert(rest.end(), {x, -rope_length * static_cast<float>(i), 0.0f});
    sheet.roots.push_back(translation(x, 0, 0));
  }
  const std::vector<uint32_t> bones(static_cast<size_t>(columns), static_cast<uint32_t>(ropes + 1));
  sheet.chains = scenes::make_chains(bones, rest, true, false, settings);
  return sheet;
}

// A closed ring of chains around the y axis, straight down.
inline Sheet hanging_ring(int columns, int ropes, double radius, float rope_length,
                          const Settings& settings) {
  Sheet closed;
  std::vector<float> rest;
  for (int c = 0; c < columns; ++c) {
    const double angle = 6.283185307179586 * c / columns;
    const float x = static_cast<float>(radius * std::sin(angle)),
                z = static_cast<float>(radius * std::cos(angle));
    for (int i = 0; i <= ropes; ++i) rest.insert(rest.end(), {x, -rope_length * static_cast<float>(i), z});
    closed.roots.push_back(translation(x, 0, z));
  }
  const std::vector<uint32_t> bones(static_cast<size_t>(columns), static_cast<uint32_t>(ropes + 1));
  closed.chains = scenes::make_chains(bones, rest, true, true, settings);
  return closed;
}

inline std::vector<float> positions_of(const Chains& chains) {
  std::vector<float> out(3 * chains.bone_count());
  if (!chains.positions(out)) out.clear();
  return out;
}
inline std::vector<float> velocities_of(const Chains& chains) {
  std::vector<float> out(3 * chains.bone_count());
  if (!chains.velocities(out)) out.clear();
  return out;
}
// The last bone of the last chain.
inline Vector tip_of(const Chains& chains) {
  return vector_at(positions_of(chains).data(), chains.bone_count() - 1);
}

// The largest distance between corresponding bones.
inline double farthest_apart(const std::vector<float>& a, const std::vector<float>& b) {
  double farthest = a.size() == b.size() ? 0 : 1e30;
  for (size_t i = 0; i < a.size() / 3 && farthest < 1e30; ++i)
    farthest = std::max(farthest, length(vector_at(a.data(), i) - vector_at(b.data(), i)));
  return farthest;
}
inline bool all_finite(const std::vector<float>& values) {
  for (float v : values)
    if (!std::isfinite(v)) return false;
  return !values.empty();
}

}  // namespace billow::testing
