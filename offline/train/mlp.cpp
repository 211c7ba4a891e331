#include "train/mlp.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "net/activate.h"

// OpenBLAS, where libtorch uses it, has its own threads, which torch::set_num_threads does not control.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace billow::train {
namespace {

// exp(-x2 / 2) to a relative error of 1e-4 for |x| < 3; beyond, its value is negligible.
F4 gaussian(F4 x) {
  const F4 u = min(x * x, splat(36.0f)) * (0.5f / 16);
  F4 p = (((u * 0.0416666667f + 0.166666667f) * u + 0.5f) * u + 1.0f) * u + 1.0f;
  p *= p, p *= p, p *= p, p *= p;
  return 1.0f / p;
}

// GELU and its derivative with the runtime's own kernel: torch's calls libm for each value, which takes half of the time of
// training patches.
struct FastGelu : torch::autograd::Function<FastGelu> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& input) {
    const torch::Tensor x = input.contiguous();
    torch::Tensor y = torch::empty_like(x), slope = torch::empty_like(x);
    const float* from = x.data_ptr<float>();
    float *to = y.data_ptr<float>(), *slopes = slope.data_ptr<float>();
    const auto compute_lanes = [&](const float* in, float* value, float* factor) {
      const F4 at = load(in);
      store(value, gelu(at));
      const F4 above = normal_tail(abs(at)), below = select(at < zero(), above, 1.0f - above);
      store(factor, below + at * gaussian(at) * 0.39894228f);
    };
    at::parallel_for(0, x.numel() / kLanes, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t i = kLanes * begin; i < kLanes * end; i += kLanes)
        compute_lanes(from + i, to + i, slopes + i);
    });
    const int64_t done = x.numel() / kLanes * kLanes;
    float last[3][kLanes] = {};
    std::copy(from + done, from + x.numel(), last[0]);
    compute_lanes(last[0], last[1], last[2]);
    std::copy_n(last[1], x.numel() - done, to + done);
    std::copy_n(last[2], x.numel() - done, slopes + done);
    context->save_for_backward({slope});
    return y;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    return {gradients[0] * context->get_saved_variables()[0]};
  }
};

}  // namespace

torch::Tensor fast_gelu(const torch::Tensor& x) { return FastGelu::apply(x); }

void prepare_torch(uint64_t seed) {
  // The matrices are too small for torch's threads, which would also compete with those of the collision loss (measured: half
  // the speed). One thread also gives the same bits on any machine.
  torch::set_num_threads(1);
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  // MKL-DNN's batched products of small matrices are several times slower than BLAS on 64-bit ARM.
  at::globalContext().setUserEnabledMkldnn(false);
  torch::manual_seed(seed);
}

torch::Device torch_device(Device device) {
  const bool cuda = torch::cuda::is_available();
  if (device == Device::kCuda && !cuda)
    throw std::runtime_error("device: expected a CUDA device, found none");
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

torch::Tensor activate(learn::Activation activation, const torch::Tensor& h) {
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

Mlp::Mlp(const learn::Network& start, int outputs, double scale_of_outputs, const StageOptions& options)
    : activation(options.activation),
      output_scale(scale_of_outputs),
      dropout(options.dropout),
      tune_linear(options.tune_linear) {
  if (start.linear.size() > 0) {
    linear = to_tensor(start.linear) / output_scale;
    bias = start.bias.size() > 0 ? to_tensor(start.bias) / output_scale : torch::zeros({outputs});
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

torch::Tensor Mlp::forward(const torch::Tensor& z, bool training) const {
  torch::Tensor h = z;
  for (size_t k = 0; k < weights.size(); ++k) {
    h = torch::linear(h, weights[k], biases[k]);
    if (k + 1 == weights.size()) break;
    h = activate(activation, h);
    if (dropout > 0) h = torch::dropout(h, dropout, training);
  }
  if (linear.defined()) h = h + torch::linear(z, linear, bias);
  return h * output_scale;
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
    const double factor = k + 1 == weights.size() ? output_scale : 1;
    start.layers.push_back({to_matrix(weights[k] * factor), to_matrix(biases[k] * factor).row(0)});
  }
  if (linear.defined() && tune_linear) start.linear = to_matrix(linear * output_scale);
  return start;
}

}  // namespace billow::train
