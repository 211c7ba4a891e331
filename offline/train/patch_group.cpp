#include "train/patch_group.h"

#include <cmath>

namespace billow::train {
namespace {

// A CPU tensor of the shape of `like`, each value made from 16 random bits.
template <class Make> torch::Tensor draw(const torch::Tensor& like, std::mt19937_64& random, Make make) {
  torch::Tensor t = torch::empty_like(like, at::MemoryFormat::Contiguous);
  float* to = t.data_ptr<float>();
  uint64_t bits = 0;
  for (int64_t i = 0; i < t.numel(); ++i, bits >>= 16) {
    if (i % 4 == 0) bits = random();
    to[i] = make(static_cast<float>(bits & 0xffff));
  }
  return t;
}

}  // namespace

PatchGroup::PatchGroup(const PatchTask& task, size_t first, size_t count,
                       const std::vector<learn::Matrix>& edges, const StageOptions& options,
                       const torch::Device& device)
    : first_(first), train_count_(task.train), options_(options) {
  const auto networks = static_cast<int64_t>(count), samples = static_cast<int64_t>(task.samples.size());
  const int64_t inputs = task.rows[first].features.cols(), outputs = task.rows[first].truth.cols();
  z_ = torch::zeros({networks, samples, inputs});
  scale_ = torch::ones({networks, 1, inputs});
  linear_ = torch::zeros({networks, samples, outputs});
  truth_ = torch::zeros({networks, samples, outputs});
  patch_counts_ = torch::zeros({networks, 1, 1});
  for (int64_t n = 0; n < networks; ++n) fill(task, n);
  for (const learn::Patch& p : task.model.patches)
    if (p.network >= first && p.network < first + count)
      patch_counts_[static_cast<int64_t>(p.network - first)] += 1;
  if (!edges.empty()) {
    edges_ = torch::zeros({networks, 1, edges[first].rows(), edges[first].cols()});
    for (int64_t n = 0; n < networks; ++n)
      edges_[n][0].copy_(to_tensor(edges[first + static_cast<size_t>(n)]));
  }
  int64_t width = inputs;
  for (int k = 0; k <= options.hidden_layers; ++k) {
    // Start the last layer at zero, so that the network starts as its linear path.
    const bool last = k == options.hidden_layers;
    const int64_t next = last ? outputs : options.hidden;
    const double bound = last ? 0 : 1 / std::sqrt(static_cast<double>(width));
    weights_.push_back(torch::empty({networks, width, next}).uniform_(-bound, bound));
    biases_.push_back(torch::zeros({networks, 1, next}));
    width = next;
  }
  for (auto* list : {&weights_, &biases_})
    for (torch::Tensor& t : *list) t = t.to(device).requires_grad_();
  for (torch::Tensor* t : {&z_, &scale_, &linear_, &truth_, &patch_counts_, &edges_})
    if (t->defined()) *t = t->to(device);
}

void PatchGroup::fill(const PatchTask& task, int64_t n) {
  const learn::PatchRows& rows = task.rows[first_ + static_cast<size_t>(n)];
  const learn::Network& network = task.model.networks[first_ + static_cast<size_t>(n)];
  z_[n].copy_((to_tensor(rows.features) - to_tensor(network.mean)) * to_tensor(network.scale));
  scale_[n][0].copy_(to_tensor(network.scale));
  truth_[n].copy_(to_tensor(rows.truth));
  linear_[n].copy_(to_tensor(network(rows.features)));
}

std::vector<torch::Tensor> PatchGroup::parameters() const {
  std::vector<torch::Tensor> all;
  for (size_t k = 0; k < weights_.size(); ++k) all.push_back(weights_[k]), all.push_back(biases_[k]);
  return all;
}

double PatchGroup::squared_residual() const {
  return (truth_ - linear_)
      .slice(1, 0, static_cast<int64_t>(train_count_))
      .square()
      .sum(torch::kFloat64)
      .item<double>();
}

torch::Tensor PatchGroup::with_noise(const torch::Tensor& z) {
  if (!z.is_cpu()) return z + torch::randn_like(z) * scale_ * options_.noise;
  const float width = std::sqrt(12.0f);  // of a uniform distribution with unit deviation
  return z + draw(z, random_, [=](float u) { return (u / 65535 - 0.5f) * width; }) * scale_ * options_.noise;
}

torch::Tensor PatchGroup::with_dropout(const torch::Tensor& h) {
  if (!h.is_cpu()) return torch::dropout(h, options_.dropout, true);
  const auto dropped = static_cast<float>(options_.dropout * 65536),
             kept = static_cast<float>(1 / (1 - options_.dropout));
  return h * draw(h, random_, [=](float u) { return u < dropped ? 0 : kept; });
}

torch::Tensor PatchGroup::predict(const torch::Tensor& which, bool training) {
  torch::Tensor z = z_.index_select(1, which);
  if (training && options_.noise > 0) z = with_noise(z);
  return forward(z, training) * output_scale_ + linear_.index_select(1, which);
}

torch::Tensor PatchGroup::forward(torch::Tensor h, bool training) {
  for (size_t k = 0; k < weights_.size(); ++k) {
    h = torch::baddbmm(biases_[k], h, weights_[k]);
    if (k + 1 == weights_.size()) break;
    h = activate(options_.activation, h);
    if (training && options_.dropout > 0) h = with_dropout(h);
  }
  return h;
}

PatchGroup::Data PatchGroup::data_term(const torch::Tensor& c, const torch::Tensor& which) const {
  const torch::Tensor d = c - truth_.index_select(1, which), squared = (d.square() * patch_counts_).sum();
  Data data{squared};
  if (edges_.defined())  // coefficients: x of all components, then y, then z
    data.term =
        (d.view({d.size(0), d.size(1), 3, edges_.size(3)}).matmul(edges_).flatten(2).square() * patch_counts_)
            .sum();
  const torch::Tensor sums = torch::stack({squared, data.term}).detach().to(torch::kCPU, torch::kFloat64);
  data.squared_error = sums[0].item<double>(), data.data = sums[1].item<double>();
  return data;
}

void PatchGroup::put_layers(learn::PatchModel& model) const {
  torch::NoGradGuard guard;
  for (size_t i = 0; i < size(); ++i) {
    learn::Network& network = model.networks[first_ + i];
    network.activation = options_.activation;
    network.layers.clear();
    for (size_t k = 0; k < weights_.size(); ++k) {
      const auto n = static_cast<int64_t>(i);
      const double factor = k + 1 == weights_.size() ? output_scale_ : 1;
      network.layers.push_back(
          {to_matrix(weights_[k][n].t() * factor), to_matrix(biases_[k][n] * factor).row(0)});
    }
  }
}

}  // namespace billow::train
