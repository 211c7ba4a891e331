// A network as libtorch trains it. For the sources of this folder only: all other headers do without torch.
#pragma once

#include <torch/torch.h>

#include <random>
#include <vector>

#include "learn/model.h"
#include "train/options.h"

namespace billow::train {

// Settings for networks of this size, before each training.
void prepare_torch(uint64_t seed);

torch::Device torch_device(Device device);

// Copies, row-major.
torch::Tensor to_tensor(const learn::Matrix& m);
torch::Tensor to_tensor(const learn::Vector& v);
learn::Matrix to_matrix(const torch::Tensor& t);

using Adams = std::vector<std::unique_ptr<torch::optim::AdamW>>;
// Begins an epoch: sets Adam's rate along the cosine, which is given back, and seeds torch and `random`. What is random in
// an epoch depends on the seed and its number only, so that one that is resumed is the same.
double begin_epoch(int number, const StageOptions& options, uint64_t seed, const Adams& adams,
                   std::mt19937_64& random);
// std::shuffle may differ between standard libraries; this may not.
void shuffle(std::vector<uint32_t>& rows, std::mt19937_64& random);

// For tensors of floats on a CPU.
torch::Tensor fast_gelu(const torch::Tensor& x);
torch::Tensor activated(learn::Activation activation, const torch::Tensor& h);

//   c = unit (linear z + bias + W3 f(W2 f(W1 z + b1) + b2) + b3)
struct Mlp {
  torch::Tensor linear, bias;  // over `unit`; undefined: none
  std::vector<torch::Tensor> weights, biases;
  learn::Activation activation = learn::Activation::kTanh;
  double unit = 1, dropout = 0;
  bool tune_linear = false;

  // Begins from random numbers of torch's generator, on the CPU so that they are the same for any device. Where
  // there is a linear path the network adds nothing to it at first.
  Mlp(const learn::Network& start, int outputs, double unit_of_outputs, const StageOptions& options);

  torch::Tensor forward(const torch::Tensor& z, bool learning) const;
  std::vector<torch::Tensor> parameters() const;
  void to(const torch::Device& device);
  // What `start` has become.
  learn::Network network(learn::Network start) const;
};

}  // namespace billow::train
