// Tiles against what they stand for: sums over patches in doubles, vertex by vertex.
#include "decode/expand_tiles.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/random.h"

namespace billow {
namespace {

constexpr uint32_t kVertices = 37, kPatches = 6;
constexpr V3 kKeyJoint{1, 2, 3};

// Vertices in any order, three patches for each tile, and integers in so many columns.
class RandomTiles {
 public:
  explicit RandomTiles(uint32_t columns) : columns_(columns) {
    for (uint32_t first = 0; first < kVertices; first += kPanelRows) {
      TileRecord t{{}, static_cast<uint32_t>(blocks_.size()), 3};
      for (uint32_t k = 0; k < kPanelRows; ++k)
        t.vertices[k] = first + k < kVertices ? (first + k) * 5 % kVertices : kVertices;
      tiles_.push_back(t);
      for (const uint32_t share : {0u, 21845u, 43690u}) {
        blocks_.push_back((first / 4 + share) % kPatches);
        shares_.insert(shares_.end(), kPanelRows, static_cast<uint16_t>(share));
      }
    }
    bytes_.resize(3 * kPanelRows * blocks_.size() * columns);
    for (int8_t& b : bytes_) b = static_cast<int8_t>(static_cast<int>(random_.bits() % 255) - 127);
    for (uint32_t k = 0; k < columns; ++k) sources_.push_back(k), scales_.push_back(1.0f / 128);
    for (uint32_t p = 0; p < kPatches; ++p) say(said_[p]);
  }
  TiledBasis basis() const {
    PackedMatrix m;
    m.rows = 3 * kPanelRows * static_cast<uint32_t>(blocks_.size()), m.columns = m.int8 = columns_;
    m.sources = sources_.data(), m.scales = scales_.data();
    m.panels = reinterpret_cast<const std::byte*>(bytes_.data());
    find_shortcuts(m);
    return {m, tiles_.data(), blocks_.data(), shares_.data()};
  }
  const PatchSaid* said() const { return said_; }
  const std::vector<TileRecord>& tiles() const { return tiles_; }

  // Of a vertex of a tile.
  std::vector<double> place(const TileRecord& t, uint32_t lane) const {
    std::vector<double> sum(3);
    for (uint32_t b = t.first_block; b < t.first_block + t.blocks; ++b) {
      const uint32_t p = blocks_[b];
      double local[3] = {};
      for (uint32_t axis = 0; axis < 3; ++axis)
        for (uint32_t k = 0; k < columns_; ++k)
          local[axis] += static_cast<double>(entry(3 * b + axis, lane, k)) / 128 * vectors_[p][k];
      for (size_t c = 0; c < 3; ++c)
        sum[c] += shares_[kPanelRows * b + lane] / 65535.0 *
                  (frames_[p][0][c] * local[0] + frames_[p][1][c] * local[1] + frames_[p][2][c] * local[2] +
                   frames_[p][3][c]);
    }
    return sum;
  }

 private:
  int8_t entry(uint32_t panel, uint32_t row, uint32_t column) const {
    return bytes_[panel * kPanelRows * columns_ + column / 8 * 64 + row * 8 + column % 8];
  }
  void say(PatchSaid& said) {
    auto& vector = vectors_[&said - said_];
    auto& frame = frames_[&said - said_];
    for (uint32_t k = 0; k < columns_; ++k) vector.push_back(random_.uniform_float(-1, 1));
    auto& room = rooms_[&said - said_];
    room.scaled.resize(columns_), room.steps.resize(columns_), room.bytes.resize(2 * columns_);
    said.factors.scaled = room.scaled.data(), said.factors.steps = room.steps.data();
    said.factors.bytes = room.bytes.data();
    said.step = find_factors(basis().rows, find_entries(vector.data(), columns_), said.factors);
    float* rows[] = {said.along, said.across, said.off, said.origin};
    for (size_t r = 0; r < 4; ++r)
      for (size_t c = 0; c < 3; ++c) {
        frame[r][c] = random_.uniform_float(-1, 1);
        rows[r][c] = frame[r][c] * (r < 3 ? said.step : 1);
      }
  }

  struct Room {
    std::vector<float> scaled;
    std::vector<int16_t> steps;
    std::vector<int8_t> bytes;
  };
  testing::Random random_{7};
  uint32_t columns_;
  std::vector<TileRecord> tiles_;
  std::vector<uint32_t> blocks_, sources_;
  std::vector<uint16_t> shares_;
  std::vector<int8_t> bytes_;
  std::vector<float> scales_;
  std::vector<float> vectors_[kPatches];
  float frames_[kPatches][4][3];
  Room rooms_[kPatches];
  PatchSaid said_[kPatches] = {};
};

TEST(ExpandTiles, AreSumsOverPatches) {
  for (const uint32_t columns : {8u, 16u, 24u, 32u, 40u}) {
    const RandomTiles random(columns);
    const TiledBasis basis = random.basis();
    ASSERT_TRUE(basis.in_steps());
    std::vector<float> positions(3 * (kVertices + 1), -99);
    // In two parts, as crowds have it.
    const ExpandTiles expand = best_expand_tiles(basis);
    expand(basis, 0, 2, random.said(), kKeyJoint, positions.data());
    expand(basis, 2, random.tiles().size() - 2, random.said(), kKeyJoint, positions.data());
    for (const TileRecord& t : random.tiles())
      for (uint32_t k = 0; k < kPanelRows; ++k) {
        if (t.vertices[k] == kVertices) continue;
        const std::vector<double> place = random.place(t, k);
        const float* found = &positions[3 * t.vertices[k]];
        EXPECT_NEAR(found[0], place[0] + kKeyJoint.x, 5e-5 * columns) << columns << " " << t.vertices[k];
        EXPECT_NEAR(found[1], place[1] + kKeyJoint.y, 5e-5 * columns) << columns << " " << t.vertices[k];
        EXPECT_NEAR(found[2], place[2] + kKeyJoint.z, 5e-5 * columns) << columns << " " << t.vertices[k];
      }
  }
}

TEST(ExpandTiles, WhatIsNoNumberStaysWithinTenKilometres) {
  const RandomTiles random(16);
  const TiledBasis basis = random.basis();
  std::vector<PatchSaid> said(random.said(), random.said() + kPatches);
  for (PatchSaid& s : said) s.origin[0] = std::numeric_limits<float>::quiet_NaN(), s.origin[1] = 1e30f;
  std::vector<float> positions(3 * (kVertices + 1));
  best_expand_tiles(basis)(basis, 0, random.tiles().size(), said.data(), kKeyJoint, positions.data());
  EXPECT_EQ(positions[0], -1e4f + kKeyJoint.x);
  EXPECT_EQ(positions[1], 1e4f + kKeyJoint.y);
}

}  // namespace
}  // namespace billow
