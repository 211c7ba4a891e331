#include "train/mlp.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

// OpenBLAS, where libtorch uses it, has threads that torch does not rule.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace billow::train {

void prepare_torch(uint64_t seed) {
  // The matrices are small: threads of torch would wait for each other more than they do, and in the way of those that
  // look for collisions (measured: half the speed). One thread also gives the same bits on any machine.
  torch::set_num_threads(1);
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  // Its products of many small matrices are several times slower than BLAS on 64-bit ARM.
  at::globalContext().setUserEnabledMkldnn(false);
  torch::manual_seed(seed);
}

torch::Device torch_device(Device device) {
  const bool cuda = torch::cuda::is_available();
  if (device == Device::kCuda && !cuda)
    throw std::runtime_error("device: expected a GPU that CUDA can use, found none");
  return cuda && device != Device::kCpu ? torch::kCUDA : torch::kCPU;
}

torch::Tensor to_tensor(const learn::Matrix& m) {
  torch::Tensor t = torch::empty({m.rows(), m.cols()}, torch::kFloat32);
  std::copy(m.data(), m.data() + m.size(), t.data_ptr<float>());
  return t;
}

torch::Tensor to_tensor(const learn::Vector& v) {
  torch::Tensor t = torch::empty({v.size()}, torch::kFloat32);
  std::copy(v.data(), v.data() + v.size(), t.data_ptr<float>());
  return t;
}

learn::Matrix to_matrix(const torch::Tensor& tensor) {
  const torch::Tensor t = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const Eigen::Index rows = t.dim() > 1 ? t.size(0) : 1;
  return Eigen::Map<const learn::Matrix>(t.data_ptr<float>(), rows, t.numel() / std::max<int64_t>(rows, 1));
}

double begin_epoch(int number, const StageOptions& options, uint64_t seed, const Adams& adams,
                   std::mt19937_64& random) {
  const double rate = 0.5 * options.rate * (1 + std::cos(std::numbers::pi * (number - 1) / options.epochs));
  for (const auto& adam : adams)
    for (auto& group : adam->param_groups())
      static_cast<torch::optim::AdamWOptions&>(group.options()).lr(rate);
  std::seed_seq seeds{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
                      static_cast<uint32_t>(number)};
  random.seed(seeds);
  torch::manual_seed(random());
  return rate;
}

void shuffle(std::vector<uint32_t>& rows, std::mt19937_64& random) {
  for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random() % i]);
}

torch::Tensor activated(learn::Activation activation, const torch::Tensor& h) {
  switch (activation) {
    case learn::Activation::kRelu:
      return torch::relu(h);
    case learn::Activation::kTanh:
      return torch::tanh(h);
    case learn::Activation::kGelu:
      break;
  }
  return h.is_cpu() && h.scalar_type() == torch::kFloat ? fast_gelu(h) : torch::gelu(h);
}

Mlp::Mlp(const learn::Network& start, int outputs, double unit_of_outputs, const StageOptions& options)
    : activation(options.activation),
      unit(unit_of_outputs),
      dropout(options.dropout),
      tune_linear(options.tune_linear) {
  if (start.linear.size() > 0) {
    linear = to_tensor(start.linear) / unit;
    bias = start.bias.size() > 0 ? to_tensor(start.bias) / unit : torch::zeros({outputs});
  }
  int width = static_cast<int>(start.mean.size());
  for (int k = 0; k <= options.hidden_layers; ++k) {
    const bool last = k == options.hidden_layers;
    const int next = last ? outputs : options.hidden;
    const double bound = last && linear.defined() ? 0 : 1 / std::sqrt(width);
    weights.push_back(torch::empty({next, width}).uniform_(-bound, bound));
    biases.push_back(torch::empty({next}).uniform_(-bound, bound));
    width = next;
  }
}

torch::Tensor Mlp::forward(const torch::Tensor& z, bool learning) const {
  torch::Tensor h = z;
  for (size_t k = 0; k < weights.size(); ++k) {
    h = torch::linear(h, weights[k], biases[k]);
    if (k + 1 == weights.size()) break;
    h = activated(activation, h);
    if (dropout > 0) h = torch::dropout(h, dropout, learning);
  }
  if (linear.defined()) h = h + torch::linear(z, linear, bias);
  return h * unit;
}

std::vector<torch::Tensor> Mlp::parameters() const {
  std::vector<torch::Tensor> all;
  for (size_t k = 0; k < weights.size(); ++k) all.push_back(weights[k]), all.push_back(biases[k]);
  if (linear.defined() && tune_linear) all.push_back(linear);
  return all;
}

void Mlp::to(const torch::Device& device) {
  if (linear.defined()) linear = linear.to(device), bias = bias.to(device);
  for (torch::Tensor& w : weights) w = w.to(device);
  for (torch::Tensor& b : biases) b = b.to(device);
  for (torch::Tensor& p : parameters()) p.requires_grad_();
}

learn::Network Mlp::network(learn::Network start) const {
  start.activation = activation;
  start.layers.clear();
  for (size_t k = 0; k < weights.size(); ++k) {
    const double by = k + 1 == weights.size() ? unit : 1;
    start.layers.push_back({to_matrix(weights[k] * by), to_matrix(biases[k] * by).row(0)});
  }
  if (linear.defined() && tune_linear) start.linear = to_matrix(linear * unit);
  return start;
}

}  // namespace billow::train
