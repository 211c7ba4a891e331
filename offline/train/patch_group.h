// A group of patch networks as batched tensors, with their training data. Groups interact through surface losses only, so that
// each can be trained by its own thread. Includes torch: for sources of this folder only, as mlp.h.
#pragma once

#include "train/mlp.h"
#include "train/patch_stage.h"

namespace billow::train {

class PatchGroup {
 public:
  // Networks [first, first + count). `edges`: the edge_factors() of all networks, or empty.
  PatchGroup(const PatchTask& task, size_t first, size_t count, const std::vector<learn::Matrix>& edges,
             const StageOptions& options, const torch::Device& device);

  size_t first() const { return first_; }
  size_t size() const { return static_cast<size_t>(truth_.size(0)); }
  int64_t outputs() const { return truth_.size(2); }
  std::vector<torch::Tensor> parameters() const;

  // Sum of squared residuals of the linear paths over the training samples.
  double squared_residual() const;
  void set_output_scale(double scale) { output_scale_ = scale; }
  void seed(uint64_t seed) { random_.seed(seed + first_); }

  // Coefficients, networks x samples x outputs.
  torch::Tensor predict(const torch::Tensor& which, bool training);
  // Summed over all patches: a shared network counts twice.
  struct Data {
    torch::Tensor term;                  // with edge errors
    double squared_error = 0, data = 0;  // of the vertices; value of the term
  };
  Data data_term(const torch::Tensor& c, const torch::Tensor& which) const;

  // Copies the trained layers into the model.
  void put_layers(learn::PatchModel& model) const;

 private:
  void fill(const PatchTask& task, int64_t n);
  torch::Tensor forward(torch::Tensor h, bool training);
  // On a CPU these draw from the group's own generator: torch's is shared by threads, whose order varies.
  torch::Tensor with_noise(const torch::Tensor& z);
  torch::Tensor with_dropout(const torch::Tensor& h);

  size_t first_;
  size_t train_count_;
  const StageOptions& options_;
  torch::Tensor z_, scale_, linear_, truth_;     // networks x samples x inputs or outputs
  torch::Tensor patch_counts_;                   // patches of each network, networks x 1 x 1
  torch::Tensor edges_;                          // networks x 1 x components x components; undefined: none
  std::vector<torch::Tensor> weights_, biases_;  // networks x inputs x outputs, networks x 1 x outputs
  double output_scale_ = 1;
  std::mt19937_64 random_;
};

}  // namespace billow::train
