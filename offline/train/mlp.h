// A network as libtorch trains it. For sources of this folder only: other headers do not include torch.
#pragma once

#include <torch/torch.h>

#include <random>
#include <vector>

#include "learn/model.h"
#include "train/options.h"

namespace billow::train {

// Global torch settings for networks of this size. Call before each training.
void prepare_torch(uint64_t seed);

torch::Device torch_device(Device device);

// Copies, row-major.
torch::Tensor to_tensor(const learn::Matrix& m);
torch::Tensor to_tensor(const learn::Vector& v);
learn::Matrix to_matrix(const torch::Tensor& t);

using Adams = std::vector<std::unique_ptr<torch::optim::AdamW>>;
// Sets the learning rate of the cosine schedule, which is returned, and seeds torch and `random`. Random numbers of
// an epoch depend on the seed and its number only, so that a resumed training gives the same result.
double begin_epoch(int number, const StageOptions& options, uint64_t seed, const Adams& adams,
                   std::mt19937_64& random);
// The same order with any standard library, unlike std::shuffle.
void shuffle(std::vector<uint32_t>& rows, std::mt19937_64& random);

// For float tensors on a CPU.
torch::Tensor fast_gelu(const torch::Tensor& x);
torch::Tensor activate(learn::Activation activation, const torch::Tensor& h);

//   c = output_scale (linear z + bias + W3 f(W2 f(W1 z + b1) + b2) + b3)
struct Mlp {
  torch::Tensor linear, bias;  // divided by `output_scale`; undefined: none
  std::vector<torch::Tensor> weights, biases;
  learn::Activation activation = learn::Activation::kTanh;
  double output_scale = 1, dropout = 0;
  bool tune_linear = false;

  // Initialises weights from torch's generator on the CPU, so that they are the same for any device. With a linear path the
  // last layer starts at zero.
  Mlp(const learn::Network& start, int outputs, double scale_of_outputs, const StageOptions& options);

  torch::Tensor forward(const torch::Tensor& z, bool training) const;
  std::vector<torch::Tensor> parameters() const;
  void to(const torch::Device& device);
  // `start` with the trained parameters.
  learn::Network network(learn::Network start) const;
};

}  // namespace billow::train
