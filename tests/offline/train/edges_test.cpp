// The length loss against a hand-computed one, its gradient against finite differences, and the edge factors.
#include <gtest/gtest.h>

#include "offline/train/small_scene.h"
#include "train/patch_losses.h"
#include "train/vertex_losses.h"

namespace billow::train {
namespace {

TEST(Edges, OfTrianglesAreUnique) {
  EXPECT_EQ(edges_of({{0, 1, 2}, {2, 1, 3}}),
            (std::vector<std::array<uint32_t, 2>>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
}

TEST(EdgeTerm, SumsSquaredLengthErrors) {
  // An edge of 1 m with a rest length of 0.8 m; the second vertex moves along it.
  Vector base(6);
  base << 0, 0, 0, 1, 0, 0;
  Matrix modes = Matrix::Zero(1, 6);
  modes(0, 3) = 1;
  const Expansion expansion(base, modes);
  const EdgeTerm term({{0, 1, 0.8f}}, expansion);
  Matrix gradient;
  EXPECT_NEAR(term(Matrix::Zero(1, 1), {}, gradient), 0.04, 1e-6);
  EXPECT_NEAR(gradient(0, 0), 0.4f, 1e-6f);
  EXPECT_NEAR(term(Matrix::Constant(1, 1, -0.2f), {}, gradient), 0, 1e-9);
  // A degenerate edge has no gradient.
  EXPECT_NEAR(term(Matrix::Constant(1, 1, -1), {}, gradient), 0.64, 1e-6);
  EXPECT_EQ(gradient(0, 0), 0);
}

TEST(EdgeTerm, HasTheGradientOfItsSum) {
  constexpr Eigen::Index kValues = 60, kFrames = 11, kTrained = 4, kFrozen = 3;
  const Expansion expansion(random_matrix(kValues, 1, 1).col(0), random_modes(kTrained, kValues, 2),
                            random_modes(kFrozen, kValues, 3));
  std::vector<Edge> edges;
  for (uint32_t i = 0; i + 2 < 20; ++i) edges.push_back({i, i + 1, 1}), edges.push_back({i, i + 2, 0.5f});
  const EdgeTerm term(edges, expansion);
  const Matrix c = random_matrix(kFrames, kTrained, 4), frozen = random_matrix(kFrames, kFrozen, 5);
  Matrix gradient, unused;
  term(c, frozen, gradient);
  for (const Eigen::Index f : {0, 9})
    for (Eigen::Index k = 0; k < kTrained; ++k) {
      Matrix up = c, down = c;
      up(f, k) += 0.01f, down(f, k) -= 0.01f;
      EXPECT_NEAR(gradient(f, k), (term(up, frozen, unused) - term(down, frozen, unused)) / 0.02, 0.02);
    }
}

TEST(PatchEdges, FactorsMeasureVertexAndEdgeErrors) {
  // A patch of three vertices with two edges; the other edges leave the patch.
  learn::PatchModel model;
  model.patches.resize(1), model.bases.resize(1), model.networks.resize(1);
  model.patches[0].vertices = {4, 7, 9}, model.patches[0].shares = {1, 0.25f, 0.5f};
  Matrix& modes = model.bases[0].modes;
  modes = random_modes(2, 3, 1);
  constexpr double kWeight = 3;
  const std::vector<Matrix> factors = edge_factors(model, {{4, 7, 8}, {9, 1, 7}}, kWeight);
  ASSERT_EQ(factors.size(), 1u);
  const Eigen::RowVector2f d(0.3f, -0.2f);
  // Bases are scaled by the square roots of the shares.
  const Eigen::RowVector3f weighted = d * modes;
  const float x4 = weighted(0), x7 = weighted(1) / 0.5f, x9 = weighted(2) / std::sqrt(0.5f);
  const double expected =
      d.squaredNorm() + kWeight * (0.5 * (x4 - x7) * (x4 - x7) + std::sqrt(0.125) * (x9 - x7) * (x9 - x7));
  EXPECT_NEAR((d * factors[0]).squaredNorm(), expected, 1e-5);
}

}  // namespace
}  // namespace billow::train
