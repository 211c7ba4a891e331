#include "learn/model.h"

#include <stdexcept>

#include "net/activate.h"

namespace billow::learn {
namespace {

constexpr const char* kActivationNames[] = {"relu", "tanh", "gelu"};

// By the runtime's own function.
void apply_gelu(Matrix& values) {
  float* v = values.data();
  const Eigen::Index whole = values.size() / kLanes * kLanes;
  for (Eigen::Index i = 0; i < whole; i += kLanes) store(v + i, gelu(load(v + i)));
  for (Eigen::Index i = whole; i < values.size(); ++i) v[i] = lane(gelu(splat(v[i])), 0);
}

void apply(Activation activation, Matrix& values) {
  switch (activation) {
    case Activation::kRelu:
      values = values.cwiseMax(0.0f);
      break;
    case Activation::kTanh:
      values = values.array().tanh();
      break;
    case Activation::kGelu:
      apply_gelu(values);
      break;
  }
}

}  // namespace

Matrix Basis::project(const Matrix& frames) const {
  Matrix c = frames * modes.transpose();
  c.rowwise() -= (modes * mean).transpose();
  return c;
}

Matrix Basis::expand(const Matrix& coefficients) const {
  Matrix frames = coefficients * modes;
  frames.rowwise() += mean.transpose();
  return frames;
}

const char* name_of(Activation activation) { return kActivationNames[static_cast<size_t>(activation)]; }

Activation activation_named(const std::string& name) {
  for (size_t i = 0; i < std::size(kActivationNames); ++i)
    if (name == kActivationNames[i]) return static_cast<Activation>(i);
  throw std::invalid_argument("activation: expected relu, tanh or gelu, found " + name);
}

Matrix Network::operator()(const Matrix& inputs) const {
  const Matrix z = standardised(inputs);
  Matrix c = layers.empty() ? Matrix::Zero(z.rows(), linear.rows()) : z;
  for (size_t k = 0; k < layers.size(); ++k) c = layer_output(k, c);
  if (linear.size() > 0) c += z * linear.transpose();
  if (bias.size() > 0) c.rowwise() += bias.transpose();
  return c;
}

Matrix Network::standardised(const Matrix& inputs) const {
  return (inputs.rowwise() - mean.transpose()).array().rowwise() * scale.transpose().array();
}

Matrix Network::layer_output(size_t layer, const Matrix& values) const {
  Matrix out = (values * layers[layer].weights.transpose()).rowwise() + layers[layer].bias.transpose();
  if (layer + 1 < layers.size()) apply(activation, out);
  return out;
}

Matrix Model::skinned(const Matrix& bones) const { return skinning.basis.expand(skinning.network(bones)); }

Matrix Model::operator()(const Matrix& bones) const {
  Matrix cloth = skinned(bones);
  if (shape.basis.components() > 0) cloth += shape.basis.expand(shape.network(bones));
  return cloth;
}

Matrix corrected(const Network& correction, const Matrix& ropes) {
  if (correction.layers.empty() && correction.linear.size() == 0) return ropes;
  Matrix by = correction(ropes);
  for (Eigen::Index f = 0; f < by.rows(); ++f)
    for (Eigen::Index b = 0; b < by.cols(); b += 3) {
      auto d = by.row(f).segment<3>(b);
      if (const float length = d.norm(); length > kMaxCorrection) d *= kMaxCorrection / length;
    }
  return ropes + by;
}

}  // namespace billow::learn
