#include "learn/model.h"

#include <cmath>
#include <stdexcept>

namespace billow::learn {
namespace {

constexpr const char* kNames[] = {"relu", "tanh", "gelu"};

void apply(Activation activation, Matrix& values) {
  switch (activation) {
    case Activation::kRelu:
      values = values.cwiseMax(0.0f);
      break;
    case Activation::kTanh:
      values = values.array().tanh();
      break;
    case Activation::kGelu:
      values = values.unaryExpr([](float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); });
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

const char* name_of(Activation activation) { return kNames[static_cast<size_t>(activation)]; }

Activation activation_named(const std::string& name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Activation>(i);
  throw std::invalid_argument("activation: expected relu, tanh or gelu, found " + name);
}

Matrix Network::operator()(const Matrix& inputs) const {
  const Matrix z = centered(inputs);
  Matrix c = layers.empty() ? Matrix::Zero(z.rows(), linear.rows()) : z;
  for (size_t k = 0; k < layers.size(); ++k) c = after(k, c);
  if (linear.size() > 0) c += z * linear.transpose();
  if (bias.size() > 0) c.rowwise() += bias.transpose();
  return c;
}

Matrix Network::centered(const Matrix& inputs) const {
  return (inputs.rowwise() - mean.transpose()).array().rowwise() * scale.transpose().array();
}

Matrix Network::after(size_t layer, const Matrix& values) const {
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

}  // namespace billow::learn
