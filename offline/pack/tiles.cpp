#include "pack/tiles.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace billow::pack {
namespace {

using Patches = std::vector<uint32_t>;  // in order

struct Member {
  uint32_t patch;
  int32_t place;
};

// The patches of each vertex, by their numbers.
std::vector<std::vector<Member>> members_of(const std::vector<learn::Patch>& patches, uint32_t vertices) {
  std::vector<std::vector<Member>> all(vertices);
  for (uint32_t p = 0; p < patches.size(); ++p)
    for (size_t i = 0; i < patches[p].vertices.size(); ++i)
      all[patches[p].vertices[i]].push_back({p, static_cast<int32_t>(i)});
  return all;
}

size_t count_beyond(const Patches& of, const Patches& others) {
  return static_cast<size_t>(std::count_if(of.begin(), of.end(), [&](uint32_t p) {
    return !std::binary_search(others.begin(), others.end(), p);
  }));
}

// Vertices that have the same patches.
using Alike = std::map<Patches, std::vector<uint32_t>>;

std::vector<uint32_t> take(Alike& alike, Alike::iterator from, size_t most) {
  std::vector<uint32_t>& vertices = from->second;
  const size_t count = std::min(most, vertices.size());
  std::vector<uint32_t> taken(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(count));
  vertices.erase(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(count));
  if (vertices.empty()) alike.erase(from);
  return taken;
}

// Begins with whoever has the most patches, and adds those who bring the fewest new ones.
std::vector<uint32_t> mixed_tile(Alike& alike) {
  const auto first = std::max_element(alike.begin(), alike.end(), [](const auto& a, const auto& b) {
    return a.first.size() < b.first.size();
  });
  Patches patches = first->first;
  std::vector<uint32_t> tile = take(alike, first, kPanelRows);
  while (tile.size() < kPanelRows && !alike.empty()) {
    const auto cost = [&](const auto& a) {
      return std::pair(count_beyond(a.first, patches), count_beyond(patches, a.first));
    };
    const auto best = std::min_element(alike.begin(), alike.end(),
                                       [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
    Patches both;
    std::set_union(patches.begin(), patches.end(), best->first.begin(), best->first.end(),
                   std::back_inserter(both));
    patches = both;
    const std::vector<uint32_t> more = take(alike, best, kPanelRows - tile.size());
    tile.insert(tile.end(), more.begin(), more.end());
  }
  return tile;
}

Tile tile_of(const std::vector<uint32_t>& vertices, const std::vector<std::vector<Member>>& members) {
  Tile tile;
  tile.vertices.fill(static_cast<uint32_t>(members.size()));
  std::map<uint32_t, Block> blocks;
  for (size_t lane = 0; lane < vertices.size(); ++lane) {
    tile.vertices[lane] = vertices[lane];
    for (const Member& m : members[vertices[lane]]) {
      const auto [block, is_new] = blocks.try_emplace(m.patch);
      if (is_new) block->second.patch = m.patch, block->second.place.fill(kNotInPatch);
      block->second.place[lane] = m.place;
    }
  }
  for (const auto& [patch, block] : blocks) tile.blocks.push_back(block);
  return tile;
}

}  // namespace

std::vector<Tile> tiles_of(const std::vector<learn::Patch>& patches, uint32_t vertices) {
  const std::vector<std::vector<Member>> members = members_of(patches, vertices);
  Alike alike;
  for (uint32_t v = 0; v < vertices; ++v) {
    Patches own;
    for (const Member& m : members[v]) own.push_back(m.patch);
    alike[own].push_back(v);
  }
  std::vector<std::vector<uint32_t>> tiles;
  for (auto next = alike.begin(); next != alike.end();) {
    const auto same = next++;
    for (size_t whole = same->second.size() / kPanelRows; whole > 0; --whole)
      tiles.push_back(take(alike, same, kPanelRows));
  }
  while (!alike.empty()) tiles.push_back(mixed_tile(alike));
  // Neighbours one after another: they have patches in common.
  std::sort(tiles.begin(), tiles.end(), [&](const auto& a, const auto& b) {
    const auto first_patch = [&](uint32_t v) { return members[v].empty() ? 0 : members[v][0].patch; };
    return std::pair(first_patch(a[0]), a[0]) < std::pair(first_patch(b[0]), b[0]);
  });
  std::vector<Tile> out;
  for (const std::vector<uint32_t>& t : tiles) out.push_back(tile_of(t, members));
  return out;
}

}  // namespace billow::pack
