#include "pack/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.h"

namespace billow::pack {
namespace {

// Every vertex in one to five neighbouring patches.
std::vector<learn::Patch> random_patches(uint32_t count, uint32_t vertices) {
  testing::Random random(3);
  std::vector<learn::Patch> patches(count);
  for (uint32_t v = 0; v < vertices; ++v) {
    const uint32_t first = random.bits() % count, more = 1 + random.bits() % 5;
    std::vector<float> shares;
    float sum = 0;
    for (uint32_t k = 0; k < more; ++k) sum += shares.emplace_back(random.uniform_float(0.05, 1));
    for (uint32_t k = 0; k < more; ++k) {
      patches[(first + k) % count].vertices.push_back(v);
      patches[(first + k) % count].shares.push_back(shares[k] / sum);
    }
  }
  return patches;
}

TEST(Tiles, HaveEveryVertexOnceWithAllItsPatches) {
  constexpr uint32_t kVertices = 1003, kPatches = 23;
  const std::vector<learn::Patch> patches = random_patches(kPatches, kVertices);
  std::vector<int> input_bones(kVertices + 1);
  size_t members = 0, places = 0;
  for (const Tile& t : tiles_of(patches, kVertices)) {
    for (const uint32_t v : t.vertices) ++input_bones[v];
    EXPECT_TRUE(std::is_sorted(t.blocks.begin(), t.blocks.end(),
                               [](const Block& a, const Block& b) { return a.patch < b.patch; }));
    for (const Block& b : t.blocks)
      for (size_t lane = 0; lane < kPanelRows; ++lane) {
        ++places;
        if (b.place[lane] == kNotInPatch) continue;
        ++members;
        EXPECT_EQ(patches[b.patch].vertices[static_cast<size_t>(b.place[lane])], t.vertices[lane]);
      }
  }
  EXPECT_EQ(input_bones[kVertices], (8 - kVertices % 8) % 8);
  EXPECT_TRUE(std::all_of(input_bones.begin(), input_bones.end() - 1, [](int n) { return n == 1; }));
  size_t all = 0;
  for (const learn::Patch& p : patches) all += p.vertices.size();
  EXPECT_EQ(members, all);
  EXPECT_LT(static_cast<double>(places), 1.5 * static_cast<double>(all));
}

TEST(Tiles, OfVerticesWithTheSamePatchesAreFull) {
  std::vector<learn::Patch> patches(3);
  for (uint32_t v = 0; v < 64; ++v)
    for (const uint32_t p : {v % 2, 2u}) patches[p].vertices.push_back(v), patches[p].shares.push_back(0.5f);
  const std::vector<Tile> tiles = tiles_of(patches, 64);
  EXPECT_EQ(tiles.size(), 8u);
  for (const Tile& t : tiles) EXPECT_EQ(t.blocks.size(), 2u);
}

}  // namespace
}  // namespace billow::pack
