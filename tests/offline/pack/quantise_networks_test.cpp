#include "pack/quantise_networks.h"

#include <gtest/gtest.h>

#include "pack/sample_garment.h"
#include "swings.h"

namespace billow::pack {
namespace {

// Rounds each weight to the nearest of 127 steps of its row.
learn::Matrix round_to_nearest(const learn::Matrix& weights) {
  learn::Matrix out = weights;
  for (Eigen::Index r = 0; r < out.rows(); ++r) {
    const float step = out.row(r).cwiseAbs().maxCoeff() / 127;
    out.row(r) = (out.row(r) / step).array().round() * step;
  }
  return out;
}

// RMS error of the coefficients of all patches, and the part of it that is constant over the frames.
struct Errors {
  double rms = 0, mean = 0;
};
Errors coefficient_errors(const learn::PatchModel& exact, const learn::PatchModel& rounded,
                          const learn::PatchInputs& frames) {
  Errors out;
  double count = 0;
  for (size_t p = 0; p < exact.patches.size(); ++p) {
    const learn::Matrix d =
        rounded.network_of(p)(rounded.features(p, frames)) - exact.network_of(p)(exact.features(p, frames));
    out.rms += static_cast<double>(d.squaredNorm());
    out.mean += static_cast<double>(d.colwise().mean().squaredNorm() * static_cast<float>(d.rows()));
    count += static_cast<double>(d.size());
  }
  return {std::sqrt(out.rms / count), std::sqrt(out.mean / count)};
}

TEST(QuantiseNetworks, GptqBeatsRoundingToNearest) {
  const GarmentData packed = sample_garment(body::make_person(), {.activation = learn::Activation::kGelu});
  const auto& exact = std::get<learn::PatchModel>(packed.model);
  learn::PatchModel gptq = exact, nearest = exact;
  const QuantisedNetworks rounded = quantise_networks(gptq, swings(exact, 400, 1), 1e9);
  for (learn::Network& n : nearest.networks) {
    n.linear = round_to_nearest(n.linear);
    for (learn::Layer& l : n.layers) l.weights = round_to_nearest(l.weights);
  }
  // On frames that are not in the Hessian:
  const learn::PatchInputs test_frames = swings(exact, 100, 2);
  const Errors gptq_errors = coefficient_errors(exact, gptq, test_frames),
               nearest_errors = coefficient_errors(exact, nearest, test_frames);
  EXPECT_LT(gptq_errors.rms, 0.5 * nearest_errors.rms);
  EXPECT_LT(gptq_errors.mean, 0.5 * gptq_errors.rms);

  // Weights are integer multiples of row scale times column scale.
  for (size_t m = 0; m < rounded.matrices.size(); ++m) {
    const QuantisedMatrix& r = rounded.matrices[m];
    const learn::Network& n = gptq.networks[0];
    const learn::Matrix& w = m < n.layers.size() ? n.layers[m].weights : n.linear;
    ASSERT_EQ(r.column_scales.size(), static_cast<size_t>(w.cols()));
    for (Eigen::Index i = 0; i < w.rows(); ++i)
      for (Eigen::Index j = 0; j < w.cols(); ++j) {
        EXPECT_EQ(r.formats[static_cast<size_t>(j)], Format::kInt8);
        const float steps =
            127 * w(i, j) / r.row_scales[static_cast<size_t>(i)] / r.column_scales[static_cast<size_t>(j)];
        EXPECT_NEAR(steps, std::round(steps), 1e-3f);
        EXPECT_LE(std::fabs(steps), 127.001f);
      }
  }
}

TEST(QuantiseNetworks, AddsInt16ColumnsToReachTheError) {
  const GarmentData packed = sample_garment(body::make_person(), {});
  const auto& exact = std::get<learn::PatchModel>(packed.model);
  learn::PatchModel coarse = exact, fine = exact;
  const learn::PatchInputs frames = swings(exact, 400, 1);
  const QuantisedNetworks first = quantise_networks(coarse, frames, 1e9);
  const QuantisedNetworks second = quantise_networks(fine, frames, first.error / 9);
  EXPECT_LE(second.error, first.error / 9);
  EXPECT_GT(second.bytes, first.bytes);
  const learn::PatchInputs test_frames = swings(exact, 100, 2);
  EXPECT_LT(coefficient_errors(exact, fine, test_frames).rms,
            0.6 * coefficient_errors(exact, coarse, test_frames).rms);
}

// Rows are zero in a network that has learnt nothing, and for components that a small patch does not have.
TEST(QuantiseNetworks, RowsOfZerosStayZero) {
  const GarmentData packed = sample_garment(body::make_person(), {});
  learn::PatchModel model = std::get<learn::PatchModel>(packed.model);
  for (learn::Network& n : model.networks) n.layers.back().weights.setZero(), n.linear.row(0).setZero();
  const QuantisedNetworks quantised = quantise_networks(model, swings(model, 40, 1), 0.01);
  EXPECT_LE(quantised.error, 0.01);
  for (const learn::Network& n : model.networks) {
    EXPECT_TRUE(n.layers.back().weights.isZero());
    EXPECT_TRUE(n.linear.row(0).isZero());
    EXPECT_TRUE(n.linear.allFinite() && n.bias.allFinite() && n.layers.back().bias.allFinite());
  }
}

}  // namespace
}  // namespace billow::pack
