// A stranger cannot tell cloth from its own kind, and tells smooth or stretched cloth at once.
#include "train/stranger.h"

#include <gtest/gtest.h>

#include <cmath>

namespace billow::train::stranger_test {
namespace {

constexpr uint32_t kColumns = 24, kRows = 24;
constexpr size_t kFrames = 12;
constexpr float kSpacing = 0.01f;

garment::Garment sheet() {
  garment::Garment g;
  for (uint32_t j = 0; j <= kRows; ++j)
    for (uint32_t i = 0; i <= kColumns; ++i) {
      g.shape.push_back({kSpacing * static_cast<float>(i), 1 - kSpacing * static_cast<float>(j), 0});
      g.pattern_uvs.push_back({kSpacing * static_cast<float>(i), -kSpacing * static_cast<float>(j)});
      if (i == kColumns || j == kRows) continue;
      const uint32_t a = j * (kColumns + 1) + i, b = a + kColumns + 1;
      g.triangles.push_back({a, b, a + 1});
      g.triangles.push_back({a + 1, b, b + 1});
    }
  g.rest = g.shape;
  return g;
}

// Wrinkles with random directions and phases that travel; `fine` scales the finest, `stretch` the width.
std::vector<std::vector<V3>> wrinkled(const garment::Garment& g, uint32_t seed, float fine = 1,
                                      float stretch = 1) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<float>(random() % 10000) / 10000; };
  struct Wave {
    float x, y, phase, speed, height;
  };
  std::vector<Wave> waves;
  for (int k = 0; k < 8; ++k) {
    const float angle = 6.28f * uniform(), size = k < 4 ? 40.0f : 200.0f;
    waves.push_back({size * std::cos(angle), size * std::sin(angle), 6.28f * uniform(),
                     0.2f + 0.3f * uniform(), k < 4 ? 0.01f : 0.0008f * fine});
  }
  std::vector<std::vector<V3>> clip;
  for (size_t f = 0; f < kFrames; ++f) {
    clip.emplace_back();
    for (const V3& p : g.rest) {
      V3 q{p.x * stretch, p.y, 0};
      for (const Wave& w : waves)
        q.z += w.height * std::sin(w.x * p.x + w.y * p.y + w.phase + w.speed * static_cast<float>(f));
      // Walk and turn: it must not matter where a piece is.
      const float turn = 0.1f * static_cast<float>(f) + static_cast<float>(seed);
      clip.back().push_back({q.x * std::cos(turn) + q.z * std::sin(turn) + 0.02f * static_cast<float>(f), q.y,
                             q.z * std::cos(turn) - q.x * std::sin(turn)});
    }
  }
  return clip;
}

Pieces pieces(uint32_t first, uint32_t clips, float fine, float stretch, bool same_waves = false) {
  const garment::Garment g = sheet();
  const PieceCutter cutter(g, 100, 3);
  std::mt19937_64 random(first);
  Pieces all;
  for (uint32_t c = first; c < first + clips; ++c)
    cutter.cut(wrinkled(g, same_waves ? c : c + 5000, fine, stretch), wrinkled(g, c), c, 0, 60, random, all);
  return all;
}

StrangerFigures figures(float fine, float stretch, bool same_waves = false, Sees sees = Sees::kAll) {
  const Stranger stranger(pieces(0, 24, fine, stretch, same_waves),
                          {.sees = sees, .epochs = 6, .device = Device::kCpu});
  return judge(stranger, pieces(100, 16, fine, stretch, same_waves));
}

TEST(Stranger, CannotTellClothFromItself) {
  EXPECT_EQ(figures(1, 1, true).piece_auc, 0.5);
  EXPECT_NEAR(figures(1, 1).piece_auc, 0.5, 0.06) << "other wrinkles of the same kind";
}

TEST(Stranger, TellsSmoothAndStretchedCloth) {
  for (const StrangerFigures& f : {figures(0, 1, true), figures(1, 1.1f, true)}) {
    EXPECT_GT(f.piece_auc, 0.9);
    EXPECT_GT(f.clip_auc, 0.95);
    EXPECT_EQ(f.clips, 16u);
    EXPECT_EQ(f.pieces, 16u * 60);
  }
}

TEST(Stranger, SeesSmoothClothByItsNormalsButNoStretch) {
  EXPECT_GT(figures(0, 1, true, Sees::kNormals).piece_auc, 0.9);
  EXPECT_LT(figures(1, 1.1f, true, Sees::kNormals).piece_auc, 0.7);
}

TEST(Stranger, IsTheSameEachTime) {
  const Pieces learnt = pieces(0, 4, 1, 1.05f, true), shown = pieces(50, 2, 1, 1.05f, true);
  const StrangerOptions options{.epochs = 2, .device = Device::kCpu};
  EXPECT_EQ(Stranger(learnt, options).scores(shown.features),
            Stranger(learnt, options).scores(shown.features));
}

TEST(Stranger, NeedsTwoClips) {
  EXPECT_THROW(Stranger(pieces(0, 1, 1, 1), {.device = Device::kCpu}), std::invalid_argument);
  EXPECT_THROW(Stranger(Pieces{}, {.device = Device::kCpu}), std::invalid_argument);
}

// Pieces are the same wherever the cloth is and whichever way it faces.
TEST(Pieces, HaveNoPlaceOrDirection) {
  const garment::Garment g = sheet();
  const PieceCutter cutter(g, 10, 1);
  const auto clip = wrinkled(g, 1);
  auto moved = clip;
  const Transform by{{3, 1, -2}, normalized({0.3f, 0.5f, -0.2f, 0.8f})};
  for (auto& frame : moved)
    for (V3& p : frame) p = apply(by, p);
  std::mt19937_64 random(1);
  Pieces both;
  cutter.cut(moved, clip, 0, 2, 20, random, both);
  ASSERT_EQ(both.size(), 40u);
  for (Eigen::Index i = 0; i < 40; i += 2)
    EXPECT_LT((both.features.row(i) - both.features.row(i + 1)).cwiseAbs().maxCoeff(), 0.01f);
}

TEST(Pieces, OfAClipThatIsTooShortAreNone) {
  const garment::Garment g = sheet();
  const auto clip = wrinkled(g, 1);
  std::mt19937_64 random(1);
  Pieces none;
  PieceCutter(g, 10, 1).cut(std::span(clip).first(2), clip, 0, 0, 20, random, none);
  EXPECT_EQ(none.size(), 0u);
}

TEST(Auc, CountsPairs) {
  EXPECT_EQ(auc({3, 4}, {1, 2}), 1);
  EXPECT_EQ(auc({1, 2}, {3, 4}), 0);
  EXPECT_EQ(auc({1, 3}, {2, 2}), 0.5);
  EXPECT_EQ(auc({1}, {1}), 0.5) << "equal ones count half";
  EXPECT_EQ(auc({}, {1}), 0.5);
}

}  // namespace
}  // namespace billow::train::stranger_test
