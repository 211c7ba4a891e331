#include "pack/tiles.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace billow::pack {
namespace {

using Patches = std::vector<uint32_t>;  // sorted

struct Membership {
  uint32_t patch;
  int32_t index;
};

// The patches of each vertex, in ascending order.
std::vector<std::vector<Membership>> memberships(const std::vector<learn::Patch>& patches,
                                                 uint32_t vertices) {
  std::vector<std::vector<Membership>> all(vertices);
  for (uint32_t p = 0; p < patches.size(); ++p)
    for (size_t i = 0; i < patches[p].vertices.size(); ++i)
      all[patches[p].vertices[i]].push_back({p, static_cast<int32_t>(i)});
  return all;
}

// Number of patches that are not in `from`.
size_t count_missing(const Patches& patches, const Patches& from) {
  return static_cast<size_t>(std::count_if(patches.begin(), patches.end(), [&](uint32_t p) {
    return !std::binary_search(from.begin(), from.end(), p);
  }));
}

// Vertices by their set of patches.
using VerticesByPatches = std::map<Patches, std::vector<uint32_t>>;

std::vector<uint32_t> take(VerticesByPatches& groups, VerticesByPatches::iterator from, size_t max_count) {
  std::vector<uint32_t>& vertices = from->second;
  const size_t count = std::min(max_count, vertices.size());
  std::vector<uint32_t> taken(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(count));
  vertices.erase(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(count));
  if (vertices.empty()) groups.erase(from);
  return taken;
}

// Starts with the largest set of patches, and adds vertices that bring the fewest new ones.
std::vector<uint32_t> greedy_tile(VerticesByPatches& groups) {
  const auto first = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.first.size() < b.first.size();
  });
  Patches patches = first->first;
  std::vector<uint32_t> tile = take(groups, first, kPanelRows);
  while (tile.size() < kPanelRows && !groups.empty()) {
    const auto cost = [&](const auto& a) {
      return std::pair(count_missing(a.first, patches), count_missing(patches, a.first));
    };
    const auto best = std::min_element(groups.begin(), groups.end(),
                                       [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
    Patches both;
    std::set_union(patches.begin(), patches.end(), best->first.begin(), best->first.end(),
                   std::back_inserter(both));
    patches = both;
    const std::vector<uint32_t> more = take(groups, best, kPanelRows - tile.size());
    tile.insert(tile.end(), more.begin(), more.end());
  }
  return tile;
}

Tile tile_of(const std::vector<uint32_t>& vertices, const std::vector<std::vector<Membership>>& members) {
  Tile tile;
  tile.vertices.fill(static_cast<uint32_t>(members.size()));
  std::map<uint32_t, Block> blocks;
  for (size_t lane = 0; lane < vertices.size(); ++lane) {
    tile.vertices[lane] = vertices[lane];
    for (const Membership& m : members[vertices[lane]]) {
      const auto [block, is_new] = blocks.try_emplace(m.patch);
      if (is_new) block->second.patch = m.patch, block->second.index.fill(kNotInPatch);
      block->second.index[lane] = m.index;
    }
  }
  for (const auto& [patch, block] : blocks) tile.blocks.push_back(block);
  return tile;
}

}  // namespace

std::vector<Tile> tiles_of(const std::vector<learn::Patch>& patches, uint32_t vertices) {
  const std::vector<std::vector<Membership>> members = memberships(patches, vertices);
  VerticesByPatches groups;
  for (uint32_t v = 0; v < vertices; ++v) {
    Patches own;
    for (const Membership& m : members[v]) own.push_back(m.patch);
    groups[own].push_back(v);
  }
  std::vector<std::vector<uint32_t>> tiles;
  for (auto next = groups.begin(); next != groups.end();) {
    const auto same = next++;
    for (size_t full = same->second.size() / kPanelRows; full > 0; --full)
      tiles.push_back(take(groups, same, kPanelRows));
  }
  while (!groups.empty()) tiles.push_back(greedy_tile(groups));
  // Sort tiles by patch, so that consecutive tiles share patches.
  std::sort(tiles.begin(), tiles.end(), [&](const auto& a, const auto& b) {
    const auto first_patch = [&](uint32_t v) { return members[v].empty() ? 0 : members[v][0].patch; };
    return std::pair(first_patch(a[0]), a[0]) < std::pair(first_patch(b[0]), b[0]);
  });
  std::vector<Tile> out;
  for (const std::vector<uint32_t>& t : tiles) out.push_back(tile_of(t, members));
  return out;
}

}  // namespace billow::pack
