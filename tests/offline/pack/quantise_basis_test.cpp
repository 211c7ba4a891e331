#include "pack/quantise_basis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pack/sample_garment.h"
#include "pack/tiles.h"
#include "swings.h"

namespace billow::pack {
namespace {

// What is off in places, mm RMS, if all patches have these rows instead of their own.
double off_mm(const learn::PatchModel& model, const learn::PatchInputs& frames, const learn::Matrix& change) {
  const Eigen::Index components = model.components();
  const learn::Matrix scales = basis_scales(model);
  double sum = 0;
  for (Eigen::Index f = 0; f < frames.bones.rows(); ++f) {
    const auto turned = model.turned(frames, f);
    std::vector<V3> off(model.rest.size(), V3{0, 0, 0});
    Eigen::Index row = 0;
    std::vector<learn::Vector> said(model.patches.size());
    for (size_t p = 0; p < model.patches.size(); ++p)
      said[p] = model.network_of(p)(model.features(p, frames)).row(f).transpose();
    for (const Tile& t : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size())))
      for (const Block& b : t.blocks)
        for (size_t lane = 0; lane < kPanelRows; ++lane, ++row) {
          if (b.place[lane] == kNotInPatch) continue;
          const learn::Vector by = change.row(row).transpose().cwiseProduct(
              scales.row(static_cast<Eigen::Index>(b.patch)).transpose());
          const learn::Vector& c = said[b.patch];
          V3 local{by[components + 1], by[components + 2], by[components + 3]};
          for (Eigen::Index k = 0; k < components; ++k)
            local += V3{c[k], c[components + k], c[2 * components + k]} * by[k];
          off[t.vertices[lane]] += turned[b.patch].turned(local) + turned[b.patch].origin * by[components];
        }
    for (const V3& o : off) sum += static_cast<double>(dot(o, o));
  }
  return 1e3 * std::sqrt(sum / static_cast<double>(frames.bones.rows() *
                                                   static_cast<Eigen::Index>(model.rest.size())));
}

TEST(RoundBasis, PatchesMakeUpForEachOther) {
  const Packed packed = sample_garment(body::make_person(), {.across = 12, .down = 16});
  const auto& model = std::get<learn::PatchModel>(packed.model);
  const Matrices matrices = matrices_of(model);
  std::vector<Kind> kinds(static_cast<size_t>(matrices.basis.cols()), Kind::kInt8);
  kinds[static_cast<size_t>(model.components())] = Kind::kInt16;  // shares
  const BasisRounding careful(model, matrices, swings(model, 60, 1)), plain(model, matrices, {});
  const BasisRounding::Rounded by_frames = careful.round(kinds), by_itself = plain.round(kinds);
  // Whole numbers of steps.
  const learn::Matrix steps = by_frames.basis.leftCols(1) * 127;
  EXPECT_LT((steps.array() - steps.array().round()).abs().maxCoeff(), 1e-4f);
  // In frames that it was not rounded by.
  const learn::PatchInputs others = swings(model, 6, 2);
  const double off = off_mm(model, others, by_frames.basis - matrices.basis);
  EXPECT_LT(off, 0.6 * off_mm(model, others, by_itself.basis - matrices.basis));
  EXPECT_LT(off, std::sqrt(by_frames.error));
  EXPECT_GT(off, 0.4 * std::sqrt(by_frames.error));
}

}  // namespace
}  // namespace billow::pack
