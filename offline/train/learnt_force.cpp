#include "train/learnt_force.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include "runtime/learnt_force.h"
#include "train/mlp.h"

namespace billow::train {
namespace {

torch::Tensor rows_of(std::vector<float>& values, int64_t columns) {
  return torch::from_blob(values.data(), {static_cast<int64_t>(values.size()) / columns, columns},
                          torch::kFloat);
}

// The network that learns, and its optimiser.
class Learner {
 public:
  Learner(const ForceOptions& options, const torch::Tensor& inputs)
      : options_(options), device_(torch_device(options.device)), mlp_(make(options, inputs)) {
    mlp_.to(device_);
    adam_.emplace(mlp_.parameters(),
                  torch::optim::AdamWOptions(options.rate).weight_decay(options.weight_decay));
  }

  // Returns the mean loss.
  double learn(ForceSamples& samples, double rate) {
    for (auto& group : adam_->param_groups())
      static_cast<torch::optim::AdamWOptions&>(group.options()).lr(rate);
    const torch::Tensor z = ((rows_of(samples.inputs, kForceInputs) - to_tensor(start_.mean)) *
                             to_tensor(start_.scale))
                                .to(device_),
                        y = rows_of(samples.targets, 3).to(device_);
    torch::Tensor sum = torch::zeros({}, z.options());
    int64_t batches = 0;
    for (int epoch = 0; epoch < options_.epochs; ++epoch) {
      const torch::Tensor order = torch::randperm(z.size(0), torch::kLong).to(device_);
      for (int64_t at = 0; at < z.size(0); at += options_.batch, ++batches) {
        const torch::Tensor rows = order.narrow(0, at, std::min<int64_t>(options_.batch, z.size(0) - at));
        torch::Tensor seen = z.index_select(0, rows);
        if (options_.noise > 0)
          seen = seen + options_.noise * torch::randn(seen.sizes(), torch::kFloat).to(device_);
        const torch::Tensor loss =
            (mlp_.forward(seen, true) - y.index_select(0, rows)).square().sum(1).mean();
        adam_->zero_grad();
        loss.backward();
        adam_->step();
        sum += loss.detach();
      }
    }
    return sum.item<double>() / static_cast<double>(std::max<int64_t>(1, batches));
  }
  learn::Network network() const { return mlp_.network(start_); }

 private:
  Mlp make(const ForceOptions& options, const torch::Tensor& inputs) {
    constexpr double kMinForceDeviation = 0.02;  // inputs that hardly change are not amplified
    start_.mean = to_matrix(inputs.mean(0)).row(0);
    start_.scale = to_matrix(1 / (inputs.std(0, false) + kMinForceDeviation)).row(0);
    StageOptions stage;
    stage.hidden = options.hidden, stage.hidden_layers = options.hidden_layers;
    stage.activation = learn::Activation::kGelu;
    stage.dropout = 0;
    Mlp mlp(start_, 3, 1, stage);
    mlp.weights.back().zero_(), mlp.biases.back().zero_();  // no force at first
    return mlp;
  }

  const ForceOptions& options_;
  torch::Device device_;
  learn::Network start_;
  Mlp mlp_;
  std::optional<torch::optim::AdamW> adam_;
};

}  // namespace

learn::Network train_force(const learn::Frames& frames, const std::vector<size_t>& clips,
                           const std::vector<size_t>& held_out, const billow_settings& settings,
                           const ForceOptions& options) {
  constexpr float kLiveliest = 4;  // 1/s
  prepare_torch(options.seed);
  const ForceRollouts rollouts(frames, clips, settings),
      checks(frames, held_out.empty() ? clips : held_out, settings);
  const double share =
      static_cast<double>(options.rows) / static_cast<double>(std::max<size_t>(1, rollouts.rows()));
  const auto frames_in = [&](double seconds) {
    return std::max(2, static_cast<int>(std::lround(frames.info().frames_per_second * seconds)));
  };
  learn::Network network;
  std::optional<Learner> learner;
  ForceTarget target = options.target;
  for (int round = 1; round <= options.rounds; ++round) {
    const uint64_t seed = options.seed * 1'000'003 + static_cast<uint64_t>(round) * 10'007;
    const double speed = checks.run(network, frames_in(options.longest), 0, target, seed).speed();
    target.livelier = std::clamp(target.livelier + static_cast<float>(options.energy_gain * (1 - speed)),
                                 -kLiveliest, kLiveliest);
    // Roll-outs reach their full length after two thirds of the rounds.
    const double grown = std::min(1.0, 1.5 * (round - 1) / options.rounds);
    const int length = frames_in(options.shortest * std::pow(options.longest / options.shortest, grown));
    ForceSamples samples = rollouts.run(network, length, share, target, seed);
    if (samples.targets.empty())
      throw std::runtime_error("force: expected training clips of " + std::to_string(kShortestForceClip) +
                               " frames or more, found none");
    if (!learner) learner.emplace(options, rows_of(samples.inputs, kForceInputs));
    const double decay = 0.5 * (1 + std::cos(std::numbers::pi * (round - 1) / options.rounds));
    const double loss = learner->learn(samples, options.rate * std::max(0.02, decay));
    if (!std::isfinite(loss))
      throw std::runtime_error("force: expected a finite loss, found none in round " + std::to_string(round));
    network = learner->network();
    if (options.report) options.report({round, loss, speed}, network);
  }
  return network;
}

}  // namespace billow::train
