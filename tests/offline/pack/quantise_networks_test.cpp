#include "pack/quantise_networks.h"

#include <gtest/gtest.h>

#include "pack/sample_garment.h"
#include "swings.h"

namespace billow::pack {
namespace {

// Each number to the nearest of 127 steps of its row.
learn::Matrix to_the_nearest(const learn::Matrix& weights) {
  learn::Matrix out = weights;
  for (Eigen::Index r = 0; r < out.rows(); ++r) {
    const float step = out.row(r).cwiseAbs().maxCoeff() / 127;
    out.row(r) = (out.row(r) / step).array().round() * step;
  }
  return out;
}

// What coefficients of all patches are off in frames, RMS; and what of that is the same in all frames.
struct Off {
  double all = 0, always = 0;
};
Off off(const learn::PatchModel& exact, const learn::PatchModel& rounded, const learn::PatchInputs& frames) {
  Off out;
  double count = 0;
  for (size_t p = 0; p < exact.patches.size(); ++p) {
    const learn::Matrix d = rounded.network_of(p)(rounded.input_bones(p, frames)) -
                            exact.network_of(p)(exact.input_bones(p, frames));
    out.all += static_cast<double>(d.squaredNorm());
    out.always += static_cast<double>(d.colwise().mean().squaredNorm() * static_cast<float>(d.rows()));
    count += static_cast<double>(d.size());
  }
  return {std::sqrt(out.all / count), std::sqrt(out.always / count)};
}

TEST(RoundNetworks, BytesMakeUpForEachOther) {
  const Packed packed = sample_garment(body::make_person(), {.activation = learn::Activation::kGelu});
  const auto& exact = std::get<learn::PatchModel>(packed.model);
  learn::PatchModel careful = exact, plain = exact;
  const RoundedNetworks rounded = quantise_networks(careful, swings(exact, 400, 1), 1e9);
  for (learn::Network& n : plain.networks) {
    n.linear = to_the_nearest(n.linear);
    for (learn::Layer& l : n.layers) l.weights = to_the_nearest(l.weights);
  }
  // In frames that it was not rounded by.
  const learn::PatchInputs others = swings(exact, 100, 2);
  const Off by_frames = off(exact, careful, others), by_itself = off(exact, plain, others);
  EXPECT_LT(by_frames.all, 0.5 * by_itself.all);
  EXPECT_LT(by_frames.always, 0.5 * by_frames.all);

  // Whole steps, as long as rows and columns say.
  for (size_t m = 0; m < rounded.matrices.size(); ++m) {
    const RoundedMatrix& r = rounded.matrices[m];
    const learn::Network& n = careful.networks[0];
    const learn::Matrix& w = m < n.layers.size() ? n.layers[m].weights : n.linear;
    ASSERT_EQ(r.column_scales.size(), static_cast<size_t>(w.cols()));
    for (Eigen::Index i = 0; i < w.rows(); ++i)
      for (Eigen::Index j = 0; j < w.cols(); ++j) {
        EXPECT_EQ(r.kinds[static_cast<size_t>(j)], Kind::kInt8);
        const float steps =
            127 * w(i, j) / r.row_scales[static_cast<size_t>(i)] / r.column_scales[static_cast<size_t>(j)];
        EXPECT_NEAR(steps, std::round(steps), 1e-3f);
        EXPECT_LE(std::fabs(steps), 127.001f);
      }
  }
}

TEST(RoundNetworks, GetsAsFineAsAskedFor) {
  const Packed packed = sample_garment(body::make_person(), {});
  const auto& exact = std::get<learn::PatchModel>(packed.model);
  learn::PatchModel coarse = exact, fine = exact;
  const learn::PatchInputs frames = swings(exact, 400, 1);
  const RoundedNetworks first = quantise_networks(coarse, frames, 1e9);
  const RoundedNetworks second = quantise_networks(fine, frames, first.error / 9);
  EXPECT_LE(second.error, first.error / 9);
  EXPECT_GT(second.bytes, first.bytes);
  const learn::PatchInputs others = swings(exact, 100, 2);
  EXPECT_LT(off(exact, fine, others).all, 0.6 * off(exact, coarse, others).all);
}

}  // namespace
}  // namespace billow::pack
