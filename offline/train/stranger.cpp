#include "train/stranger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <set>
#include <stdexcept>

#include "train/mlp.h"

namespace billow::train {
namespace {

constexpr int64_t kScoredTogether = 4096;  // pieces

torch::Tensor rows_of(const Matrix& m, const std::vector<uint32_t>& rows) {
  torch::Tensor out = torch::empty({static_cast<int64_t>(rows.size()), m.cols()}, torch::kFloat32);
  float* to = out.data_ptr<float>();
  for (const uint32_t r : rows) to = std::copy_n(m.row(r).data(), m.cols(), to);
  return out;
}

// Pieces of some clips, chosen at random, are for validation.
struct StrangerSplit {
  std::vector<uint32_t> train, validation;
};
StrangerSplit split_by_clip(const Pieces& pieces, double share, std::mt19937_64& random) {
  const std::set<uint32_t> distinct(pieces.clip.begin(), pieces.clip.end());
  std::vector<uint32_t> clips(distinct.begin(), distinct.end());
  if (clips.size() < 2)
    throw std::invalid_argument("stranger: expected pieces of at least two clips, found " +
                                std::to_string(clips.size()));
  shuffle(clips, random);
  const auto held =
      std::clamp<size_t>(static_cast<size_t>(share * static_cast<double>(clips.size())), 1, clips.size() - 1);
  const std::set<uint32_t> validation(clips.begin(), clips.begin() + static_cast<std::ptrdiff_t>(held));
  StrangerSplit split;
  for (uint32_t i = 0; i < pieces.size(); ++i)
    (validation.count(pieces.clip[i]) ? split.validation : split.train).push_back(i);
  return split;
}

}  // namespace

// Two layers of convolutions over the grid of a piece, so that a wrinkle is the same wherever it lies in it; means and maxima of
// what they find go to one linear output.
struct Stranger::Network {
  torch::Device device = torch::kCPU;
  torch::Tensor mean, scale;
  std::vector<torch::Tensor> parameters;  // weights and biases of three layers
  double dropout = 0;
  int64_t seen = 0;  // channels

  Network(const torch::Tensor& features, const StrangerOptions& options)
      : device(torch_device(options.device)),
        dropout(options.dropout),
        seen(static_cast<int64_t>(options.sees == Sees::kAll ? PieceCutter::kChannels
                                                             : PieceCutter::kNormalChannels)) {
    const torch::Tensor grid = to_grid(features);
    mean = grid.mean(0, true).to(device);
    // One scale a channel: a scale of each point would make wrinkles differ by place.
    scale = (1 / ((grid - grid.mean(0, true)).square().mean({0, 2, 3}, true).sqrt() + 1e-4)).to(device);
    const int64_t inputs = grid.size(1), c = options.channels;
    add({c, inputs, 3, 3}, 9 * inputs), add({c, c, 3, 3}, 9 * c), add({1, 2 * c}, 2 * c);
    for (torch::Tensor& p : parameters) p.requires_grad_();
  }
  // Logits.
  torch::Tensor forward(const torch::Tensor& features, bool training) const {
    torch::Tensor h = ((to_grid(features).to(device) - mean) * scale).clamp(-8, 8);
    for (size_t k = 0; k < 2; ++k)
      h = torch::relu(torch::conv2d(h, parameters[2 * k], parameters[2 * k + 1]));
    h = torch::dropout(torch::cat({h.mean({2, 3}), h.amax({2, 3})}, 1), dropout, training);
    return torch::addmm(parameters[5], h, parameters[4].t()).squeeze(1);
  }

