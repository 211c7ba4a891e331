#include "pack/quantise_basis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pack/sample_garment.h"
#include "pack/tiles.h"
#include "swings.h"

namespace billow::pack {
namespace {

// Error of vertex positions, mm RMS, with `change` added to the stored basis.
double error_mm(const learn::PatchModel& model, const learn::PatchInputs& frames,
                const learn::Matrix& change) {
  const Eigen::Index components = model.components();
  const learn::Matrix scales = basis_scales(model);
  double sum = 0;
  for (Eigen::Index f = 0; f < frames.bones.rows(); ++f) {
    const auto patch_frames = model.patch_frames(frames, f);
    std::vector<V3> error(model.rest.size(), V3{0, 0, 0});
    Eigen::Index row = 0;
    std::vector<learn::Vector> coefficients(model.patches.size());
    for (size_t p = 0; p < model.patches.size(); ++p)
      coefficients[p] = model.network_of(p)(model.features(p, frames)).row(f).transpose();
    for (const Tile& t : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size())))
      for (const Block& b : t.blocks)
        for (size_t lane = 0; lane < kPanelRows; ++lane, ++row) {
          if (b.index[lane] == kNotInPatch) continue;
          const learn::Vector scaled = change.row(row).transpose().cwiseProduct(
              scales.row(static_cast<Eigen::Index>(b.patch)).transpose());
          const learn::Vector& c = coefficients[b.patch];
          V3 local{scaled[components + 1], scaled[components + 2], scaled[components + 3]};
          for (Eigen::Index k = 0; k < components; ++k)
            local += V3{c[k], c[components + k], c[2 * components + k]} * scaled[k];
          error[t.vertices[lane]] +=
              patch_frames[b.patch].to_world(local) + patch_frames[b.patch].origin * scaled[components];
        }
    for (const V3& o : error) sum += static_cast<double>(dot(o, o));
  }
  return 1e3 * std::sqrt(sum / static_cast<double>(frames.bones.rows() *
                                                   static_cast<Eigen::Index>(model.rest.size())));
}

TEST(QuantiseBasis, PatchesCompensateEachOther) {
  const GarmentData packed = sample_garment(body::make_person(), {.across = 12, .down = 16});
  const auto& model = std::get<learn::PatchModel>(packed.model);
  const ModelMatrices matrices = matrices_of(model);
  std::vector<Format> formats(static_cast<size_t>(matrices.basis.cols()), Format::kInt8);
  formats[static_cast<size_t>(model.components())] = Format::kInt16;  // shares
  const BasisQuantiser calibrated(model, matrices, swings(model, 60, 1)), uncalibrated(model, matrices, {});
  const BasisQuantiser::Quantised with_frames = calibrated.quantise(formats),
                                  without_frames = uncalibrated.quantise(formats);
  // Values are integer multiples of the step.
  const learn::Matrix steps = with_frames.basis.leftCols(1) * 127;
  EXPECT_LT((steps.array() - steps.array().round()).abs().maxCoeff(), 1e-4f);
  // On frames that are not in the Hessian:
  const learn::PatchInputs test_frames = swings(model, 6, 2);
  const double error = error_mm(model, test_frames, with_frames.basis - matrices.basis);
  EXPECT_LT(error, 0.6 * error_mm(model, test_frames, without_frames.basis - matrices.basis));
  EXPECT_LT(error, std::sqrt(with_frames.error));
  EXPECT_GT(error, 0.4 * std::sqrt(with_frames.error));
}

}  // namespace
}  // namespace billow::pack
