#include "pack/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.h"

namespace billow::pack {
namespace {

// Each vertex is in one to five consecutive patches.
std::vector<learn::Patch> random_patches(uint32_t count, uint32_t vertices) {
  testing::Random random(3);
  std::vector<learn::Patch> patches(count);
  for (uint32_t v = 0; v < vertices; ++v) {
    const uint32_t first = random.bits() % count, patch_count = 1 + random.bits() % 5;
    std::vector<float> shares;
    float sum = 0;
    for (uint32_t k = 0; k < patch_count; ++k) sum += shares.emplace_back(random.uniform_float(0.05, 1));
    for (uint32_t k = 0; k < patch_count; ++k) {
      patches[(first + k) % count].vertices.push_back(v);
      patches[(first + k) % count].shares.push_back(shares[k] / sum);
    }
  }
  return patches;
}

TEST(Tiles, ContainEachVertexOnceWithAllItsPatches) {
  constexpr uint32_t kVertices = 1003, kPatches = 23;
  const std::vector<learn::Patch> patches = random_patches(kPatches, kVertices);
  std::vector<int> tiles_of_vertex(kVertices + 1);
  size_t memberships = 0, lanes = 0;
  for (const Tile& t : tiles_of(patches, kVertices)) {
    for (const uint32_t v : t.vertices) ++tiles_of_vertex[v];
    EXPECT_TRUE(std::is_sorted(t.blocks.begin(), t.blocks.end(),
                               [](const Block& a, const Block& b) { return a.patch < b.patch; }));
    for (const Block& b : t.blocks)
      for (size_t lane = 0; lane < kPanelRows; ++lane) {
        ++lanes;
        if (b.index[lane] == kNotInPatch) continue;
        ++memberships;
        EXPECT_EQ(patches[b.patch].vertices[static_cast<size_t>(b.index[lane])], t.vertices[lane]);
      }
  }
  EXPECT_EQ(tiles_of_vertex[kVertices], (8 - kVertices % 8) % 8);
  EXPECT_TRUE(std::all_of(tiles_of_vertex.begin(), tiles_of_vertex.end() - 1, [](int n) { return n == 1; }));
  size_t all = 0;
  for (const learn::Patch& p : patches) all += p.vertices.size();
  EXPECT_EQ(memberships, all);
  EXPECT_LT(static_cast<double>(lanes), 1.5 * static_cast<double>(all));
}

TEST(Tiles, AreFullWhereVerticesHaveTheSamePatches) {
  std::vector<learn::Patch> patches(3);
  for (uint32_t v = 0; v < 64; ++v)
    for (const uint32_t p : {v % 2, 2u}) patches[p].vertices.push_back(v), patches[p].shares.push_back(0.5f);
  const std::vector<Tile> tiles = tiles_of(patches, 64);
  EXPECT_EQ(tiles.size(), 8u);
  for (const Tile& t : tiles) EXPECT_EQ(t.blocks.size(), 2u);
}

}  // namespace
}  // namespace billow::pack
