// Some of a garment's networks side by side, what they learn from, and what moves them. They learn each for itself but for what is asked of the
// surface, so that threads may have a group each. For the sources of this folder only, as mlp.h.
#pragma once

#include "train/mlp.h"
#include "train/patch_stage.h"

namespace billow::train {

class PatchGroup {
 public:
  // `edges`: the factors of patch_edges.h for all networks, or none.
  PatchGroup(const PatchTask& task, size_t first, size_t count, const std::vector<learn::Matrix>& edges,
             const StageOptions& options, const torch::Device& device);

  size_t first() const { return first_; }
  size_t size() const { return static_cast<size_t>(truth_.size(0)); }
  int64_t outputs() const { return truth_.size(2); }
  std::vector<torch::Tensor> parameters() const;

  // Squares of what the linear halves leave of the samples that are learnt. Networks begin in units of these.
  double left() const;
  void set_unit(double unit) { unit_ = unit; }
  void seed(uint64_t seed) { random_.seed(seed + first_); }

  // Coefficients, networks x samples x outputs.
  torch::Tensor predict(const torch::Tensor& which, bool learning);
  // Summed over all patches, two of which may have a network.
  struct Data {
    torch::Tensor term;            // with edges
    double squares = 0, data = 0;  // of what vertices are off; the term
  };
  Data data_term(const torch::Tensor& c, const torch::Tensor& which) const;

  // Into the model.
  void put_layers(learn::PatchModel& model) const;

 private:
  void fill(const PatchTask& task, int64_t n);
  torch::Tensor forward(torch::Tensor h, bool learning);
  // Random numbers of the group's own on a CPU, where threads draw them in any order.
  torch::Tensor with_noise(const torch::Tensor& z);
  torch::Tensor with_dropout(const torch::Tensor& h);

  size_t first_;
  size_t learnt_;
  const StageOptions& options_;
  torch::Tensor z_, scale_, linear_, truth_;     // networks x samples x inputs or outputs
  torch::Tensor patches_;                        // of each network, networks x 1 x 1
  torch::Tensor edges_;                          // networks x 1 x components x components; undefined: none
  std::vector<torch::Tensor> weights_, biases_;  // networks x inputs x outputs, networks x 1 x outputs
  double unit_ = 1;
  std::mt19937_64 random_;
};

}  // namespace billow::train