 private:
  // Pieces x channels x rows x columns.
  torch::Tensor to_grid(const torch::Tensor& features) const {
    constexpr auto side = static_cast<int64_t>(PieceCutter::kSide),
                   channels = static_cast<int64_t>(PieceCutter::kChannels);
    return features.reshape({-1, side, side, channels}).narrow(3, 0, seen).permute({0, 3, 1, 2}).contiguous();
  }
  // Draws on the CPU, so that all devices start alike.
  void add(at::IntArrayRef shape, int64_t inputs) {
    parameters.push_back((torch::randn(shape) * std::sqrt(2.0 / static_cast<double>(inputs))).to(device));
    parameters.push_back(torch::zeros({shape[0]}, device));
  }
};

Stranger::Stranger(const Pieces& pieces, const StrangerOptions& options) {
  prepare_torch(options.seed);
  // CUDA's fastest convolutions add in any order.
  at::globalContext().setDeterministicCuDNN(true);
  std::mt19937_64 random(options.seed);
  StrangerSplit split = split_by_clip(pieces, options.validation_clips, random);
  network_ = std::make_unique<Network>(rows_of(pieces.features, split.train), options);
  torch::optim::AdamW adam(network_->parameters,
                           torch::optim::AdamWOptions(options.rate).weight_decay(options.weight_decay));
  std::vector<torch::Tensor> best;
  const auto validate = [&] {
    const auto score = scores(to_matrix(rows_of(pieces.features, split.validation)));
    std::vector<float> tested, reference;
    for (size_t i = 0; i < score.size(); ++i)
      (pieces.shown[split.validation[i]] ? tested : reference).push_back(score[i]);
    const double found = auc(tested, reference);
    if (!best.empty() && found <= validation_auc_) return;
    validation_auc_ = found;
    best.clear();
    for (const torch::Tensor& p : network_->parameters) best.push_back(p.detach().clone());
  };
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    for (auto& group : adam.param_groups())
      static_cast<torch::optim::AdamWOptions&>(group.options())
          .lr(0.5 * options.rate * (1 + std::cos(std::numbers::pi * epoch / options.epochs)));
    shuffle(split.train, random);
    for (size_t i = 0; i < split.train.size(); i += static_cast<size_t>(options.batch)) {
      const std::vector<uint32_t> batch(
          split.train.begin() + static_cast<std::ptrdiff_t>(i),
          split.train.begin() + static_cast<std::ptrdiff_t>(
                                    std::min(split.train.size(), i + static_cast<size_t>(options.batch))));
      std::vector<float> labels;
      for (const uint32_t row : batch) labels.push_back(pieces.shown[row]);
      const torch::Tensor loss = torch::binary_cross_entropy_with_logits(
          network_->forward(rows_of(pieces.features, batch), true),
          torch::tensor(labels).to(network_->device), {}, {}, at::Reduction::Mean);
      adam.zero_grad();
      loss.backward();
      adam.step();
    }
    validate();
  }
  network_->parameters = best;
}

Stranger::~Stranger() = default;

std::vector<float> Stranger::scores(const Matrix& features) const {
  torch::NoGradGuard guard;
  std::vector<float> out;
  const torch::Tensor all = to_tensor(features);
  for (int64_t i = 0; i < all.size(0); i += kScoredTogether) {
    const torch::Tensor s =
        network_->forward(all.slice(0, i, std::min(all.size(0), i + kScoredTogether)), false)
            .to(torch::kCPU)
            .contiguous();
    out.insert(out.end(), s.data_ptr<float>(), s.data_ptr<float>() + s.numel());
  }
  return out;
}

double auc(std::vector<float> positive, std::vector<float> negative) {
  if (positive.empty() || negative.empty()) return 0.5;
  std::sort(negative.begin(), negative.end());
  double wins = 0;
  for (const float p : positive) {
    const auto [first, last] = std::equal_range(negative.begin(), negative.end(), p);
    wins += static_cast<double>(first - negative.begin()) + 0.5 * static_cast<double>(last - first);
  }
  return wins / (static_cast<double>(positive.size()) * static_cast<double>(negative.size()));
}

StrangerFigures judge(const Stranger& stranger, const Pieces& pieces) {
  const std::vector<float> scores = stranger.scores(pieces.features);
  struct Sum {
    double score = 0, count = 0;
  };
  std::vector<float> tested, reference;
  std::map<uint32_t, std::array<Sum, 2>> clips;
  for (size_t i = 0; i < scores.size(); ++i) {
    (pieces.shown[i] ? tested : reference).push_back(scores[i]);
    Sum& sum = clips[pieces.clip[i]][pieces.shown[i] ? 1 : 0];
    sum.score += static_cast<double>(scores[i]), sum.count += 1;
  }
  std::vector<float> tested_clips, reference_clips;
  for (const auto& [clip, sums] : clips) {
    reference_clips.push_back(static_cast<float>(sums[0].score / std::max(1.0, sums[0].count)));
    tested_clips.push_back(static_cast<float>(sums[1].score / std::max(1.0, sums[1].count)));
  }
  return {auc(tested, reference), auc(tested_clips, reference_clips), tested.size(), clips.size()};
}

}  // namespace billow::train
