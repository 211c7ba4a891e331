#include "ropes/correct_ropes.h"

#include <algorithm>
#include <cmath>

namespace billow::ropes {

learn::Network fit_correction(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              size_t threads) {
  constexpr uint32_t kEvery = 2;  // frames beside each other say the same
  std::vector<uint32_t> which, groups;
  for (uint32_t c = 0; c < frames.clips().size(); ++c) {
    const Frames::Run& clip = frames.clips()[c];
    for (uint32_t f = clip.begin; f < clip.end; f += kEvery)
      if (frames.part(f) == dataset::Part::kTrain) which.push_back(f), groups.push_back(c);
  }
  Matrix inputs(static_cast<Eigen::Index>(which.size()), ropes.cols()), outputs = inputs;
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    const auto f = static_cast<Eigen::Index>(which[static_cast<size_t>(i)]);
    inputs.row(i) = ropes.row(f);
    outputs.row(i) = embedded.row(f) - ropes.row(f);
  }
  learn::RidgeOptions options;
  options.threads = threads;
  for (const double stiff : {1.0, 10.0, 100.0}) options.penalties.push_back(stiff);
  const learn::Ridge ridge = learn::fit_ridge(inputs, outputs, groups, options);
  // Clips that were left out tell whether it is any good.
  const double without = std::sqrt(static_cast<double>(outputs.rowwise().squaredNorm().mean()));
  if (ridge.errors.empty() || *std::min_element(ridge.errors.begin(), ridge.errors.end()) >= without)
    return {};
  return ridge.network;
}

}  // namespace billow::ropes
