#include "ropes/correct_ropes.h"

namespace billow::ropes {

learn::Network fit_correction(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              size_t threads) {
  constexpr uint32_t kEvery = 2;  // frames beside each other say the same
  std::vector<uint32_t> which, groups;
  for (uint32_t c = 0; c < frames.clips().size(); ++c) {
    const Frames::Run& clip = frames.clips()[c];
    for (uint32_t f = clip.begin; f < clip.end; f += kEvery)
      if (frames.part(f) != dataset::Part::kUnseen) which.push_back(f), groups.push_back(c);
  }
  Matrix inputs(static_cast<Eigen::Index>(which.size()), ropes.cols()), outputs = inputs;
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    const auto f = static_cast<Eigen::Index>(which[static_cast<size_t>(i)]);
    inputs.row(i) = ropes.row(f);
    outputs.row(i) = embedded.row(f) - ropes.row(f);
  }
  learn::RidgeOptions options;
  options.threads = threads;
  return learn::fit_ridge(inputs, outputs, groups, options).network;
}

learn::Network with_correction(learn::Network network, const learn::Network& correction) {
  // Corrected bones are turn * d + shift. In terms of the network's own inputs z = (d - mean) * scale, that is
  // turned * z + shifted.
  const Matrix turn = Matrix::Identity(correction.linear.rows(), correction.linear.cols()) +
                      correction.linear * correction.scale.asDiagonal();
  const learn::Vector shift =
      correction.bias - correction.linear * correction.scale.cwiseProduct(correction.mean);
  const Matrix turned = network.scale.asDiagonal() * turn * network.scale.cwiseInverse().asDiagonal();
  const learn::Vector shifted = network.scale.cwiseProduct(turn * network.mean + shift - network.mean);
  const auto put_before = [&](Matrix& weights, learn::Vector& bias) {
    if (bias.size() == 0) bias = learn::Vector::Zero(weights.rows());
    bias += weights * shifted;
    weights = (weights * turned).eval();
  };
  if (network.linear.size() > 0) put_before(network.linear, network.bias);
  if (!network.layers.empty()) put_before(network.layers[0].weights, network.layers[0].bias);
  return network;
}

}  // namespace billow::ropes
