// Decoded tiles against sums over patches in double precision, vertex by vertex.
#include "decode/expand_tiles.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/random.h"

namespace billow {
namespace {

constexpr uint32_t kVertices = 37, kPatches = 6;
constexpr V3 kKeyJoint{1, 2, 3};

constexpr V3 kCentre{0.5f, -0.25f, 4};

// Vertices in arbitrary order, three patches per tile, random int8 columns.
class RandomTiles {
 public:
  explicit RandomTiles(uint32_t columns) : columns_(columns) {
    for (uint32_t first = 0; first < kVertices; first += kPanelRows) {
      TileRecord t{{}, static_cast<uint32_t>(blocks_.size()), 3};
      for (uint32_t k = 0; k < kPanelRows; ++k)
        t.vertices[k] = first + k < kVertices ? (first + k) * 5 % kVertices : kVertices;
      tiles_.push_back(t);
      for (uint32_t k = 0; k < 3; ++k) blocks_.push_back((first / 4 + k) % kPatches);
    }
    bytes_.resize(kPanelRows * blocks_.size() * columns);
    for (int8_t& b : bytes_) b = static_cast<int8_t>(static_cast<int>(random_.bits() % 255) - 127);
    for (uint32_t k = 0; k < columns; ++k) sources_.push_back(k), scales_.push_back(1.0f / 128);
    for (uint32_t k = 0; k < 3 * kPatches * columns; ++k)
      coefficients_.push_back(random_.uniform_float(-1, 1));
    const size_t all = coefficients_.size();
    scaled_.resize(all), q16_.resize(all), q16_bytes_.resize(2 * all);
  }
  TiledBasis basis() const {
    PackedMatrix m;
    m.rows = kPanelRows * static_cast<uint32_t>(blocks_.size()), m.columns = m.int8 = columns_;
    m.sources = sources_.data(), m.scales = scales_.data();
    m.panels = reinterpret_cast<const std::byte*>(bytes_.data());
    precompute(m);
    return {m, tiles_.data(), blocks_.data(), 3};
  }
  std::vector<float>& coefficients() { return coefficients_; }
  QuantisedCoefficients quantised() {
    const QuantisedVector scratch{scaled_.data(), q16_.data(), q16_bytes_.data()};
    return {scratch, quantise_coefficients(basis(), coefficients_, scratch), kCentre, kKeyJoint};
  }
  const std::vector<TileRecord>& tiles() const { return tiles_; }

  // A coordinate of a vertex of a tile, relative to the centre.
  double coordinate(const TileRecord& t, uint32_t lane, uint32_t axis) const {
    double sum = 0;
    for (uint32_t b = t.first_block; b < t.first_block + t.blocks; ++b)
      for (uint32_t k = 0; k < columns_; ++k)
        sum += static_cast<double>(entry(b, lane, k)) / 128 *
               coefficients_[(3 * blocks_[b] + axis) * columns_ + k];
    return sum;
  }

 private:
  int8_t entry(uint32_t panel, uint32_t row, uint32_t column) const {
    return bytes_[panel * kPanelRows * columns_ + column / 8 * 64 + row * 8 + column % 8];
  }

  testing::Random random_{7};
  uint32_t columns_;
  std::vector<TileRecord> tiles_;
  std::vector<uint32_t> blocks_, sources_;
  std::vector<int8_t> bytes_, q16_bytes_;
  std::vector<float> scales_, coefficients_, scaled_;
  std::vector<int16_t> q16_;
};

TEST(ExpandTiles, AreSumsOverPatches) {
  for (const uint32_t columns : {8u, 16u, 24u, 32u, 40u, 200u}) {
    RandomTiles random(columns);
    const TiledBasis basis = random.basis();
    ASSERT_TRUE(basis.all_int8());
    std::vector<float> positions(3 * (kVertices + 1), -99);
    // In two parts, as for crowds.
    const ExpandTiles expand = best_expand_tiles(basis);
    const QuantisedCoefficients quantised = random.quantised();
    expand(basis, 0, 2, quantised, positions.data());
    expand(basis, 2, random.tiles().size() - 2, quantised, positions.data());
    const float from[] = {kCentre.x + kKeyJoint.x, kCentre.y + kKeyJoint.y, kCentre.z + kKeyJoint.z};
    for (const TileRecord& t : random.tiles())
      for (uint32_t k = 0; k < kPanelRows; ++k)
        for (uint32_t axis = 0; axis < 3; ++axis) {
          if (t.vertices[k] == kVertices) continue;
          EXPECT_NEAR(positions[3 * t.vertices[k] + axis], random.coordinate(t, k, axis) + from[axis],
                      5e-5 * columns)
              << columns << " " << t.vertices[k];
        }
  }
}

TEST(ExpandTiles, NanStaysWithinTenKilometres) {
  RandomTiles random(16);
  const TiledBasis basis = random.basis();
  const ExpandTiles expand = best_expand_tiles(basis);
  std::vector<float> positions(3 * (kVertices + 1));
  // A coefficient that is NaN counts as 0.
  for (float& c : random.coefficients()) c = std::numeric_limits<float>::quiet_NaN();
  QuantisedCoefficients quantised = random.quantised();
  quantised.centre = {std::numeric_limits<float>::quiet_NaN(), 1e30f, 4};
  expand(basis, 0, random.tiles().size(), quantised, positions.data());
  EXPECT_EQ(positions[0], -1e4f + kKeyJoint.x);
  EXPECT_EQ(positions[1], 1e4f + kKeyJoint.y);
  EXPECT_EQ(positions[2], 4 + kKeyJoint.z);
}

}  // namespace
}  // namespace billow
